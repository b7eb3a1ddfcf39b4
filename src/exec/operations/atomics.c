// Atomic operations of PTX ISA 9.7.13.5 and .6: see atomics.h.
#include "exec/operations/atomics.h"

#include "exec/memory/spaces.h"
#include "exec/operations/narrow_floats.h"

#include <math.h>

typedef unsigned __int128 wide;

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t flush(uint32_t bits)
{
    return (bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits;
}

// atom.add.f32 on global memory flushes subnormals, on shared memory it does not (9.7.13.5).
static uint32_t add_f32(uint32_t a, uint32_t b, bool flushes)
{
    if (flushes) {
        a = flush(a);
        b = flush(b);
    }
    float sum = bits_float(a) + bits_float(b);
    if (isnan(sum))
        return 0x7FFFFFFF;
    return flushes ? flush(float_bits(sum)) : float_bits(sum);
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x += y;
    if (isnan(x))
        return UINT64_C(0x7FF8000000000000);
    memcpy(&a, &x, sizeof(a));
    return a;
}

static bool less(wm_ptx_type type, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case WM_PTX_s32: return (int32_t)a < (int32_t)b;
    case WM_PTX_s64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

static bool is_half(wm_ptx_type type)
{
    return type == WM_PTX_f16 || type == WM_PTX_bf16 || type == WM_PTX_f16x2 ||
           type == WM_PTX_bf16x2;
}

// add, min or max of two halves, subnormals kept (.noftz); a NaN alone gives way to the other in
// min and max, and -0 comes before +0.
static uint32_t apply_half(const struct wm_memory_form *form, uint32_t old, uint32_t b)
{
    const struct wm_float_format *format = wm_float_format(form->type);
    double x = wm_float_decode(format, old), y = wm_float_decode(format, b);
    if (form->atomic == WM_ATOMIC_ADD)
        return wm_float_encode(format, wm_float_sum_to_odd(x, y), WM_PTX_rn, false);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? format->nan : isnan(x) ? b : old;
    bool b_less = y < x || (y == x && (b & 0x8000) && !(old & 0x8000));
    return b_less == (form->atomic == WM_ATOMIC_MIN) ? b : old;
}

static uint64_t apply_halves(const struct wm_memory_form *form, uint64_t old, uint64_t b)
{
    uint64_t low = apply_half(form, (uint32_t)old & 0xFFFF, (uint32_t)b & 0xFFFF);
    if (form->element_bytes == 2)
        return low;
    return low | (uint64_t)apply_half(form, (uint32_t)old >> 16, (uint32_t)b >> 16) << 16;
}

static uint64_t apply(const struct wm_memory_form *form, uint64_t old, uint64_t b, uint64_t swap,
                      bool flushes)
{
    if (is_half(form->type))
        return apply_halves(form, old, b);
    switch (form->atomic) {
    case WM_ATOMIC_ADD:
        if (form->type == WM_PTX_f32)
            return add_f32((uint32_t)old, (uint32_t)b, flushes);
        if (form->type == WM_PTX_f64)
            return add_f64(old, b);
        return old + b;
    case WM_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case WM_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case WM_ATOMIC_MIN: return less(form->type, b, old) ? b : old;
    case WM_ATOMIC_MAX: return less(form->type, old, b) ? b : old;
    case WM_ATOMIC_AND: return old & b;
    case WM_ATOMIC_OR: return old | b;
    case WM_ATOMIC_XOR: return old ^ b;
    case WM_ATOMIC_EXCH: return b;
    case WM_ATOMIC_CAS: return old == b ? swap : old;
    }
    return old;
}

static uint64_t swap_2(const struct wm_memory_form *form, char *host, uint64_t b, uint64_t swap,
                       bool shared_with_host)
{
    uint16_t *word = (uint16_t *)(void *)host;
    b &= UINT16_MAX;
    if (!shared_with_host) {
        uint16_t old = *word;
        *word = (uint16_t)apply(form, old, b, swap, false);
        return old;
    }
    uint16_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(word, &old, (uint16_t)apply(form, old, b, swap, true),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return old;
}

static uint64_t swap_4(const struct wm_memory_form *form, char *host, uint64_t b, uint64_t swap,
                       bool shared_with_host)
{
    uint32_t *word = (uint32_t *)(void *)host;
    if (!shared_with_host) {
        uint32_t old = *word;
        *word = (uint32_t)apply(form, old, b, swap, false);
        return old;
    }
    if (form->atomic == WM_ATOMIC_ADD && !wm_ptx_type_is_float(form->type))
        return __atomic_fetch_add(word, (uint32_t)b, __ATOMIC_SEQ_CST);
    uint32_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)apply(form, old, b, swap, true),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return old;
}

static uint64_t swap_8(const struct wm_memory_form *form, char *host, uint64_t b, uint64_t swap,
                       bool shared_with_host)
{
    uint64_t *word = (uint64_t *)(void *)host;
    if (!shared_with_host) {
        uint64_t old = *word;
        *word = apply(form, old, b, swap, false);
        return old;
    }
    uint64_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(word, &old, apply(form, old, b, swap, true), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return old;
}

static uint64_t lane_of(const struct wm_warp *warp, uint32_t operand, unsigned lane, bool is_wide)
{
    const void *values = wm_at(warp, operand);
    return is_wide ? ((const uint64_t *)values)[lane] : ((const uint32_t *)values)[lane];
}

static void write_old(const struct wm_warp *warp, const struct wm_memory_form *form,
                      unsigned element, unsigned lane, uint64_t old)
{
    uint32_t to = form->values[element];
    if (to == WM_NO_OP)
        return;
    if (form->wide_value)
        ((uint64_t *)wm_at(warp, to))[lane] = old;
    else
        ((uint32_t *)wm_at(warp, to))[lane] = (uint32_t)old;
}

// Atomics on vectors and halves: each element, and each half of a pair, is one by itself.
static void execute_elements(struct wm_warp *warp, const struct wm_memory_form *form,
                             uint64_t lanes, char *const *host, bool shared_with_host)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t swap = form->atomic == WM_ATOMIC_CAS ? lane_of(warp, form->swap, lane, false) : 0;
        uint64_t operands[WM_MAX_VECTOR];
        for (unsigned e = 0; e < form->element_count; e++) // results may be their registers
            operands[e] = lane_of(warp, form->operands[e], lane, false);
        for (unsigned e = 0; e < form->element_count; e++) {
            char *at = host[lane] + (size_t)e * form->element_bytes;
            uint64_t old = form->element_bytes == 2
                               ? swap_2(form, at, operands[e], swap, shared_with_host)
                               : swap_4(form, at, operands[e], swap, shared_with_host);
            write_old(warp, form, e, lane, old);
        }
    }
}

// The processor's own instruction on 16 bytes: not all x86-64 has it, so compilers call a library
// for the built-in function, and clang even where the function's target says that it is there.
static bool replace_16(wide *word, wide old, wide value)
{
#if defined(__x86_64__)
    uint64_t low = (uint64_t)old, high = (uint64_t)(old >> 64);
    bool replaced;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(replaced), "+m"(*word), "+a"(low), "+d"(high)
                     : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                     : "memory");
    return replaced;
#else
    return __sync_bool_compare_and_swap(word, old, value);
#endif
}

