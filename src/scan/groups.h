/*
 * groups.h: the hash table of GROUP BY.
 *
 * Each key of a row is first brought to a 64-bit code. Codes of equal values are
 * equal; for most types they are the value itself, so that equal codes are equal
 * values too, and only long strings and the types of kCore need a second look.
 */
#pragma once
#include "scan/reader.h"

extern "C" {
#include "fmgr.h"
}

namespace mr {

enum class KeyKind : uint8 {
  kInteger, /* equal as int64 */
  kFloat4,  /* 0 = -0, NaN = NaN */
  kFloat8,
  kBytes,  /* varlena equal by its bytes: text under a deterministic collation, bytea */
  kBpchar, /* the same without trailing blanks */
  kFixed,  /* by-reference of a fixed length equal by its bytes: uuid */
  kCore    /* by the type's own hash and equality functions */
};

struct GroupKey {
  KeyKind kind;
  bool byval;
  int16 length; /* attlen of the type */
  Oid collation;
  FmgrInfo hash;
  FmgrInfo equal;
};

struct GroupSlot {
  uint64 hash;
  uint32 group; /* + 1; 0: empty */
};

struct GroupTable {
  int n_keys;
  GroupKey* keys;
  size_t state_bytes; /* of one group's states, a multiple of 16 */
  MemoryContext context;
  MemoryContext scratch; /* for detoasting; reset at will */
  uint32 n_groups;
  uint32 capacity;
  uint32 n_slots; /* a power of two */
  GroupSlot* slots;
  bool any_null;
  uint64* codes;  /* by group, n_keys each */
  uint64* nulls;  /* by group, a bit for each key */
  Datum* values;  /* by group, n_keys each: the first value met */
  char* states;   /* by group, state_bytes each; 16-byte aligned */
  bool may_be_flags; /* all keys met so far were strings of one byte ... */
  uint16* of_flags;  /* ... by these: the group + 1, 0: not known here. Outlives context; NULL: not made yet */
};

/* Most keys a table takes. */
constexpr int kMaxGroupKeys = 32;

/* The kind for an equality function; false when it is not known. */
bool group_key_kind(Oid equal_function, KeyKind* kind);

/* Makes an empty table in context, which the caller may reset to drop it (and then init again); zeroed before the first time. */
void groups_init(GroupTable* table, MemoryContext context, MemoryContext scratch);

/*
 * group[i] becomes the group of row i; new groups are made with zeroed states (see n_groups
 * before and after). reader is given hints in between, and may be NULL. May raise what detoasting and the type's own functions raise.
 */
void groups_assign(GroupTable* table, const Vector* const* keys, int n, uint32* group, PageReader* reader);

}  // namespace mr
