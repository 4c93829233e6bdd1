/*
 * groups.cpp: rows to groups: key codes column by column, one hash, open addressing.
 */
#include "scan/groups.h"

extern "C" {
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
}

namespace mr {

constexpr uint64 kLong = UINT64CONST(0xFF) << 56; /* top byte of codes that are only hashes */
constexpr uint64 kMix = UINT64CONST(0x9E3779B97F4A7C15);

bool group_key_kind(Oid equal, KeyKind* kind) {
  switch (equal) {
    case F_INT2EQ:
    case F_INT4EQ:
    case F_INT8EQ:
    case F_DATE_EQ:
    case F_TIME_EQ:
    case F_TIMESTAMP_EQ:
    case F_TIMESTAMPTZ_EQ:
    case F_BOOLEQ:
    case F_CHAREQ:
    case F_OIDEQ:
    case F_CASH_EQ:
    case F_ENUM_EQ:
      *kind = KeyKind::kInteger;
      return true;
    case F_FLOAT4EQ:
      *kind = KeyKind::kFloat4;
      return true;
    case F_FLOAT8EQ:
      *kind = KeyKind::kFloat8;
      return true;
    case F_TEXTEQ:
    case F_BYTEAEQ:
      *kind = KeyKind::kBytes;
      return true;
    case F_BPCHAREQ:
      *kind = KeyKind::kBpchar;
      return true;
    case F_UUID_EQ:
      *kind = KeyKind::kFixed;
      return true;
    case F_NUMERIC_EQ:
    case F_INTERVAL_EQ:
    case F_TIMETZ_EQ:
    case F_JSONB_EQ:
    case F_NETWORK_EQ:
    case F_MACADDR_EQ:
    case F_NAMEEQ:
      *kind = KeyKind::kCore;
      return true;
    default:
      return false;
  }
}

/*
 * The upper half first goes into the lower one: where keys differ in their upper bits only, as floats do that are whole numbers, the
 * product's lower bits, which choose the slot, would all be alike.
 */
static inline uint64 mix(uint64 h) {
  h ^= h >> 32;
  h *= kMix;
  return h ^ (h >> 32);
}

static uint64 hash_bytes_64(const char* p, int n) {
  return DatumGetUInt64(hash_any_extended(reinterpret_cast<const unsigned char*>(p), n, 0));
}

/*
 * Up to seven bytes are their own code, with the length above them. They are read as the
 * eight bytes that end with them: a header precedes every value.
 */
static inline uint64 code_of_bytes(const char* p, int n) {
  if (likely(n <= 7)) {
    if (n == 0) return 0;
    uint64 word;
    memcpy(&word, p + n - 8, 8);
#ifdef WORDS_BIGENDIAN
    word &= ~UINT64CONST(0) >> (8 * (8 - n));
#else
    word >>= 8 * (8 - n);
#endif
    return word | static_cast<uint64>(n) << 56;
  }
  return hash_bytes_64(p, n) | kLong;
}

static inline uint64 code_of_byte(char c) { return static_cast<uint8>(c) | UINT64CONST(1) << 56; }

static uint64 code_of(GroupTable* table, GroupKey* key, Datum value) {
  switch (key->kind) {
    case KeyKind::kInteger:
      return static_cast<uint64>(value);
    case KeyKind::kFloat4: {
      float4 f = DatumGetFloat4(value);
      if (isnan(f)) return UINT64CONST(0x7FF8000000000000);
      float8 wide = static_cast<float8>(f) + 0.0;
      uint64 bits;
      memcpy(&bits, &wide, 8);
      return bits;
    }
    case KeyKind::kFloat8: {
      float8 f = DatumGetFloat8(value) + 0.0; /* -0 becomes 0 */
      if (isnan(f)) return UINT64CONST(0x7FF8000000000000);
      uint64 bits;
      memcpy(&bits, &f, 8);
      return bits;
    }
    case KeyKind::kBytes:
    case KeyKind::kBpchar: {
      const struct varlena* v = reinterpret_cast<const struct varlena*>(DatumGetPointer(value));
      const bool toasted = is_toasted(v);
      if (unlikely(toasted)) v = pg_detoast_datum_packed(const_cast<struct varlena*>(v));
      int n = static_cast<int>(VARSIZE_ANY_EXHDR(v));
      const char* p = VARDATA_ANY(v);
      if (key->kind == KeyKind::kBpchar) n = without_blanks(p, n);
      const uint64 code = code_of_bytes(p, n);
      if (unlikely(toasted)) pfree(const_cast<struct varlena*>(v));
      return code;
    }
    case KeyKind::kFixed:
      return hash_bytes_64(static_cast<const char*>(DatumGetPointer(value)), key->length) | kLong;
    default: {
      MemoryContext old = MemoryContextSwitchTo(table->scratch);
      const uint32 hash = DatumGetUInt32(FunctionCall1Coll(&key->hash, key->collation, value));
      MemoryContextSwitchTo(old);
      MemoryContextReset(table->scratch);
      return hash | kLong;
    }
  }
}

/* Are two values with the same code equal? */
static bool same_value(GroupTable* table, GroupKey* key, uint64 code, Datum a, Datum b) {
  switch (key->kind) {
    case KeyKind::kInteger:
    case KeyKind::kFloat4:
    case KeyKind::kFloat8:
      return true;
    case KeyKind::kFixed:
      return memcmp(DatumGetPointer(a), DatumGetPointer(b), key->length) == 0;
    case KeyKind::kBytes:
    case KeyKind::kBpchar: {
      if ((code & kLong) != kLong) return true;
      MemoryContext old = MemoryContextSwitchTo(table->scratch);
      const struct varlena* x = pg_detoast_datum_packed(reinterpret_cast<struct varlena*>(DatumGetPointer(a)));
      const struct varlena* y = pg_detoast_datum_packed(reinterpret_cast<struct varlena*>(DatumGetPointer(b)));
      int n = static_cast<int>(VARSIZE_ANY_EXHDR(x));
      int m = static_cast<int>(VARSIZE_ANY_EXHDR(y));
      if (key->kind == KeyKind::kBpchar) {
        n = without_blanks(VARDATA_ANY(x), n);
        m = without_blanks(VARDATA_ANY(y), m);
      }
      const bool same = n == m && memcmp(VARDATA_ANY(x), VARDATA_ANY(y), n) == 0;
      MemoryContextSwitchTo(old);
      if (x != reinterpret_cast<struct varlena*>(DatumGetPointer(a)) ||
          y != reinterpret_cast<struct varlena*>(DatumGetPointer(b)))
        MemoryContextReset(table->scratch);
      return same;
    }
    default: {
      MemoryContext old = MemoryContextSwitchTo(table->scratch);
      const bool same = DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, a, b));
      MemoryContextSwitchTo(old);
      MemoryContextReset(table->scratch);
      return same;
    }
  }
}

