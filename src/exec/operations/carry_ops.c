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

static const uint32_t lane_bits[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

// Sums or differences of all lanes of a warp of 32; the result is the carries, or those that were
// before where none are asked for. Short loops without branches, which become vectors.
#define DEFINE_ADD_ROWS(SIZE, TYPE)                                                        \
    static uint64_t add_rows_##SIZE(TYPE *d, const TYPE *a, const TYPE *b, unsigned flags, \
                                    uint64_t in)                                           \
    {                                                                                      \
        TYPE results[32], carry[32], leaves[32];                                           \
        uint32_t entering = flags & WM_CARRY_IN ? (uint32_t)in : 0, out = 0;               \
        for (unsigned lane = 0; lane < 32; lane++)                                         \
            carry[lane] = (entering & lane_bits[lane]) != 0 ? 1 : 0;                       \
        if (flags & WM_CARRY_SUBTRACT)                                                     \
            for (unsigned lane = 0; lane < 32; lane++) {                                   \
                TYPE less = a[lane] < b[lane], equal = a[lane] == b[lane];                 \
                results[lane] = (TYPE)(a[lane] - b[lane] - carry[lane]);                   \
                leaves[lane] = (TYPE)(less | (equal & carry[lane]));                       \
            }                                                                              \
        else                                                                               \
            for (unsigned lane = 0; lane < 32; lane++) {                                   \
                TYPE sum = (TYPE)(a[lane] + b[lane] + carry[lane]);                        \
                TYPE less = sum < a[lane], equal = sum == a[lane];                         \
                results[lane] = sum;                                                       \
                leaves[lane] = (TYPE)(less | (equal & carry[lane]));                       \
            }                                                                              \
        for (unsigned lane = 0; flags & WM_CARRY_OUT && lane < 32; lane++)                 \
            out |= leaves[lane] ? lane_bits[lane] : 0;                                     \
        memcpy(d, results, sizeof(results));                                               \
        return flags & WM_CARRY_OUT ? (in & ~(uint64_t)UINT32_MAX) | out : in;             \
    }

DEFINE_ADD_ROWS(4, uint32_t)
DEFINE_ADD_ROWS(8, uint64_t)

#define DEFINE_CARRY(SIZE, TYPE)                                                                   \
    const struct wm_op *wm_run_carry_##SIZE(struct wm_warp *warp, const struct wm_op *op)          \
    {                                                                                              \
        TYPE *d = wm_at(warp, op->d);                                                              \
        const TYPE *a = wm_at(warp, op->a), *b = wm_at(warp, op->b), *c = wm_at(warp, op->c);      \
        uint64_t *carries = wm_predicate_at(warp, op->extra), in = *carries, out = 0;              \
        unsigned flags = op->flags;                                                                \
        if (!(flags & WM_CARRY_MULTIPLY) && warp->mask == UINT32_MAX) {                            \
            *carries = add_rows_##SIZE(d, a, b, flags, in);                                        \
            return op + 1;                                                                         \
        }                                                                                          \
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
