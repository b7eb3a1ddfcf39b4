#include "bypass/address_values.h"

#include "base/numbers/divisor.h"

#include <string.h>

const struct wm_lane_value wm_lanes_unknown = {.knowledge = WM_LANES_UNKNOWN};

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

// Units beyond this are kept as powers of two of it: they divide no line any more.
#define MOST_UNIT (UINT64_C(1) << 40)

static uint64_t product_of_units(uint64_t a, uint64_t b)
{
    uint64_t product;
    if (a == 0 || b == 0)
        return 0;
    return __builtin_mul_overflow(a, b, &product) || product > MOST_UNIT
               ? wm_common_divisor(a, MOST_UNIT) > wm_common_divisor(b, MOST_UNIT)
                     ? wm_common_divisor(a, MOST_UNIT)
                     : wm_common_divisor(b, MOST_UNIT)
               : product;
}

static bool all_equal(const int64_t lanes[WM_LANE_VALUES])
{
    for (int lane = 1; lane < WM_LANE_VALUES; lane++)
        if (lanes[lane] != lanes[0])
            return false;
    return true;
}

// One form for one meaning: what is a multiple of the unit in all lanes is part of what is unknown,
// and a term that is the same in all lanes is uniform.
static struct wm_lane_value canonical(struct wm_lane_value value)
{
    if (value.knowledge != WM_LANES_KNOWN)
        return value;
    uint32_t kept = 0;
    for (uint32_t t = 0; t < value.term_count; t++) {
        const struct wm_lane_term *term = &value.terms[t];
        if (all_equal(term->lanes)) {
            uint64_t unit = product_of_units(term->unit, magnitude(term->lanes[0]));
            value.unit = wm_common_divisor(value.unit, unit);
            continue;
        }
        value.terms[kept++] = *term;
    }
    memset(value.terms + kept, 0, (WM_LANE_TERMS - kept) * sizeof *value.terms);
    value.term_count = kept;
    if (value.unit != 0) {
        int64_t unit = (int64_t)value.unit, first = value.lanes[0] % unit;
        int64_t shift = value.lanes[0] - (first < 0 ? first + unit : first);
        for (int lane = 0; lane < WM_LANE_VALUES; lane++)
            value.lanes[lane] -= shift;
    }
    return value;
}

struct wm_lane_value wm_lanes_of(const int64_t lanes[WM_LANE_VALUES])
{
    struct wm_lane_value value = {.knowledge = WM_LANES_KNOWN};
    memcpy(value.lanes, lanes, sizeof value.lanes);
    return value;
}

struct wm_lane_value wm_lanes_constant(int64_t constant)
{
    struct wm_lane_value value = {.knowledge = WM_LANES_KNOWN};
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        value.lanes[lane] = constant;
    return value;
}

struct wm_lane_value wm_lanes_uniform(wm_lane_symbol symbol, uint64_t unit)
{
    return (struct wm_lane_value){.knowledge = WM_LANES_KNOWN, .unit = unit, .symbol = symbol};
}

bool wm_lanes_are_uniform(const struct wm_lane_value *value)
{
    return value->knowledge == WM_LANES_KNOWN && value->term_count == 0 && all_equal(value->lanes);
}

bool wm_lanes_are_constant(const struct wm_lane_value *value)
{
    return value->knowledge == WM_LANES_KNOWN && value->term_count == 0 && value->unit == 0;
}

bool wm_lanes_equal(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    if (a->knowledge != b->knowledge)
        return false;
    if (a->knowledge != WM_LANES_KNOWN)
        return true;
    if (a->unit != b->unit || a->symbol != b->symbol || a->term_count != b->term_count ||
        memcmp(a->lanes, b->lanes, sizeof a->lanes) != 0)
        return false;
    for (uint32_t t = 0; t < a->term_count; t++)
        if (a->terms[t].symbol != b->terms[t].symbol || a->terms[t].unit != b->terms[t].unit ||
            memcmp(a->terms[t].lanes, b->terms[t].lanes, sizeof a->terms[t].lanes) != 0)
            return false;
    return true;
}

