// The test that recording makes for nearly every access: are its addresses as expected?
#include "trace/warp/encoder.h"

#include "base/host/processor.h"

#include <pthread.h>

static inline __attribute__((always_inline)) bool matches(const uint64_t *wide,
                                                          const uint32_t *narrow, uint64_t offset,
                                                          uint32_t mask, uint64_t base,
                                                          const struct wm_trace_shape *shape)
{
    uint32_t row = shape->row_shift == 0 ? 32 : UINT32_C(1) << shape->row_shift;
    uint64_t differs = 0;
    for (uint32_t first = 0; first < 32; first += row, base += shape->row_stride) {
        uint64_t expected = base;
        for (uint32_t lane = first; lane < first + row; lane++, expected += shape->stride) {
            uint64_t address =
                narrow != NULL ? (uint32_t)(narrow[lane] + (uint32_t)offset) : wide[lane] + offset;
            differs |= (address ^ expected) & (0 - (uint64_t)(mask >> lane & 1));
        }
    }
    return differs == 0;
}

static bool wide_matches(const void *registers, uint64_t offset, uint32_t mask, uint64_t base,
                         const struct wm_trace_shape *shape)
{
    return matches(registers, NULL, offset, mask, base, shape);
}

static bool narrow_matches(const void *registers, uint64_t offset, uint32_t mask, uint64_t base,
                           const struct wm_trace_shape *shape)
{
    return matches(NULL, registers, offset, mask, base, shape);
}

static void full_by_registers(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                              const struct wm_memory_instruction *instruction,
                              const uint64_t *registers)
{
    if (matches(registers, NULL, 0, UINT32_MAX, registers[0], &slot->shape))
        wm_warp_encoder_base(encoder, slot, registers[0] + instruction->offset);
    else
        wm_warp_encoder_by_addresses(encoder, slot, instruction, registers, UINT32_MAX);
}

const struct wm_address_pattern_functions wm_address_pattern_c = {
    .wide = wide_matches, .narrow = narrow_matches, .full_by_registers = full_by_registers};

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq")))
#define INLINE __attribute__((target("avx512f,avx512dq"), always_inline)) static inline

// Where lanes 8 × part to 8 × part + 7 are expected. Rows of fewer than eight lanes end with a
// part, longer ones begin with one: the parts lie apart by sums of two distances.
struct parts {
    __m512i begin[4];
};

INLINE struct parts expected_parts(uint64_t base, const struct wm_trace_shape *shape)
{
    uint32_t shift = shape->row_shift;
    __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i stride = _mm512_set1_epi64((int64_t)shape->stride), within;
    uint64_t next = 8 * shape->stride, second = 2 * next;
    if (shift == 4)
        second = shape->row_stride;
    if (shift == 0 || shift >= 3) {
        within = _mm512_mullo_epi64(lanes, stride);
    } else {
        __m512i in_row = _mm512_set1_epi64((INT64_C(1) << shift) - 1);
        __m512i rows = _mm512_srl_epi64(lanes, _mm_cvtsi32_si128((int)shift));
        __m512i row_stride = _mm512_set1_epi64((int64_t)shape->row_stride);
        within = _mm512_add_epi64(_mm512_mullo_epi64(_mm512_and_si512(lanes, in_row), stride),
                                  _mm512_mullo_epi64(rows, row_stride));
    }
    if (shift != 0 && shift <= 3) {
        next = (UINT64_C(8) >> shift) * shape->row_stride;
        second = 2 * next;
    }
    __m512i apart = _mm512_set1_epi64((int64_t)next), far = _mm512_set1_epi64((int64_t)second);
    struct parts parts;
    parts.begin[0] = _mm512_add_epi64(_mm512_set1_epi64((int64_t)base), within);
    parts.begin[1] = _mm512_add_epi64(parts.begin[0], apart);
    parts.begin[2] = _mm512_add_epi64(parts.begin[0], far);
    parts.begin[3] = _mm512_add_epi64(parts.begin[1], far);
    return parts;
}

// From memory, which costs none of the units that the rest needs.
INLINE __m512i everywhere(const uint64_t *word)
{
    return _mm512_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)word));
}

