// Warp-wide instructions: see warp_sync.h.
#include "exec/sync/warp_sync.h"

#include "exec/lane_bits.h"
#include "exec/operations/matrix_ops.h"
#include "exec/sync/reconvergence.h"

// What the lanes that take part have brought.
struct exchange {
    uint64_t lanes;
    uint64_t holds; // votes: lanes whose predicate is true
    uint64_t values[32];
};

static bool reads_predicate(const struct wm_op *op)
{
    return op->flags >= WM_WARP_VOTE_ALL && op->flags <= WM_WARP_VOTE_BALLOT;
}

static void publish(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                    struct exchange *exchange)
{
    exchange->lanes |= lanes;
    if (op->flags == WM_WARP_BARRIER || op->flags == WM_WARP_ELECT)
        return;
    if (reads_predicate(op)) {
        uint64_t holds = *wm_predicate_at(warp, op->a);
        exchange->holds |= (op->warp->negated ? ~holds : holds) & lanes;
        return;
    }
    const void *source = wm_at(warp, op->a);
    // Loops over all lanes are short ones of vectors; other paths have brought none then.
    if (lanes == UINT32_MAX && op->warp->wide) {
        memcpy(exchange->values, source, sizeof(exchange->values));
        return;
    }
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < 32; lane++)
            exchange->values[lane] = ((const uint32_t *)source)[lane];
        return;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        exchange->values[lane] =
            op->warp->wide ? ((const uint64_t *)source)[lane] : ((const uint32_t *)source)[lane];
    }
}

static void write_predicate(const struct wm_warp *warp, uint32_t operand, uint64_t lanes,
                            uint64_t holds)
{
    if (operand == WM_NO_OP)
        return;
    uint64_t *d = wm_predicate_at(warp, operand);
    *d = (*d & ~lanes) | (holds & lanes);
}

static void write_all(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                      uint32_t value)
{
    if (op->d == WM_NO_OP)
        return;
    uint32_t *d = wm_at(warp, op->d);
    for (unsigned lane = 0; lanes == UINT32_MAX && lane < 32; lane++)
        d[lane] = value;
    for (; lanes != UINT32_MAX && lanes; lanes &= lanes - 1)
        d[__builtin_ctzll(lanes)] = value;
}

static void write_each(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                       const uint32_t *values)
{
    if (op->d == WM_NO_OP)
        return;
    uint32_t *d = wm_at(warp, op->d);
    if (lanes == UINT32_MAX)
        memcpy(d, values, 32 * sizeof(*d));
    else
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            d[__builtin_ctzll(rest)] = values[__builtin_ctzll(rest)];
}

// The source lanes as PTX ISA 9.7.9.6 (shfl.sync) computes them, of all lanes of a warp; the result
// is the set of those that lie within their segment. The others are their own.
static inline __attribute__((always_inline)) uint32_t find_sources(enum wm_warp_operation operation,
                                                                   const uint32_t *b,
                                                                   const uint32_t *c,
                                                                   uint32_t *sources)
{
    uint32_t within_lanes = 0;
    for (int own = 0; own < 32; own++) {
        int segment = (int)(c[own] >> 8 & 31), clamp = (int)(c[own] & 31);
        int offset = (int)(b[own] & 31);
        int minimum = own & segment, maximum = minimum | (clamp & ~segment);
        int from = operation == WM_WARP_SHFL_UP     ? own - offset
                   : operation == WM_WARP_SHFL_DOWN ? own + offset
                   : operation == WM_WARP_SHFL_BFLY ? own ^ offset
                                                    : minimum | (offset & ~segment);
        bool within = operation == WM_WARP_SHFL_UP ? from >= maximum : from <= maximum;
        sources[own] = (uint32_t)(within ? from : own);
        within_lanes |= within ? wm_lane_bits[own] : 0;
    }
    return within_lanes;
}

