// The AVX-512 build of the moves: addresses are checked eight or sixteen at a time, and the two
// shapes that most loads have, consecutive and uniform, move whole vectors.
#include "exec/operations/moves_rows.inc"

#include <immintrin.h>

// How the lanes lie that take part: in a row, an element behind the other; all at one address; or
// in any other way, or not all within the range.
enum run { RUN_NONE, RUN_ROW, RUN_SAME };

struct found_run {
    enum run run;
    int64_t first; // of the range: the element of lane 0, which need not take part; or of all
};

// Relative addresses of 32 lanes, from 64-bit addresses.
struct wide_lanes {
    __m512i part[4];
};

// … and from 32-bit addresses.
struct narrow_lanes {
    __m512i part[2];
};

// Which of the four vectors of 64-bit addresses hold the lanes that are looked at.
struct parts {
    unsigned first, end;
};
#define ALL_PARTS ((struct parts){0, 4})
#define LOW_PARTS ((struct parts){0, 2})
#define HIGH_PARTS ((struct parts){2, 4})

// The first two lanes decide which of the two it can be, and one comparison whether it is. What
// lies in a row is in the range when its ends are.
static inline __attribute__((always_inline)) struct found_run found(
    uint64_t leading, uint32_t lanes, uint32_t lead, enum run run, bool differs,
    const struct wm_move_range *range, uint64_t bytes)
{
    uint64_t last = run == RUN_ROW ? leading + lanes * bytes : leading;
    uint64_t bound = range->size_bytes - bytes;
    if (differs || leading > bound || last > bound || (leading & (bytes - 1)) != 0)
        return (struct found_run){RUN_NONE, 0};
    return (struct found_run){run, (int64_t)(run == RUN_ROW ? leading - lead * bytes : leading)};
}

