// Where in an array a line is, for arrays with too many ways to compare a set's tags: a hash table
// of rows, each of them one line of the host's cache. A row is looked through with one comparison,
// whichever of its entries is meant, and whether a line is there costs no walk along a chain, whose
// end no processor foresees.
//
// An entry is the number of a slot under a mark, which are some bits of its line's hash; slots hold
// the tags themselves, so the index need not. A line whose row is full goes to the next with room,
// and the rows that it passed count it.
//
// The array's owner compiles this into its own access path (mem/cache/inline_access.h), for the
// vectors that that is built with. Entries are changed by storing all that the next look-up will
// load at once: it would wait for a narrower store. Private to mem/cache/.
#ifndef WM_MEM_CACHE_LINE_INDEX_H
#define WM_MEM_CACHE_LINE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define WM_INDEX_INLINE static inline __attribute__((always_inline))

// Words of a row: entries, 0 for none, and how many lines passed the row.
enum { WM_INDEX_WORDS = 16, WM_INDEX_ENTRIES = WM_INDEX_WORDS - 1 };
#define WM_INDEX_ALL_ENTRIES ((UINT32_C(1) << WM_INDEX_ENTRIES) - 1)
#define WM_INDEX_MARKED (UINT32_C(1) << 31) // in every mark: an entry is not 0

struct wm_line_index {
    uint32_t *rows; // owned by the array, on a line of the host's cache; NULL: no index
    uint32_t row_mask, row_shift;
    uint32_t mark_bits; // of an entry; the others are its slot
};

// For slots from 0 to `slots` - 1, at most 2^31: without rows, which are `row_mask` + 1.
static inline struct wm_line_index wm_line_index_of(uint64_t slots)
{
    uint32_t slot_bits = 1, row_bits = 1;
    while (UINT64_C(1) << slot_bits < slots)
        slot_bits++;
    while ((UINT64_C(8) << row_bits) < slots) // half full at most
        row_bits++;
    return (struct wm_line_index){.row_mask = (UINT32_C(1) << row_bits) - 1,
                                  .row_shift = 64 - row_bits,
                                  .mark_bits = ~((UINT32_C(1) << slot_bits) - 1) | WM_INDEX_MARKED};
}

WM_INDEX_INLINE uint64_t wm_index_hash(uint64_t line)
{
    return line * UINT64_C(0x9E3779B97F4A7C15);
}

WM_INDEX_INLINE uint32_t wm_index_mark(const struct wm_line_index *index, uint64_t hash)
{
    return ((uint32_t)(hash >> 24) | WM_INDEX_MARKED) & index->mark_bits;
}

WM_INDEX_INLINE uint32_t *wm_index_row(const struct wm_line_index *index, uint64_t hash)
{
    return index->rows + (hash >> index->row_shift) * WM_INDEX_WORDS;
}

WM_INDEX_INLINE uint32_t *wm_index_next_row(const struct wm_line_index *index, const uint32_t *row)
{
    uint32_t number = (uint32_t)((row - index->rows) / WM_INDEX_WORDS);
    return index->rows + (uint64_t)((number + 1) & index->row_mask) * WM_INDEX_WORDS;
}

// Bit i: the bits `which` of entry i are `bits`.
WM_INDEX_INLINE uint32_t wm_index_match(const uint32_t *row, uint32_t which, uint32_t bits)
{
    uint32_t equal = 0;
#if defined(__AVX512F__)
    __m512i masked = _mm512_and_si512(_mm512_load_si512(row), _mm512_set1_epi32((int)which));
    equal = _mm512_cmpeq_epi32_mask(masked, _mm512_set1_epi32((int)bits));
#elif defined(__AVX2__)
    for (uint32_t at = 0; at < WM_INDEX_WORDS; at += 8) {
        __m256i words = _mm256_load_si256((const __m256i *)(const void *)(row + at));
        __m256i masked = _mm256_and_si256(words, _mm256_set1_epi32((int)which));
        __m256i same = _mm256_cmpeq_epi32(masked, _mm256_set1_epi32((int)bits));
        equal |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << at;
    }
#elif defined(__SSE2__)
    for (uint32_t at = 0; at < WM_INDEX_WORDS; at += 4) {
        __m128i words = _mm_load_si128((const __m128i *)(const void *)(row + at));
        __m128i masked = _mm_and_si128(words, _mm_set1_epi32((int)which));
        __m128i same = _mm_cmpeq_epi32(masked, _mm_set1_epi32((int)bits));
        equal |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) << at;
    }
#else
    for (uint32_t at = 0; at < WM_INDEX_ENTRIES; at++)
        equal |= (uint32_t)((row[at] & which) == bits) << at;
#endif
    return equal & WM_INDEX_ALL_ENTRIES;
}

WM_INDEX_INLINE void wm_index_put(uint32_t *row, uint32_t at, uint32_t entry)
{
#if defined(__AVX512F__)
    __m512i words = _mm512_load_si512(row);
    __mmask16 there = (__mmask16)(1u << at);
    _mm512_store_si512(row, _mm512_mask_set1_epi32(words, there, (int)entry));
#elif defined(__AVX2__)
    __m256i *half = (__m256i *)(void *)(row + (at & 8));
    __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i there = _mm256_cmpeq_epi32(place, _mm256_set1_epi32((int)(at & 7)));
    __m256i words = _mm256_load_si256(half);
    _mm256_store_si256(half, _mm256_blendv_epi8(words, _mm256_set1_epi32((int)entry), there));
#else
    row[at] = entry;
#endif
}

