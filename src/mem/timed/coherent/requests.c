// Events are presented to the tables, and those that have to wait are kept: with their line until
// it changes, oldest first, or, where a slice has no MSHR entry, no way or no room in its eviction
// buffer, in order until it has.
//
// A line that is displaced goes to the eviction buffer at once, and its way is taken in the same
// cycle. From there it calls copies above back, sends its Put, and answers probes, until PutAck.
#include "mem/system/prefetch_events.h"
#include "mem/timed/coherent/place.h"

#include <assert.h>

static bool is_request(uint8_t kind)
{
    return kind == WM_COHERENCE_LOAD || kind == WM_COHERENCE_STORE ||
           kind == WM_COHERENCE_RMW_BEGIN || kind == WM_COHERENCE_GETS || kind == WM_COHERENCE_GETM;
}

static void count_done(const struct place *place, const struct wm_coherent_event *event,
                       uint64_t cycle)
{
    struct wm_coherent_timing_counters *counters = &place->slice->counters;
    uint64_t cycles = cycle - event->begun;
    if (event->kind == WM_COHERENCE_LOAD) {
        counters->loads++;
        counters->load_cycles += cycles;
    } else if (event->kind == WM_COHERENCE_STORE) {
        counters->stores++;
        counters->store_cycles += cycles;
    } else if (event->kind == WM_COHERENCE_RMW_BEGIN) {
        counters->locked_reads++;
        counters->locked_read_cycles += cycles;
    }
    if (__builtin_expect(event->row != 0, false))
        wm_coherent_explain_done(place->caches, place->slice, event);
}

// A locked operation has read, and writes when its time is over.
static void add_locked_end(struct wm_coherent_caches *caches, const struct wm_coherent_event *begin,
                           uint32_t origin, uint64_t cycle)
{
    struct wm_coherent_event end = *begin;
    end.origin = origin;
    end.kind = WM_COHERENCE_RMW_END;
    end.when = cycle + (begin->locked_cycles > 1 ? begin->locked_cycles : 1);
    end.sequence = caches->sequence++;
    end.stage = WM_COHERENT_TAKEN;
    end.row = 0; // it was done when it had read
    wm_coherent_add(caches, &end);
}

// The line has no copy here any more: its way, or its entry of the eviction buffer, is free.
static void leave_place(struct place *place)
{
    struct wm_coherent_slice *slice = place->slice;
    if (place->slot != WM_NO_SLOT) {
        wm_coherent_leave_way(place->caches, slice, place->slot, place->line, place->index_line);
        place->slot = WM_NO_SLOT;
        slice->may_retry = true;
    } else if (place->record->is_evicting) {
        place->record->is_evicting = place->record->is_passing = false;
        slice->evicting--;
        slice->may_retry = true;
    }
}

// One event of the tables. What was done by it is `*done`, a cycle, or WM_NEVER. False: it is
// deferred.
static bool step(struct place *place, const struct wm_coherent_event *event, uint64_t *done)
{
    struct wm_coherent_caches *caches = place->caches;
    struct wm_coherent_slice *slice = place->slice;
    struct wm_coherence_line *line = take_line(place);
    bool fetched = is_fetching(line->cache), was_readable = is_readable(line->cache);
    struct wm_coherent_step carried = {.caches = caches,
                                       .slice = slice,
                                       .node = place->node,
                                       .line = line,
                                       .data = data_at(place),
                                       .slot = place->slot,
                                       .event = event,
                                       .origin = place->origin,
                                       .leave =
                                           event->ready > caches->now ? event->ready : caches->now};
    struct wm_coherence_input input = {.event = event->kind,
                                       .from = event->from,
                                       .peer = event->peer,
                                       .forwards_clean =
                                           slice->cache == NULL && caches->spec.forwards_clean};
    bool has_row = wm_coherence_step(&caches->protocol, line, &input, &wm_coherent_ports, &carried);
    assert(has_row);
    (void)has_row;
    bool fetches = is_fetching(line->cache);
    slice->fetching = slice->fetching + fetches - fetched;
    slice->may_retry |= fetched && !fetches;
    *done = WM_NEVER;
    if (carried.was_completed) {
        *done = carried.leave;
        count_done(place, event, *done);
        if (event->kind == WM_COHERENCE_RMW_BEGIN) {
            add_locked_end(caches, event, place->server, *done);
            *done = WM_NEVER;
        }
    }
    if (was_readable && !is_readable(line->cache) && place->node->child_count == 0 &&
        caches->spec.left != NULL)
        caches->spec.left(caches->spec.context, slice->node, place->line);
    if (line->cache == WM_COHERENCE_CACHE_I)
        leave_place(place);
    else if (slice->cache == NULL && line->home == WM_COHERENCE_HOME_NONE)
        wm_directory_forget(caches->spec.directory, place->line);
    return !carried.was_deferred;
}