template <class T>
static T* grown(MemoryContext context, T* old, size_t count, size_t new_count) {
  T* fresh = static_cast<T*>(
      MemoryContextAllocExtended(context, new_count * sizeof(T), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
  if (old != nullptr) {
    memcpy(static_cast<void*>(fresh), old, count * sizeof(T));
    pfree(old);
  }
  return fresh;
}

/* States hold 128-bit integers: they want 16-byte alignment, which palloc does not promise. */
static char* grown_states(GroupTable* t, uint32 new_capacity) {
  char* raw = static_cast<char*>(MemoryContextAllocExtended(t->context, new_capacity * t->state_bytes + 16,
                                                            MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
  char* fresh = reinterpret_cast<char*>(TYPEALIGN(16, raw + 1)); /* one byte at least to remember how far */
  fresh[-1] = static_cast<char>(fresh - raw);
  if (t->states != nullptr) {
    memcpy(fresh, t->states, t->n_groups * t->state_bytes);
    pfree(t->states - t->states[-1]);
  }
  return fresh;
}

/*
 * Large tables grow by halves: what lies empty counts against hash_mem too, and a serial node whose table is full
 * has read for nothing (65,537 groups of an integer and no aggregate: 9.4 MB by doubling, 8.1 MB so; 8 MB are core's default).
 */
static void grow_groups(GroupTable* t) {
  uint32 capacity = 64;
  if (t->capacity > 0) capacity = t->capacity + (t->capacity < 8192 ? t->capacity : t->capacity / 2);
  t->nulls = grown(t->context, t->nulls, t->n_groups, capacity);
  t->codes = grown(t->context, t->codes, static_cast<size_t>(t->n_groups) * t->n_keys,
                   static_cast<size_t>(capacity) * t->n_keys);
  t->values = grown(t->context, t->values, static_cast<size_t>(t->n_groups) * t->n_keys,
                    static_cast<size_t>(capacity) * t->n_keys);
  t->states = grown_states(t, capacity);
  t->capacity = capacity;
}

static GroupSlot* free_slot(GroupTable* t, uint64 hash) {
  uint32 at = static_cast<uint32>(hash) & (t->n_slots - 1);
  while (t->slots[at].group != 0) at = (at + 1) & (t->n_slots - 1);
  return &t->slots[at];
}

static void grow_slots(GroupTable* t) {
  GroupSlot* old = t->slots;
  const uint32 n_old = t->n_slots;
  t->n_slots = n_old == 0 ? 256 : n_old * 2;
  t->slots = grown<GroupSlot>(t->context, nullptr, 0, t->n_slots);
  for (uint32 i = 0; i < n_old; i++)
    if (old[i].group != 0) *free_slot(t, old[i].hash) = old[i];
  if (old != nullptr) pfree(old);
}

constexpr int kMostFlags = 2;

/* Keys that may well be one byte each, as status columns and the like are. */
static bool could_be_flags(const GroupTable* t) {
  if (t->n_keys > kMostFlags) return false;
  for (int j = 0; j < t->n_keys; j++)
    if (t->keys[j].kind != KeyKind::kBytes && t->keys[j].kind != KeyKind::kBpchar) return false;
  return true;
}

void groups_init(GroupTable* t, MemoryContext context, MemoryContext scratch) {
  t->context = context;
  t->scratch = scratch;
  t->n_groups = t->capacity = t->n_slots = 0;
  t->slots = nullptr;
  t->any_null = false;
  if (t->of_flags != nullptr) pfree(t->of_flags);
  t->of_flags = nullptr;
  t->may_be_flags = could_be_flags(t);
  t->codes = t->nulls = nullptr;
  t->values = nullptr;
  t->states = nullptr;
  grow_groups(t);
  grow_slots(t);
}

static uint32 new_group(GroupTable* t, uint64 hash, const uint64* codes, uint64 nulls, const Vector* const* keys,
                        int row) {
  if (t->n_groups == t->capacity) grow_groups(t);
  if ((t->n_groups + 1) * static_cast<uint64>(2) > t->n_slots) grow_slots(t);
  const uint32 g = t->n_groups;
  MemoryContext old = MemoryContextSwitchTo(t->context);
  for (int j = 0; j < t->n_keys; j++) {
    t->codes[static_cast<size_t>(g) * t->n_keys + j] = codes[j];
    if (nulls & UINT64CONST(1) << j) continue;
    t->values[static_cast<size_t>(g) * t->n_keys + j] =
        datumCopy(keys[j]->values[row], t->keys[j].byval, t->keys[j].length);
  }
  MemoryContextSwitchTo(old);
  t->nulls[g] = nulls;
  t->any_null |= nulls != 0;
  *free_slot(t, hash) = {hash, g + 1};
  t->n_groups++;
  return g;
}

/* kKeys: number of keys, or 0: any. */
template <int kKeys>
static inline bool matches(GroupTable* t, uint32 g, const uint64* codes, uint64 nulls, const Vector* const* keys,
                           int row) {
  const int n_keys = kKeys > 0 ? kKeys : t->n_keys;
  const uint64* mine = t->codes + static_cast<size_t>(g) * n_keys;
  uint64 different = t->nulls[g] ^ nulls;
  bool look = false;
  for (int j = 0; j < n_keys; j++) {
    different |= mine[j] ^ codes[j];
    look |= codes[j] >= kLong;
  }
  if (different != 0) return false;
  if (likely(!look)) return true;
  for (int j = 0; j < n_keys; j++) {
    if (codes[j] < kLong || (nulls & UINT64CONST(1) << j)) continue;
    if (!same_value(t, &t->keys[j], codes[j], t->values[static_cast<size_t>(g) * n_keys + j], keys[j]->values[row]))
      return false;
  }
  return true;
}

/* code_of() for strings with a one-byte header, as almost all short ones have. */
template <bool kTrim>
static inline uint64 code_of_string(GroupTable* t, GroupKey* key, Datum value) {
  const char* v = static_cast<const char*>(DatumGetPointer(value));
  if (unlikely(!VARATT_IS_1B(v) || VARATT_IS_1B_E(v))) return code_of(t, key, value);
  const char* p = VARDATA_1B(v);
  if (VARSIZE_1B(v) == VARHDRSZ_SHORT + 1) /* flags and the like */
    return kTrim && *p == ' ' ? 0 : code_of_byte(*p);
  int n = static_cast<int>(VARSIZE_1B(v)) - VARHDRSZ_SHORT;
  if (kTrim) n = without_blanks(p, n);
  return code_of_bytes(p, n);
}

/* A code for each of n rows of one key. */
static void find_codes(GroupTable* t, int j, const Vector* v, int from, int n, uint64* codes, uint64* nulls) {
  GroupKey* key = &t->keys[j];
  const int step = t->n_keys;
  const Datum* values = v->values + from;
  if (v->has_nulls) {
    const uint8* is_null = v->nulls + from;
    for (int i = 0; i < n; i++) {
      codes[i * step + j] = is_null[i] ? 0 : code_of(t, key, values[i]);
      nulls[i] |= static_cast<uint64>(is_null[i] != 0) << j;
    }
  } else if (key->kind == KeyKind::kInteger) {
    for (int i = 0; i < n; i++) codes[i * step + j] = static_cast<uint64>(values[i]);
  } else if (key->kind == KeyKind::kBytes) {
    for (int i = 0; i < n; i++) codes[i * step + j] = code_of_string<false>(t, key, values[i]);
  } else if (key->kind == KeyKind::kBpchar) {
    for (int i = 0; i < n; i++) codes[i * step + j] = code_of_string<true>(t, key, values[i]);
  } else {
    for (int i = 0; i < n; i++) codes[i * step + j] = code_of(t, key, values[i]);
  }
}

static bool is_exact(KeyKind kind) {
  return kind == KeyKind::kInteger || kind == KeyKind::kFloat4 || kind == KeyKind::kFloat8;
}

constexpr int kStrip = 64;

struct Strip {
  uint64 codes[kStrip * kMaxGroupKeys];
  uint64 nulls[kStrip];
  uint64 hashes[kStrip];
};

template <int kKeys>
static void assign_strip(GroupTable* t, const Vector* const* keys, int from, int m, Strip* s, bool check, uint32* group) {
  const int n_keys = kKeys > 0 ? kKeys : t->n_keys;
  for (int i = 0; i < m; i++) {
    uint64 h = s->nulls[i];
    for (int j = 0; j < n_keys; j++) h = mix(h ^ s->codes[i * n_keys + j]);
    s->hashes[i] = h;
  }
  for (int i = 0; i < m; i++) {
    const uint64 hash = s->hashes[i];
    const uint64* codes = s->codes + i * n_keys;
    uint32 at = static_cast<uint32>(hash) & (t->n_slots - 1);
    for (;;) {
      const GroupSlot* slot = &t->slots[at];
      if (slot->group == 0) {
        group[i] = new_group(t, hash, codes, s->nulls[i], keys, from + i);
        break;
      }
      if (slot->hash == hash && (!check || matches<kKeys>(t, slot->group - 1, codes, s->nulls[i], keys, from + i))) {
        group[i] = slot->group - 1;
        break;
      }
      at = (at + 1) & (t->n_slots - 1);
    }
  }
}

/* Are a strip's keys strings of one byte each? Those of a row, side by side, are then its index. */
static bool find_flags(const GroupTable* t, const Vector* const* keys, int from, int n, uint16* index) {
  bool all = true;
  for (int j = 0; j < t->n_keys; j++) {
    if (keys[j]->has_nulls) return false;
    const Datum* values = keys[j]->values + from;
    for (int i = 0; i < n; i++) {
      const char* p = static_cast<const char*>(DatumGetPointer(values[i]));
      const bool is_one = VARATT_IS_1B(p) && VARSIZE_1B(p) == VARHDRSZ_SHORT + 1;
      all &= is_one;
      index[i] = static_cast<uint16>((j == 0 ? 0 : index[i] << 8) | static_cast<uint8>(p[is_one]));
    }
  }
  return all;
}

/* The groups of a strip, if all are known by their flags. */
static bool groups_of_flags(const GroupTable* t, const uint16* index, int n, uint32* group) {
  if (t->of_flags == nullptr) return false;
  bool all = true;
  for (int i = 0; i < n; i++) {
    const uint32 found = t->of_flags[index[i]];
    all &= found != 0;
    group[i] = found - 1;
  }
  return all;
}

static void remember_flags(GroupTable* t, const uint16* index, int n, const uint32* group) {
  if (t->of_flags == nullptr)
    t->of_flags = static_cast<uint16*>(MemoryContextAllocZero(MemoryContextGetParent(t->context),
                                                              sizeof(uint16) << (8 * t->n_keys)));
  for (int i = 0; i < n; i++)
    if (group[i] < PG_UINT16_MAX) t->of_flags[index[i]] = static_cast<uint16>(group[i] + 1);
}

void groups_assign(GroupTable* t, const Vector* const* keys, int n, uint32* group, PageReader* reader) {
  Strip s;
  /* mix() is one to one: with a single exact key and no nulls equal hashes are equal keys. */
  const bool hash_tells = t->n_keys == 1 && is_exact(t->keys[0].kind);
  for (int from = 0; from < n; from += kStrip) {
    const int m = Min(kStrip, n - from);
    uint16 index[kStrip];
    const bool flags = t->may_be_flags && m == kStrip && find_flags(t, keys, from, m, index);
    if (flags && groups_of_flags(t, index, m, group + from)) {
      if (reader != nullptr) reader_hint(reader);
      continue;
    }
    memset(s.nulls, 0, sizeof(s.nulls));
    for (int j = 0; j < t->n_keys; j++) {
      find_codes(t, j, keys[j], from, m, s.codes, s.nulls);
      if (reader != nullptr) reader_hint(reader);
    }
    const bool check = !hash_tells || keys[0]->has_nulls || t->any_null;
    switch (t->n_keys) {
      case 1:
        assign_strip<1>(t, keys, from, m, &s, check, group + from);
        break;
      case 2:
        assign_strip<2>(t, keys, from, m, &s, check, group + from);
        break;
      default:
        assign_strip<0>(t, keys, from, m, &s, check, group + from);
    }
    if (flags)
      remember_flags(t, index, m, group + from);
    else if (m == kStrip)
      t->may_be_flags = false;
    if (reader != nullptr) reader_hint(reader);
  }
}

}  // namespace mr
