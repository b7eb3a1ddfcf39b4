#include "mem/replacement/opt_online.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };
#define NONE UINT32_MAX

struct opt_set {
    uint32_t oldest, newest; // of the lines that are not lost, in order of use
    uint32_t occupied;       // ways that hold a line
};

struct wm_opt {
    uint32_t sets, ways;
    uint64_t now;
    uint64_t *moments; // owned: ways + 1 a set, ascending
    struct opt_set *set;

    struct wm_opt_line *lines; // owned: `capacity`
    uint32_t *buckets;         // owned: first line of each, NONE ends; `capacity`, a power of two
    uint64_t *listed;          // owned: room for `capacity` line numbers
    uint32_t capacity, count, unused;
    uint32_t first_lost, last_lost; // dirty, in the order in which they were lost
    bool failed;
};

// --- Lines ---

static uint32_t *bucket_of(const struct wm_opt *opt, uint64_t line)
{
    return &opt->buckets[wm_hash_u64(line) & (opt->capacity - 1)];
}

static bool grow(struct wm_opt *opt, uint32_t capacity)
{
    uint32_t *buckets = malloc(capacity * sizeof *buckets);
    if (buckets == NULL || !WM_ARRAY_RESIZE(opt->lines, capacity) ||
        !WM_ARRAY_RESIZE(opt->listed, capacity)) {
        free(buckets);
        return false;
    }
    free(opt->buckets);
    opt->buckets = buckets;
    memset(buckets, 0xff, capacity * sizeof *buckets);
    // All lines are in use when it grows.
    uint32_t before = opt->capacity;
    opt->capacity = capacity;
    for (uint32_t i = 0; i < before; i++) {
        uint32_t *bucket = bucket_of(opt, opt->lines[i].line);
        opt->lines[i].next = *bucket;
        *bucket = i;
    }
    for (uint32_t i = capacity; i-- > before;) {
        opt->lines[i].next = opt->unused;
        opt->unused = i;
    }
    return true;
}

static uint32_t find(const struct wm_opt *opt, uint64_t line)
{
    uint32_t at = *bucket_of(opt, line);
    while (at != NONE && opt->lines[at].line != line)
        at = opt->lines[at].next;
    return at;
}

static uint32_t add(struct wm_opt *opt, uint32_t set, uint64_t line)
{
    if (opt->unused == NONE &&
        (opt->failed || opt->capacity > NONE / 4 || !grow(opt, 2 * opt->capacity))) {
        opt->failed = true;
        return NONE;
    }
    uint32_t at = opt->unused, *bucket = bucket_of(opt, line);
    opt->unused = opt->lines[at].next;
    opt->lines[at] = (struct wm_opt_line){.line = line, .set = set, .next = *bucket};
    *bucket = at;
    opt->count++;
    return at;
}

static void forget(struct wm_opt *opt, uint32_t at)
{
    uint32_t *link = bucket_of(opt, opt->lines[at].line);
    while (*link != at)
        link = &opt->lines[*link].next;
    *link = opt->lines[at].next;
    opt->lines[at].next = opt->unused;
    opt->unused = at;
    opt->count--;
}

// --- Orders: of a set's lines by use, of the lost lines ---

static void unlink_line(struct wm_opt *opt, uint32_t at, uint32_t *oldest, uint32_t *newest)
{
    const struct wm_opt_line *line = &opt->lines[at];
    *(line->older != NONE ? &opt->lines[line->older].newer : oldest) = line->newer;
    *(line->newer != NONE ? &opt->lines[line->newer].older : newest) = line->older;
}

static void link_newest(struct wm_opt *opt, uint32_t at, uint32_t *oldest, uint32_t *newest)
{
    opt->lines[at].older = *newest;
    opt->lines[at].newer = NONE;
    *(*newest != NONE ? &opt->lines[*newest].newer : oldest) = at;
    *newest = at;
}

static void unlink_from_set(struct wm_opt *opt, uint32_t at)
{
    struct opt_set *set = &opt->set[opt->lines[at].set];
    unlink_line(opt, at, &set->oldest, &set->newest);
}

static void forget_lost(struct wm_opt *opt, uint32_t at)
{
    unlink_line(opt, at, &opt->first_lost, &opt->last_lost);
    forget(opt, at);
}

// --- MIN ---

// Lines last used at `moment` or before are lost.
static void lose(struct wm_opt *opt, struct opt_set *set, uint64_t moment)
{
    while (set->oldest != NONE && opt->lines[set->oldest].last_use <= moment) {
        uint32_t at = set->oldest;
        unlink_from_set(opt, at);
        if (opt->lines[at].dirty == 0) {
            forget(opt, at);
            continue;
        }
        opt->lines[at].last_use = 0;
        link_newest(opt, at, &opt->first_lost, &opt->last_lost);
    }
}

// Takes the last moment before `last_use` out and puts `now` at the end.
static void hit(uint64_t *moments, uint32_t ways, uint64_t last_use, uint64_t now)
{
    uint32_t at = ways;
    while (moments[at] >= last_use) {
        uint64_t later = now;
        now = moments[at];
        moments[at--] = later;
    }
    moments[at] = now;
}

