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
