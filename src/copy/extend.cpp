#include "copy/extend.h"

#include <fcntl.h>
#include <unistd.h>

extern "C" {
#include "common/relpath.h"
#include "storage/bufpage.h"
#include "storage/fd.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "storage/smgr.h"
#include "utils/guc.h"
}

namespace mr {

#if PG_VERSION_NUM >= 160000

int extend_table(Relation rel, BufferAccessStrategy strategy, int n, Buffer* buffers) {
  Buffer added[64];
  uint32 got = 0;
  ExtendBufferedRelBy(BMR_REL(rel), MAIN_FORKNUM, strategy, 0, n, added, &got);
  int kept = 0;
  for (uint32 i = 0; i < got; i++) {
    LockBuffer(added[i], BUFFER_LOCK_EXCLUSIVE);
    /* unlocked for a moment: another session may have taken a fresh last page */
    if (PageIsNew(BufferGetPage(added[i])))
      buffers[kept++] = added[i];
    else
      UnlockReleaseBuffer(added[i]);
  }
  return kept > 0 ? kept : extend_table(rel, strategy, n, buffers);
}

#else

/*
 * Reserves the file space of blocks [first, first + n) in one call when they lie in
 * one existing segment file. False leaves it to smgrextend(), with its errors.
 */
static bool reserve_at_once(Relation rel, BlockNumber first, int n) {
  BlockNumber segment = first / RELSEG_SIZE, in_segment = first % RELSEG_SIZE;
  if (in_segment == 0 || in_segment + n > RELSEG_SIZE) return false;
  SMgrRelation smgr = RelationGetSmgr(rel);
  char* base = relpath(smgr->smgr_rnode, MAIN_FORKNUM);
  char* path = segment == 0 ? base : psprintf("%s.%u", base, segment);
  int fd = OpenTransientFile(path, O_RDWR | PG_BINARY);
  if (fd < 0) return false;
  int failed = posix_fallocate(fd, static_cast<off_t>(in_segment) * BLCKSZ, static_cast<off_t>(n) * BLCKSZ);
  CloseTransientFile(fd);
  if (path != base) pfree(path);
  pfree(base);
  return failed == 0;
}

static void reserve(Relation rel, BlockNumber first, int n) {
  if (reserve_at_once(rel, first, n)) return;
  PGAlignedBlock zero;
  memset(zero.data, 0, BLCKSZ);
  for (int i = 0; i < n; i++) smgrextend(RelationGetSmgr(rel), MAIN_FORKNUM, first + i, zero.data, false);
}

/*
 * How many buffers this backend may pin at once: its share of the pool, as LimitAdditionalPins() of later
 * majors has it, so that small pools and many loads do not run out of buffers.
 */
static int pin_limit(Relation rel) {
  if (RelationUsesLocalBuffers(rel)) return Max(1, num_temp_buffers / 4);
  return Max(1, NBuffers / (MaxBackends + NUM_AUXILIARY_PROCS));
}

/*
 * The buffers are taken before the file grows: until then no other session can
 * know the blocks, so none can have put rows there, and zeroing them is safe.
 */
int extend_table(Relation rel, BufferAccessStrategy strategy, int n, Buffer* buffers) {
  n = Min(n, pin_limit(rel));
  bool lock = !RELATION_IS_LOCAL(rel);
  if (lock) LockRelationForExtension(rel, ExclusiveLock);
  BlockNumber first = RelationGetNumberOfBlocks(rel);
  if (first >= MaxBlockNumber - n)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("cannot extend relation %s beyond %u blocks",
                           relpath(RelationGetSmgr(rel)->smgr_rnode, MAIN_FORKNUM), P_NEW)));
  for (int i = 0; i < n; i++)
    buffers[i] = ReadBufferExtended(rel, MAIN_FORKNUM, first + i, RBM_ZERO_AND_LOCK, strategy);
  reserve(rel, first, n);
  if (lock) UnlockRelationForExtension(rel, ExclusiveLock);
  return n;
}

#endif

}  // namespace mr