static inline __attribute__((always_inline)) struct found_run find_run_in(
    const void *addresses, int64_t offset, uint32_t mask, struct parts parts,
    const struct wm_move_range *range, uint64_t bytes)
{
    if (range->size_bytes < bytes)
        return (struct found_run){RUN_NONE, 0};
    const uint64_t *at = addresses;
    uint32_t lead = (uint32_t)__builtin_ctz(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    uint32_t rest = mask & (mask - 1), second = rest != 0 ? (uint32_t)__builtin_ctz(rest) : lead;
    uint64_t leading = at[lead], apart = at[second] - leading;
    enum run run = apart == 0 ? RUN_SAME : RUN_ROW;
    uint64_t pace = run == RUN_ROW ? bytes : 0;
    if (apart != (second - lead) * pace || at[last] - leading != (last - lead) * pace)
        return (struct found_run){RUN_NONE, 0};
    __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i next = _mm512_set1_epi64((long long)leading), step = _mm512_setzero_si512();
    if (run == RUN_ROW) {
        uint64_t first = leading - (lead - 8 * parts.first) * bytes;
        next = _mm512_add_epi64(_mm512_set1_epi64((long long)first),
                                _mm512_slli_epi64(iota, bytes == 4 ? 2 : 3));
        step = _mm512_set1_epi64((long long)(8 * bytes));
    }
    __mmask8 differs = 0;
    for (unsigned i = parts.first; i < parts.end; i++) {
        __mmask8 of = (__mmask8)(mask >> (8 * i));
        differs |= _mm512_mask_cmpneq_epi64_mask(of, _mm512_load_si512(at + i * 8), next);
        next = _mm512_add_epi64(next, step);
    }
    return found(leading + (uint64_t)offset - range->low, last - lead, lead, run, differs != 0,
                 range, bytes);
}

static inline __attribute__((always_inline)) struct found_run find_run_wide(
    const void *addresses, int64_t offset, uint32_t mask, const struct wm_move_range *range,
    uint64_t bytes)
{
    return find_run_in(addresses, offset, mask, ALL_PARTS, range, bytes);
}

// Only shared memory has 32-bit addresses here: it begins at 0 and is small.
static inline bool is_narrow(int64_t offset, const struct wm_move_range *range, uint64_t bytes)
{
    return range->size_bytes >= bytes && range->low == 0 && range->size_bytes <= INT32_MAX &&
           offset >= -INT32_MAX && offset <= INT32_MAX;
}

static inline __attribute__((always_inline)) struct found_run find_run_narrow(
    const void *addresses, int64_t offset, uint32_t mask, const struct wm_move_range *range,
    uint64_t bytes)
{
    if (!is_narrow(offset, range, bytes))
        return (struct found_run){RUN_NONE, 0};
    const uint32_t *at = addresses;
    uint32_t lead = (uint32_t)__builtin_ctz(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    uint32_t rest = mask & (mask - 1), second = rest != 0 ? (uint32_t)__builtin_ctz(rest) : lead;
    uint32_t leading = at[lead], apart = at[second] - leading, size = (uint32_t)bytes;
    enum run run = apart == 0 ? RUN_SAME : RUN_ROW;
    uint32_t pace = run == RUN_ROW ? size : 0;
    if (apart != (second - lead) * pace || at[last] - leading != (last - lead) * pace)
        return (struct found_run){RUN_NONE, 0};
    __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i next = _mm512_set1_epi32((int)leading), step = _mm512_setzero_si512();
    if (run == RUN_ROW) {
        uint32_t first = leading - lead * size;
        next = _mm512_add_epi32(_mm512_set1_epi32((int)first),
                                _mm512_slli_epi32(iota, bytes == 4 ? 2 : 3));
        step = _mm512_set1_epi32((int)(16 * size));
    }
    __mmask16 differs = 0;
    for (unsigned i = 0; i < 2; i++) {
        __mmask16 of = (__mmask16)(mask >> (16 * i));
        differs |= _mm512_mask_cmpneq_epi32_mask(of, _mm512_load_si512(at + i * 16), next);
        next = _mm512_add_epi32(next, step);
    }
    return found(leading + (uint32_t)offset, last - lead, lead, run, differs != 0, range, bytes);
}

// The relative addresses of lanes that are no run; false when one is not good.
static inline __attribute__((always_inline)) bool resolve_wide(struct wide_lanes *lanes,
                                                               const void *addresses,
                                                               int64_t offset, uint32_t mask,
                                                               const struct wm_move_range *range,
                                                               uint64_t bytes)
{
    if (range->size_bytes < bytes)
        return false;
    __m512i add = _mm512_set1_epi64((long long)((uint64_t)offset - range->low));
    __m512i bound = _mm512_set1_epi64((long long)(range->size_bytes - bytes));
    __m512i low_bits = _mm512_set1_epi64((long long)(bytes - 1));
    __mmask8 bad = 0;
    for (unsigned i = 0; i < 4; i++) {
        __mmask8 of = (__mmask8)(mask >> (8 * i));
        __m512i r =
            _mm512_add_epi64(_mm512_load_si512((const char *)addresses + (size_t)i * 64), add);
        lanes->part[i] = r;
        bad |= _mm512_mask_cmpgt_epu64_mask(of, r, bound) |
               _mm512_mask_test_epi64_mask(of, r, low_bits);
    }
    return bad == 0;
}

static inline __attribute__((always_inline)) bool resolve_narrow(struct narrow_lanes *lanes,
                                                                 const void *addresses,
                                                                 int64_t offset, uint32_t mask,
                                                                 const struct wm_move_range *range,
                                                                 uint64_t bytes)
{
    if (!is_narrow(offset, range, bytes))
        return false;
    __m512i add = _mm512_set1_epi32((int)offset);
    __m512i bound = _mm512_set1_epi32((int)(range->size_bytes - bytes));
    __m512i low_bits = _mm512_set1_epi32((int)(bytes - 1));
    __mmask16 bad = 0;
    for (unsigned i = 0; i < 2; i++) {
        __mmask16 of = (__mmask16)(mask >> (16 * i));
        __m512i r =
            _mm512_add_epi32(_mm512_load_si512((const char *)addresses + (size_t)i * 64), add);
        lanes->part[i] = r;
        bad |= _mm512_mask_cmpgt_epu32_mask(of, r, bound) |
               _mm512_mask_test_epi32_mask(of, r, low_bits);
    }
    return bad == 0;
}

static inline void load_row_4(void *data, const char *from, uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 2; i++) {
        __mmask16 m = (__mmask16)(mask >> (16 * i));
        __m512i v = _mm512_maskz_loadu_epi32(m, from + (size_t)i * 64);
        _mm512_mask_store_epi32(to + (size_t)i * 64, m, v);
    }
}

static inline void load_row_8(void *data, const char *from, uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 4; i++) {
        __mmask8 m = (__mmask8)(mask >> (8 * i));
        __m512i v = _mm512_maskz_loadu_epi64(m, from + (size_t)i * 64);
        _mm512_mask_store_epi64(to + (size_t)i * 64, m, v);
    }
}

