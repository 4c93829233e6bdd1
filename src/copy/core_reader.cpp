#include "copy/core_reader.h"

extern "C" {
#include "mb/pg_wchar.h"
}

#include "base/plain.h"

namespace mr {

/*
 * The callback has no argument, so the buffer it reads from is here. Set before
 * each call into core's reader; a value left over from a COPY that failed is
 * never looked at.
 */
static TextBuffer* current = nullptr;
static uint32 keep;

/*
 * How many bytes the next call of the callback gives. A row asks for its line and
 * a little more first, since what core's reader takes it also checks and copies.
 */
static uint32 piece;
constexpr uint32 kBeyondLine = 16;

static void start_with_one_line(TextBuffer* buffer) {
  const char* from = buffer->text + buffer->begin;
  const void* newline = memchr(from, '\n', buffer->end - buffer->begin);
  piece = kBeyondLine + (newline ? static_cast<const char*>(newline) - from : RAW_BUF_SIZE);
}

static int supply(void* out, int min_bytes, int max_bytes) {
  TextBuffer* buffer = current;
  /* Without conversion core checks the bytes itself, the unchecked ones included, and raises the error. */
  if (buffer->begin == buffer->end && !text_buffer_fill(buffer, keep) && buffer->begin == buffer->end) {
    if (buffer->stuck && buffer->converting) text_buffer_raise_conversion_error(buffer);
    return 0;
  }
  uint32 n = Min(Min(static_cast<uint32>(max_bytes), piece), buffer->end - buffer->begin);
  piece = RAW_BUF_SIZE;
  memcpy(out, buffer->text + buffer->begin, n);
  buffer->begin += n;
  buffer->cstate->bytes_processed = buffer->bytes - n; /* core adds n */
  return static_cast<int>(n);
}

void core_reader_attach(TextBuffer* buffer) {
  CopyFromState cstate = buffer->cstate;
  cstate->copy_src = COPY_CALLBACK;
  cstate->data_source_cb = supply;
  if (buffer->converting) {
    cstate->need_transcoding = false;
    cstate->file_encoding = GetDatabaseEncoding();
    cstate->input_buf = cstate->raw_buf;
  }
}

bool core_reader_next(TextBuffer* buffer, bool in_place, ExprContext* econtext, Datum* values, bool* nulls) {
  CopyFromState cstate = buffer->cstate;
  current = buffer;
  keep = in_place ? kInPlace : kHistory;
  cstate->raw_buf_index = cstate->raw_buf_len = 0;
  cstate->input_buf_index = cstate->input_buf_len = 0;
  cstate->raw_reached_eof = cstate->input_reached_eof = cstate->input_reached_error = false;

  start_with_one_line(buffer);

  bool row = NextCopyFrom(cstate, econtext, values, nulls);

  /* what it did not use: the two buffers are one, and input_buf_index is the one kept up to date */
  uint32 unread = cstate->raw_buf_len - cstate->input_buf_index;
  Assert(unread <= buffer->begin);
  buffer->begin -= unread;
  buffer->valid = Max(buffer->valid, buffer->begin);
  cstate->bytes_processed = buffer->bytes;
  return row;
}

}  // namespace mr