// What an operation makes of values of which one is not known: false when both are.
static bool lacks(const struct wm_lane_value *a, const struct wm_lane_value *b,
                  struct wm_lane_value *result)
{
    if (a->knowledge == WM_LANES_KNOWN && b->knowledge == WM_LANES_KNOWN)
        return false;
    *result = wm_lanes_unknown;
    if (a->knowledge == WM_LANES_UNSEEN || b->knowledge == WM_LANES_UNSEEN)
        *result = (struct wm_lane_value){.knowledge = WM_LANES_UNSEEN};
    return true;
}

// --- Sums and products ---

// Adds `sign` times the term. False when there is no room for it.
static bool add_term(struct wm_lane_value *value, const struct wm_lane_term *term, int64_t sign)
{
    uint32_t at = 0;
    while (at < value->term_count && value->terms[at].symbol < term->symbol)
        at++;
    if (at == value->term_count || value->terms[at].symbol != term->symbol) {
        if (value->term_count == WM_LANE_TERMS)
            return false;
        memmove(value->terms + at + 1, value->terms + at,
                (value->term_count - at) * sizeof *value->terms);
        value->terms[at] = (struct wm_lane_term){.symbol = term->symbol, .unit = term->unit};
        value->term_count++;
    }
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        value->terms[at].lanes[lane] += sign * term->lanes[lane];
    return true;
}

static struct wm_lane_value sum(const struct wm_lane_value *a, const struct wm_lane_value *b,
                                int64_t sign)
{
    struct wm_lane_value result;
    if (lacks(a, b, &result))
        return result;
    result = *a;
    result.unit = wm_common_divisor(a->unit, b->unit);
    result.symbol = 0;
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        if (__builtin_add_overflow(a->lanes[lane], sign * b->lanes[lane], &result.lanes[lane]))
            return wm_lanes_unknown;
    for (uint32_t t = 0; t < b->term_count; t++)
        if (!add_term(&result, &b->terms[t], sign))
            return wm_lanes_unknown;
    return canonical(result);
}

struct wm_lane_value wm_lanes_add(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return sum(a, b, 1);
}

struct wm_lane_value wm_lanes_subtract(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return sum(a, b, -1);
}

static bool scale(int64_t lanes[WM_LANE_VALUES], int64_t by)
{
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        if (__builtin_mul_overflow(lanes[lane], by, &lanes[lane]))
            return false;
    return true;
}

// By a constant that is the same in all lanes.
static struct wm_lane_value scaled(const struct wm_lane_value *a, int64_t by)
{
    struct wm_lane_value result = *a;
    if (by == 1)
        return result;
    result.symbol = 0;
    result.unit = product_of_units(a->unit, magnitude(by));
    bool fits = scale(result.lanes, by);
    for (uint32_t t = 0; t < result.term_count; t++)
        fits = fits && scale(result.terms[t].lanes, by);
    return fits ? canonical(result) : wm_lanes_unknown;
}

// A uniform unknown times what is known in each lane: (U + c) (V + L) = (U + c) V + U L + c L.
static struct wm_lane_value spread(const struct wm_lane_value *uniform,
                                   const struct wm_lane_value *lanes, wm_lane_symbol name)
{
    if (lanes->term_count != 0)
        return wm_lanes_unknown;
    struct wm_lane_term term = {.symbol = uniform->symbol != 0 ? uniform->symbol : name,
                                .unit = uniform->unit};
    memcpy(term.lanes, lanes->lanes, sizeof term.lanes);
    uint64_t factor = wm_common_divisor(uniform->unit, magnitude(uniform->lanes[0]));
    struct wm_lane_value result = {.knowledge = WM_LANES_KNOWN,
                                   .unit = product_of_units(factor, lanes->unit)};
    memcpy(result.lanes, lanes->lanes, sizeof result.lanes);
    return scale(result.lanes, uniform->lanes[0]) && add_term(&result, &term, 1) ? canonical(result)
                                                                                 : wm_lanes_unknown;
}

