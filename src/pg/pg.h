/*
 * pg.h: the one doorway to PostgreSQL's headers, for PostgreSQL 15 to 19.
 *
 * PostgreSQL reports errors by longjmp. So in every function that may call the
 * server no object with a destructor is alive, memory comes from memory
 * contexts, and static state is written so that an abandoned call leaves it
 * harmless.
 */
#pragma once

#define PGDLLEXPORT __attribute__((visibility("default")))

#include <climits>

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
}
