// The AVX-512 build of the moves: addresses are checked eight or sixteen at a time, and the two
// shapes that most loads have, consecutive and uniform, move whole vectors.
#include "exec/operations/moves.h"

#include <immintrin.h>

struct shape {
    bool good, consecutive, uniform;
    uint64_t first; // relative address of lane 0, were the lanes consecutive; or of all
};

// Relative addresses of 32 lanes, from 64-bit addresses.
struct wide_lanes {
    __m512i part[4];
};

// … and from 32-bit addresses.
struct narrow_lanes {
    __m512i part[2];
};

static inline __attribute__((always_inline)) struct shape resolve_wide(
    struct wide_lanes *lanes, const void *addresses, int64_t offset, uint32_t mask,
    const struct wm_move_range *range, uint64_t bytes)
{
    struct shape shape = {0};
    if (range->size_bytes < bytes)
        return shape;
    unsigned lead = (unsigned)__builtin_ctz(mask);
    uint64_t base = (uint64_t)offset - range->low;
    uint64_t leading = ((const uint64_t *)addresses)[lead] + base;
    __m512i add = _mm512_set1_epi64((long long)base);
    __m512i bound = _mm512_set1_epi64((long long)(range->size_bytes - bytes));
    __m512i low_bits = _mm512_set1_epi64((long long)(bytes - 1));
    __m512i same = _mm512_set1_epi64((long long)leading);
    __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i scale = bytes == 4 ? _mm512_slli_epi64(iota, 2) : _mm512_slli_epi64(iota, 3);
    __m512i next = _mm512_add_epi64(_mm512_set1_epi64((long long)(leading - lead * bytes)), scale);
    __m512i step = _mm512_set1_epi64((long long)(8 * bytes));
    uint32_t bad = 0, apart = 0, unlike = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m512i r =
            _mm512_add_epi64(_mm512_load_si512((const char *)addresses + (size_t)i * 64), add);
        lanes->part[i] = r;
        uint32_t b = _mm512_cmpgt_epu64_mask(r, bound) | _mm512_test_epi64_mask(r, low_bits);
        bad |= b << (8 * i);
        apart |= (uint32_t)_mm512_cmpneq_epi64_mask(r, next) << (8 * i);
        unlike |= (uint32_t)_mm512_cmpneq_epi64_mask(r, same) << (8 * i);
        next = _mm512_add_epi64(next, step);
    }
    shape.good = (bad & mask) == 0;
    shape.consecutive = (apart & mask) == 0;
    shape.uniform = (unlike & mask) == 0;
    shape.first = shape.consecutive ? leading - lead * bytes : leading;
    return shape;
}

