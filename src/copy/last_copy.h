/*
 * last_copy.h: what the last COPY FROM of this session did.
 */
#pragma once
#include "pg/pg.h"

namespace mr {

struct LastCopy {
  bool valid;
  Oid relation;
  bool fast;
  char reason[96]; /* why not; empty if fast */
  uint64 rows;
  uint64 bytes;
  int64 elapsed_us;
  uint64 rejected; /* rows left out: COPY's WHERE clause does not count */
  int workers;
};

extern LastCopy last_copy;

}  // namespace mr