static inline void fill_4(void *data, const char *from, uint32_t mask)
{
    int value;
    memcpy(&value, from, sizeof(value));
    char *to = data;
    __m512i v = _mm512_set1_epi32(value);
    _mm512_mask_store_epi32(to, (__mmask16)mask, v);
    _mm512_mask_store_epi32(to + 64, (__mmask16)(mask >> 16), v);
}

static inline void fill_8(void *data, const char *from, uint32_t mask)
{
    long long value;
    memcpy(&value, from, sizeof(value));
    char *to = data;
    __m512i v = _mm512_set1_epi64(value);
    for (unsigned i = 0; i < 4; i++)
        _mm512_mask_store_epi64(to + (size_t)i * 64, (__mmask8)(mask >> (8 * i)), v);
}

static inline void load_run_4(void *data, const char *host, struct found_run at, uint32_t mask)
{
    if (at.run == RUN_ROW)
        load_row_4(data, host + at.first, mask);
    else
        fill_4(data, host + at.first, mask);
}

static inline void load_run_8(void *data, const char *host, struct found_run at, uint32_t mask)
{
    if (at.run == RUN_ROW)
        load_row_8(data, host + at.first, mask);
    else
        fill_8(data, host + at.first, mask);
}

static inline void store_row_4(const void *data, char *to, uint32_t mask)
{
    const char *from = data;
    for (unsigned i = 0; i < 2; i++)
        _mm512_mask_storeu_epi32(to + (size_t)i * 64, (__mmask16)(mask >> (16 * i)),
                                 _mm512_load_si512(from + (size_t)i * 64));
}

static inline void store_row_8(const void *data, char *to, uint32_t mask)
{
    const char *from = data;
    for (unsigned i = 0; i < 4; i++)
        _mm512_mask_storeu_epi64(to + (size_t)i * 64, (__mmask8)(mask >> (8 * i)),
                                 _mm512_load_si512(from + (size_t)i * 64));
}

// Blocks narrower than a warp make rows of 8 or 16 lanes, each consecutive or uniform by itself.
// These load one vector of lanes, or return false when it is neither.
static inline __attribute__((always_inline)) bool load_part_narrow_4(void *to, __m512i relative,
                                                                     const char *host)
{
    uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(relative));
    __m512i apart = _mm512_sub_epi32(relative, _mm512_set1_epi32((int)first));
    if (!_mm512_test_epi32_mask(apart, apart)) {
        int value;
        memcpy(&value, host + first, sizeof(value));
        _mm512_store_si512(to, _mm512_set1_epi32(value));
        return true;
    }
    __m512i row = _mm512_slli_epi32(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 2);
    if (_mm512_cmpneq_epi32_mask(apart, row))
        return false;
    _mm512_store_si512(to, _mm512_loadu_si512(host + first));
    return true;
}

