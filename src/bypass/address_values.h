// What is known of a register's value in each lane of one warp: a part that is the same in all
// lanes and unknown but for what divides it, parts that are an unknown multiple of something known
// in each lane, and a known part:
//
//     value[lane] = uniform + sum over terms of symbol * term.lanes[lane] + lanes[lane]
//
// Addresses of most kernels are of this form: base + row * pitch + column has a base that all lanes
// share, the pitch as a symbol where rows differ between lanes, and columns that are known. Numbers
// are whole and do not wrap. Private to bypass/.
#ifndef WM_BYPASS_ADDRESS_VALUES_H
#define WM_BYPASS_ADDRESS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_LANE_VALUES = 32, WM_LANE_TERMS = 2 };

// An unknown that all lanes share: a kernel's parameter, a block's number. 0: none.
typedef uint32_t wm_lane_symbol;

struct wm_lane_term {
    wm_lane_symbol symbol;
    uint64_t unit; // divides the symbol's value
    int64_t lanes[WM_LANE_VALUES];
};

enum wm_lane_knowledge {
    WM_LANES_UNSEEN,  // nothing has been assigned yet
    WM_LANES_KNOWN,   // the form above
    WM_LANES_UNKNOWN, // anything
};

struct wm_lane_value {
    enum wm_lane_knowledge knowledge;
    uint32_t term_count;
    uint64_t unit;         // divides the uniform part; 0: that is 0
    wm_lane_symbol symbol; // the value is this, where it is all uniform; 0: it has no name
    int64_t lanes[WM_LANE_VALUES];
    struct wm_lane_term terms[WM_LANE_TERMS]; // in order of their symbols
};

extern const struct wm_lane_value wm_lanes_unknown;

struct wm_lane_value wm_lanes_constant(int64_t value);
// Known in each lane.
struct wm_lane_value wm_lanes_of(const int64_t lanes[WM_LANE_VALUES]);
// Unknown, the same in all lanes, and a multiple of `unit`, at least 1.
struct wm_lane_value wm_lanes_uniform(wm_lane_symbol symbol, uint64_t unit);

// The same in all lanes, known or not.
bool wm_lanes_are_uniform(const struct wm_lane_value *value);
// Known in all lanes, without an unknown part.
bool wm_lanes_are_constant(const struct wm_lane_value *value);
bool wm_lanes_equal(const struct wm_lane_value *a, const struct wm_lane_value *b);

struct wm_lane_value wm_lanes_add(const struct wm_lane_value *a, const struct wm_lane_value *b);
struct wm_lane_value wm_lanes_subtract(const struct wm_lane_value *a,
                                       const struct wm_lane_value *b);
// `name` is a symbol for a factor that is uniform and has none.
struct wm_lane_value wm_lanes_multiply(const struct wm_lane_value *a, const struct wm_lane_value *b,
                                       wm_lane_symbol name);
// Whole quotient and remainder by a positive constant, of values that are not negative.
struct wm_lane_value wm_lanes_divide(const struct wm_lane_value *a, int64_t by);
struct wm_lane_value wm_lanes_remainder(const struct wm_lane_value *a, int64_t by);
// Bitwise: exact where unknown parts do not overlap the other operand's bits.
struct wm_lane_value wm_lanes_and(const struct wm_lane_value *a, const struct wm_lane_value *b);
struct wm_lane_value wm_lanes_or(const struct wm_lane_value *a, const struct wm_lane_value *b);
struct wm_lane_value wm_lanes_xor(const struct wm_lane_value *a, const struct wm_lane_value *b);
struct wm_lane_value wm_lanes_least(const struct wm_lane_value *a, const struct wm_lane_value *b);
struct wm_lane_value wm_lanes_most(const struct wm_lane_value *a, const struct wm_lane_value *b);

// What holds of both: where a register is assigned in several places, and round after round of a
// loop. Uniform parts may differ; it ends, as units only shrink.
struct wm_lane_value wm_lanes_join(const struct wm_lane_value *a, const struct wm_lane_value *b);

#endif