static void shuffle(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                    const struct exchange *exchange)
{
    const uint32_t *b = wm_at(warp, op->b), *c = wm_at(warp, op->c);
    uint32_t results[32], sources[32], within;
    switch ((enum wm_warp_operation)op->flags) {
    case WM_WARP_SHFL_UP: within = find_sources(WM_WARP_SHFL_UP, b, c, sources); break;
    case WM_WARP_SHFL_DOWN: within = find_sources(WM_WARP_SHFL_DOWN, b, c, sources); break;
    case WM_WARP_SHFL_BFLY: within = find_sources(WM_WARP_SHFL_BFLY, b, c, sources); break;
    default: within = find_sources(WM_WARP_SHFL_IDX, b, c, sources); break;
    }
    if (exchange->lanes == UINT32_MAX)
        for (unsigned lane = 0; lane < 32; lane++)
            results[lane] = (uint32_t)exchange->values[sources[lane]];
    else
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest), source = sources[lane];
            // Reading a lane that takes no part is undefined (PTX ISA 9.7.9.6). GPUs are reported
            // to give 0, and published reductions add what they get.
            bool takes_part = (exchange->lanes >> source & 1) != 0;
            results[lane] = takes_part ? (uint32_t)exchange->values[source] : 0;
        }
    write_each(warp, op, lanes, results);
    write_predicate(warp, op->warp->predicate, lanes, within);
}

static void vote(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                 const struct exchange *exchange)
{
    bool all = exchange->holds == exchange->lanes, any = exchange->holds != 0;
    switch ((enum wm_warp_operation)op->flags) {
    case WM_WARP_VOTE_ALL: write_predicate(warp, op->d, lanes, all ? lanes : 0); break;
    case WM_WARP_VOTE_ANY: write_predicate(warp, op->d, lanes, any ? lanes : 0); break;
    case WM_WARP_VOTE_UNI: write_predicate(warp, op->d, lanes, all || !any ? lanes : 0); break;
    default: write_all(warp, op, lanes, (uint32_t)exchange->holds); break;
    }
}

// The lanes of `lanes` that have brought what lane `like` has, of whose values `low` and `high` are
// the halves.
static uint64_t holders(const uint32_t *low, const uint32_t *high, unsigned like, bool wide,
                        uint64_t lanes)
{
    uint32_t same = 0, first_low = low[like], first_high = high[like];
    if (wide)
        for (unsigned lane = 0; lane < 32; lane++)
            same |=
                ((low[lane] ^ first_low) | (high[lane] ^ first_high)) == 0 ? wm_lane_bits[lane] : 0;
    else
        for (unsigned lane = 0; lane < 32; lane++)
            same |= low[lane] == first_low ? wm_lane_bits[lane] : 0;
    return same & lanes;
}

static void match(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                  const struct exchange *exchange)
{
    uint32_t results[32] = {0}, low[32], high[32];
    uint64_t all_equal = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        bool brought = (exchange->lanes & wm_lane_bits[lane]) != 0;
        low[lane] = brought ? (uint32_t)exchange->values[lane] : 0;
        high[lane] = brought ? (uint32_t)(exchange->values[lane] >> 32) : 0;
    }
    for (uint64_t rest = exchange->lanes; rest;) {
        unsigned first = (unsigned)__builtin_ctzll(rest);
        uint64_t same = holders(low, high, first, op->warp->wide, exchange->lanes);
        rest &= ~same;
        if (same == exchange->lanes)
            all_equal = lanes;
        else if (op->flags == WM_WARP_MATCH_ALL)
            continue;
        for (uint64_t each = same; each; each &= each - 1)
            results[__builtin_ctzll(each)] = (uint32_t)same;
    }
    write_each(warp, op, lanes, results);
    if (op->flags == WM_WARP_MATCH_ALL)
        write_predicate(warp, op->warp->predicate, lanes, all_equal);
}

// Floats in their order as integers, -0 before +0.
static int64_t rank(uint32_t bits)
{
    return bits >> 31 ? -(int64_t)(bits & 0x7FFFFFFF) - 1 : (int64_t)bits;
}

// min and max of f32; a NaN counts only with .NaN, or when there is nothing else.
static uint32_t combine_floats(const struct wm_op *op, uint32_t a, uint32_t b)
{
    bool a_nan = (a & 0x7FFFFFFF) > 0x7F800000, b_nan = (b & 0x7FFFFFFF) > 0x7F800000;
    if (a_nan || b_nan)
        return op->warp->nan || (a_nan && b_nan) ? 0x7FFFFFFF : a_nan ? b : a;
    return (rank(a) < rank(b)) == (op->flags == WM_WARP_REDUX_MIN) ? a : b;
}

