// The model: an L2 whose slices are in two halves (R16).
#include "obvious_memory.h"

// Half of a line's slices, or of the SMs: the first or the second.
static uint32_t half_of(uint32_t number, uint32_t count)
{
    return number * 2 / count;
}

// The slice that has the same place in the other half.
static struct obvious_node *other_half(struct obvious_node *home)
{
    struct obvious_level *level = home->level;
    uint32_t number = (uint32_t)(home - level->nodes), half = level->slices / 2;
    return number < half ? home + half : home - half;
}

// At home, of what another slice has counted at its upper side.
static void serve_at_home(struct obvious_memory *memory, struct obvious_node *home,
                          const struct obvious_request *request)
{
    struct wm_cache_counters *c = &home->array.counters;
    uint64_t from_above = c->bytes_from_above, to_above = c->bytes_to_above;
    obvious_look_up(memory, home, request);
    c->bytes_from_above = from_above;
    c->bytes_to_above = to_above;
}

static void load_copy(struct obvious_memory *memory, struct obvious_node *near,
                      struct obvious_node *home, const struct obvious_request *request)
{
    struct wm_partition_counters *c = &near->crossings;
    const struct obvious_access access = {
        .client = WM_CACHE_LOAD,
        .number = request->address / near->array.spec.line_bytes,
        .sectors = request->sectors,
        .may_take = !request->takes_no_line,
        .who = request->who,
    };
    struct obvious_answer answer = obvious_access(&near->array, &access);
    obvious_count_above(&near->array, request);
    c->loads++;
    c->load_sectors += (uint64_t)obvious_count(request->sectors);
    c->load_hits += (uint64_t)obvious_count(request->sectors & ~answer.missing);
    if (!memory->spec.demand_before_writeback)
        obvious_send_down(memory, near, &near->array, &answer.victim, &access.who);
    if (answer.fetch != 0) {
        struct obvious_request fetched = *request;
        fetched.sectors = answer.fetch;
        c->reads++;
        c->bytes_read += obvious_bytes_of(answer.fetch);
        serve_at_home(memory, home, &fetched);
    }
    if (memory->spec.demand_before_writeback)
        obvious_send_down(memory, near, &near->array, &answer.victim, &access.who);
}

static void drop_copy(struct obvious_node *node, const struct obvious_request *request)
{
    struct obvious_line *line =
        obvious_find(&node->array, request->address / node->array.spec.line_bytes);
    if (line == NULL)
        return;
    uint32_t units = obvious_units(&node->array, request->sectors);
    node->crossings.dropped_sectors += (uint64_t)obvious_count(obvious_whole(line) & units);
    obvious_drop(&node->array, line, request->sectors);
}

void obvious_serve_in_partitions(struct obvious_memory *memory, struct obvious_node *home,
                                 const struct obvious_request *request)
{
    struct obvious_node *other = other_half(home);
    uint32_t number = (uint32_t)(home - home->level->nodes);
    bool far = half_of(memory->unit, memory->spec.sm_count) != half_of(number, home->level->slices);
    if (request->client == WM_CACHE_LOAD) {
        if (far)
            load_copy(memory, other, home, request);
        else
            obvious_look_up(memory, home, request);
        return;
    }
    if (far) {
        other->crossings.writes++;
        other->crossings.bytes_written += obvious_bytes_of(request->sectors);
        obvious_count_above(&other->array, request);
        serve_at_home(memory, home, request);
    } else {
        obvious_look_up(memory, home, request);
    }
    drop_copy(other, request);
}