struct wm_lane_value wm_lanes_multiply(const struct wm_lane_value *a, const struct wm_lane_value *b,
                                       wm_lane_symbol name)
{
    struct wm_lane_value result;
    if (lacks(a, b, &result))
        return result;
    if (wm_lanes_are_constant(a) && wm_lanes_are_uniform(a))
        return scaled(b, a->lanes[0]);
    if (wm_lanes_are_constant(b) && wm_lanes_are_uniform(b))
        return scaled(a, b->lanes[0]);
    if (wm_lanes_are_constant(a) && wm_lanes_are_constant(b)) {
        result = *a;
        for (int lane = 0; lane < WM_LANE_VALUES; lane++)
            if (__builtin_mul_overflow(a->lanes[lane], b->lanes[lane], &result.lanes[lane]))
                return wm_lanes_unknown;
        return result;
    }
    if (wm_lanes_are_uniform(a))
        return spread(a, b, name);
    return wm_lanes_are_uniform(b) ? spread(b, a, name) : wm_lanes_unknown;
}

// --- Quotients and bits ---

static bool any_negative(const struct wm_lane_value *value)
{
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        if (value->lanes[lane] < 0)
            return true;
    return false;
}

// Whether the divisor divides all that is unknown: then only what is known decides.
static bool divides_unknown(const struct wm_lane_value *value, uint64_t by)
{
    if (value->unit % by != 0)
        return false;
    for (uint32_t t = 0; t < value->term_count; t++)
        for (int lane = 0; lane < WM_LANE_VALUES; lane++)
            if (value->terms[t].unit % by != 0 && magnitude(value->terms[t].lanes[lane]) % by != 0)
                return false;
    return true;
}

struct wm_lane_value wm_lanes_divide(const struct wm_lane_value *a, int64_t by)
{
    if (a->knowledge != WM_LANES_KNOWN || by == 1)
        return *a;
    if (by < 1)
        return wm_lanes_unknown;
    if (a->term_count != 0 || any_negative(a) || !divides_unknown(a, (uint64_t)by))
        return wm_lanes_are_uniform(a) ? wm_lanes_uniform(0, 1) : wm_lanes_unknown;
    struct wm_lane_value result = *a;
    result.symbol = 0;
    result.unit = a->unit / (uint64_t)by;
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        result.lanes[lane] /= by;
    return canonical(result);
}

struct wm_lane_value wm_lanes_remainder(const struct wm_lane_value *a, int64_t by)
{
    if (a->knowledge != WM_LANES_KNOWN)
        return *a;
    if (by < 1)
        return wm_lanes_unknown;
    if (any_negative(a) || !divides_unknown(a, (uint64_t)by))
        return wm_lanes_are_uniform(a) ? wm_lanes_uniform(0, 1) : wm_lanes_unknown;
    struct wm_lane_value result = {.knowledge = WM_LANES_KNOWN};
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        result.lanes[lane] = a->lanes[lane] % by;
    return result;
}

typedef int64_t combine_function(int64_t a, int64_t b);

static int64_t bits_and(int64_t a, int64_t b)
{
    return a & b;
}

static int64_t bits_or(int64_t a, int64_t b)
{
    return a | b;
}

