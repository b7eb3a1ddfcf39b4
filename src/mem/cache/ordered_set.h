// Sets that stand in the chain's order: position 0 holds the most recent line, under LRU that used
// last. This is the recency chain (mem/cache/recency.h) stored as the order of the tags themselves,
// which LRU and the others that are the chain and no more allow, because no result depends on which
// way holds a line. A lookup and its update are then one vector compare and one masked shift, and
// every address stored to depends on the set alone; with a chain apart from the tags, the address
// of a victim's tag hangs on the chain, and processors make later lookups wait for it.
//
// Words are 8 bytes: tags, or the lines' sector masks, which move with them; masks of few sectors
// are 2 bytes. Private to mem/cache/.
#ifndef WM_MEM_CACHE_ORDERED_SET_H
#define WM_MEM_CACHE_ORDERED_SET_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

// Shifts the words of `through` one position back and puts `front` first. `through` has one bits
// from position 0 up to where the moved word stood. `words` is 64-byte aligned, `stride` words
// long, a multiple of 8 up to 32.
static inline __attribute__((always_inline)) void wm_ordered_to_front(void *words, uint32_t stride,
                                                                      uint32_t through,
                                                                      uint64_t front)
{
#if defined(__AVX512F__)
    __m512i before = _mm512_set1_epi64((long long)front);
    for (uint32_t at = 0; at < stride; at += 8) {
        char *here = (char *)words + at * 8;
        __m512i old = _mm512_load_si512(here);
        __m512i shifted = _mm512_alignr_epi64(old, before, 7);
        _mm512_store_si512(here, _mm512_mask_mov_epi64(old, (__mmask8)(through >> at), shifted));
        before = old;
    }
#elif defined(__AVX2__)
    __m256i before = _mm256_set1_epi64x((long long)front);
    __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    for (uint32_t at = 0; at < stride; at += 4) {
        __m256i *here = (__m256i *)(void *)((char *)words + at * 8);
        __m256i old = _mm256_load_si256(here);
        __m256i joined = _mm256_blend_epi32(old, before, 0xc0);
        __m256i shifted = _mm256_permute4x64_epi64(joined, 0x93); // lanes 3, 0, 1, 2
        __m256i chosen = _mm256_and_si256(_mm256_set1_epi64x((long long)(through >> at)), bit);
        chosen = _mm256_cmpeq_epi64(chosen, bit);
        _mm256_store_si256(here, _mm256_blendv_epi8(old, shifted, chosen));
        before = old;
    }
#else
    (void)stride;
    uint32_t last = (uint32_t)__builtin_popcount(through) - 1;
    char *here = words;
    for (uint32_t at = last; at > 0; at--)
        memcpy(here + at * 8, here + (at - 1) * 8, 8);
    memcpy(here, &front, 8);
#endif
}

// The same to another place than the front: shifts the words from `there` on one position back and
// puts `word` at `there`, the one bit of its position, which is in `through`.
static inline __attribute__((always_inline)) void wm_ordered_move(void *words, uint32_t stride,
                                                                  uint32_t through, uint32_t there,
                                                                  uint64_t word)
{
    uint32_t moving = through & (0 - there) & ~there;
#if defined(__AVX512F__)
    __m512i put = _mm512_set1_epi64((long long)word), before = put;
    for (uint32_t at = 0; at < stride; at += 8) {
        char *here = (char *)words + at * 8;
        __m512i old = _mm512_load_si512(here);
        __m512i shifted = _mm512_alignr_epi64(old, before, 7);
        __m512i moved = _mm512_mask_mov_epi64(old, (__mmask8)(moving >> at), shifted);
        _mm512_store_si512(here, _mm512_mask_mov_epi64(moved, (__mmask8)(there >> at), put));
        before = old;
    }
#elif defined(__AVX2__)
    __m256i put = _mm256_set1_epi64x((long long)word), before = put;
    __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    for (uint32_t at = 0; at < stride; at += 4) {
        __m256i *here = (__m256i *)(void *)((char *)words + at * 8);
        __m256i old = _mm256_load_si256(here);
        __m256i joined = _mm256_blend_epi32(old, before, 0xc0);
        __m256i shifted = _mm256_permute4x64_epi64(joined, 0x93); // lanes 3, 0, 1, 2
        __m256i chosen = _mm256_and_si256(_mm256_set1_epi64x((long long)(moving >> at)), bit);
        __m256i target = _mm256_and_si256(_mm256_set1_epi64x((long long)(there >> at)), bit);
        __m256i moved = _mm256_blendv_epi8(old, shifted, _mm256_cmpeq_epi64(chosen, bit));
        _mm256_store_si256(here, _mm256_blendv_epi8(moved, put, _mm256_cmpeq_epi64(target, bit)));
        before = old;
    }
#else
    (void)stride;
    uint32_t to = (uint32_t)__builtin_ctz(there);
    char *here = words;
    memmove(here + (to + 1) * 8, here + to * 8, (uint32_t)__builtin_popcount(moving) * 8);
    memcpy(here + to * 8, &word, 8);
#endif
}