static inline __attribute__((always_inline)) struct shape resolve_narrow(
    struct narrow_lanes *lanes, const void *addresses, int64_t offset, uint32_t mask,
    const struct wm_move_range *range, uint64_t bytes)
{
    struct shape shape = {0};
    // Only shared memory has 32-bit addresses here: it begins at 0 and is small.
    if (range->size_bytes < bytes || range->low != 0 || range->size_bytes > INT32_MAX ||
        offset < -INT32_MAX || offset > INT32_MAX)
        return shape;
    unsigned lead = (unsigned)__builtin_ctz(mask);
    uint32_t size = (uint32_t)bytes;
    uint32_t leading = ((const uint32_t *)addresses)[lead] + (uint32_t)offset;
    __m512i add = _mm512_set1_epi32((int)offset);
    __m512i bound = _mm512_set1_epi32((int)(range->size_bytes - bytes));
    __m512i low_bits = _mm512_set1_epi32((int)(bytes - 1));
    __m512i same = _mm512_set1_epi32((int)leading);
    __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i scale = bytes == 4 ? _mm512_slli_epi32(iota, 2) : _mm512_slli_epi32(iota, 3);
    __m512i next = _mm512_add_epi32(_mm512_set1_epi32((int)(leading - lead * size)), scale);
    __m512i step = _mm512_set1_epi32((int)(16 * size));
    uint32_t bad = 0, apart = 0, unlike = 0;
    for (unsigned i = 0; i < 2; i++) {
        __m512i r =
            _mm512_add_epi32(_mm512_load_si512((const char *)addresses + (size_t)i * 64), add);
        lanes->part[i] = r;
        uint32_t b = _mm512_cmpgt_epu32_mask(r, bound) | _mm512_test_epi32_mask(r, low_bits);
        bad |= b << (16 * i);
        apart |= (uint32_t)_mm512_cmpneq_epi32_mask(r, next) << (16 * i);
        unlike |= (uint32_t)_mm512_cmpneq_epi32_mask(r, same) << (16 * i);
        next = _mm512_add_epi32(next, step);
    }
    shape.good = (bad & mask) == 0;
    shape.consecutive = (apart & mask) == 0;
    shape.uniform = (unlike & mask) == 0;
    // Consecutive lanes may begin below 0 where they do not take part.
    shape.first = shape.consecutive ? (uint64_t)(int64_t)(int32_t)(leading - lead * size) : leading;
    return shape;
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

#define DEFINE_MOVES(WIDTH, SIZE, TYPE, INDEX)                                              \
    static bool load_##WIDTH##_##SIZE(void *data, const void *addresses, int64_t offset,    \
                                      uint32_t mask, const struct wm_move_range *range)     \
    {                                                                                       \
        struct WIDTH##_lanes lanes;                                                         \
        struct shape shape = resolve_##WIDTH(&lanes, addresses, offset, mask, range, SIZE); \
        if (!shape.good)                                                                    \
            return false;                                                                   \
        const char *from = range->host + (int64_t)shape.first;                              \
        if (shape.consecutive)                                                              \
            load_row_##SIZE(data, from, mask);                                              \
        else if (shape.uniform)                                                             \
            fill_##SIZE(data, from, mask);                                                  \
        else                                                                                \
            gather_##WIDTH##_##SIZE(data, &lanes, range->host, mask);                       \
        return true;                                                                        \
    }                                                                                       \
    static bool store_##WIDTH##_##SIZE(void *data, const void *addresses, int64_t offset,   \
                                       uint32_t mask, const struct wm_move_range *range)    \
    {                                                                                       \
        struct WIDTH##_lanes lanes;                                                         \
        struct shape shape = resolve_##WIDTH(&lanes, addresses, offset, mask, range, SIZE); \
        if (!shape.good)                                                                    \
            return false;                                                                   \
        if (shape.consecutive) {                                                            \
            store_row_##SIZE(data, range->host + (int64_t)shape.first, mask);               \
            return true;                                                                    \
        }                                                                                   \
        INDEX relative[32] __attribute__((aligned(64)));                                    \
        for (unsigned i = 0; i < sizeof(lanes.part) / sizeof(lanes.part[0]); i++)           \
            _mm512_store_si512((char *)relative + (size_t)i * 64, lanes.part[i]);           \
        for (uint32_t rest = mask; rest; rest &= rest - 1) {                                \
            unsigned lane = (unsigned)__builtin_ctz(rest);                                  \
            memcpy(range->host + relative[lane], (const TYPE *)data + lane, SIZE);          \
        }                                                                                   \
        return true;                                                                        \
    }

DEFINE_MOVES(narrow, 4, uint32_t, uint32_t)
DEFINE_MOVES(narrow, 8, uint64_t, uint32_t)
DEFINE_MOVES(wide, 4, uint32_t, uint64_t)
DEFINE_MOVES(wide, 8, uint64_t, uint64_t)

const struct wm_move_table wm_moves_avx512 = {
    {{{load_narrow_4, load_narrow_8}, {load_wide_4, load_wide_8}},
     {{store_narrow_4, store_narrow_8}, {store_wide_4, store_wide_8}}}};