static uint32_t combine(const struct wm_op *op, uint32_t a, uint32_t b)
{
    if (op->warp->is_float)
        return combine_floats(op, a, b);
    bool a_less = op->warp->is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch ((enum wm_warp_operation)op->flags) {
    case WM_WARP_REDUX_ADD: return a + b;
    case WM_WARP_REDUX_MIN: return a_less ? a : b;
    case WM_WARP_REDUX_MAX: return a_less ? b : a;
    case WM_WARP_REDUX_AND: return a & b;
    case WM_WARP_REDUX_OR: return a | b;
    default: return a ^ b;
    }
}

#define REDUCED(TYPE, COMBINED)                      \
    {                                                \
        TYPE result = (TYPE)values[0];               \
        for (unsigned lane = 1; lane < 32; lane++) { \
            TYPE value = (TYPE)values[lane];         \
            result = COMBINED;                       \
        }                                            \
        return (uint32_t)result;                     \
    }

// Of integers of all lanes.
static uint32_t reduce_all(const struct wm_op *op, const uint64_t *values)
{
    switch ((enum wm_warp_operation)op->flags) {
    case WM_WARP_REDUX_ADD: REDUCED(uint32_t, result + value)
    case WM_WARP_REDUX_AND: REDUCED(uint32_t, result & value)
    case WM_WARP_REDUX_OR: REDUCED(uint32_t, result | value)
    case WM_WARP_REDUX_XOR: REDUCED(uint32_t, result ^ value)
    case WM_WARP_REDUX_MIN:
        if (op->warp->is_signed)
            REDUCED(int32_t, value < result ? value : result)
        REDUCED(uint32_t, value < result ? value : result)
    default:
        if (op->warp->is_signed)
            REDUCED(int32_t, value > result ? value : result)
        REDUCED(uint32_t, value > result ? value : result)
    }
}

static void reduce(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                   const struct exchange *exchange)
{
    uint64_t rest = exchange->lanes;
    if (rest == UINT32_MAX && !op->warp->is_float) {
        write_all(warp, op, lanes, reduce_all(op, exchange->values));
        return;
    }
    uint32_t mask = op->warp->absolute ? 0x7FFFFFFF : UINT32_MAX;
    uint32_t value = (uint32_t)exchange->values[__builtin_ctzll(rest)] & mask;
    if (op->warp->is_float)
        value = combine(op, value, value); // one lane's NaN alone is the canonical one, too
    for (rest &= rest - 1; rest; rest &= rest - 1)
        value = combine(op, value, (uint32_t)exchange->values[__builtin_ctzll(rest)] & mask);
    write_all(warp, op, lanes, value);
}

// The lowest lane leads; all learn its number, and it alone gets true.
static void elect(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                  const struct exchange *exchange)
{
    unsigned leader = (unsigned)__builtin_ctzll(exchange->lanes);
    write_all(warp, op, lanes, leader);
    write_predicate(warp, op->warp->predicate, lanes, UINT64_C(1) << leader);
}

static void finish(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                   const struct exchange *exchange)
{
    if (op->flags == WM_WARP_BARRIER)
        return;
    if (op->flags <= WM_WARP_SHFL_IDX)
        shuffle(warp, op, lanes, exchange);
    else if (op->flags <= WM_WARP_VOTE_BALLOT)
        vote(warp, op, lanes, exchange);
    else if (op->flags <= WM_WARP_MATCH_ALL)
        match(warp, op, lanes, exchange);
    else if (op->flags <= WM_WARP_REDUX_XOR)
        reduce(warp, op, lanes, exchange);
    else
        elect(warp, op, lanes, exchange);
}

// The paths that wait at the same kind of instruction as `path`, as a set of places.
static uint64_t companions(const struct wm_warp *warp, const struct wm_path *path, uint64_t *lanes)
{
    uint64_t places = 0;
    *lanes = 0;
    for (uint64_t used = wm_all_lanes(32) & ~(warp->free_paths | warp->ready_paths); used;
         used &= used - 1) {
        unsigned place = (unsigned)__builtin_ctzll(used);
        const struct wm_path *other = &warp->paths[place];
        if (other->state != WM_PATH_AT_WARP_SYNC || other->next->flags != path->next->flags ||
            !(other->mask & path->members))
            continue;
        if (path->next->flags == WM_WARP_MATRIX &&
            (other->next != path->next || other->frame != path->frame))
            continue;
        places |= UINT64_C(1) << place;
        *lanes |= other->mask;
    }
    return places;
}

