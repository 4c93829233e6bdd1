#include "pg/settings.h"

#include <float.h>

extern "C" {
#include "utils/guc.h"
}

#include "kernels/simd_target.h"

namespace mr {

bool setting_copy = true;
bool setting_scan = true;
double setting_scan_min_cost = 2.0;
bool setting_log_fallback = false;

static int setting_simd = 0;

/* Values of millrace.simd are indexes into this table; 0 is "auto". */
static const config_enum_entry kSimdOptions[] = {
    {"auto", 0, false},      {"avx3_zen4", 1, false}, {"avx3_dl", 2, false}, {"avx3", 3, false},
    {"avx2", 4, false},      {"sse4", 5, false},      {"ssse3", 6, false},   {"sse2", 7, false},
    {"neon", 8, false},      {"neon_without_aes", 9, false}, {"sve", 10, false}, {"sve2", 11, false},
    {"ppc8", 12, false},     {"ppc9", 13, false},     {"ppc10", 14, false},  {"scalar", 15, false},
    {nullptr, 0, false}};

static bool check_simd(int* newval, void** extra, GucSource source) {
  if (*newval == 0 || strcmp(kSimdOptions[*newval].name, "scalar") == 0) return true;
  for (int i = 0; mr_simd_supported(i) != nullptr; i++)
    if (strcmp(mr_simd_supported(i), kSimdOptions[*newval].name) == 0) return true;
  GUC_check_errdetail("This processor or build has no SIMD target \"%s\".", kSimdOptions[*newval].name);
  return false;
}

static void assign_simd(int newval, void* extra) { mr_simd_force(kSimdOptions[newval].name); }

void init_settings() {
  DefineCustomBoolVariable("millrace.copy", "Lets millrace run COPY FROM.",
                           "When on, COPY FROM of text and CSV input into tables is read and stored by millrace's "
                           "fast path where it can be, with the same result. When off, PostgreSQL's own code runs.",
                           &setting_copy, true, PGC_USERSET, 0, nullptr, nullptr, nullptr);
  DefineCustomBoolVariable("millrace.scan", "Lets millrace run table scans and what is above them.",
                           "When on, counts and aggregates over sequential scans of ordinary tables are computed by "
                           "a Custom Scan (MillraceAgg) where all of the aggregation is known to it, filters run in a "
                           "MillraceScan, and the first rows in an order are found with a MillraceTopN, with the same "
                           "result. When off, PostgreSQL's own plan runs, also of statements prepared before.",
                           &setting_scan, true, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
  DefineCustomRealVariable("millrace.scan_min_cost", "Cheapest table scan that millrace takes over.",
                           "A scan that the planner thinks costs less, as of a table of some dozens of rows, is left to "
                           "PostgreSQL: starting would take longer than is gained.",
                           &setting_scan_min_cost, 2.0, 0.0, DBL_MAX, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
  DefineCustomBoolVariable("millrace.log_fallback", "Tells why a statement was left to PostgreSQL.",
                           "When on, a NOTICE gives the reason each time a COPY FROM is left to PostgreSQL's own code "
                           "although millrace.copy is on.",
                           &setting_log_fallback, false, PGC_USERSET, 0, nullptr, nullptr, nullptr);
  DefineCustomEnumVariable("millrace.simd", "SIMD instruction set that the kernels use.",
                           "The default, auto, takes the best one this processor has. Naming one that the processor "
                           "lacks is an error; scalar means plain byte-at-a-time code. For tests and diagnosis.",
                           &setting_simd, 0, kSimdOptions, PGC_USERSET, 0, check_simd, assign_simd, nullptr);
  MarkGUCPrefixReserved("millrace");
}

}  // namespace mr