static struct wm_opt_use miss(struct wm_opt *opt, uint32_t set, uint64_t line, bool takes,
                              uint32_t dirty_lost)
{
    struct wm_opt_use use = {.dirty_lost = dirty_lost};
    uint32_t at = takes ? add(opt, set, line) : NONE;
    if (at == NONE)
        return use;
    uint64_t *moments = opt->moments + (uint64_t)set * (opt->ways + 1), now = ++opt->now;
    moments[opt->ways - 1] = moments[opt->ways];
    moments[opt->ways] = now;
    struct opt_set *held = &opt->set[set];
    if (opt->ways == 1)
        lose(opt, held, moments[0]);
    use.displaces = held->occupied == opt->ways;
    held->occupied += !use.displaces;
    opt->lines[at].last_use = now;
    link_newest(opt, at, &held->oldest, &held->newest);
    use.held = &opt->lines[at];
    return use;
}

struct wm_opt_use wm_opt_use(struct wm_opt *opt, uint32_t set, uint64_t line, bool takes)
{
    uint32_t at = find(opt, line);
    if (at == NONE)
        return miss(opt, set, line, takes, 0);
    struct wm_opt_line *held = &opt->lines[at];
    assert(held->set == set);
    if (held->last_use == 0) {
        uint32_t dirty = held->dirty;
        forget_lost(opt, at);
        return miss(opt, set, line, takes, dirty);
    }
    uint64_t *moments = opt->moments + (uint64_t)set * (opt->ways + 1), now = ++opt->now;
    unlink_from_set(opt, at);
    uint64_t lost_before = moments[0];
    hit(moments, opt->ways, held->last_use, now);
    if (moments[0] != lost_before)
        lose(opt, &opt->set[set], moments[0]);
    held->last_use = now;
    link_newest(opt, at, &opt->set[set].oldest, &opt->set[set].newest);
    return (struct wm_opt_use){.held = held, .hit = true};
}

// --- For the owner ---

struct wm_opt_line *wm_opt_find(const struct wm_opt *opt, uint64_t line)
{
    uint32_t at = find(opt, line);
    return at != NONE ? &opt->lines[at] : NULL;
}

bool wm_opt_changed(struct wm_opt *opt, struct wm_opt_line *line)
{
    uint32_t at = (uint32_t)(line - opt->lines);
    if (line->last_use == 0) {
        if (line->dirty == 0)
            forget_lost(opt, at);
        return false;
    }
    if (line->valid != 0)
        return false;
    struct opt_set *set = &opt->set[line->set];
    bool held = set->occupied != 0;
    set->occupied -= held;
    unlink_from_set(opt, at);
    forget(opt, at);
    return held;
}

bool wm_opt_take_lost(struct wm_opt *opt, uint64_t *line, uint32_t *dirty)
{
    uint32_t at = opt->first_lost;
    if (at == NONE)
        return false;
    *line = opt->lines[at].line;
    *dirty = opt->lines[at].dirty;
    forget_lost(opt, at);
    return true;
}

uint64_t *wm_opt_list(struct wm_opt *opt, uint64_t first, uint64_t last, uint64_t *count)
{
    uint64_t found = 0;
    for (uint32_t bucket = 0; bucket < opt->capacity && opt->count != 0; bucket++)
        for (uint32_t at = opt->buckets[bucket]; at != NONE; at = opt->lines[at].next)
            if (opt->lines[at].line >= first && opt->lines[at].line <= last)
                opt->listed[found++] = opt->lines[at].line;
    *count = found;
    return opt->listed;
}

uint64_t wm_opt_line_count(const struct wm_opt *opt)
{
    return opt->count;
}

size_t wm_opt_bytes(const struct wm_opt *opt)
{
    size_t of_line = sizeof *opt->lines + sizeof *opt->buckets + sizeof *opt->listed;
    size_t of_set = sizeof *opt->set + (opt->ways + 1) * sizeof *opt->moments;
    return sizeof *opt + opt->capacity * of_line + opt->sets * of_set;
}

bool wm_opt_failed(const struct wm_opt *opt)
{
    return opt->failed;
}

// --- Building ---

struct wm_opt *wm_opt_new(uint32_t sets, uint32_t ways)
{
    struct wm_opt *opt = calloc(1, sizeof *opt);
    if (opt == NULL)
        return NULL;
    opt->sets = sets;
    opt->ways = ways;
    opt->unused = NONE;
    opt->moments = malloc((uint64_t)sets * (ways + 1) * sizeof *opt->moments);
    opt->set = malloc(sets * sizeof *opt->set);
    if (opt->moments == NULL || opt->set == NULL || !grow(opt, FIRST_CAPACITY)) {
        wm_opt_free(opt);
        return NULL;
    }
    wm_opt_clear(opt);
    return opt;
}

void wm_opt_free(struct wm_opt *opt)
{
    if (opt == NULL)
        return;
    free(opt->moments);
    free(opt->set);
    free(opt->lines);
    free(opt->buckets);
    free(opt->listed);
    free(opt);
}

void wm_opt_clear(struct wm_opt *opt)
{
    opt->now = 0;
    memset(opt->moments, 0, (uint64_t)opt->sets * (opt->ways + 1) * sizeof *opt->moments);
    memset(opt->set, 0xff, opt->sets * sizeof *opt->set);
    for (uint32_t set = 0; set < opt->sets; set++)
        opt->set[set].occupied = 0;
    memset(opt->buckets, 0xff, opt->capacity * sizeof *opt->buckets);
    opt->unused = NONE;
    for (uint32_t i = opt->capacity; i-- > 0;) {
        opt->lines[i].next = opt->unused;
        opt->unused = i;
    }
    opt->count = 0;
    opt->first_lost = opt->last_lost = NONE;
}
