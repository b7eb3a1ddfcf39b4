// Lane kernels: the arithmetic of one warp instruction over 32 lanes, with everything that PTX
// decides by type, rounding and flags decided once, when an instruction is decoded. Private to
// exec/.
//
// Shapes. A 32-lane operand is an array of 32 slots: uint32_t for types up to 32 bits (8- and
// 16-bit values in the low bits, upper bits ignored on input, zero on output), uint64_t for 64-bit
// types, aligned to 64 bytes. A predicate operand is one uint32_t, bit l for lane l. A machine of
// 64 lanes calls a kernel twice. Kernels write only the lanes in `mask`; the destination may be
// the same array as a source, never a partial overlap.
//
// Two results (.cc, addc, subc): `d` is a struct wm_lane_sum, whose carry is read, and written for
// .cc. Keys of .cc have it as their mode.
//
// Four sources (bfi, lop3): `c` is a struct wm_lane_pair of the last two; lop3's table is its
// `second`, of which one slot is read. dp2a and dp4a have three sources.
//
// Registers of 16-bit types hold zero-extended values in their slots, and a conversion to s8 is
// sign-extended to 16 bits (a register is never narrower). A source register wider than the type
// (cvt.u16.u32 of a 64-bit register) must be narrowed to the slot of the type by the caller.
//
// What PTX leaves open and we decide: a NaN result of f64 is 0x7ff8000000000000; of f16 and bf16
// 0x7fff. Integer division by zero gives all ones, and the remainder is the dividend. .ftz flushes
// a result that is subnormal after rounding. Approximate operations are within 0.51 units in the
// last place, tanh 1 (rcp, sqrt and div: correctly rounded where the ISA's special cases do not say
// otherwise; rsqrt.f64: 2^-52 relative; rcp and rsqrt with .ftz.f64: 2^-20, low word zero); sin and
// cos beyond 2^20 take the argument modulo the double nearest to 2 pi.
//
// There are three builds of the same table: plain C (the oracle), AVX2 and AVX-512. All give the
// same bits for every operation, NaN payloads included (PTX's canonical NaN where PTX says so).
#ifndef WM_EXEC_LANES_H
#define WM_EXEC_LANES_H

#include "ptx/ptx.h"

#include <stdint.h>

enum wm_lane_isa { WM_HOST_C, WM_HOST_AVX2, WM_HOST_AVX512, WM_HOST_ISA_COUNT };

// d = op(a, b, c). Unused operands are NULL. For a predicate result `d` is a uint32_t*. For setp's
// second result, the decoder negates the first itself. `c` of selp and the boolean source of
// setp.lt.and are uint32_t*.
typedef void wm_lane_function(void *d, const void *a, const void *b, const void *c, uint32_t mask);

struct wm_lane_pair {
    const void *first, *second;
};

struct wm_lane_sum {
    void *d;
    uint32_t *carry;
};

// What identifies an arithmetic operation: the fields of the instruction that change its meaning.
struct wm_lane_key {
    enum wm_ptx_opcode opcode;
    wm_ptx_type type, type2;
    enum wm_ptx_modifier rounding; // WM_PTX_none is the default of the operation
    enum wm_ptx_modifier compare;  // setp, set
    enum wm_ptx_modifier boolean;  // setp.lt.and: the and
    enum wm_ptx_modifier mode;     // lo, hi, wide, approx, full, clamp, wrap, l, r, …
    enum wm_ptx_modifier mode2;    // shf.l.wrap: the wrap
    bool ftz, sat, boolean_negated;
    bool nan; // min.NaN, max.NaN
    bool relu;
    bool xorsign, abs; // min.xorsign.abs: both
    bool oob;          // fma.oob
};

// The kernel for `key` in the build `isa`, or NULL when warpmem has none (the caller refuses the
// instruction). All builds have the same set.
wm_lane_function *wm_lane_find(enum wm_lane_isa isa, const struct wm_lane_key *key);
// The key of a parsed instruction (arithmetic, comparison, conversion and logic opcodes).
struct wm_lane_key wm_lane_key_of(const struct wm_ptx_instruction *instruction);
// The best build this processor runs and WARPMEM_ISA allows (base/host/processor.h).
enum wm_lane_isa wm_host_best_isa(void);
const char *wm_host_isa_name(enum wm_lane_isa isa);

#endif