// Behind those that wait for the line.
static void keep(struct place *place, const struct wm_coherent_event *event)
{
    struct wm_coherent_events *events = &place->caches->events;
    uint32_t number =
        make_record(place) ? wm_coherent_events_keep(events, event) : WM_COHERENT_NO_EVENT;
    if (number == WM_COHERENT_NO_EVENT) {
        place->caches->failed = true;
        return;
    }
    struct wm_coherent_record *record = place->record;
    events->pool[number].next = WM_COHERENT_NO_EVENT;
    if (record->first == WM_COHERENT_NO_EVENT)
        record->first = number;
    else
        events->pool[record->last].next = number;
    record->last = number;
    record->requests += is_request(event->kind);
}

static void evict(struct place *of, struct wm_coherent_record *record,
                  const struct wm_coherent_event *cause)
{
    struct place place = *of;
    uint64_t done;
    place.line = record->line;
    place.record = record;
    place.slot = WM_NO_SLOT;
    place.origin = place.server = of->slice->node;
    struct wm_coherent_event event = {.line = record->line,
                                      .ready = cause->ready,
                                      .requester = cause->requester,
                                      .block = cause->block,
                                      .node = of->slice->node,
                                      .sender = of->slice->number,
                                      .kind = WM_COHERENCE_EVICT,
                                      .peer = WM_COHERENCE_NOBODY,
                                      .recalls = true,
                                      .uncharged = cause->uncharged};
    if (!step(&place, &event, &done))
        keep(&place, &event);
}

// Whether what the event makes the slice fetch has an MSHR entry, and a way.
static enum wm_coherent_room find_room(const struct place *place,
                                       const struct wm_coherent_event *event)
{
    uint8_t cache = line_at(place)->cache;
    bool reads = event->kind == WM_COHERENCE_LOAD || event->kind == WM_COHERENCE_GETS;
    if (place->slice->cache == NULL)
        return WM_ROOM_IS_THERE;
    if (cache != WM_COHERENCE_CACHE_I && (cache != WM_COHERENCE_CACHE_S || reads))
        return WM_ROOM_IS_THERE;
    if (place->slice->fetching >= place->node->spec.mshr_entries)
        return WM_ROOM_NO_MSHR;
    if (cache == WM_COHERENCE_CACHE_S)
        return WM_ROOM_IS_THERE;
    if (event->bypasses)
        return place->slice->evicting < place->node->spec.evictions ? WM_ROOM_IS_THERE
                                                                    : WM_ROOM_NO_EVICTION;
    return wm_coherent_find_way(place->caches, place->slice, place->index_line, event);
}

// Whether the event is a load or store that finds its line as it needs it, which is most of what
// cores do: what the tables do of it is done, E made M by a store, without looking it up in them.
static bool hit_is_done(const struct place *place, const struct wm_coherent_event *event)
{
    struct wm_coherence_line *line = &place->slice->beside->lines[place->slot];
    bool loads = event->kind == WM_COHERENCE_LOAD, stores = event->kind == WM_COHERENCE_STORE;
    return is_stable(line->cache) && line->home == WM_COHERENCE_HOME_NONE && (loads || stores) &&
           wm_coherent_hit_is_done(line, loads ? WM_CACHE_LOAD : WM_CACHE_STORE);
}

static void finish_hit(const struct place *place, const struct wm_coherent_event *event,
                       uint64_t *done)
{
    wm_coherent_see(place->caches, place->slice->node, place->line,
                    (enum wm_coherence_event)event->kind, data_at(place));
    *done = event->ready > place->caches->now ? event->ready : place->caches->now;
    count_done(place, event, *done);
}

// A load that bypasses the cache takes its bytes from a line in the eviction buffer, which is
// fetched there and evicted as soon as nothing waits for it any more.
static bool pass(struct place *place, struct wm_coherent_event *event)
{
    if (line_at(place)->cache == WM_COHERENCE_CACHE_I) {
        if (!make_record(place))
            return false;
        place->record->state = no_copy;
        place->record->is_evicting = place->record->is_passing = true;
        place->slice->evicting++;
    }
    if (!event->is_counted)
        wm_coherent_count_passing(place->caches, place->slice, event);
    event->is_counted = true;
    return true;
}

