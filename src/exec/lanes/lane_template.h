// What every lane kernel is made of. Included once by each of the three builds, which are compiled
// for different processors; everything here is static.
//
// A kernel is written as one expression over x, y, z (the values of a, b, c in one lane) and a type
// for each operand. The type says how a slot is read and written, so a type here also carries
// flushing and saturation: f32z is f32 with .ftz, f32s with .sat, f32zs with both.
// Private to exec/lanes/.
#ifndef WM_EXEC_LANES_LANE_TEMPLATE_H
#define WM_EXEC_LANES_LANE_TEMPLATE_H

#include "exec/lanes/lane_kernels.h"
#include "exec/lanes/lane_values.h"

#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { LANES = 32 };

// Before a loop over lanes: no lane reads another lane's slot, and arrays overlap wholly or not at
// all.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // a loop it cannot make vector code of
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

// Slot, value in an expression, reader and writer of each type. Values of narrow types are held in
// 32 bits so that products of 16-bit values cannot overflow int.
#define DEFINE_TYPE(type, slot, value, read, write)             \
    typedef slot slot_##type;                                   \
    typedef value value_##type;                                 \
    static inline UNUSED value_##type in_##type(slot_##type s)  \
    {                                                           \
        return read;                                            \
    }                                                           \
    static inline UNUSED slot_##type out_##type(value_##type v) \
    {                                                           \
        return write;                                           \
    }

DEFINE_TYPE(u8, uint32_t, uint32_t, (uint8_t)s, (uint8_t)v)
DEFINE_TYPE(s8, uint32_t, int32_t, (int8_t)s, (uint32_t)(uint16_t)(int8_t)v)
DEFINE_TYPE(u16, uint32_t, uint32_t, (uint16_t)s, (uint16_t)v)
DEFINE_TYPE(s16, uint32_t, int32_t, (int16_t)s, (uint32_t)(uint16_t)v)
DEFINE_TYPE(u32, uint32_t, uint32_t, s, v)
DEFINE_TYPE(s32, uint32_t, int32_t, (int32_t)s, (uint32_t)v)
DEFINE_TYPE(u64, uint64_t, uint64_t, s, v)
DEFINE_TYPE(s64, uint64_t, int64_t, (int64_t)s, (uint64_t)v)
DEFINE_TYPE(f32, uint32_t, float, float_of(s), canonical_f32(v))
DEFINE_TYPE(f32z, uint32_t, float, float_of(flush_f32(s)), flush_f32(canonical_f32(v)))
DEFINE_TYPE(f32s, uint32_t, float, float_of(s), bits_of_float(saturate_f32(v)))
DEFINE_TYPE(f32zs, uint32_t, float, float_of(flush_f32(s)),
            flush_f32(bits_of_float(saturate_f32(v))))
DEFINE_TYPE(f16, uint32_t, float, float_of_half(s), half_of_float(v))
DEFINE_TYPE(f16z, uint32_t, float, float_of_half(flush_f16(s)), flush_f16(half_of_float(v)))
DEFINE_TYPE(f16s, uint32_t, float, float_of_half(s), half_of_float(saturate_f32(v)))
DEFINE_TYPE(f16zs, uint32_t, float, float_of_half(flush_f16(s)),
            flush_f16(half_of_float(saturate_f32(v))))
DEFINE_TYPE(bf16, uint32_t, float, float_of(s << 16), bf16_of_float(v))
DEFINE_TYPE(f64, uint64_t, double, double_of(s), canonical_f64(v))
DEFINE_TYPE(f64z, uint64_t, double, double_of(flush_f64(s)), flush_f64(canonical_f64(v)))
DEFINE_TYPE(f64s, uint64_t, double, double_of(s), bits_of_double(saturate_f64(v)))

// Copies the lanes in `mask` from a full result. A whole vector is stored, not the lanes alone: a
// processor holds up the load of what has just been stored under a mask until it lies in its cache.
static inline UNUSED void blend_uint32_t(uint32_t *d, const uint32_t *result, uint32_t mask)
{
#if defined(__AVX512F__)
    for (unsigned l = 0; l < LANES; l += 16) {
        __m512i old = _mm512_load_si512(d + l), new = _mm512_load_si512(result + l);
        _mm512_store_si512(d + l, _mm512_mask_blend_epi32((__mmask16)(mask >> l), old, new));
    }
#else
    INDEPENDENT
    for (unsigned l = 0; l < LANES; l++)
        d[l] = (mask >> l & 1) ? result[l] : d[l];
#endif
}