static inline __attribute__((always_inline)) bool load_part_wide_4(void *to, __m512i relative,
                                                                   const char *host)
{
    uint64_t first = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(relative));
    __m512i apart = _mm512_sub_epi64(relative, _mm512_set1_epi64((long long)first));
    if (!_mm512_test_epi64_mask(apart, apart)) {
        int value;
        memcpy(&value, host + first, sizeof(value));
        _mm256_store_si256(to, _mm256_set1_epi32(value));
        return true;
    }
    if (_mm512_cmpneq_epi64_mask(apart, _mm512_set_epi64(28, 24, 20, 16, 12, 8, 4, 0)))
        return false;
    _mm256_store_si256(to, _mm256_loadu_si256((const __m256i *)(const void *)(host + first)));
    return true;
}

static inline void gather_wide_4(void *data, const struct wide_lanes *lanes, const char *host,
                                 uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 4; i++) {
        __mmask8 m = (__mmask8)(mask >> (8 * i));
        if (m == 0xFF && load_part_wide_4(to + (size_t)i * 32, lanes->part[i], host))
            continue;
        __m256i old = _mm256_load_si256((const __m256i *)(const void *)(to + (size_t)i * 32));
        __m256i v = _mm512_mask_i64gather_epi32(old, m, lanes->part[i], host, 1);
        _mm256_store_si256((__m256i *)(void *)(to + (size_t)i * 32), v);
    }
}

static inline void gather_wide_8(void *data, const struct wide_lanes *lanes, const char *host,
                                 uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 4; i++) {
        __mmask8 m = (__mmask8)(mask >> (8 * i));
        __m512i old = _mm512_load_si512(to + (size_t)i * 64);
        __m512i v = _mm512_mask_i64gather_epi64(old, m, lanes->part[i], host, 1);
        _mm512_store_si512(to + (size_t)i * 64, v);
    }
}

static inline void gather_narrow_4(void *data, const struct narrow_lanes *lanes, const char *host,
                                   uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 2; i++) {
        __mmask16 m = (__mmask16)(mask >> (16 * i));
        if (m == 0xFFFF && load_part_narrow_4(to + (size_t)i * 64, lanes->part[i], host))
            continue;
        __m512i old = _mm512_load_si512(to + (size_t)i * 64);
        __m512i v = _mm512_mask_i32gather_epi32(old, m, lanes->part[i], host, 1);
        _mm512_store_si512(to + (size_t)i * 64, v);
    }
}

static inline void gather_narrow_8(void *data, const struct narrow_lanes *lanes, const char *host,
                                   uint32_t mask)
{
    char *to = data;
    for (unsigned i = 0; i < 4; i++) {
        __mmask8 m = (__mmask8)(mask >> (8 * i));
        __m256i index = i & 1 ? _mm512_extracti64x4_epi64(lanes->part[i / 2], 1)
                              : _mm512_castsi512_si256(lanes->part[i / 2]);
        __m512i old = _mm512_load_si512(to + (size_t)i * 64);
        __m512i v = _mm512_mask_i32gather_epi64(old, m, index, host, 1);
        _mm512_store_si512(to + (size_t)i * 64, v);
    }
}

// --- Whole rows ---

// What most loads and stores do: all lanes take part, and each 16 of them, the width of many
// blocks, are consecutive or at one address. To look for no lead among lanes is less work.
enum row {
    ROW_OTHER,
    ROW_CONSECUTIVE,
    ROW_UNIFORM,
};

// `relative`: an address within the range, less its low end; `bytes` from there lie in it.
static inline __attribute__((always_inline)) bool within(uint64_t relative, uint64_t bytes,
                                                         const struct wm_move_range *range)
{
    return (relative & 3) == 0 && range->size_bytes >= bytes &&
           relative <= range->size_bytes - bytes;
}