static void matrix_together(struct wm_warp *warp, uint64_t places, uint64_t lanes)
{
    const struct wm_path *first = &warp->paths[__builtin_ctzll(places)];
    uintptr_t current = warp->bases[WM_BASE_FRAME];
    uint64_t mask = warp->mask;
    warp->bases[WM_BASE_FRAME] = first->frame;
    warp->mask = lanes;
    bool stop = false; // the paths continue from where they are chosen next
    wm_matrix_execute(warp, first->next, &stop);
    warp->bases[WM_BASE_FRAME] = current;
    warp->mask = mask;
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        struct wm_path *path = &warp->paths[__builtin_ctzll(rest)];
        path->next++;
        wm_paths_wake(warp, path);
    }
}

static void go_together(struct wm_warp *warp, uint64_t places)
{
    struct exchange exchange = {0};
    uintptr_t current = warp->bases[WM_BASE_FRAME];
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        const struct wm_path *path = &warp->paths[__builtin_ctzll(rest)];
        warp->bases[WM_BASE_FRAME] = path->frame;
        publish(warp, path->next, path->mask, &exchange);
    }
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        struct wm_path *path = &warp->paths[__builtin_ctzll(rest)];
        warp->bases[WM_BASE_FRAME] = path->frame;
        finish(warp, path->next, path->mask, &exchange);
        path->next++;
        wm_paths_wake(warp, path);
    }
    warp->bases[WM_BASE_FRAME] = current;
}

void wm_warp_sync_check(struct wm_warp *warp)
{
    for (uint64_t used = wm_all_lanes(wm_width(warp)) & ~(warp->free_paths | warp->ready_paths);
         used; used &= used - 1) {
        const struct wm_path *path = &warp->paths[__builtin_ctzll(used)];
        if (path->state != WM_PATH_AT_WARP_SYNC)
            continue;
        uint64_t lanes, places = companions(warp, path, &lanes);
        if (path->members & warp->live & ~lanes)
            continue;
        if (path->next->flags == WM_WARP_MATRIX)
            matrix_together(warp, places, lanes);
        else
            go_together(warp, places);
    }
}

// The lanes among `lanes` that name the same members as the first of them.
static uint64_t same_members(const uint32_t *named, uint64_t lanes)
{
    uint32_t first = named[__builtin_ctzll(lanes)];
    uint64_t same = 0;
    if (lanes == UINT32_MAX) {
        uint32_t different = 0;
        for (unsigned lane = 0; lane < 32; lane++)
            different |= named[lane] != first ? wm_lane_bits[lane] : 0;
        return lanes & ~different;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        same |= (uint64_t)(named[lane] == first) << lane;
    }
    return same;
}

static void go_alone(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    struct exchange exchange;
    exchange.lanes = exchange.holds = 0;
    publish(warp, op, lanes, &exchange);
    finish(warp, op, lanes, &exchange);
}

// Lanes of one path that name different members, as tiles smaller than a warp do, are groups that
// exchange among themselves. Groups that are complete go; the others part from them and wait.
static const struct wm_op *run_groups(struct wm_warp *warp, const struct wm_op *op,
                                      const uint32_t *named)
{
    uint64_t gone = 0, first = same_members(named, warp->mask);
    for (uint64_t rest = warp->mask; rest;) {
        uint64_t group = same_members(named, rest);
        uint64_t members = group | named[__builtin_ctzll(group)];
        rest &= ~group;
        if (members & warp->live & ~warp->mask)
            continue;
        go_alone(warp, op, group);
        gone |= group;
    }
    if (gone == warp->mask)
        return op + 1;
    if (gone)
        return wm_paths_diverge(warp, gone, op + 1, op);
    return wm_paths_diverge(warp, first, op, op);
}

const struct wm_op *wm_run_warp_sync(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t members = warp->mask;
    if (op->warp->has_members) {
        const uint32_t *named = wm_at(warp, op->warp->members);
        if (same_members(named, warp->mask) != warp->mask)
            return run_groups(warp, op, named);
        members |= named[__builtin_ctzll(warp->mask)];
    }
    if (!(members & warp->live & ~warp->mask)) {
        go_alone(warp, op, warp->mask);
        return op + 1;
    }
    wm_paths_block(warp, WM_PATH_AT_WARP_SYNC, op)->members = members;
    wm_warp_sync_check(warp);
    return wm_paths_next(warp);
}