static bool is_passing(const struct place *place, const struct wm_coherent_event *event)
{
    if (place->slot != WM_NO_SLOT)
        return false;
    return line_at(place)->cache == WM_COHERENCE_CACHE_I
               ? event->bypasses
               : place->record != NULL && place->record->is_passing;
}

// An access of a unit, GetS or GetM, for which there is room. False: it is deferred.
static bool serve(struct place *place, struct wm_coherent_event *event, uint64_t *done)
{
    struct wm_coherent_slice *slice = place->slice;
    struct wm_coherent_record *victim = NULL;
    *done = WM_NEVER;
    if (slice->cache != NULL && is_passing(place, event)) {
        if (!pass(place, event))
            return true;
    } else if (slice->cache != NULL) {
        if (line_at(place)->cache == WM_COHERENCE_CACHE_I) {
            place->slot =
                wm_coherent_take_way(place->caches, slice, place->index_line, event, &victim);
            if (place->slot == WM_NO_SLOT)
                return true;
            event->is_counted = true;
        } else if (place->slot != WM_NO_SLOT && !event->is_counted) {
            wm_coherent_hit(place->caches, slice, place->slot, event);
            event->is_counted = true;
        }
        // A line in the eviction buffer has none.
        if (place->slot != WM_NO_SLOT && victim == NULL && hit_is_done(place, event)) {
            finish_hit(place, event, done);
            return true;
        }
    }
    bool served = step(place, event, done);
    if (victim != NULL)
        evict(place, victim, event);
    return served;
}

static void finish(struct place *place, const struct wm_coherent_event *event, uint64_t done)
{
    // What a locked operation got it had when it began.
    uint32_t origin = event->kind == WM_COHERENCE_RMW_END ? event->origin : place->server;
    if (done != WM_NEVER)
        place->caches->spec.done(place->caches->spec.context, event->token, done, origin);
}

// One that has waited. False: it waits on.
static bool present_again(struct place *place, struct wm_coherent_event *event)
{
    uint64_t done;
    uint8_t cache = line_at(place)->cache;
    if (event->kind == WM_COHERENCE_EVICT && !is_stable(cache))
        return true; // a probe has taken it
    if (is_request(event->kind)) {
        if (find_room(place, event) != WM_ROOM_IS_THERE) {
            wm_coherent_records_wait(&place->slice->records, place->record);
            return false;
        }
        if (!serve(place, event, &done))
            return false;
    } else if (!step(place, event, &done)) {
        return false;
    }
    finish(place, event, done);
    return true;
}

static void unlink_event(struct place *place, uint32_t before, uint32_t number)
{
    struct wm_coherent_events *events = &place->caches->events;
    struct wm_coherent_record *record = place->record;
    uint32_t next = events->pool[number].next;
    record->requests -= is_request(events->pool[number].kind);
    if (before == WM_COHERENT_NO_EVENT)
        record->first = next;
    else
        events->pool[before].next = next;
    if (record->last == number)
        record->last = before;
    wm_coherent_events_drop(events, number);
}

// All that waits for the line is presented, again and again while that changes the line.
static void drain(struct place *place)
{
    struct wm_coherent_record *record = place->record;
    bool changed = record != NULL;
    while (changed && record->first != WM_COHERENT_NO_EVENT) {
        uint32_t before = WM_COHERENT_NO_EVENT, next;
        changed = false;
        for (uint32_t at = record->first; at != WM_COHERENT_NO_EVENT; at = next) {
            struct wm_coherent_event event = place->caches->events.pool[at];
            struct wm_coherence_line was = *line_at(place);
            next = event.next;
            bool over = present_again(place, &event);
            if (over) {
                unlink_event(place, before, at);
            } else {
                place->caches->events.pool[at] = event;
                before = at;
            }
            changed |= !is_same(&was, line_at(place));
        }
    }
}

// What loads that bypass the cache were waiting for leaves it.
static void evict_passing(struct place *place)
{
    struct wm_coherent_record *record = place->record;
    bool is_over = record != NULL && record->is_passing && record->first == WM_COHERENT_NO_EVENT &&
                   is_stable(record->state.cache);
    if (!is_over)
        return;
    record->is_passing = false;
    const struct wm_coherent_event cause = {.ready = place->caches->now, .uncharged = true};
    evict(place, record, &cause);
}

