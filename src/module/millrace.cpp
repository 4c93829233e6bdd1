/*
 * millrace: one call per room.
 */
#include "copy/hook.h"
#include "pg/pg.h"
#include "pg/settings.h"
#include "scan/hook.h"

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  mr::init_settings();
  mr::init_copy();
  mr::init_scan();
}

}  // extern "C"
