#include "engine/profile/load_lanes.h"

#include "base/containers/array.h"

#include "engine/walk/request_batch.h"
#include "mem/lru_lanes/lru_lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Lanes: no load, all, and then, for each load in the order that they come, itself alone and with
// each that came before it.
enum { NONE, ALL, FIRST_OF_LOADS };

// Whose requests go to the same lanes: a load, or all that every set serves.
struct requester {
    struct wm_lane_share *shares; // owned; by block
    uint32_t share_count, share_room;
    uint64_t sectors; // requested
    uint32_t number;  // of a load: in the order that they come, from 0
    bool came;
};

struct wm_load_lanes {
    struct wm_lru_lanes lanes;
    // The launch's.
    const int32_t *load_of;
    uint32_t load_count;
    struct requester *requesters; // owned; by load, and one more: what every set serves
    uint32_t requester_room;
    uint32_t *loads; // owned; in the order that they came
    uint32_t came;
    bool failed; // out of memory in the launch
};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the profile of a kernel's loads");
}

enum wm_status wm_load_lanes_new(const struct wm_memory_spec *spec, struct wm_load_lanes **result,
                                 struct wm_error *error)
{
    *result = NULL;
    if (!wm_lru_lanes_can_be(spec))
        return WM_OK;
    struct wm_load_lanes *lanes = calloc(1, sizeof *lanes);
    if (lanes == NULL)
        return out_of_memory(error);
    enum wm_status status = wm_lru_lanes_init(&lanes->lanes, spec, error);
    if (status != WM_OK)
        wm_load_lanes_free(lanes);
    else
        *result = lanes;
    return status;
}

void wm_load_lanes_free(struct wm_load_lanes *lanes)
{
    if (lanes == NULL)
        return;
    for (uint32_t i = 0; i < lanes->requester_room; i++)
        free(lanes->requesters[i].shares);
    free(lanes->requesters);
    free(lanes->loads);
    wm_lru_lanes_release(&lanes->lanes);
    free(lanes);
}

// --- Lanes ---

// The lane of the load that came as `number` alone; the lanes behind it are those of it and the
// first to come, the second, ….
static uint32_t lane_alone(uint32_t number)
{
    return FIRST_OF_LOADS + number * (number + 1) / 2;
}

// NULL when there is none.
static struct wm_lane_share *share_of(const struct requester *requester, uint32_t lane)
{
    for (uint32_t i = requester->share_count; i-- > 0;)
        if (requester->shares[i].block == lane / WM_LRU_LANES)
            return &requester->shares[i];
    return NULL;
}

// The requester's requests go to the lane too from here on; it counts on from lane `from`.
static bool add_lane(struct requester *requester, uint32_t lane, uint32_t from)
{
    struct wm_lane_share *share = share_of(requester, lane);
    if (share == NULL) {
        share = WM_ARRAY_PUSH(requester->shares, requester->share_count, requester->share_room);
        if (share == NULL)
            return false;
        share->block = lane / WM_LRU_LANES;
    }
    share->lanes |= (uint8_t)(1 << lane % WM_LRU_LANES);
    const struct wm_lane_share *source = share_of(requester, from);
    if (source != NULL && (source->lanes >> from % WM_LRU_LANES & 1) != 0) {
        share->hits[lane % WM_LRU_LANES] = source->hits[from % WM_LRU_LANES];
        share->fetched[lane % WM_LRU_LANES] = source->fetched[from % WM_LRU_LANES];
    }
    return true;
}

static struct requester *of_all_sets(const struct wm_load_lanes *lanes)
{
    return &lanes->requesters[lanes->load_count];
}

// The set of lane `with` is that of lane `without` and the load.
static bool divide(struct wm_load_lanes *lanes, uint32_t load, uint32_t with, uint32_t without)
{
    wm_lru_lanes_copy(&lanes->lanes, without, with);
    return add_lane(of_all_sets(lanes), with, without) &&
           add_lane(&lanes->requesters[load], with, with);
}

// A load's first request comes.
static bool load_comes(struct wm_load_lanes *lanes, uint32_t load)
{
    struct requester *requester = &lanes->requesters[load];
    uint32_t number = lanes->came, alone = lane_alone(number);
    if (wm_lru_lanes_make(&lanes->lanes, lane_alone(number + 1), NULL) != WM_OK ||
        !add_lane(requester, ALL, ALL) || !divide(lanes, load, alone, NONE))
        return false;
    for (uint32_t i = 0; i < number; i++) {
        uint32_t pair = alone + 1 + i;
        if (!divide(lanes, load, pair, lane_alone(i)) ||
            !add_lane(&lanes->requesters[lanes->loads[i]], pair, lane_alone(i)))
            return false;
    }
    requester->came = true;
    requester->number = number;
    lanes->loads[lanes->came++] = load;
    return true;
}

// --- A launch ---

static bool make_room(struct wm_load_lanes *lanes, uint32_t count)
{
    if (count <= lanes->requester_room)
        return true;
    if (!WM_ARRAY_EXTEND(lanes->requesters, lanes->requester_room, count))
        return false;
    lanes->requester_room = count;
    free(lanes->loads);
    lanes->loads = malloc(count * sizeof *lanes->loads);
    return lanes->loads != NULL;
}

