#include "trace/warp/lane_numbers.h"

#include "base/host/processor.h"

#include <pthread.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET      \
    __attribute__(( \
        target("avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

enum {
    WINDOW = 64,  // bytes looked at
    TOGETHER = 8, // numbers read at once
    FEW = 8       // lanes that are read one by one as fast
};

// What of the string is in a window, and where its numbers lie: bytes of which each number is the
// first and the last.
struct window {
    __m512i bytes, begins, ends;
    uint64_t end_bits;
    uint32_t count; // numbers that end in it
};

// False when one of them has more than 8 bytes: so many in a row do not end it.
TARGET static inline bool look(const uint8_t *at, size_t left, struct window *window)
{
    const __m512i places = _mm512_set_epi64(
        0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
        0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    uint64_t there = left < WINDOW ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    window->bytes = _mm512_maskz_loadu_epi8(there, at);
    uint64_t goes_on = _mm512_movepi8_mask(window->bytes);
    window->end_bits = ~goes_on & there;
    window->count = (uint32_t)__builtin_popcountll(window->end_bits);
    uint64_t long_run = goes_on & goes_on >> 1;
    long_run &= long_run >> 2;
    long_run &= long_run >> 4;
    window->ends = _mm512_maskz_compress_epi8(window->end_bits, places);
    // Each begins behind the end of the one before, which is its neighbour's.
    __m512i before = _mm512_sub_epi8(places, _mm512_set1_epi8(1));
    before = _mm512_permutexvar_epi8(before, window->ends);
    window->begins = _mm512_maskz_add_epi8(~UINT64_C(1), before, _mm512_set1_epi8(1));
    return long_run == 0;
}

// The 8 numbers from number `from` of the window on. Those that it has not are undefined.
TARGET static inline __m512i numbers_at(const struct window *window, uint32_t from)
{
    const __m512i each = _mm512_set_epi64(
        0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m512i steps = _mm512_set1_epi64(0x0706050403020100);
    __m512i number = _mm512_add_epi8(each, _mm512_set1_epi8((char)from));
    __m512i place = _mm512_add_epi8(_mm512_permutexvar_epi8(number, window->begins), steps);
    __m512i end = _mm512_permutexvar_epi8(number, window->ends);
    __mmask64 inside = _mm512_cmple_epu8_mask(place, end);
    __m512i bytes = _mm512_maskz_permutexvar_epi8(inside, place, window->bytes);
    bytes = _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f));
    // Seven bits a byte, then 14 a word of 16 bits, 28 of 32, 56 of 64.
    __m512i words = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), bytes);
    __m512i halves = _mm512_madd_epi16(words, _mm512_set1_epi32(0x40000001));
    __m512i high = _mm512_slli_epi64(_mm512_srli_epi64(halves, 32), 28);
    return _mm512_or_si512(_mm512_and_si512(halves, _mm512_set1_epi64(0xfffffff)), high);
}

// Zigzag numbers to signed ones, each added to all behind it.
TARGET static inline __m512i sums_of(__m512i numbers)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    __m512i sign = _mm512_sub_epi64(zero, _mm512_and_si512(numbers, one));
    __m512i sums = _mm512_xor_si512(_mm512_srli_epi64(numbers, 1), sign);
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 7));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 6));
    return _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 4));
}

// To the lanes that they are of.
TARGET static inline void spread(const uint64_t *dense, uint64_t mask, uint64_t *addresses)
{
    for (uint64_t rest = mask; rest != 0; rest >>= TOGETHER, addresses += TOGETHER) {
        __mmask8 lanes = (__mmask8)rest;
        _mm512_storeu_si512(addresses, _mm512_maskz_expandloadu_epi64(lanes, dense));
        dense += __builtin_popcount(lanes);
    }
}

TARGET static bool read_avx512(struct wm_cursor *data, uint64_t mask, uint64_t first,
                               uint64_t addresses[WM_MAX_LANES])
{
    uint64_t apart[WM_MAX_LANES + TOGETHER]; // whole vectors are written
    uint32_t done = 1, wanted = (uint32_t)__builtin_popcountll(mask);
    if (wanted <= FEW)
        return false;
    bool at_once = (mask & (mask + 1)) == 0 && wanted <= WM_MAX_LANES - TOGETHER;
    uint64_t *dense = at_once ? addresses : apart;
    const uint8_t *at = data->at;
    __m512i sum = _mm512_set1_epi64((long long)first);
    dense[0] = first;
    while (done < wanted) {
        struct window window;
        if (!look(at, (size_t)(data->end - at), &window) || window.count == 0)
            return false;
        uint32_t now = wanted - done < window.count ? wanted - done : window.count;
        for (uint32_t from = 0; from < now; from += TOGETHER) {
            uint32_t last = now - from < TOGETHER ? now - from - 1 : TOGETHER - 1;
            sum = _mm512_add_epi64(sum, sums_of(numbers_at(&window, from)));
            _mm512_storeu_si512(dense + done + from, sum);
            sum = _mm512_permutexvar_epi64(_mm512_set1_epi64((long long)last), sum);
        }
        done += now;
        at += __builtin_ctzll(_pdep_u64(UINT64_C(1) << (now - 1), window.end_bits)) + 1;
    }
    data->at = at;
    if (!at_once)
        spread(dense, mask, addresses);
    return true;
}

wm_lane_numbers_function *wm_lane_numbers_avx512_find(void)
{
    return wm_processor_runs(WM_PROCESSOR_VBMI) ? read_avx512 : NULL;
}
#else
wm_lane_numbers_function *wm_lane_numbers_avx512_find(void)
{
    return NULL;
}
#endif

static wm_lane_numbers_function *best;

static void choose(void)
{
    best = wm_processor_best() >= WM_PROCESSOR_VBMI ? wm_lane_numbers_avx512_find() : NULL;
}

wm_lane_numbers_function *wm_lane_numbers_best(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return best;
}
