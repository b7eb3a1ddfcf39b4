// The question that recording asks of nearly every access: does it lie as expected?
#include "trace/warp_encoder.h"

#include <stdlib.h>

bool wm_full_lies(const uint64_t *addresses, uint64_t base, const struct wm_trace_shape *shape)
{
    uint32_t row = shape->row_shift == 0 ? 32 : UINT32_C(1) << shape->row_shift;
    uint64_t differs = 0;
    for (uint32_t first = 0; first < 32; first += row, base += shape->row_stride) {
        uint64_t expected = base;
        for (uint32_t lane = first; lane < first + row; lane++, expected += shape->stride)
            differs |= addresses[lane] ^ expected;
    }
    return differs == 0;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq")))

TARGET static bool full_lies_avx512(const uint64_t *addresses, uint64_t base,
                                    const struct wm_trace_shape *shape)
{
    uint32_t row_shift = shape->row_shift == 0 ? 5 : shape->row_shift;
    __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), eight = _mm512_set1_epi64(8);
    __m512i in_row = _mm512_set1_epi64((INT64_C(1) << row_shift) - 1);
    __m512i stride = _mm512_set1_epi64((int64_t)shape->stride);
    __m512i row_stride = _mm512_set1_epi64((int64_t)shape->row_stride);
    __m512i begin = _mm512_set1_epi64((int64_t)base), differs = _mm512_setzero_si512();
    __m128i shift = _mm_cvtsi32_si128((int)row_shift);
    for (int part = 0; part < 4; part++, lanes = _mm512_add_epi64(lanes, eight)) {
        __m512i within = _mm512_mullo_epi64(_mm512_and_si512(lanes, in_row), stride);
        __m512i rows = _mm512_mullo_epi64(_mm512_srl_epi64(lanes, shift), row_stride);
        __m512i expected = _mm512_add_epi64(begin, _mm512_add_epi64(within, rows));
        __m512i there = _mm512_loadu_si512(addresses + 8 * part);
        differs = _mm512_or_si512(differs, _mm512_xor_si512(there, expected));
    }
    return _mm512_test_epi64_mask(differs, differs) == 0;
}

wm_full_lies_function *wm_full_lies_avx512_find(void)
{
    bool runs = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return runs ? full_lies_avx512 : NULL;
}
#else
wm_full_lies_function *wm_full_lies_avx512_find(void)
{
    return NULL;
}
#endif

wm_full_lies_function *wm_full_lies_best(void)
{
    const char *wish = getenv("WARPMEM_ISA");
    if (wish != NULL && (strcmp(wish, "c") == 0 || strcmp(wish, "avx2") == 0))
        return wm_full_lies;
    wm_full_lies_function *best = wm_full_lies_avx512_find();
    return best != NULL ? best : wm_full_lies;
}