// Whether the way may be another line's, and whether the record says anything still.
static void settle(struct place *place)
{
    evict_passing(place);
    struct wm_coherent_slice *slice = place->slice;
    struct wm_coherent_record *record = place->record;
    const struct wm_coherence_line *line = line_at(place);
    bool has_events = record != NULL && record->first != WM_COHERENT_NO_EVENT;
    if (place->slot != WM_NO_SLOT) {
        bool pinned = !is_stable(line->cache) || line->home > WM_COHERENCE_HOME_OWNED || has_events;
        slice->may_retry |= wm_coherent_pin(slice, place->slot, pinned);
    }
    if (record == NULL || has_events || record->is_evicting)
        return;
    slice->may_retry |= record->is_waiting;
    if (!record->is_waiting) {
        wm_coherent_records_remove(&slice->records, record);
        place->record = NULL;
    }
}

// Those that wait for room, in order, as often as some becomes free.
static void retry(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice)
{
    struct wm_coherent_records *records = &slice->records;
    while (slice->may_retry && records->first_waiting != NULL) {
        struct wm_coherent_record *record = records->first_waiting, *next;
        records->first_waiting = records->last_waiting = NULL;
        slice->may_retry = false;
        for (; record != NULL; record = next) {
            struct place place = place_of(caches, slice->node, record->line);
            next = record->next_waiting;
            record->is_waiting = false;
            drain(&place);
            settle(&place);
        }
    }
    slice->may_retry = false;
}

// --- What prefetchers want ---

// A line that is there already is not read again, but its use says as much of what comes next.
static bool is_there(struct place *place)
{
    if (place->slot == WM_NO_SLOT)
        return false;
    uint8_t *mark = &place->slice->beside->prefetched[place->slot];
    *mark = *mark == WM_NOT_PREFETCHED ? WM_WANTED_AND_HERE : *mark;
    return true;
}

// An MSHR entry is left to accesses, and so is all room where some wait for it.
static bool has_room(const struct place *place, const struct wm_coherent_event *event)
{
    const struct wm_coherent_slice *slice = place->slice;
    return place->record == NULL && slice->records.first_waiting == NULL &&
           slice->fetching + 1 < place->node->spec.mshr_entries &&
           find_room(place, event) == WM_ROOM_IS_THERE;
}

// Nothing waits for the line: it is a load that is deferred and not kept.
static void prefetch_line(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                          uint64_t line)
{
    const struct wm_cache_level *level = caches->nodes[slice->node].spec.prefetches;
    struct place place = place_of(caches, slice->node, line);
    struct wm_coherent_event event = slice->wanted_by;
    struct wm_coherent_record *victim;
    uint64_t done;
    if (is_there(&place))
        return;
    event.line = line;
    event.kind = WM_COHERENCE_LOAD;
    event.sectors = 0;
    event.bypasses = false;
    event.sender = slice->number;
    if (!has_room(&place, &event)) {
        slice->counters.prefetches_refused++;
        wm_prefetchers_refused(level, slice->cache, line);
        return;
    }
    place.slot = wm_coherent_take_way(caches, slice, place.index_line, &event, &victim);
    if (place.slot == WM_NO_SLOT)
        return;
    wm_prefetchers_filled(level, slice->cache);
    wm_coherent_take_mark(slice->beside, place.slot, WM_PREFETCHED);
    step(&place, &event, &done);
    if (victim != NULL)
        evict(&place, victim, &event);
    settle(&place);
}

static void prefetch(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice)
{
    for (uint32_t i = 0; i < slice->wanted_count; i++)
        prefetch_line(caches, slice, slice->wanted[i]);
    slice->wanted_count = 0;
}

static void present(struct place *place, struct wm_coherent_event *event)
{
    struct wm_coherent_slice *slice = place->slice;
    uint64_t done = WM_NEVER;
    bool served, waits = false;
    if (is_request(event->kind)) {
        bool is_first = place->record == NULL || place->record->requests == 0;
        bool has_room = is_first && find_room(place, event) == WM_ROOM_IS_THERE;
        served = has_room && serve(place, event, &done);
        waits = is_first && !has_room;
        if (waits && make_record(place))
            wm_coherent_records_wait(&slice->records, place->record);
    } else {
        if (slice->cache != NULL && place->slot == WM_NO_SLOT && !make_record(place))
            return;
        served = step(place, event, &done);
    }
    if (!served) {
        ++*(waits ? &slice->counters.waited : &slice->counters.deferred);
        keep(place, event);
    }
    finish(place, event, done);
}

