// Warp-wide instructions: see warp_sync.h.
#include "exec/sync/warp_sync.h"

#include "exec/operations/matrix_ops.h"
#include "exec/paths.h"

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
    for (; lanes; lanes &= lanes - 1)
        d[__builtin_ctzll(lanes)] = value;
}

// The source lane as PTX ISA 9.7.9.6 (shfl.sync) computes it; false when out of the segment.
static bool source_lane(enum wm_warp_operation operation, unsigned lane, uint32_t b, uint32_t c,
                        unsigned *source)
{
    int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), offset = (int)(b & 31);
    int own = (int)lane, minimum = own & segment, maximum = minimum | (clamp & ~segment);
    int from = own;
    bool within = true;
    switch (operation) {
    case WM_WARP_SHFL_UP:
        from = own - offset;
        within = from >= maximum;
        break;
    case WM_WARP_SHFL_DOWN:
        from = own + offset;
        within = from <= maximum;
        break;
    case WM_WARP_SHFL_BFLY:
        from = own ^ offset;
        within = from <= maximum;
        break;
    default:
        from = minimum | (offset & ~segment);
        within = from <= maximum;
        break;
    }
    *source = (unsigned)(within ? from : own);
    return within;
}

static void shuffle(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                    const struct exchange *exchange)
{
    const uint32_t *b = wm_at(warp, op->b), *c = wm_at(warp, op->c);
    uint32_t results[32];
    uint64_t within_lanes = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest), source;
        if (source_lane((enum wm_warp_operation)op->flags, lane, b[lane], c[lane], &source))
            within_lanes |= UINT64_C(1) << lane;
        // Reading a lane that takes no part is undefined (PTX ISA 9.7.9.6). GPUs are reported to
        // give 0, and published reductions add what they get.
        bool takes_part = (exchange->lanes >> source & 1) != 0;
        results[lane] = takes_part ? (uint32_t)exchange->values[source] : 0;
    }
    if (op->d != WM_NO_OP) {
        uint32_t *d = wm_at(warp, op->d);
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            d[__builtin_ctzll(rest)] = results[__builtin_ctzll(rest)];
    }
    write_predicate(warp, op->warp->predicate, lanes, within_lanes);
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

static void match(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                  const struct exchange *exchange)
{
    uint32_t *d = op->d == WM_NO_OP ? NULL : wm_at(warp, op->d);
    uint64_t all_equal = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t same = 0;
        for (uint64_t others = exchange->lanes; others; others &= others - 1) {
            unsigned other = (unsigned)__builtin_ctzll(others);
            if (exchange->values[other] == exchange->values[lane])
                same |= UINT64_C(1) << other;
        }
        if (same == exchange->lanes)
            all_equal |= UINT64_C(1) << lane;
        if (op->flags == WM_WARP_MATCH_ALL && same != exchange->lanes)
            same = 0;
        if (d)
            d[lane] = (uint32_t)same;
    }
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

static void reduce(const struct wm_warp *warp, const struct wm_op *op, uint64_t lanes,
                   const struct exchange *exchange)
{
    uint64_t rest = exchange->lanes;
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
    bool stop = false; // the paths go on from where they are chosen next
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
        return wm_paths_part(warp, gone, op + 1, op);
    return wm_paths_part(warp, first, op, op);
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
