/*
 * hook.h: how plans get scans of ours.
 */
#pragma once

namespace mr {

/* Registers the custom scan and chains planner_hook. */
void init_scan();

}  // namespace mr
