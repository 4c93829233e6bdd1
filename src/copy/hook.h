/*
 * hook.h: how COPY FROM statements reach millrace.
 */
#pragma once

namespace mr {

/* Puts millrace into the ProcessUtility hook chain. */
void init_copy();

}  // namespace mr
