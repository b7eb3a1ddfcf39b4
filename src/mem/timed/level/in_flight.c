#include "mem/timed/level/in_flight.h"

#include "base/containers/array.h"
#include "base/containers/ring.h"
#include "base/numbers/clock_domain.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, FIRST_ROOM = 64, NONE = WM_NOT_IN_FLIGHT };

static const struct wm_counter_declaration declarations[] = {
    WM_COALESCING_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_coalescing_counter_set = {
    .kind = "coalescing",
    .title = "requests that join others in flight",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum wm_status wm_in_flight_init(struct wm_in_flight *in_flight, struct wm_error *error)
{
    *in_flight = (struct wm_in_flight){.free_access = NONE,
                                       .free_token = NONE,
                                       .youngest = NONE,
                                       .ending_mask = WM_RING_FIRST_MASK};
    in_flight->ending = wm_ring_new(sizeof *in_flight->ending);
    in_flight->buckets = malloc(BUCKETS * sizeof *in_flight->buckets);
    if (in_flight->ending == NULL || in_flight->buckets == NULL)
        return wm_fail_no_memory(error, "accesses in flight");
    memset(in_flight->buckets, 0xff, BUCKETS * sizeof *in_flight->buckets); // NONE
    return WM_OK;
}

void wm_in_flight_release(struct wm_in_flight *in_flight)
{
    free(in_flight->accesses);
    free(in_flight->tokens);
    free(in_flight->ending);
    free(in_flight->stores);
    free(in_flight->buckets);
    *in_flight = (struct wm_in_flight){0};
}

static uint32_t *bucket_of(struct wm_in_flight *in_flight, uint64_t line)
{
    return &in_flight->buckets[(line * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
}

// --- Places ---

static bool grow_accesses(struct wm_in_flight *in_flight)
{
    uint32_t old = in_flight->room, room = old != 0 ? 2 * old : FIRST_ROOM;
    if (room > WM_MOST_IN_FLIGHT || !WM_ARRAY_RESIZE(in_flight->accesses, room))
        return false;
    for (uint32_t i = old; i < room; i++)
        in_flight->accesses[i].next = i + 1 < room ? i + 1 : NONE;
    in_flight->free_access = old;
    in_flight->room = room;
    return true;
}

static bool grow_tokens(struct wm_in_flight *in_flight)
{
    uint32_t old = in_flight->token_room, room = old != 0 ? 2 * old : FIRST_ROOM;
    if (!WM_ARRAY_RESIZE(in_flight->tokens, room))
        return false;
    for (uint32_t i = old; i < room; i++)
        in_flight->tokens[i].next = i + 1 < room ? i + 1 : NONE;
    in_flight->free_token = old;
    in_flight->token_room = room;
    return true;
}

// The access is over.
static void leave(struct wm_in_flight *in_flight, uint32_t place)
{
    struct wm_access_in_flight *access = &in_flight->accesses[place];
    uint32_t *link = bucket_of(in_flight, access->line);
    while (*link != place)
        link = &in_flight->accesses[*link].next;
    *link = access->next;
    if (access->older != NONE)
        in_flight->accesses[access->older].younger = access->younger;
    if (access->younger != NONE)
        in_flight->accesses[access->younger].older = access->older;
    else
        in_flight->youngest = access->older;
    access->number = UINT64_MAX; // no store's
    access->next = in_flight->free_access;
    in_flight->free_access = place;
}

static void leave_until(struct wm_in_flight *in_flight, uint64_t cycle)
{
    while (in_flight->ending_first != in_flight->ending_end) {
        uint32_t place = in_flight->ending[in_flight->ending_first & in_flight->ending_mask];
        if (in_flight->accesses[place].ends > cycle)
            return;
        in_flight->ending_first++;
        leave(in_flight, place);
    }
}

// --- Who joins whom ---

static bool is_in_flight(const struct wm_in_flight *in_flight,
                         const struct wm_store_in_flight *store)
{
    return in_flight->accesses[store->place].number == store->number;
}

static bool note_store(struct wm_in_flight *in_flight, uint32_t place, uint64_t number)
{
    if (in_flight->store_count == in_flight->store_room) { // those that are over make room first
        uint32_t kept = 0;
        for (uint32_t i = 0; i < in_flight->store_count; i++)
            if (is_in_flight(in_flight, &in_flight->stores[i]))
                in_flight->stores[kept++] = in_flight->stores[i];
        in_flight->store_count = kept;
    }
    return WM_ARRAY_ADD(in_flight->stores, in_flight->store_count, in_flight->store_room,
                        (struct wm_store_in_flight){.number = number, .place = place});
}

// Whether a store that is in flight came after the access.
static bool store_came_since(struct wm_in_flight *in_flight,
                             const struct wm_access_in_flight *access)
{
    while (in_flight->store_count != 0) {
        const struct wm_store_in_flight *last = &in_flight->stores[in_flight->store_count - 1];
        if (is_in_flight(in_flight, last))
            return last->number > access->number;
        in_flight->store_count--;
    }
    return false;
}

// The access that a load may join, or NONE.
static uint32_t joined_by_load(struct wm_in_flight *in_flight,
                               const struct wm_in_flight_arrival *arrival)
{
    uint32_t at = *bucket_of(in_flight, arrival->line); // the youngest first
    while (at != NONE && in_flight->accesses[at].line != arrival->line)
        at = in_flight->accesses[at].next;
    if (at == NONE)
        return NONE;
    const struct wm_access_in_flight *access = &in_flight->accesses[at];
    bool brings = !access->looked_up || (arrival->sectors & ~access->sectors) == 0;
    return !access->is_store && brings && !store_came_since(in_flight, access) ? at : NONE;
}

static uint32_t joined_by_store(const struct wm_in_flight *in_flight,
                                const struct wm_in_flight_arrival *arrival)
{
    if (in_flight->youngest == NONE)
        return NONE;
    const struct wm_access_in_flight *access = &in_flight->accesses[in_flight->youngest];
    bool joins = access->is_store && !access->looked_up && access->line == arrival->line;
    return joins ? in_flight->youngest : NONE;
}

static bool join(struct wm_in_flight *in_flight, struct wm_access_in_flight *access,
                 const struct wm_in_flight_arrival *arrival)
{
    access->sectors |= arrival->sectors;
    access->full_sectors |= arrival->full_sectors;
    in_flight->counters.loads_joined += !arrival->is_store;
    in_flight->counters.stores_joined += arrival->is_store;
    in_flight->counters.joined_other_unit += arrival->unit != access->unit;
    if (access->ends != WM_NEVER)
        return true;
    if (in_flight->free_token == NONE && !grow_tokens(in_flight))
        return false;
    uint32_t place = in_flight->free_token;
    in_flight->free_token = in_flight->tokens[place].next;
    in_flight->tokens[place] = (struct wm_in_flight_token){arrival->token, NONE};
    *(access->first == NONE ? &access->first : &in_flight->tokens[access->last].next) = place;
    access->last = place;
    return true;
}

// --- Coming and going ---

static uint32_t add(struct wm_in_flight *in_flight, const struct wm_in_flight_arrival *arrival)
{
    if (in_flight->free_access == NONE && !grow_accesses(in_flight))
        return NONE;
    uint32_t place = in_flight->free_access, *bucket = bucket_of(in_flight, arrival->line);
    struct wm_access_in_flight *access = &in_flight->accesses[place];
    in_flight->free_access = access->next;
    *access = (struct wm_access_in_flight){.line = arrival->line,
                                           .token = arrival->token,
                                           .number = in_flight->came,
                                           .ends = WM_NEVER,
                                           .sectors = arrival->sectors,
                                           .full_sectors = arrival->full_sectors,
                                           .unit = arrival->unit,
                                           .first = NONE,
                                           .next = *bucket,
                                           .older = in_flight->youngest,
                                           .younger = NONE,
                                           .is_store = arrival->is_store};
    *bucket = place;
    if (in_flight->youngest != NONE)
        in_flight->accesses[in_flight->youngest].younger = place;
    in_flight->youngest = place;
    if (arrival->is_store)
        in_flight->failed |= !note_store(in_flight, place, in_flight->came);
    return place;
}

uint32_t wm_in_flight_arrive(struct wm_in_flight *in_flight, uint64_t cycle,
                             const struct wm_in_flight_arrival *arrival, uint64_t *ends)
{
    leave_until(in_flight, cycle);
    uint32_t other = (arrival->is_store ? joined_by_store(in_flight, arrival)
                                        : joined_by_load(in_flight, arrival));
    in_flight->counters.requests++;
    in_flight->came++;
    if (other != NONE) {
        struct wm_access_in_flight *access = &in_flight->accesses[other];
        in_flight->failed |= !join(in_flight, access, arrival);
        *ends = access->ends;
        return WM_JOINED;
    }
    uint32_t place = add(in_flight, arrival);
    in_flight->failed |= place == NONE;
    return place;
}

// Those that have joined it are done.
static void complete(struct wm_in_flight *in_flight, struct wm_access_in_flight *access,
                     void (*done)(void *context, uint64_t token), void *context)
{
    uint32_t next;
    for (uint32_t at = access->first; at != NONE; at = next) {
        struct wm_in_flight_token *joined = &in_flight->tokens[at];
        uint64_t token = joined->token;
        next = joined->next;
        joined->next = in_flight->free_token;
        in_flight->free_token = at;
        done(context, token);
    }
    access->first = NONE;
}

void wm_in_flight_looked_up(struct wm_in_flight *in_flight, uint32_t place, uint32_t parts,
                            uint64_t ends, void (*done)(void *context, uint64_t token),
                            void *context)
{
    struct wm_access_in_flight *access = &in_flight->accesses[place];
    access->looked_up = true;
    access->parts = parts;
    if (parts != 0)
        return;
    access->ends = ends;
    if (in_flight->ending_end - in_flight->ending_first > in_flight->ending_mask) {
        uint32_t *larger = wm_ring_grow(in_flight->ending, sizeof *larger, &in_flight->ending_mask,
                                        in_flight->ending_first, in_flight->ending_end);
        in_flight->failed |= larger == NULL;
        if (larger == NULL)
            return;
        in_flight->ending = larger;
    }
    in_flight->ending[in_flight->ending_end++ & in_flight->ending_mask] = place;
    complete(in_flight, access, done, context);
}

static void end(struct wm_in_flight *in_flight, uint32_t place,
                void (*done)(void *context, uint64_t token), void *context)
{
    struct wm_access_in_flight *access = &in_flight->accesses[place];
    bool is_store = access->is_store;
    uint64_t token = access->token;
    struct wm_access_in_flight over = *access;
    access->first = NONE;
    leave(in_flight, place);
    if (!is_store)
        done(context, token);
    complete(in_flight, &over, done, context);
}

void wm_in_flight_part_came(struct wm_in_flight *in_flight, uint32_t place,
                            void (*done)(void *context, uint64_t token), void *context)
{
    if (--in_flight->accesses[place].parts == 0)
        end(in_flight, place, done, context);
}

void wm_in_flight_abandon(struct wm_in_flight *in_flight, uint32_t place,
                          void (*done)(void *context, uint64_t token), void *context)
{
    in_flight->accesses[place].is_store = true; // its own token has nothing to wait for
    end(in_flight, place, done, context);
}