static inline __attribute__((always_inline)) enum row find_row_wide(
    const void *addresses, int64_t offset, const struct wm_move_range *range, char **host)
{
    const uint64_t *address = addresses;
    uint64_t step = address[1] - address[0];
    uint64_t relative = address[0] + (uint64_t)offset - range->low;
    if ((step != 4 && step != 0) || !within(relative, step == 4 ? 64 : 4, range))
        return ROW_OTHER;
    *host = range->host + relative;
    __m512i first = _mm512_set1_epi64((long long)address[0]);
    __m512i low = first, high = first;
    if (step == 4) {
        low = _mm512_add_epi64(first, _mm512_set_epi64(28, 24, 20, 16, 12, 8, 4, 0));
        high = _mm512_add_epi64(first, _mm512_set_epi64(60, 56, 52, 48, 44, 40, 36, 32));
    }
    low = _mm512_xor_si512(low, _mm512_load_si512(address));
    high = _mm512_xor_si512(high, _mm512_load_si512(address + 8));
    __m512i unlike = _mm512_or_si512(low, high);
    if (_mm512_test_epi64_mask(unlike, unlike))
        return ROW_OTHER;
    return step == 4 ? ROW_CONSECUTIVE : ROW_UNIFORM;
}

static inline __attribute__((always_inline)) enum row find_row_narrow(
    const void *addresses, int64_t offset, const struct wm_move_range *range, char **host)
{
    const uint32_t *address = addresses;
    uint32_t step = address[1] - address[0];
    uint32_t relative = address[0] + (uint32_t)offset;
    if (!is_narrow(offset, range, 4) || (step != 4 && step != 0) ||
        !within(relative, step == 4 ? 64 : 4, range))
        return ROW_OTHER;
    *host = range->host + relative;
    __m512i first = _mm512_set1_epi32((int)address[0]);
    if (step == 4)
        first = _mm512_add_epi32(
            first, _mm512_set_epi32(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0));
    if (_mm512_cmpneq_epi32_mask(first, _mm512_load_si512(address)))
        return ROW_OTHER;
    return step == 4 ? ROW_CONSECUTIVE : ROW_UNIFORM;
}

static inline __attribute__((always_inline)) __m512i read_row(enum row row, const char *host)
{
    if (row == ROW_CONSECUTIVE)
        return _mm512_loadu_si512(host);
    int value;
    memcpy(&value, host, sizeof(value));
    return _mm512_set1_epi32(value);
}