// The frequent shapes alone: short rows and far lanes are left to the general question.
TARGET static void full_by_registers_avx512(struct wm_warp_encoder *encoder,
                                            struct wm_encoder_slot *slot,
                                            const struct wm_memory_instruction *instruction,
                                            const uint64_t *registers)
{
    const struct wm_trace_shape *shape = &slot->shape;
    uint32_t shift = shape->row_shift;
    if ((shift != 0 && shift < 4) || (int64_t)shape->stride != (int32_t)shape->stride) {
        wm_warp_encoder_lanes(encoder, slot, slot, instruction, registers);
        return;
    }
    __m512i stride = everywhere(&shape->stride), next = _mm512_slli_epi64(stride, 3);
    __m512i second = shift == 4 ? everywhere(&shape->row_stride) : _mm512_slli_epi64(next, 1);
    __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i at = _mm512_add_epi64(everywhere(registers), _mm512_mul_epi32(lanes, stride));
    __m512i differs = _mm512_xor_si512(_mm512_loadu_si512(registers), at);
    // Each 0xF6 is: differs | (expected ^ there).
    differs = _mm512_ternarylogic_epi64(differs, _mm512_add_epi64(at, next),
                                        _mm512_loadu_si512(registers + 8), 0xF6);
    at = _mm512_add_epi64(at, second);
    differs = _mm512_ternarylogic_epi64(differs, at, _mm512_loadu_si512(registers + 16), 0xF6);
    differs = _mm512_ternarylogic_epi64(differs, _mm512_add_epi64(at, next),
                                        _mm512_loadu_si512(registers + 24), 0xF6);
    if (_mm512_test_epi64_mask(differs, differs) == 0)
        wm_warp_encoder_base(encoder, slot, registers[0] + instruction->offset);
    else
        wm_warp_encoder_by_addresses(encoder, slot, instruction, registers, UINT32_MAX);
}

TARGET static bool wide_matches_avx512(const void *registers, uint64_t offset, uint32_t mask,
                                       uint64_t base, const struct wm_trace_shape *shape)
{
    const uint64_t *addresses = registers;
    struct parts parts = expected_parts(base - offset, shape);
    uint32_t differs = 0;
    for (uint32_t part = 0; part < 4; part++) {
        // Only what takes part: of a core there is one address and no more.
        __mmask8 active = (__mmask8)(mask >> 8 * part);
        __m512i there = _mm512_maskz_loadu_epi64(active, addresses + (size_t)8 * part);
        differs |= _mm512_mask_cmpneq_epi64_mask(active, there, parts.begin[part]);
    }
    return differs == 0;
}

TARGET static bool narrow_matches_avx512(const void *registers, uint64_t offset, uint32_t mask,
                                         uint64_t base, const struct wm_trace_shape *shape)
{
    const uint32_t *addresses = registers;
    struct parts parts = expected_parts(base, shape);
    __m512i add = _mm512_set1_epi32((int32_t)(uint32_t)offset);
    uint32_t differs = 0;
    for (uint32_t half = 0; half < 2; half++) {
        __mmask16 active = (__mmask16)(mask >> 16 * half);
        __m512i words = _mm512_maskz_loadu_epi32(active, addresses + (size_t)16 * half);
        words = _mm512_add_epi32(words, add);
        __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(words));
        __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(words, 1));
        differs |= _mm512_mask_cmpneq_epi64_mask((__mmask8)active, low, parts.begin[2 * half]);
        differs |=
            _mm512_mask_cmpneq_epi64_mask((__mmask8)(active >> 8), high, parts.begin[2 * half + 1]);
    }
    return differs == 0;
}

static const struct wm_address_pattern_functions address_pattern_avx512 = {
    .wide = wide_matches_avx512,
    .narrow = narrow_matches_avx512,
    .full_by_registers = full_by_registers_avx512};

const struct wm_address_pattern_functions *wm_address_pattern_avx512_find(void)
{
    return wm_processor_runs(WM_PROCESSOR_AVX512) ? &address_pattern_avx512 : NULL;
}
#else
const struct wm_address_pattern_functions *wm_address_pattern_avx512_find(void)
{
    return NULL;
}
#endif

static const struct wm_address_pattern_functions *best;

static void choose(void)
{
    bool allowed = wm_processor_best() >= WM_PROCESSOR_AVX512;
    best = allowed ? wm_address_pattern_avx512_find() : NULL;
    if (best == NULL)
        best = &wm_address_pattern_c;
}

const struct wm_address_pattern_functions *wm_address_pattern_best(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return best;
}