void wm_coherent_take(struct wm_coherent_caches *caches, struct wm_coherent_event *event)
{
    struct place place = place_of(caches, event->node, event->line);
    struct wm_coherent_slice *slice = place.slice;
    struct wm_coherence_line was = *line_at(&place);
    uint32_t waited = place.record != NULL ? place.record->first : WM_COHERENT_NO_EVENT;
    if (event->kind >= WM_COHERENCE_DATA_S && event->kind <= WM_COHERENCE_GRANT_M)
        place.origin = place.server = event->origin;
    else if (event->kind == WM_COHERENCE_ACK_DATA)
        place.server = event->origin;
    present(&place, event);
    if (waited != WM_COHERENT_NO_EVENT && !is_same(&was, line_at(&place)))
        drain(&place);
    settle(&place);
    if (slice->may_retry)
        retry(caches, slice);
    if (slice->wanted_count != 0)
        prefetch(caches, slice);
    if ((place.node->child_count == 0 || slice->has_blocked) && caches->spec.changed != NULL) {
        slice->has_blocked = false;
        caches->spec.changed(caches->spec.context, event->node,
                             slice->number - place.node->first_slice);
    }
}

static enum wm_coherent_answer block(struct wm_coherent_slice *slice, enum wm_coherent_room room)
{
    slice->has_blocked = true;
    switch (room) {
    case WM_ROOM_NO_MSHR: slice->counters.blocked_mshr++; return WM_COHERENT_NO_MSHR;
    case WM_ROOM_NO_WAY: slice->counters.blocked_way++; return WM_COHERENT_NO_WAY;
    default: slice->counters.blocked_eviction++; return WM_COHERENT_NO_EVICTION;
    }
}

// Whether a locked operation finds the line as it needs it, as it is made.
static void count_locked(struct wm_coherent_slice *slice, const struct wm_coherent_event *event,
                         uint8_t cache)
{
    slice->beside->counters.locked_hits +=
        event->kind == WM_COHERENCE_RMW_BEGIN &&
        (cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_M ||
         cache == WM_COHERENCE_CACHE_ML);
}

enum wm_coherent_answer wm_coherent_begin_access(struct wm_coherent_caches *caches,
                                                 struct wm_coherent_event *event, bool *missed,
                                                 uint64_t *done)
{
    struct place place = place_of(caches, event->node, event->line);
    struct wm_coherent_slice *slice = place.slice;
    if (place.slot != WM_NO_SLOT && place.record == NULL && hit_is_done(&place, event)) {
        wm_coherent_hit(caches, slice, place.slot, event);
        finish_hit(&place, event, done);
        *missed = false;
        if (slice->wanted_count != 0)
            prefetch(caches, slice);
        return WM_COHERENT_DONE;
    }
    uint8_t cache = line_at(&place)->cache;
    uint32_t waiting = place.record != NULL ? place.record->requests : 0;
    bool finds = event->kind == WM_COHERENCE_LOAD && cache != WM_COHERENCE_CACHE_ML &&
                 is_readable(cache) && line_at(&place)->home < WM_COHERENCE_HOME_OWNED;
    if (waiting != 0 && !finds) {
        if (waiting >= place.node->spec.mshr_merges) {
            slice->counters.blocked_merge++;
            slice->has_blocked = true;
            return WM_COHERENT_NO_MERGE;
        }
        slice->counters.merged++;
        count_locked(slice, event, cache);
        *missed = place.slot == WM_NO_SLOT;
        keep(&place, event);
        return WM_COHERENT_WAITS;
    }
    enum wm_coherent_room room = find_room(&place, event);
    if (room != WM_ROOM_IS_THERE)
        return block(slice, room);
    event->sender = slice->number;
    count_locked(slice, event, cache);
    *missed = place.slot == WM_NO_SLOT;
    if (!serve(&place, event, done))
        keep(&place, event);
    settle(&place);
    if (slice->wanted_count != 0)
        prefetch(caches, slice);
    return *done != WM_NEVER ? WM_COHERENT_DONE : WM_COHERENT_WAITS;
}
