/*
 * frontend.h: the server's side of the client connection.
 *
 * On servers built with GSSAPI libpq-be.h wants <gssapi.h>, which the server's
 * development package does not bring. Without ENABLE_GSS struct Port has the same
 * members at the same places; the GSSAPI state is only an opaque pointer.
 */
#pragma once
#include "pg/pg.h"

#undef ENABLE_GSS

extern "C" {
#include "libpq/libpq-be.h"
#include "libpq/libpq.h"
#include "miscadmin.h"
#include "libpq/pqformat.h"
#include "storage/latch.h"
}

/* Has the server received bytes of the client that nobody has read yet? */
static inline bool mr_pq_buffer_has_data() {
#if PG_VERSION_NUM < 170000
  return pq_buffer_has_data();
#else
  return pq_buffer_remaining_data() > 0;
#endif
}