// Nothing is written before both rows are known to be good: a load may overwrite its addresses.
#define DEFINE_ROWS(WIDTH, ADDRESS_BYTES)                                                     \
    static inline __attribute__((always_inline)) uint32_t load_rows_##WIDTH(                  \
        void *data, const void *addresses, int64_t offset, const struct wm_move_range *range) \
    {                                                                                         \
        char *low_host, *high_host, *to = data;                                               \
        const char *upper = (const char *)addresses + (size_t)16 * (ADDRESS_BYTES);           \
        enum row low = find_row_##WIDTH(addresses, offset, range, &low_host);                 \
        if (low == ROW_OTHER)                                                                 \
            return 0;                                                                         \
        enum row high = find_row_##WIDTH(upper, offset, range, &high_host);                   \
        if (high == ROW_OTHER)                                                                \
            return 0;                                                                         \
        _mm512_store_si512(to, read_row(low, low_host));                                      \
        _mm512_store_si512(to + 64, read_row(high, high_host));                               \
        return 1 + (low != high          ? WM_HALF_WARPS_UNKNOWN                              \
                    : low == ROW_UNIFORM ? WM_HALF_WARPS_UNIFORM                              \
                                         : WM_HALF_WARPS_CONSECUTIVE);                        \
    }                                                                                         \
    static inline __attribute__((always_inline)) bool store_rows_##WIDTH(                     \
        const void *data, const void *addresses, int64_t offset,                              \
        const struct wm_move_range *range)                                                    \
    {                                                                                         \
        char *low, *high;                                                                     \
        const char *from = data;                                                              \
        const char *upper = (const char *)addresses + (size_t)16 * (ADDRESS_BYTES);           \
        if (find_row_##WIDTH(addresses, offset, range, &low) != ROW_CONSECUTIVE ||            \
            find_row_##WIDTH(upper, offset, range, &high) != ROW_CONSECUTIVE)                 \
            return false;                                                                     \
        _mm512_storeu_si512(low, _mm512_load_si512(from));                                    \
        _mm512_storeu_si512(high, _mm512_load_si512(from + 64));                              \
        return true;                                                                          \
    }

DEFINE_ROWS(narrow, 4)
DEFINE_ROWS(wide, 8)

// --- The moves ---

// The pattern of the rows of all 32 lanes, from their run.
static inline enum wm_half_warp_pattern rows_of(struct found_run found, uint32_t mask)
{
    if (mask != UINT32_MAX)
        return WM_HALF_WARPS_UNKNOWN;
    return found.run == RUN_ROW ? WM_HALF_WARPS_CONSECUTIVE : WM_HALF_WARPS_UNIFORM;
}

// Loads of lanes that are no run. What is found is found before anything is written: a load may
// overwrite its own addresses.
#define DEFINE_GATHER(WIDTH, SIZE)                                                                 \
    static uint32_t gather_any_##WIDTH##_##SIZE(void *data, const void *addresses, int64_t offset, \
                                                uint32_t mask, const struct wm_move_range *range)  \
    {                                                                                              \
        struct WIDTH##_lanes lanes;                                                                \
        if (!resolve_##WIDTH(&lanes, addresses, offset, mask, range, SIZE))                        \
            return 0;                                                                              \
        gather_##WIDTH##_##SIZE(data, &lanes, range->host, mask);                                  \
        return 1 + WM_HALF_WARPS_UNKNOWN;                                                          \
    }

// The same where each half may be one, as in blocks of 16 columns.
#define DEFINE_HALVES(SIZE)                                                                    \
    static uint32_t load_halves_wide_##SIZE(void *data, const void *addresses, int64_t offset, \
                                            uint32_t mask, const struct wm_move_range *range)  \
    {                                                                                          \
        uint32_t low = mask & 0xFFFF, high = mask & 0xFFFF0000;                                \
        struct found_run a = {RUN_NONE, 0}, b = {RUN_NONE, 0};                                 \
        if (low != 0 && high != 0)                                                             \
            a = find_run_in(addresses, offset, low, LOW_PARTS, range, SIZE);                   \
        if (a.run != RUN_NONE)                                                                 \
            b = find_run_in(addresses, offset, high, HIGH_PARTS, range, SIZE);                 \
        if (b.run == RUN_NONE)                                                                 \
            return gather_any_wide_##SIZE(data, addresses, offset, mask, range);               \
        load_run_##SIZE(data, range->host, a, low);                                            \
        load_run_##SIZE(data, range->host, b, high);                                           \
        return 1 + (a.run == b.run ? rows_of(a, mask) : WM_HALF_WARPS_UNKNOWN);                \
    }

#define DEFINE_LOAD(NAME, WIDTH, SIZE, OTHER)                                              \
    static uint32_t NAME(void *data, const void *addresses, int64_t offset, uint32_t mask, \
                         const struct wm_move_range *range)                                \
    {                                                                                      \
        struct found_run at = find_run_##WIDTH(addresses, offset, mask, range, SIZE);      \
        if (at.run == RUN_NONE)                                                            \
            return OTHER(data, addresses, offset, mask, range);                            \
        load_run_##SIZE(data, range->host, at, mask);                                      \
        return 1 + rows_of(at, mask);                                                      \
    }

