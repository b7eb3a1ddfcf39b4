// Requests of SMs whose caches let them join others in flight (mem/timed/level/in_flight.h). They
// come to their cache's queue when their instruction is issued to the load/store unit; those that
// have joined others are passed over there, and done with these.
#include "engine/clock/clock_state.h"
#include "engine/clock/load_store_parts.h"

#include "mem/bypass/bypass.h"
#include "mem/timed/level/in_flight.h"

#include <stdlib.h>

bool wm_requests_in_flight_init(struct wm_clock_sm *sm)
{
    bool joins = sm->timed.l1 != NULL && sm->timed.l1->in_flight != NULL;
    for (uint32_t i = 0; i < WM_SIDE_CACHE_KINDS; i++)
        joins = joins || (sm->timed.sides[i] != NULL && sm->timed.sides[i]->in_flight != NULL);
    if (!joins)
        return true;
    sm->entry_places = malloc((size_t)sm->entry_room * WM_CLOCK_LINES * sizeof *sm->entry_places);
    return sm->entry_places != NULL;
}

static uint32_t *places_of(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry)
{
    return sm->entry_places + (size_t)(entry - sm->entries) * WM_CLOCK_LINES;
}

// The cache that the access's requests are looked up in; NULL: none, or in what the machine's cache
// operators make of it they take no line.
static struct wm_timed_level *level_of(const struct wm_clock_sm *sm,
                                       const struct wm_request_head *head)
{
    enum wm_cache_hint hint = (enum wm_cache_hint)head->hint;
    if (head->item == WM_BATCH_SIDE_CACHE)
        return sm->timed.sides[head->side_cache];
    bool passes =
        wm_timed_unit_passes_l1(&sm->timed, (enum wm_access_kind)head->kind, hint, head->around_l1);
    return passes || wm_bypass_by_operator(hint) != WM_BYPASS_NO ? NULL : sm->timed.l1;
}

static struct wm_in_flight *in_flight_of(const struct wm_clock_sm *sm,
                                         const struct wm_request_head *head)
{
    const struct wm_timed_level *level = level_of(sm, head);
    return level != NULL ? level->in_flight : NULL;
}

// Tokens of accesses in flight name the cache of the SM, and the place there.
static uint64_t token_of(const struct wm_clock_sm *sm, const struct wm_request_head *head,
                         uint32_t place)
{
    uint64_t cache = head->item == WM_BATCH_SIDE_CACHE ? 1 + (uint64_t)head->side_cache : 0;
    return sm->clock->first_in_flight_token + cache * WM_MOST_IN_FLIGHT + place;
}

static uint32_t arrive(struct wm_clock_sm *sm, struct wm_load_store_entry *entry,
                       const struct wm_request_head *head, const struct wm_line_request *line,
                       uint64_t cycle)
{
    const struct wm_timed_level *level = level_of(sm, head);
    if (level == NULL || level->in_flight == NULL)
        return WM_NOT_IN_FLIGHT;
    bool load = head->kind == WM_ACCESS_LOAD;
    const struct wm_in_flight_arrival arrival = {
        .line = line->line_address >> level->timed.cache->line_shift,
        .token = sm->first_token + entry->op,
        .sectors = line->sectors,
        .full_sectors = line->full_sectors,
        .unit = sm->index,
        .is_store = !load,
    };
    uint64_t ends = WM_NEVER;
    uint32_t place = wm_in_flight_arrive(level->in_flight, cycle, &arrival, &ends);
    struct wm_clock_memory_op *op = &sm->ops[entry->op];
    sm->failed |= level->in_flight->failed;
    if (place == WM_JOINED && load && ends == WM_NEVER)
        op->outstanding++;
    else if (place == WM_JOINED && load)
        wm_load_store_expect_done(sm, &sm->hits, op, entry->op, ends);
    return place;
}

void wm_requests_arrive(struct wm_clock_sm *sm, struct wm_load_store_entry *entry, uint64_t cycle)
{
    uint32_t *places = places_of(sm, entry), line = 0;
    for (uint32_t i = 0; i < entry->head_count; i++)
        for (uint32_t end = line + entry->heads[i].count; line < end; line++)
            places[line] = arrive(sm, entry, &entry->heads[i], &entry->lines[line], cycle);
}

static uint32_t next_place(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry)
{
    return places_of(sm, entry)[entry->first_line + entry->line];
}