// Puts `word` at the position of the one bit `there`. The whole set is stored: a store of one word,
// or under a mask, would hold up the next lookup's load.
static inline __attribute__((always_inline)) void wm_ordered_put(void *words, uint32_t stride,
                                                                 uint32_t there, uint64_t word)
{
#if defined(__AVX512F__)
    __m512i put = _mm512_set1_epi64((long long)word);
    for (uint32_t at = 0; at < stride; at += 8) {
        char *here = (char *)words + at * 8;
        __m512i now = _mm512_load_si512(here);
        now = _mm512_mask_mov_epi64(now, (__mmask8)(there >> at), put);
        __asm__("" : "+v"(now)); // else the compiler makes one masked store of both
        _mm512_store_si512(here, now);
    }
#elif defined(__AVX2__)
    __m256i put = _mm256_set1_epi64x((long long)word), bit = _mm256_setr_epi64x(1, 2, 4, 8);
    for (uint32_t at = 0; at < stride; at += 4) {
        __m256i *here = (__m256i *)(void *)((char *)words + at * 8);
        __m256i target = _mm256_and_si256(_mm256_set1_epi64x((long long)(there >> at)), bit);
        target = _mm256_cmpeq_epi64(target, bit);
        _mm256_store_si256(here, _mm256_blendv_epi8(_mm256_load_si256(here), put, target));
    }
#else
    (void)stride;
    memcpy((char *)words + (uint32_t)__builtin_ctz(there) * 8, &word, 8);
#endif
}

// Takes the word at `position` out, closes the gap and puts `last` at the end of `count` words of
// `bytes` each.
static inline void wm_ordered_to_back(void *words, size_t bytes, uint32_t count, uint32_t position,
                                      const void *last)
{
    char *here = (char *)words + position * bytes;
    memmove(here, here + bytes, (count - 1 - position) * bytes);
    memcpy((char *)words + (count - 1) * bytes, last, bytes);
}

// --- Words of 2 bytes, of which 8 make a vector ---

#if defined(__SSE4_1__)
// Those of `moved` that `bits` chooses, bit by position, else those of `old`.
static inline __attribute__((always_inline)) __m128i wm_ordered_choose(__m128i old, __m128i moved,
                                                                       uint32_t bits)
{
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    __m128i now = _mm_mask_mov_epi16(old, (__mmask8)bits, moved);
    __asm__("" : "+v"(now)); // as in wm_ordered_put
    return now;
#else
    __m128i bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    __m128i chosen = _mm_and_si128(_mm_set1_epi16((short)bits), bit);
    return _mm_blendv_epi8(old, moved, _mm_cmpeq_epi16(chosen, bit));
#endif
}
#endif

// wm_ordered_to_front of words of 2 bytes.
static inline __attribute__((always_inline)) void wm_ordered_narrow_to_front(void *words,
                                                                             uint32_t stride,
                                                                             uint32_t through,
                                                                             uint16_t front)
{
#if defined(__SSE4_1__)
    __m128i before = _mm_set1_epi16((short)front);
    for (uint32_t at = 0; at < stride; at += 8) {
        __m128i *here = (__m128i *)(void *)((char *)words + at * 2);
        __m128i old = _mm_load_si128(here), shifted = _mm_alignr_epi8(old, before, 14);
        _mm_store_si128(here, wm_ordered_choose(old, shifted, through >> at));
        before = old;
    }
#else
    (void)stride;
    uint32_t last = (uint32_t)__builtin_popcount(through) - 1;
    memmove((char *)words + 2, words, last * 2);
    memcpy(words, &front, 2);
#endif
}

// wm_ordered_move of words of 2 bytes.
static inline __attribute__((always_inline)) void wm_ordered_narrow_move(
    void *words, uint32_t stride, uint32_t through, uint32_t there, uint16_t word)
{
    uint32_t moving = through & (0 - there) & ~there;
#if defined(__SSE4_1__)
    __m128i put = _mm_set1_epi16((short)word), before = put;
    for (uint32_t at = 0; at < stride; at += 8) {
        __m128i *here = (__m128i *)(void *)((char *)words + at * 2);
        __m128i old = _mm_load_si128(here), shifted = _mm_alignr_epi8(old, before, 14);
        __m128i moved = wm_ordered_choose(old, shifted, moving >> at);
        _mm_store_si128(here, wm_ordered_choose(moved, put, there >> at));
        before = old;
    }
#else
    (void)stride;
    char *to = (char *)words + (uint32_t)__builtin_ctz(there) * 2;
    memmove(to + 2, to, (uint32_t)__builtin_popcount(moving) * 2);
    memcpy(to, &word, 2);
#endif
}

#endif
