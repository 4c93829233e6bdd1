/*
 * frontend.h: the server's side of the client connection.
 *
 * On servers built with GSSAPI libpq-be.h wants <gssapi.h>, which the server's
 * development package does not bring. Nothing here looks into struct Port, so
 * its GSSAPI members may stay opaque.
 */
#pragma once
#include "pg/pg.h"

#undef ENABLE_GSS

extern "C" {
#include "libpq/libpq.h"
#include "libpq/pqformat.h"
#include "storage/latch.h"
}
