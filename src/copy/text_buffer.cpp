#include "copy/text_buffer.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "commands/progress.h"
#include "mb/pg_wchar.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"
}

#include "base/plain.h"
#include "kernels/utf8.h"
#include "pg/compat.h"
#include "pg/frontend.h"

namespace mr {

static void allocate_text(TextBuffer* buffer, uint32 capacity) {
  char* memory = static_cast<char*>(palloc(2 * capacity + 6 * MR_SLACK));
  memset(memory, 0, MR_SLACK);
  buffer->text = memory + MR_SLACK;
  buffer->capacity = capacity;
  buffer->scratch = capacity + 2 * MR_SLACK;
}

static void grow_text(TextBuffer* buffer) {
  MemoryContext old = MemoryContextSwitchTo(buffer->cstate->copycontext);
  char* from = buffer->text;
  allocate_text(buffer, Min(buffer->capacity * kTextGrowth, kFullText));
  memcpy(buffer->text, from, buffer->end);
  pfree(from - MR_SLACK);
  MemoryContextSwitchTo(old);
}

TextBuffer* text_buffer_create(CopyFromState cstate) {
  MemoryContext old = MemoryContextSwitchTo(cstate->copycontext);
  TextBuffer* buffer = static_cast<TextBuffer*>(palloc0(sizeof(TextBuffer)));
  buffer->cstate = cstate;
  allocate_text(buffer, kSmallText);
  buffer->converting = cstate->need_transcoding;
  buffer->file_encoding = cstate->file_encoding;
  buffer->conversion_proc = cstate->conversion_proc;
  if (buffer->converting) buffer->raw = static_cast<char*>(palloc(kRawChunk));
  buffer->src = cstate->copy_src;
  buffer->file = cstate->copy_file;
  if (buffer->src == COPY_FILE) {
    struct stat st;
    buffer->pollable = fstat(fileno(buffer->file), &st) == 0 && S_ISFIFO(st.st_mode);
  }
  MemoryContextSwitchTo(old);
  return buffer;
}

/*
 * Waits until the pipe has bytes, so that a cancel or a timeout ends the wait. A
 * plain read(2) would be restarted after the signal, since the server installs
 * its handlers with SA_RESTART.
 */
static void wait_readable(int fd) {
  struct pollfd p = {fd, POLLIN, 0};
  while (poll(&p, 1, 0) == 0) {
    (void)WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH, fd, -1,
                            PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}

/* Reads up to room bytes; 0 means EOF. */
static uint32 read_file(TextBuffer* buffer, char* to, uint32 room) {
  int fd = fileno(buffer->file);
  for (;;) {
    if (buffer->pollable) wait_readable(fd);
    pgstat_report_wait_start(WAIT_EVENT_COPY_FILE_READ);
    ssize_t got = read(fd, to, room);
    pgstat_report_wait_end();
    if (got >= 0) return static_cast<uint32>(got);
    if (errno == EINTR) {
      CHECK_FOR_INTERRUPTS();
      continue;
    }
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from COPY file: %m")));
  }
}

/* Encrypted connections may hold input that the socket does not show. */
static bool socket_tells_all() { return !MyProcPort->ssl_in_use && MyProcPort->gss == nullptr; }

static bool client_has_sent() {
  if (mr_pq_buffer_has_data()) return true;
  struct pollfd p = {MyProcPort->sock, POLLIN, 0};
  return poll(&p, 1, 0) != 0;
}

/*
 * Waits until the client has begun to send a message, so that a cancel or a timeout
 * ends the wait: between two messages leaving COPY is as safe as after a bad line.
 */
static void wait_client() {
  while (socket_tells_all() && !client_has_sent()) {
    WaitEvent event;
    ModifyWaitEvent(FeBeWaitSet, FeBeWaitSetSocketPos, WL_SOCKET_READABLE, nullptr);
    int events = WaitEventSetWait(FeBeWaitSet, -1, &event, 1, WAIT_EVENT_CLIENT_READ);
    if (events > 0 && (event.events & WL_POSTMASTER_DEATH))
      ereport(FATAL, (errcode(ERRCODE_ADMIN_SHUTDOWN),
                      errmsg("terminating connection due to unexpected postmaster exit")));
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
  }
}

/*
 * Is the next message here, and one that cannot raise an error? Others wait until the
 * rows before them are done, since those could raise theirs first.
 */
static bool harmless_message_is_here() {
  if (!client_has_sent()) return false;
  pq_startmsgread();
  int type = pq_peekbyte();
  pq_endmsgread();
  return type == PqMsg_CopyData || type == PqMsg_CopyDone || type == PqMsg_Flush || type == PqMsg_Sync;
}

/*
 * Receives one CopyData message into fe_msgbuf; false at the end of the data, or with
 * `wait` off when there is none yet. Mirrors the message loop of CopyGetData(),
 * which is static.
 */
static bool receive_message(TextBuffer* buffer, bool wait) {
  CopyFromState cstate = buffer->cstate;
  for (;;) {
    if (wait)
      wait_client();
    else if (!harmless_message_is_here())
      return false;
    HOLD_CANCEL_INTERRUPTS();
    pq_startmsgread();
    int type = pq_getbyte();
    if (type == EOF)
      ereport(ERROR, (errcode(ERRCODE_CONNECTION_FAILURE),
                      errmsg("unexpected EOF on client connection with an open transaction")));
    int limit = 0;
    switch (type) {
      case PqMsg_CopyData:
        limit = PQ_LARGE_MESSAGE_LIMIT;
        break;
      case PqMsg_CopyDone:
      case PqMsg_CopyFail:
      case PqMsg_Flush:
      case PqMsg_Sync:
        limit = PQ_SMALL_MESSAGE_LIMIT;
        break;
      default:
        ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
                        errmsg("unexpected message type 0x%02X during COPY from stdin", type)));
    }
    if (pq_getmessage(cstate->fe_msgbuf, limit))
      ereport(ERROR, (errcode(ERRCODE_CONNECTION_FAILURE),
                      errmsg("unexpected EOF on client connection with an open transaction")));
    RESUME_CANCEL_INTERRUPTS();
    switch (type) {
      case PqMsg_CopyData:
        return true;
      case PqMsg_CopyDone:
        cstate->fe_msgbuf->cursor = cstate->fe_msgbuf->len;
        buffer->source_eof = true;
        return false;
      case PqMsg_CopyFail:
        ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED),
                        errmsg("COPY from stdin failed: %s", pq_getmsgstring(cstate->fe_msgbuf))));
      default: /* Flush and Sync are ignored here, as in core */
        break;
    }
  }
}