static wide wide_lane_of(const struct wm_warp *warp, uint32_t operand, unsigned lane)
{
    const uint64_t *low = wm_at(warp, operand);
    return low[lane] | (wide)low[wm_width(warp) + lane] << 64;
}

// exch and cas of .b128.
static void execute_wide(struct wm_warp *warp, const struct wm_memory_form *form, uint64_t lanes,
                         char *const *host, bool shared_with_host)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        bool cas = form->atomic == WM_ATOMIC_CAS;
        wide b = wide_lane_of(warp, form->operand, lane), old, value;
        wide swap = cas ? wide_lane_of(warp, form->swap, lane) : b;
        do {
            memcpy(&old, host[lane], sizeof(old));
            value = cas && old != b ? old : swap;
        } while (shared_with_host && !replace_16((wide *)(void *)host[lane], old, value));
        if (!shared_with_host)
            memcpy(host[lane], &value, sizeof(value));
        if (form->values[0] == WM_NO_OP)
            continue;
        uint64_t *d = wm_at(warp, form->values[0]);
        d[lane] = (uint64_t)old;
        d[wm_width(warp) + lane] = (uint64_t)(old >> 64);
    }
}

void wm_atomics_execute(struct wm_warp *warp, const struct wm_memory_form *form, uint64_t lanes,
                        char *const *host, bool shared_with_host)
{
    bool is_wide = form->element_bytes == 8, cas = form->atomic == WM_ATOMIC_CAS;
    if (form->element_bytes == 16) {
        execute_wide(warp, form, lanes, host, shared_with_host);
        return;
    }
    if (form->element_count > 1 || form->element_bytes == 2) {
        execute_elements(warp, form, lanes, host, shared_with_host);
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t b = lane_of(warp, form->operand, lane, is_wide);
        uint64_t swap = cas ? lane_of(warp, form->swap, lane, is_wide) : 0;
        uint64_t old = is_wide ? swap_8(form, host[lane], b, swap, shared_with_host)
                               : swap_4(form, host[lane], b, swap, shared_with_host);
        write_old(warp, form, 0, lane, old);
    }
}

// No other thread sees a thread's local memory: the words are copied out and back.
void wm_atomics_local(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    const struct wm_memory_form *form = op->memory;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t offset = warp->addresses[lane], value[2];
        size_t part = form->bytes < 4 ? form->bytes : 4;
        char *host[WM_MAX_LANES];
        for (unsigned at = 0; at < form->bytes; at += 4)
            memcpy((char *)value + at, wm_local_word(warp, lane, offset + at), part);
        host[lane] = (char *)value;
        wm_atomics_execute(warp, form, UINT64_C(1) << lane, host, false);
        for (unsigned at = 0; at < form->bytes; at += 4)
            memcpy(wm_local_word(warp, lane, offset + at), (const char *)value + at, part);
        warp->addresses[lane] = wm_local_reported(warp, lane, offset, form->bytes);
    }
}