static inline UNUSED void blend_uint64_t(uint64_t *d, const uint64_t *result, uint32_t mask)
{
#if defined(__AVX512F__)
    for (unsigned l = 0; l < LANES; l += 8) {
        __m512i old = _mm512_load_si512(d + l), new = _mm512_load_si512(result + l);
        _mm512_store_si512(d + l, _mm512_mask_blend_epi64((__mmask8)(mask >> l), old, new));
    }
#else
    INDEPENDENT
    for (unsigned l = 0; l < LANES; l++)
        d[l] = (mask >> l & 1) ? result[l] : d[l];
#endif
}

#define BLEND_SLOT_(slot) blend_##slot
#define ALIGNED(p) __builtin_assume_aligned((p), 64)

// The loop: into d itself when all lanes are active, else into a copy, whose active lanes then go
// to d.
#define KERNEL_BODY(td, ...)                          \
    alignas(64) slot_##td buffer[LANES];              \
    slot_##td *out = mask == UINT32_MAX ? d : buffer; \
    out = ALIGNED(out);                               \
    INDEPENDENT for (unsigned l = 0; l < LANES; l++)  \
    {                                                 \
        __VA_ARGS__                                   \
    }                                                 \
    if (mask != UINT32_MAX)                           \
        _Generic(buffer, uint32_t * : blend_uint32_t, uint64_t * : blend_uint64_t)(d, buffer, mask);

#define DEFINE_1(name, key, td, ta, expression)                                           \
    static void name(void *d, const void *a, const void *b, const void *c, uint32_t mask) \
    {                                                                                     \
        (void)b, (void)c;                                                                 \
        const slot_##ta *pa = ALIGNED(a);                                                 \
        KERNEL_BODY(td, const value_##ta x = in_##ta(pa[l]);                              \
                    out[l] = out_##td((value_##td)(expression));)                         \
    }

#define DEFINE_2(name, key, td, ta, tb, expression)                                               \
    static void name(void *d, const void *a, const void *b, const void *c, uint32_t mask)         \
    {                                                                                             \
        (void)c;                                                                                  \
        const slot_##ta *pa = ALIGNED(a);                                                         \
        const slot_##tb *pb = ALIGNED(b);                                                         \
        KERNEL_BODY(td, const value_##ta x = in_##ta(pa[l]); const value_##tb y = in_##tb(pb[l]); \
                    out[l] = out_##td((value_##td)(expression));)                                 \
    }

#define DEFINE_3(name, key, td, ta, tb, tc, expression)                                           \
    static void name(void *d, const void *a, const void *b, const void *c, uint32_t mask)         \
    {                                                                                             \
        const slot_##ta *pa = ALIGNED(a);                                                         \
        const slot_##tb *pb = ALIGNED(b);                                                         \
        const slot_##tc *pc = ALIGNED(c);                                                         \
        KERNEL_BODY(td, const value_##ta x = in_##ta(pa[l]); const value_##tb y = in_##tb(pb[l]); \
                    const value_##tc z = in_##tc(pc[l]);                                          \
                    out[l] = out_##td((value_##td)(expression));)                                 \
    }

#define ENTRY_1(name, key, td, ta, expression) {key, name},
#define ENTRY_2(name, key, td, ta, tb, expression) {key, name},
#define ENTRY_3(name, key, td, ta, tb, tc, expression) {key, name},

// Keys by the fields that most operations use.
#define KEY(type) WM_LANE_PACK(type, none, none, none, none, none, 0)
#define KEY_FLAGS(type, flags) WM_LANE_PACK(type, none, none, none, none, none, flags)
#define KEY_MODE(type, mode) WM_LANE_PACK(type, none, none, none, none, mode, 0)
#define FTZ WM_LANE_FLAG_FTZ
#define SAT WM_LANE_FLAG_SAT
#define NEGATED WM_LANE_FLAG_NEGATED
#define NAN_FLAG WM_LANE_FLAG_NAN
#define RELU WM_LANE_FLAG_RELU
#define XORSIGN WM_LANE_FLAG_XORSIGN
#define OOB WM_LANE_FLAG_OOB

static inline UNUSED void store_predicate(void *d, uint32_t bits, uint32_t mask)
{
    uint32_t *p = d;
    *p = (*p & ~mask) | (bits & mask);
}

#endif