// The slot of the entry for `line`, of which `tags` holds one a slot; -1 for none.
WM_INDEX_INLINE int64_t wm_index_find(const struct wm_line_index *index, const uint64_t *tags,
                                      uint64_t line)
{
    uint64_t hash = wm_index_hash(line);
    uint32_t mark = wm_index_mark(index, hash);
    const uint32_t *row = wm_index_row(index, hash);
    for (;;) {
        uint32_t match = wm_index_match(row, index->mark_bits, mark);
        for (; match != 0; match &= match - 1) {
            uint32_t slot = row[__builtin_ctz(match)] & ~index->mark_bits;
            if (__builtin_expect(tags[slot] == line, 1))
                return slot;
        }
        if (__builtin_expect(row[WM_INDEX_ENTRIES] == 0, 1))
            return -1;
        row = wm_index_next_row(index, row);
    }
}

// The same where a line is most often where its row says, if anywhere: no branch depends on whether
// it is there. True with its slot in `*slot`, or false.
WM_INDEX_INLINE bool wm_index_find_flat(const struct wm_line_index *index, const uint64_t *tags,
                                        uint64_t line, uint32_t *slot)
{
    uint64_t hash = wm_index_hash(line);
    const uint32_t *row = wm_index_row(index, hash);
    uint32_t match = wm_index_match(row, index->mark_bits, wm_index_mark(index, hash));
    // Of no match, how many lines passed the row: 0 is a slot as good as any.
    uint32_t passed = row[WM_INDEX_ENTRIES];
    *slot = row[__builtin_ctz(match | UINT32_C(1) << WM_INDEX_ENTRIES)] & ~index->mark_bits;
    bool there = tags[*slot] == line;
    if (__builtin_expect(((match & (match - 1)) | passed) != 0, 0) && !there) {
        int64_t found = wm_index_find(index, tags, line);
        *slot = (uint32_t)found;
        return found >= 0;
    }
    return there;
}

// Puts `entry` into the row where there is room; false, with nothing done, where there is none.
WM_INDEX_INLINE bool wm_index_fill(uint32_t *row, uint32_t entry)
{
#if defined(__AVX512F__)
    __m512i words = _mm512_load_si512(row);
    uint32_t room = _mm512_testn_epi32_mask(words, words) & WM_INDEX_ALL_ENTRIES;
    if (__builtin_expect(room == 0, 0))
        return false;
    __mmask16 there = (__mmask16)(room & (0 - room));
    _mm512_store_si512(row, _mm512_mask_set1_epi32(words, there, (int)entry));
#else
    uint32_t room = wm_index_match(row, UINT32_MAX, 0);
    if (__builtin_expect(room == 0, 0))
        return false;
    wm_index_put(row, (uint32_t)__builtin_ctz(room), entry);
#endif
    return true;
}

// Takes `entry`, which is there at most once, out of the row; false, with nothing done, where it is
// not there.
WM_INDEX_INLINE bool wm_index_clear(uint32_t *row, uint32_t entry)
{
#if defined(__AVX512F__)
    __m512i words = _mm512_load_si512(row);
    __mmask16 match = _mm512_cmpneq_epi32_mask(words, _mm512_set1_epi32((int)entry));
    if (__builtin_expect(match == UINT16_MAX, 0))
        return false;
    _mm512_store_si512(row, _mm512_maskz_mov_epi32(match, words));
#else
    uint32_t match = wm_index_match(row, UINT32_MAX, entry);
    if (__builtin_expect(match == 0, 0))
        return false;
    wm_index_put(row, (uint32_t)__builtin_ctz(match), 0);
#endif
    return true;
}

// `line` is not there yet, and has moved into `slot`.
WM_INDEX_INLINE void wm_index_insert(const struct wm_line_index *index, uint32_t slot,
                                     uint64_t line)
{
    uint64_t hash = wm_index_hash(line);
    uint32_t *row = wm_index_row(index, hash), entry = wm_index_mark(index, hash) | slot;
    while (!wm_index_fill(row, entry)) {
        wm_index_put(row, WM_INDEX_ENTRIES, row[WM_INDEX_ENTRIES] + 1);
        row = wm_index_next_row(index, row);
    }
}

// `line` is there, in `slot`.
WM_INDEX_INLINE void wm_index_remove(const struct wm_line_index *index, uint32_t slot,
                                     uint64_t line)
{
    uint64_t hash = wm_index_hash(line);
    uint32_t *row = wm_index_row(index, hash), entry = wm_index_mark(index, hash) | slot;
    while (!wm_index_clear(row, entry)) {
        wm_index_put(row, WM_INDEX_ENTRIES, row[WM_INDEX_ENTRIES] - 1);
        row = wm_index_next_row(index, row);
    }
}

// Prefetches the row that a look-up of `line` will read; then, when that may have come, what it
// says (of no line, what no look-up needs).
WM_INDEX_INLINE void wm_index_host_prefetch_row(const struct wm_line_index *index, uint64_t line)
{
    __builtin_prefetch(wm_index_row(index, wm_index_hash(line)), 1);
}

WM_INDEX_INLINE uint32_t wm_index_likely_slot(const struct wm_line_index *index, uint64_t line)
{
    uint64_t hash = wm_index_hash(line);
    const uint32_t *row = wm_index_row(index, hash);
    uint32_t match = wm_index_match(row, index->mark_bits, wm_index_mark(index, hash));
    return row[__builtin_ctz(match | UINT32_C(1) << WM_INDEX_ENTRIES)] & ~index->mark_bits;
}

#endif
