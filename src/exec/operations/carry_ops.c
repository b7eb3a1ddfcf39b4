// Arithmetic with carry: see carry_ops.h.
#include "exec/operations/carry_ops.h"

typedef unsigned __int128 wide;

// a + b + carry, or a - b - carry, modulo 2^bits. The carry out of a subtraction is its borrow.
static uint64_t add_or_subtract(uint64_t a, uint64_t b, bool subtract, unsigned bits, bool *carry)
{
    wide result = subtract ? (wide)a - b - *carry : (wide)a + b + *carry;
    *carry = result >> bits & 1;
    return (uint64_t)result;
}

static uint64_t product_4(uint32_t a, uint32_t b, unsigned flags)
{
    uint64_t product = flags & WM_CARRY_SIGNED
                           ? (uint64_t)((int64_t)(int32_t)a * (int64_t)(int32_t)b)
                           : (uint64_t)a * b;
    return flags & WM_CARRY_HIGH ? product >> 32 : (uint32_t)product;
}

static uint64_t product_8(uint64_t a, uint64_t b, unsigned flags)
{
    wide product =
        flags & WM_CARRY_SIGNED ? (wide)((__int128)(int64_t)a * (int64_t)b) : (wide)a * b;
    return flags & WM_CARRY_HIGH ? (uint64_t)(product >> 64) : (uint64_t)product;
}

#define DEFINE_CARRY(SIZE, TYPE)                                                                   \
    const struct wm_op *wm_run_carry_##SIZE(struct wm_warp *warp, const struct wm_op *op)          \
    {                                                                                              \
        TYPE *d = wm_at(warp, op->d);                                                              \
        const TYPE *a = wm_at(warp, op->a), *b = wm_at(warp, op->b), *c = wm_at(warp, op->c);      \
        uint64_t *carries = wm_predicate_at(warp, op->extra), in = *carries, out = 0;              \
        unsigned flags = op->flags;                                                                \
        for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {                                 \
            unsigned lane = (unsigned)__builtin_ctzll(rest);                                       \
            bool multiply = flags & WM_CARRY_MULTIPLY;                                             \
            bool carry = flags & WM_CARRY_IN && (in >> lane & 1);                                  \
            uint64_t first = multiply ? product_##SIZE(a[lane], b[lane], flags) : a[lane];         \
            uint64_t second = multiply ? c[lane] : b[lane];                                        \
            d[lane] =                                                                              \
                (TYPE)add_or_subtract(first, second, flags & WM_CARRY_SUBTRACT, 8 * SIZE, &carry); \
            out |= (uint64_t)carry << lane;                                                        \
        }                                                                                          \
        if (flags & WM_CARRY_OUT)                                                                  \
            *carries = (in & ~warp->mask) | out;                                                   \
        return op + 1;                                                                             \
    }

DEFINE_CARRY(4, uint32_t)
DEFINE_CARRY(8, uint64_t)