/*
 * Takes what the client has sent, up to room bytes: waits for the first byte
 * only, so that an error is answered as soon as its line is there.
 */
static uint32 read_frontend(TextBuffer* buffer, char* to, uint32 room) {
  StringInfo message = buffer->cstate->fe_msgbuf;
  uint32 got = 0;
  while (got < room && !buffer->source_eof) {
    if (message->cursor >= message->len && !receive_message(buffer, got == 0)) break;
    uint32 part = Min(static_cast<uint32>(message->len - message->cursor), room - got);
    memcpy(to + got, message->data + message->cursor, part);
    message->cursor += part;
    got += part;
  }
  return got;
}

static uint32 read_source(TextBuffer* buffer, char* to, uint32 room) {
  uint32 got = buffer->src == COPY_FRONTEND ? read_frontend(buffer, to, room) : read_file(buffer, to, room);
  if (got == 0) buffer->source_eof = true;
  buffer->bytes += got;
  buffer->cstate->bytes_processed = buffer->bytes;
  pgstat_progress_update_param(PROGRESS_COPY_BYTES_PROCESSED, buffer->bytes);
  return got;
}

/* Length of the longest run at s[0, n) that is valid in the encoding. */
static uint32 valid_prefix(int encoding, const char* s, uint32 n) {
  if (encoding == PG_UTF8) return mr_utf8_valid_prefix(s, n);
  if (pg_encoding_max_length(encoding) == 1) return mr_nul_free_prefix(s, n);
  return pg_encoding_verifymbstr(encoding, s, n);
}

/* Length of the run of plain non-NUL ASCII bytes at s[0, n). Every encoding's conversion copies those as they are. */
static uint32 ascii_prefix(const char* s, uint32 n) {
  uint32 i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64 word;
    memcpy(&word, s + i, 8);
    uint64 zero_or_high = ((word - UINT64CONST(0x0101010101010101)) | word) & UINT64CONST(0x8080808080808080);
    if (zero_or_high) break;
  }
  while (i < n && s[i] > 0) i++;
  return i;
}

/*
 * Converts raw input into the room left in text; false when nothing could be
 * converted. Mirrors the converting half of CopyConvertBuf().
 */