static int64_t bits_xor(int64_t a, int64_t b)
{
    return a ^ b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct wm_lane_value combine(const struct wm_lane_value *a, const struct wm_lane_value *b,
                                    combine_function *function)
{
    struct wm_lane_value result;
    if (lacks(a, b, &result))
        return result;
    if (!wm_lanes_are_constant(a) || !wm_lanes_are_constant(b))
        return wm_lanes_are_uniform(a) && wm_lanes_are_uniform(b) ? wm_lanes_uniform(0, 1)
                                                                  : wm_lanes_unknown;
    result = *a;
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        result.lanes[lane] = function(a->lanes[lane], b->lanes[lane]);
    return result;
}

// The one bit that is beyond all bits of a mask of low bits; 0: it is no such mask.
static int64_t beyond_low_bits(const struct wm_lane_value *mask)
{
    if (!wm_lanes_are_constant(mask) || !wm_lanes_are_uniform(mask))
        return 0;
    int64_t beyond = mask->lanes[0] + 1;
    return beyond > 0 && (beyond & (beyond - 1)) == 0 ? beyond : 0;
}

struct wm_lane_value wm_lanes_and(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    int64_t low_of_b = beyond_low_bits(b), low_of_a = beyond_low_bits(a);
    if (low_of_b != 0 && a->knowledge == WM_LANES_KNOWN)
        return wm_lanes_remainder(a, low_of_b);
    if (low_of_a != 0 && b->knowledge == WM_LANES_KNOWN)
        return wm_lanes_remainder(b, low_of_a);
    // A mask that clears low bits: what is left is the value without its remainder.
    bool clears = wm_lanes_are_constant(b) && wm_lanes_are_uniform(b) && b->lanes[0] < 0 &&
                  (-b->lanes[0] & (-b->lanes[0] - 1)) == 0;
    if (clears && a->knowledge == WM_LANES_KNOWN) {
        struct wm_lane_value low = wm_lanes_remainder(a, -b->lanes[0]);
        return wm_lanes_subtract(a, &low);
    }
    return combine(a, b, bits_and);
}

// Where one is below all that the other's parts are multiples of, "or" adds.
static bool lies_below(const struct wm_lane_value *low, const struct wm_lane_value *high)
{
    if (!wm_lanes_are_constant(low) || any_negative(low) || high->knowledge != WM_LANES_KNOWN ||
        high->unit == 0)
        return false;
    int64_t largest = 0;
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        largest = most(largest, low->lanes[lane]);
    uint64_t room = 1;
    while (room <= (uint64_t)largest)
        room <<= 1;
    if (!divides_unknown(high, room))
        return false;
    for (int lane = 0; lane < WM_LANE_VALUES; lane++)
        if (high->lanes[lane] < 0 || (uint64_t)high->lanes[lane] % room != 0)
            return false;
    return true;
}

struct wm_lane_value wm_lanes_or(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return lies_below(a, b) || lies_below(b, a) ? wm_lanes_add(a, b) : combine(a, b, bits_or);
}

struct wm_lane_value wm_lanes_xor(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return combine(a, b, bits_xor);
}

struct wm_lane_value wm_lanes_least(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return combine(a, b, least);
}

struct wm_lane_value wm_lanes_most(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    return combine(a, b, most);
}

// --- Joining ---

struct wm_lane_value wm_lanes_join(const struct wm_lane_value *a, const struct wm_lane_value *b)
{
    if (a->knowledge == WM_LANES_UNSEEN)
        return *b;
    if (b->knowledge == WM_LANES_UNSEEN || wm_lanes_equal(a, b))
        return *a;
    if (a->knowledge == WM_LANES_UNKNOWN || b->knowledge == WM_LANES_UNKNOWN ||
        a->term_count != b->term_count)
        return wm_lanes_unknown;
    for (uint32_t t = 0; t < a->term_count; t++)
        if (a->terms[t].symbol != b->terms[t].symbol ||
            memcmp(a->terms[t].lanes, b->terms[t].lanes, sizeof a->terms[t].lanes) != 0)
            return wm_lanes_unknown;
    int64_t apart = b->lanes[0] - a->lanes[0];
    for (int lane = 1; lane < WM_LANE_VALUES; lane++)
        if (b->lanes[lane] - a->lanes[lane] != apart)
            return wm_lanes_unknown;
    struct wm_lane_value result = *a;
    result.symbol = 0;
    result.unit = wm_common_divisor(wm_common_divisor(a->unit, b->unit), magnitude(apart));
    for (uint32_t t = 0; t < a->term_count; t++)
        result.terms[t].unit = wm_common_divisor(a->terms[t].unit, b->terms[t].unit);
    return canonical(result);
}