void wm_requests_pass_joined(struct wm_clock_sm *sm, struct wm_load_store_entry *entry)
{
    while (entry->head != entry->head_count && next_place(sm, entry) == WM_JOINED) {
        const struct wm_request_head *head = &entry->heads[entry->head];
        const struct wm_line_request *line = &entry->lines[entry->first_line + entry->line];
        const struct wm_request request = wm_load_store_request_of(sm, entry, head, line);
        wm_timed_unit_joined(&sm->timed, level_of(sm, head), &request);
        if (head->item == WM_BATCH_SIDE_CACHE)
            wm_load_store_note_served(sm, &sm->ops[entry->op],
                                      WM_SERVED_SIDE + (uint32_t)head->side_cache);
        wm_load_store_advance(entry);
    }
}

void wm_request_gather(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                       struct wm_request *request, uint64_t *token)
{
    const struct wm_request_head *head = &entry->heads[entry->head];
    uint32_t place = next_place(sm, entry);
    if (place == WM_NOT_IN_FLIGHT)
        return;
    const struct wm_access_in_flight *access = wm_in_flight_at(in_flight_of(sm, head), place);
    request->sectors = access->sectors;
    request->full_sectors = access->full_sectors;
    *token = token_of(sm, head, place);
}

// Requests that have joined one which has been looked up and needs nothing more: all in the same
// cycle.
struct joined_done {
    struct wm_clock_sm *sm;
    uint64_t ends;
};

static void end_joined(void *context, uint64_t token)
{
    const struct joined_done *joined = context;
    struct wm_clock_sm *owner = wm_load_store_owner_of(joined->sm, token);
    wm_load_store_put_done(owner, &owner->hits, (uint32_t)token - owner->first_token, joined->ends);
    owner->memory_due = wm_earlier(owner->memory_due, owner->done_due);
    wm_load_store_expect_owner(owner, joined->sm);
}

static void nothing_waits(void *context, uint64_t token)
{
    (void)context;
    (void)token;
}

void wm_request_looked_up(struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                          const struct wm_request *request, uint64_t cycle, uint32_t *waits)
{
    const struct wm_request_head *head = &entry->heads[entry->head];
    struct wm_timed_level *level = level_of(sm, head);
    uint32_t place = next_place(sm, entry), parts = *waits;
    if (place == WM_NOT_IN_FLIGHT)
        return;
    struct joined_done joined = {sm, cycle + level->latency};
    bool store = request->kind == WM_ACCESS_STORE, pending = false;
    if (store) { // it is in flight until its line has come, though nothing waits for it
        wm_timed_cache_wait(&level->timed, request->address >> level->timed.cache->line_shift,
                            request->sectors, token_of(sm, head, place), &pending);
        parts = pending;
    }
    wm_in_flight_looked_up(level->in_flight, place, parts, joined.ends,
                           store ? nothing_waits : end_joined, &joined);
    sm->failed |= level->in_flight->failed;
    *waits = !store && parts != 0;
}

static struct wm_timed_level *level_of_token(const struct wm_clock_sm *sm, uint64_t token,
                                             uint32_t *place)
{
    uint64_t cache = (token - sm->clock->first_in_flight_token) / WM_MOST_IN_FLIGHT;
    *place = (uint32_t)((token - sm->clock->first_in_flight_token) % WM_MOST_IN_FLIGHT);
    return cache == 0 ? sm->timed.l1 : sm->timed.sides[cache - 1];
}

void wm_request_part_came(struct wm_clock_sm *sm, uint64_t token,
                          void (*done)(void *context, uint64_t token))
{
    uint32_t place;
    struct wm_in_flight *in_flight = level_of_token(sm, token, &place)->in_flight;
    bool store = wm_in_flight_at(in_flight, place)->is_store;
    wm_in_flight_part_came(in_flight, place, store ? nothing_waits : done, sm);
}

void wm_requests_abandon(struct wm_clock_sm *sm, const struct wm_load_store_entry *entry)
{
    struct wm_load_store_entry rest = *entry;
    for (; rest.head != rest.head_count; wm_load_store_advance(&rest)) {
        uint32_t place = places_of(sm, entry)[rest.first_line + rest.line];
        struct wm_in_flight *in_flight = in_flight_of(sm, &entry->heads[rest.head]);
        if (place == WM_JOINED || place == WM_NOT_IN_FLIGHT)
            continue;
        bool store = wm_in_flight_at(in_flight, place)->is_store;
        wm_in_flight_abandon(in_flight, place, store ? nothing_waits : wm_load_store_op_done, sm);
    }
}
