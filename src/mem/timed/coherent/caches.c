#include "mem/timed/coherent/caches.h"

#include "base/containers/array.h"
#include "mem/cache/pins.h"
#include "mem/timed/coherent/caches_parts.h"

#include <assert.h>
#include <stdlib.h>

static const struct wm_counter_declaration declarations[] = {
    WM_COHERENT_TIMING_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_coherent_timing_counter_set = {
    .kind = "coherent_timing",
    .title = "coherent caches in time",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

static enum wm_status build_own(struct wm_coherent_slice *slice, size_t slots, bool prefetches,
                                struct wm_error *error)
{
    slice->beside = &slice->own;
    slice->own.leaving = WM_CACHE_EMPTY;
    WM_TRY(WM_ARRAY_NEW(slice->own.lines, slots, error, "the lines of a coherent cache"));
    WM_TRY(WM_ARRAY_NEW(slice->own.taken, slots, error, "the lines of a coherent cache"));
    if (prefetches)
        WM_TRY(WM_ARRAY_NEW(slice->own.prefetched, slots, error, "the lines of a coherent cache"));
    for (size_t i = 0; i < slots; i++)
        slice->own.taken[i] = WM_CACHE_EMPTY;
    return WM_OK;
}

static enum wm_status build_slice(struct wm_coherent_caches *caches,
                                  const struct wm_coherent_node_spec *spec, uint32_t node,
                                  uint32_t number, struct wm_error *error)
{
    struct wm_coherent_slice *slice = &caches->slices[caches->slice_count];
    slice->node = node;
    slice->number = caches->slice_count++;
    if (spec->caches == NULL)
        return WM_OK;
    slice->cache = spec->caches[number];
    caches->line_sectors = slice->cache->all_sectors;
    WM_TRY(wm_cache_enable_pins(slice->cache, error));
    size_t slots = (size_t)slice->cache->sets * slice->cache->stride;
    if (caches->spec.watch.read != NULL)
        WM_TRY(WM_ARRAY_NEW(slice->data, slots, error, "the lines of a coherent cache"));
    if (spec->beside == NULL)
        return build_own(slice, slots, spec->prefetches != NULL, error);
    slice->beside = spec->beside[number];
    return WM_OK;
}

// It knows the lines that its children have, and those that they are evicting.
static enum wm_status build_directory(struct wm_coherent_caches *caches, struct wm_error *error)
{
    uint64_t lines = 1;
    if (caches->spec.directory_counters == NULL)
        caches->spec.directory_counters = &caches->own_directory_counters;
    if (caches->spec.directory != NULL)
        return WM_OK;
    for (uint32_t i = 0; i < caches->slice_count; i++) {
        const struct wm_coherent_slice *slice = &caches->slices[i];
        if (slice->cache != NULL)
            lines += (uint64_t)slice->cache->sets * slice->cache->ways +
                     caches->nodes[slice->node].spec.evictions;
    }
    caches->spec.directory = &caches->own_directory;
    return wm_directory_init(&caches->own_directory, lines, error);
}

static enum wm_status build_nodes(struct wm_coherent_caches *caches,
                                  const struct wm_coherent_caches_spec *spec,
                                  struct wm_error *error)
{
    size_t slices = 0;
    WM_TRY(WM_ARRAY_NEW(caches->nodes, spec->node_count, error, "%u coherent caches",
                        (unsigned)spec->node_count));
    caches->node_count = spec->node_count;
    for (uint32_t i = 0; i < spec->node_count; i++) {
        struct wm_coherent_tree_node *node = &caches->nodes[i];
        node->spec = spec->nodes[i];
        node->first_slice = (uint32_t)slices;
        slices += node->spec.slices;
        if (node->spec.home == WM_COHERENT_MEMORY)
            continue;
        struct wm_coherent_tree_node *home = &caches->nodes[node->spec.home];
        assert(node->spec.home > i && home->child_count < WM_COHERENCE_MOST_CHILDREN);
        assert(node->spec.link_latency != 0 && node->spec.flit_bytes != 0);
        node->number = home->child_count++;
        home->children[node->number] = i;
        node->data_flits =
            1 + (spec->line_bytes + node->spec.flit_bytes - 1) / node->spec.flit_bytes;
    }
    return WM_ARRAY_NEW(caches->slices, slices, error, "%zu coherent caches", slices);
}

static enum wm_status build(struct wm_coherent_caches *caches,
                            const struct wm_coherent_caches_spec *spec, struct wm_error *error)
{
    WM_TRY(build_nodes(caches, spec, error));
    for (uint32_t i = 0; i < spec->node_count; i++)
        for (uint32_t slice = 0; slice < spec->nodes[i].slices; slice++)
            WM_TRY(build_slice(caches, &spec->nodes[i], i, slice, error));
    WM_TRY(build_directory(caches, error));
    return wm_coherent_channels_init(caches, error);
}

enum wm_status wm_coherent_caches_new(const struct wm_coherent_caches_spec *spec,
                                      struct wm_coherent_caches **result, struct wm_error *error)
{
    struct wm_coherent_caches *caches;
    *result = NULL;
    WM_TRY(WM_ARRAY_NEW(caches, 1, error, "coherent caches in time"));
    caches->spec = *spec;
    wm_coherence_protocol_init(&caches->protocol, wm_coherence_mesi_cache, wm_coherence_mesi_home);
    enum wm_status status = build(caches, spec, error);
    caches->spec.nodes = NULL;
    if (status != WM_OK) {
        wm_coherent_caches_free(caches);
        return status;
    }
    *result = caches;
    return WM_OK;
}

void wm_coherent_caches_free(struct wm_coherent_caches *caches)
{
    if (caches == NULL)
        return;
    for (uint32_t i = 0; i < caches->slice_count; i++) {
        free(caches->slices[i].own.lines);
        free(caches->slices[i].own.taken);
        free(caches->slices[i].own.prefetched);
        free(caches->slices[i].data);
        wm_coherent_records_release(&caches->slices[i].records);
    }
    wm_directory_release(&caches->own_directory);
    wm_coherent_channels_release(caches);
    wm_coherent_events_release(&caches->events);
    wm_coherent_rows_release(&caches->rows);
    free(caches->nodes);
    free(caches->slices);
    free(caches);
}

enum wm_coherent_answer wm_coherent_caches_access(struct wm_coherent_caches *caches,
                                                  struct wm_coherent_access *access, uint64_t now,
                                                  uint64_t *done)
{
    static const uint8_t kinds[WM_COHERENT_ACCESS_KINDS] = {
        [WM_COHERENT_LOAD] = WM_COHERENCE_LOAD,
        [WM_COHERENT_STORE] = WM_COHERENCE_STORE,
        [WM_COHERENT_LOCKED] = WM_COHERENCE_RMW_BEGIN,
    };
    const struct wm_coherent_tree_node *node = &caches->nodes[access->node];
    uint64_t index_line;
    struct wm_coherent_slice *slice =
        wm_coherent_slice_at(caches, access->node, access->line, &index_line);
    assert(now >= caches->now && slice->cache != NULL);
    caches->now = now;
    if (access->takes_look_up && slice->next_look_up > now)
        return WM_COHERENT_BUSY;
    struct wm_coherent_event event = {.when = now,
                                      .line = access->line,
                                      .ready = now + node->spec.latency,
                                      .begun = now,
                                      .token = access->token,
                                      .node = access->node,
                                      .sender = node->first_slice,
                                      .locked_cycles = access->locked_cycles,
                                      .sectors = access->sectors,
                                      .requester = access->requester,
                                      .kind = kinds[access->kind],
                                      .stage = WM_COHERENT_TAKEN,
                                      .peer = WM_COHERENCE_NOBODY,
                                      .writes_back = access->writes_back,
                                      .bypasses = access->bypasses,
                                      .looked_up = access->looked_up,
                                      .uncharged = access->uncharged};
    if (wm_coherent_is_explained(caches) && !wm_coherent_keep_bytes(caches, &event, access))
        caches->failed = true;
    enum wm_coherent_answer answer =
        wm_coherent_begin_access(caches, &event, &access->missed, done);
    if (wm_coherent_is_blocked(answer))
        wm_coherent_drop_bytes(caches, event.row);
    if (access->takes_look_up && !wm_coherent_is_blocked(answer))
        slice->next_look_up = now + 1;
    return answer;
}

static void run_event(struct wm_coherent_caches *caches, struct wm_coherent_event *event)
{
    if (event->kind == WM_COHERENT_READS_MEMORY || event->kind == WM_COHERENT_WRITES_MEMORY)
        wm_coherent_begin_bursts(caches, event);
    else if (wm_coherent_move(caches, event))
        wm_coherent_take(caches, event);
}

bool wm_coherent_caches_advance(struct wm_coherent_caches *caches, uint64_t until)
{
    while (!caches->failed) {
        uint64_t event_next = wm_coherent_events_next(&caches->events);
        uint64_t memory_next = caches->channels_next;
        uint64_t next = wm_earlier(event_next, memory_next);
        if (next > until || next == WM_NEVER)
            break;
        caches->now = next > caches->now ? next : caches->now;
        if (memory_next <= event_next) {
            wm_coherent_channels_advance(caches);
        } else {
            struct wm_coherent_event event = wm_coherent_events_take(&caches->events);
            run_event(caches, &event);
        }
    }
    if (until != WM_NEVER && until > caches->now)
        caches->now = until;
    return !caches->failed;
}

uint64_t wm_coherent_caches_next(struct wm_coherent_caches *caches)
{
    return wm_earlier(wm_coherent_events_next(&caches->events), caches->channels_next);
}

uint32_t wm_coherent_caches_slices(const struct wm_coherent_caches *caches, uint32_t node)
{
    return caches->nodes[node].spec.slices;
}

const struct wm_coherent_timing_counters *wm_coherent_caches_counters(
    const struct wm_coherent_caches *caches, uint32_t node, uint32_t slice)
{
    return &caches->slices[caches->nodes[node].first_slice + slice].counters;
}

const struct wm_link_counters *wm_coherent_caches_port(const struct wm_coherent_caches *caches,
                                                       uint32_t node, uint32_t slice, bool to_home)
{
    const struct wm_coherent_slice *of = &caches->slices[caches->nodes[node].first_slice + slice];
    return to_home ? &of->home_link : &of->child_link;
}

const struct wm_dram_channel *wm_coherent_caches_channel(const struct wm_coherent_caches *caches,
                                                         uint32_t channel)
{
    return caches->channels[channel].channel;
}

struct wm_coherence_line wm_coherent_caches_state(const struct wm_coherent_caches *caches,
                                                  uint32_t node, uint64_t line_number)
{
    uint64_t index_line;
    const struct wm_coherent_slice *slice =
        wm_coherent_slice_at(caches, node, line_number, &index_line);
    uint64_t slot = wm_coherent_slot_of(slice, line_number, index_line);
    const struct wm_coherent_record *record =
        wm_coherent_records_find(&slice->records, line_number);
    if (slot != WM_NO_SLOT)
        return slice->beside->lines[slot];
    if (slice->cache != NULL)
        return record != NULL ? record->state : (struct wm_coherence_line){0};
    const struct wm_coherence_line *line = wm_directory_find(caches->spec.directory, line_number);
    return line != NULL ? *line : (struct wm_coherence_line){.cache = WM_COHERENCE_CACHE_M};
}

bool wm_coherent_caches_are_busy(const struct wm_coherent_caches *caches, uint64_t line)
{
    for (uint32_t node = 0; node < caches->node_count; node++) {
        struct wm_coherence_line state = wm_coherent_caches_state(caches, node, line);
        uint64_t index_line;
        const struct wm_coherent_slice *slice =
            wm_coherent_slice_at(caches, node, line, &index_line);
        if (state.cache > WM_COHERENCE_CACHE_M || state.home > WM_COHERENCE_HOME_OWNED ||
            wm_coherent_records_find(&slice->records, line) != NULL)
            return true;
    }
    return false;
}

static void describe_record(const struct wm_coherent_caches *caches,
                            const struct wm_coherent_slice *slice,
                            const struct wm_coherent_record *record, struct wm_text *text)
{
    struct wm_coherence_line line = wm_coherent_caches_state(caches, slice->node, record->line);
    wm_text_format(text, "  cache %u, line 0x%llx: %s, %s", (unsigned)slice->node,
                   (unsigned long long)(record->line * caches->spec.line_bytes),
                   wm_coherence_state_name(WM_COHERENCE_CACHE, line.cache),
                   wm_coherence_state_name(WM_COHERENCE_HOME, line.home));
    for (uint32_t at = record->first; at != WM_COHERENT_NO_EVENT; at = caches->events.pool[at].next)
        wm_text_format(
            text, ", %s waits",
            wm_coherence_event_name((enum wm_coherence_event)caches->events.pool[at].kind));
    wm_text_add(text, "\n");
}

void wm_coherent_caches_describe(const struct wm_coherent_caches *caches, struct wm_text *text)
{
    for (uint32_t i = 0; i < caches->slice_count; i++) {
        const struct wm_coherent_records *records = &caches->slices[i].records;
        for (uint32_t at = 0; records->buckets != NULL && at <= records->bucket_mask; at++)
            for (const struct wm_coherent_record *record = records->buckets[at]; record != NULL;
                 record = record->next)
                if (record->first != WM_COHERENT_NO_EVENT || record->is_evicting)
                    describe_record(caches, &caches->slices[i], record, text);
    }
}