enum wm_status wm_load_lanes_begin(struct wm_load_lanes *lanes, const int32_t *load_of,
                                   uint32_t load_count, uint32_t ways, struct wm_error *error)
{
    if (!make_room(lanes, load_count + 1))
        return out_of_memory(error);
    for (uint32_t i = 0; i <= load_count; i++) {
        struct requester *requester = &lanes->requesters[i];
        *requester =
            (struct requester){.shares = requester->shares, .share_room = requester->share_room};
    }
    lanes->load_of = load_of;
    lanes->load_count = load_count;
    lanes->came = 0;
    wm_lru_lanes_restart(&lanes->lanes, ways);
    WM_TRY(wm_lru_lanes_make(&lanes->lanes, FIRST_OF_LOADS, error));
    bool made = add_lane(of_all_sets(lanes), NONE, NONE) && add_lane(of_all_sets(lanes), ALL, ALL);
    return made ? WM_OK : out_of_memory(error);
}

static void serve_load(struct wm_load_lanes *lanes, const struct wm_request_head *head,
                       const struct wm_line_request *lines)
{
    int32_t load = lanes->load_of[head->pc];
    struct requester *requester = load >= 0 ? &lanes->requesters[load] : of_all_sets(lanes);
    if (load >= 0 && !requester->came && !load_comes(lanes, (uint32_t)load)) {
        lanes->failed = true;
        return;
    }
    for (uint32_t i = 0; i < head->count; i++)
        requester->sectors += wm_count_sectors(lines[i].sectors);
    bool allocate = load >= 0 || head->hint != WM_HINT_NO_L1;
    wm_lru_lanes_load(&lanes->lanes, head->sm, lines, head->count, allocate, requester->shares,
                      requester->share_count);
}

// What goes around L1 in every set leaves it alone, but for what changes the bytes of a line or
// requests fresh ones.
void wm_load_lanes_serve(struct wm_load_lanes *lanes, const struct wm_request_head *heads,
                         uint32_t count, const struct wm_line_request *lines)
{
    for (const struct wm_request_head *head = heads; head < heads + count; head++) {
        if (lanes->failed)
            return;
        bool decided = head->kind == WM_ACCESS_LOAD && lanes->load_of[head->pc] >= 0;
        if (head->item != WM_BATCH_L1)
            ;
        else if (!decided && (head->kind != WM_ACCESS_LOAD || head->hint == WM_HINT_VOLATILE))
            wm_lru_lanes_drop(&lanes->lanes, head->sm, lines, head->count);
        else if (decided || head->hint != WM_HINT_L2_ONLY)
            serve_load(lanes, head, lines);
        lines += head->count;
    }
}

// --- A launch ends ---

// Of a requester's requests in a lane.
static void add_counts(const struct requester *requester, uint32_t lane, bool in_set,
                       struct wm_load_set_counts *counts)
{
    const struct wm_lane_share *share = share_of(requester, lane);
    if (share == NULL)
        return;
    uint32_t at = lane % WM_LRU_LANES;
    counts->bytes += share->fetched[at];
    if (!in_set)
        return;
    counts->hits += share->hits[at];
    counts->misses += requester->sectors - share->hits[at];
}

// The set of up to two loads, or the same one twice, of which those count that came.
static void add_set(const struct wm_load_lanes *lanes, uint32_t a, uint32_t b,
                    struct wm_load_set_counts *counts)
{
    const struct requester *one = &lanes->requesters[a], *other = &lanes->requesters[b];
    if (a == b || !other->came)
        other = NULL;
    if (!one->came) {
        one = other;
        other = NULL;
    }
    uint32_t lane = NONE;
    if (one != NULL && other != NULL)
        lane = one->number > other->number ? lane_alone(one->number) + 1 + other->number
                                           : lane_alone(other->number) + 1 + one->number;
    else if (one != NULL)
        lane = lane_alone(one->number);
    add_counts(of_all_sets(lanes), lane, false, counts);
    if (one != NULL)
        add_counts(one, lane, true, counts);
    if (other != NULL)
        add_counts(other, lane, true, counts);
}

static void add_all(const struct wm_load_lanes *lanes, struct wm_profiled_kernel *kernel)
{
    add_counts(of_all_sets(lanes), ALL, false, &kernel->all);
    for (uint32_t load = 0; load < lanes->load_count; load++) {
        struct wm_load_set_counts its = {0};
        add_counts(&lanes->requesters[load], ALL, true, &its);
        kernel->loads[load].hits_together += its.hits;
        kernel->loads[load].misses_together += its.misses;
        kernel->all.hits += its.hits;
        kernel->all.misses += its.misses;
        kernel->all.bytes += its.bytes;
    }
}

enum wm_status wm_load_lanes_end(struct wm_load_lanes *lanes, struct wm_profiled_kernel *kernel,
                                 struct wm_error *error)
{
    if (lanes->failed)
        return out_of_memory(error);
    assert(kernel->load_count == lanes->load_count);
    add_counts(of_all_sets(lanes), NONE, false, &kernel->none);
    struct wm_load_set_counts *pair = kernel->pairs;
    for (uint32_t high = 0; high < lanes->load_count; high++) {
        add_set(lanes, high, high, &kernel->loads[high].alone);
        for (uint32_t low = 0; low < high; low++)
            add_set(lanes, low, high, pair++);
    }
    add_all(lanes, kernel);
    return WM_OK;
}
