/*
 * text_buffer.h: the input of one COPY as checked text in the server's encoding.
 *
 *   source (file, program, frontend) -> [encoding conversion] -> text
 *
 * The buffer starts small, since most COPYs are, and grows in steps. A line that does
 * not fit into its full size is left to PostgreSQL's own reader, which takes its bytes
 * from here (core_reader.h).
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
}

namespace mr {

/* Capacity at first, the factor of a step, and in full: the longest line the fast reader takes. */
constexpr uint32 kSmallText = 4 * 1024;
constexpr uint32 kTextGrowth = 16;
constexpr uint32 kFullText = 1024 * 1024;
/* Bytes asked of the source at once, when it is read as it is and when it is converted. */
constexpr uint32 kChunk = 256 * 1024;
constexpr uint32 kRawChunk = 64 * 1024;
/* Bytes before `begin` that a refill keeps, for core's reader to hand back. */
constexpr uint32 kHistory = 64 * 1024 + 16;
/* Instead of kHistory: nothing moves at all, neither offsets nor addresses. */
constexpr uint32 kInPlace = UINT32_MAX;

struct TextBuffer {
  CopyFromState cstate;

  /*
   * text[begin, valid) is unread text in the server's encoding; text[valid, end)
   * follows it unchecked: an unfinished or invalid character at most (never when
   * converting). The allocation has MR_SLACK readable bytes on both sides and a
   * scratch area of the same size behind it, at offset scratch.
   */
  char* text;
  uint32 capacity;
  uint32 begin, valid, end;
  uint32 scratch;      /* offset of the scratch area */
  uint32 scratch_used; /* bytes */

  /* Input not yet converted, when the file's encoding is another one. */
  bool converting;
  int file_encoding;
  Oid conversion_proc;
  char* raw;
  uint32 raw_begin, raw_end;

  bool source_eof; /* the source has no more bytes */
  bool stuck;      /* the byte at valid (or raw_begin) is invalid: nothing more can be checked */
  uint64 bytes;    /* read from the source so far */

  /* Source. */
  CopySource src;
  FILE* file;
  bool pollable; /* a pipe: wait for it interruptibly */
};

/* Takes the opened source over from cstate. Memory lives in cstate->copycontext. */
TextBuffer* text_buffer_create(CopyFromState cstate);

/*
 * Adds text: at least one byte unless EOF or an invalid character stands in the way,
 * and then returns false. Text before `begin` is dropped, but for `keep` bytes. Raises the source's errors and can wait for
 * the client.
 */
bool text_buffer_fill(TextBuffer* buffer, uint32 keep);

/* Reads and drops what the frontend sends until it ends the data, as core does after an end-of-data marker. */
void text_buffer_drain(TextBuffer* buffer);

/* Raises the conversion error at raw_begin, as CopyConversionError() does. Only when stuck and converting. */
void text_buffer_raise_conversion_error(TextBuffer* buffer);

}  // namespace mr