static bool convert_some(TextBuffer* buffer) {
  bool any = false;
  for (;;) {
    uint32 have = buffer->raw_end - buffer->raw_begin;
    uint32 room = buffer->capacity - buffer->end;
    if (have == 0 || room < 64) return any;
    const char* src = buffer->raw + buffer->raw_begin;
    uint32 plain = ascii_prefix(src, Min(have, room));
    if (plain > 0) {
      memcpy(buffer->text + buffer->end, src, plain);
      buffer->raw_begin += plain;
      buffer->end += plain;
      any = true;
      continue;
    }
    /*
     * A run that is not plain is converted up to some length only, so that the
     * plain text after it is copied again.
     */
    char* dst = buffer->text + buffer->end;
    int limit = Min(have, 1024);
    int used = pg_do_encoding_conversion_buf(buffer->conversion_proc, buffer->file_encoding, GetDatabaseEncoding(),
                                             (unsigned char*)src, limit, (unsigned char*)dst, room, true);
    if (used == 0) {
      if (buffer->source_eof || have >= MAX_CONVERSION_INPUT_LENGTH) buffer->stuck = true;
      return any;
    }
    buffer->raw_begin += used;
    buffer->end += strlen(dst);
    any = true;
  }
}

/* Moves text down so that `keep` bytes before begin stay. */
static void compact(TextBuffer* buffer, uint32 keep) {
  if (buffer->begin <= keep) return;
  uint32 shift = buffer->begin - keep;
  memmove(buffer->text, buffer->text + shift, buffer->end - shift);
  buffer->begin -= shift;
  buffer->valid -= shift;
  buffer->end -= shift;
}

bool text_buffer_fill(TextBuffer* buffer, uint32 keep) {
  if (keep != kInPlace) {
    compact(buffer, keep);
    if (buffer->end > 0 && buffer->capacity - buffer->end < kSmallText && buffer->capacity < kFullText) grow_text(buffer);
  }
  uint32 had = buffer->valid;
  while (buffer->valid == had && !buffer->stuck) {
    if (buffer->converting) {
      if (buffer->raw_end == buffer->raw_begin || !convert_some(buffer)) {
        if (buffer->stuck || buffer->capacity - buffer->end < 64) break;
        if (buffer->source_eof) break;
        memmove(buffer->raw, buffer->raw + buffer->raw_begin, buffer->raw_end - buffer->raw_begin);
        buffer->raw_end -= buffer->raw_begin;
        buffer->raw_begin = 0;
        buffer->raw_end += read_source(buffer, buffer->raw + buffer->raw_end, kRawChunk - buffer->raw_end);
      }
      buffer->valid = buffer->end;
    } else {
      uint32 room = Min(kChunk, buffer->capacity - buffer->end);
      if (room == 0 || buffer->source_eof) {
        /* an unfinished character at the very end is invalid */
        if (buffer->source_eof && buffer->end > buffer->valid) buffer->stuck = true;
        break;
      }
      buffer->end += read_source(buffer, buffer->text + buffer->end, room);
      uint32 unchecked = buffer->end - buffer->valid;
      uint32 good = valid_prefix(buffer->file_encoding, buffer->text + buffer->valid, unchecked);
      buffer->valid += good;
      /* what follows valid is invalid if even the longest character would have been complete */
      if (buffer->end - buffer->valid >= static_cast<uint32>(pg_encoding_max_length(buffer->file_encoding)))
        buffer->stuck = true;
    }
  }
  return buffer->valid > had;
}

void text_buffer_drain(TextBuffer* buffer) {
  if (buffer->src != COPY_FRONTEND) return;
  StringInfo message = buffer->cstate->fe_msgbuf;
  while (!buffer->source_eof) {
    message->cursor = message->len;
    receive_message(buffer, true);
  }
}

void text_buffer_raise_conversion_error(TextBuffer* buffer) {
  char dst[MAX_CONVERSION_INPUT_LENGTH * MAX_CONVERSION_GROWTH + 1];
  int have = Min(buffer->raw_end - buffer->raw_begin, static_cast<uint32>(MAX_CONVERSION_INPUT_LENGTH));
  (void)pg_do_encoding_conversion_buf(buffer->conversion_proc, buffer->file_encoding, GetDatabaseEncoding(),
                                      (unsigned char*)buffer->raw + buffer->raw_begin, have, (unsigned char*)dst,
                                      sizeof(dst), false);
  elog(ERROR, "encoding conversion failed without error");
}

}  // namespace mr
