/*
 * settings.h: millrace's GUCs.
 */
#pragma once
#include "pg/pg.h"

namespace mr {

extern bool setting_copy;         /* millrace.copy */
extern bool setting_scan;         /* millrace.scan */
extern double setting_scan_min_cost; /* millrace.scan_min_cost */
extern bool setting_log_fallback; /* millrace.log_fallback */

/* Defines every millrace.* GUC and reserves the prefix. */
void init_settings();

}  // namespace mr