#define DEFINE_STORE(WIDTH, SIZE, TYPE, INDEX)                                                \
    static uint32_t store_##WIDTH##_##SIZE(void *data, const void *addresses, int64_t offset, \
                                           uint32_t mask, const struct wm_move_range *range)  \
    {                                                                                         \
        if ((SIZE) == 4 && mask == UINT32_MAX &&                                              \
            store_rows_##WIDTH(data, addresses, offset, range))                               \
            return 1 + WM_HALF_WARPS_CONSECUTIVE;                                             \
        struct found_run at = find_run_##WIDTH(addresses, offset, mask, range, SIZE);         \
        if (at.run == RUN_ROW) {                                                              \
            store_row_##SIZE(data, range->host + at.first, mask);                             \
            return 1 + rows_of(at, mask);                                                     \
        }                                                                                     \
        struct WIDTH##_lanes lanes;                                                           \
        if (!resolve_##WIDTH(&lanes, addresses, offset, mask, range, SIZE))                   \
            return 0;                                                                         \
        INDEX relative[32] __attribute__((aligned(64)));                                      \
        for (unsigned i = 0; i < sizeof(lanes.part) / sizeof(lanes.part[0]); i++)             \
            _mm512_store_si512((char *)relative + (size_t)i * 64, lanes.part[i]);             \
        for (uint32_t rest = mask; rest; rest &= rest - 1) {                                  \
            unsigned lane = (unsigned)__builtin_ctz(rest);                                    \
            memcpy(range->host + relative[lane], (const TYPE *)data + lane, SIZE);            \
        }                                                                                     \
        return 1 + WM_HALF_WARPS_UNKNOWN;                                                     \
    }

DEFINE_GATHER(narrow, 4)
DEFINE_GATHER(narrow, 8)
DEFINE_GATHER(wide, 4)
DEFINE_GATHER(wide, 8)
DEFINE_HALVES(4)
DEFINE_HALVES(8)
DEFINE_LOAD(load_some_narrow_4, narrow, 4, gather_any_narrow_4)
DEFINE_LOAD(load_narrow_8, narrow, 8, gather_any_narrow_8)
DEFINE_LOAD(load_some_wide_4, wide, 4, load_halves_wide_4)
DEFINE_LOAD(load_wide_8, wide, 8, load_halves_wide_8)
DEFINE_STORE(narrow, 4, uint32_t, uint32_t)
DEFINE_STORE(narrow, 8, uint64_t, uint32_t)
DEFINE_STORE(wide, 4, uint32_t, uint64_t)
DEFINE_STORE(wide, 8, uint64_t, uint64_t)

static uint32_t load_wide_4(void *data, const void *addresses, int64_t offset, uint32_t mask,
                            const struct wm_move_range *range)
{
    uint32_t moved = 0;
    if (mask == UINT32_MAX)
        moved = load_rows_wide(data, addresses, offset, range);
    return moved != 0 ? moved : load_some_wide_4(data, addresses, offset, mask, range);
}

// All lanes of two vectors that are no rows: sooner looked at vector by vector than as a whole.
static uint32_t load_narrow_4(void *data, const void *addresses, int64_t offset, uint32_t mask,
                              const struct wm_move_range *range)
{
    if (mask != UINT32_MAX)
        return load_some_narrow_4(data, addresses, offset, mask, range);
    uint32_t moved = load_rows_narrow(data, addresses, offset, range);
    return moved != 0 ? moved : gather_any_narrow_4(data, addresses, offset, UINT32_MAX, range);
}

const struct wm_move_table wm_moves_avx512 = {
    {{{load_narrow_4, load_narrow_8}, {load_wide_4, load_wide_8}},
     {{store_narrow_4, store_narrow_8}, {store_wide_4, store_wide_8}}}};

const struct wm_row_move_table wm_row_moves_avx512 = ROW_MOVE_TABLE;
const struct wm_row_move_table wm_local_moves_avx512 = LOCAL_MOVE_TABLE;
