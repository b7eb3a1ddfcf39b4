// Lines that the root reads from memory and writes back: bursts of DRAM channels.
#include "base/containers/array.h"
#include "base/containers/ring.h"
#include "mem/timed/coherent/caches_parts.h"

#include <stdlib.h>

enum wm_status wm_coherent_channels_init(struct wm_coherent_caches *caches, struct wm_error *error)
{
    const struct wm_coherent_caches_spec *spec = &caches->spec;
    // A command clock is stated by its period.
    uint64_t dram_hz = UINT64_C(1000000000000) / spec->dram->timing.clock_ps;
    caches->to_dram = wm_clock_ratio_of(spec->clock_hz, dram_hz);
    caches->from_dram = wm_clock_ratio_of(dram_hz, spec->clock_hz);
    caches->burst_bytes = wm_dram_burst_bytes(&spec->dram->organisation);
    if (caches->burst_bytes > spec->line_bytes)
        caches->burst_bytes = spec->line_bytes;
    WM_TRY(WM_ARRAY_NEW(caches->channels, spec->channels, error, "%u DRAM channels",
                        (unsigned)spec->channels));
    caches->channels_next = WM_NEVER;
    for (uint32_t i = 0; i < spec->channels; i++) {
        struct wm_coherent_channel *channel = &caches->channels[i];
        channel->next = WM_NEVER;
        channel->mask = WM_RING_FIRST_MASK;
        channel->bursts = wm_ring_new(sizeof *channel->bursts);
        if (channel->bursts == NULL)
            return wm_fail_no_memory(error, "a DRAM channel");
        WM_TRY(wm_dram_channel_new(spec->dram, &channel->channel, error));
    }
    return WM_OK;
}

void wm_coherent_channels_release(struct wm_coherent_caches *caches)
{
    for (uint32_t i = 0; caches->channels != NULL && i < caches->spec.channels; i++) {
        wm_dram_channel_free(caches->channels[i].channel);
        free(caches->channels[i].bursts);
    }
    free(caches->channels);
    free(caches->reads);
}

static struct wm_coherent_read *new_read(struct wm_coherent_caches *caches, uint32_t *number)
{
    uint32_t free = caches->free_read;
    if (free == caches->read_room && !WM_ARRAY_RESERVE(caches->reads, free, caches->read_room, 1)) {
        caches->failed = true;
        return NULL;
    }
    struct wm_coherent_read *read = &caches->reads[free];
    if (free == caches->fresh_read)
        read->next_free = ++caches->fresh_read;
    caches->free_read = read->next_free;
    *number = free;
    return read;
}

static void add_bursts(const struct wm_coherent_step *step, enum wm_coherent_memory_event kind,
                       uint32_t read)
{
    // The root has a way to memory, the directory is beside it, and has none.
    struct wm_coherent_event event = {.when = step->leave + step->node->spec.link_latency,
                                      .sequence = step->caches->sequence++,
                                      .line = step->event->line,
                                      .token = read,
                                      .sender = step->slice->number,
                                      .node = step->slice->node,
                                      .kind = (uint8_t)kind};
    wm_coherent_add(step->caches, &event);
}

static void use_memory(const struct wm_coherent_step *step, bool write)
{
    const struct wm_coherent_caches_spec *spec = &step->caches->spec;
    if (spec->uses_memory != NULL)
        spec->uses_memory(spec->context, step->event->line, write,
                          wm_coherent_charged(step->caches, step->event));
}

void wm_coherent_read_memory(struct wm_coherent_step *step, const struct wm_coherent_event *message)
{
    struct wm_coherent_caches *caches = step->caches;
    uint32_t number;
    struct wm_coherent_read *read = new_read(caches, &number);
    if (read == NULL)
        return;
    read->message = *message;
    read->message.origin = WM_COHERENT_MEMORY;
    if (caches->spec.watch.read_memory != NULL)
        read->message.data =
            caches->spec.watch.read_memory(caches->spec.context, step->event->line);
    read->begun = read->latest = step->leave;
    read->bursts = caches->spec.line_bytes / caches->burst_bytes;
    step->slice->counters.memory_reads++;
    use_memory(step, false);
    add_bursts(step, WM_COHERENT_READS_MEMORY, number);
}

void wm_coherent_write_memory(struct wm_coherent_step *step)
{
    struct wm_coherent_caches *caches = step->caches;
    if (caches->spec.watch.write_memory != NULL)
        caches->spec.watch.write_memory(caches->spec.context, step->event->line, *step->data);
    step->slice->counters.memory_writes++;
    use_memory(step, true);
    add_bursts(step, WM_COHERENT_WRITES_MEMORY, 0);
}

// As far as the channel has room.
static void issue_bursts(struct wm_coherent_caches *caches, struct wm_coherent_channel *channel)
{
    while (channel->first != channel->end) {
        const struct wm_coherent_burst *burst = &channel->bursts[channel->first & channel->mask];
        if (!wm_dram_channel_has_room(channel->channel, burst->write))
            break;
        struct wm_dram_request request = {
            .address = burst->address, .token = burst->token, .write = burst->write};
        wm_dram_channel_add(channel->channel, wm_clock_convert(&caches->to_dram, caches->now),
                            &request);
        channel->first++;
    }
    channel->next = wm_clock_convert(&caches->from_dram, wm_dram_channel_next(channel->channel));
    caches->channels_next = WM_NEVER;
    for (uint32_t i = 0; i < caches->spec.channels; i++)
        caches->channels_next = wm_earlier(caches->channels_next, caches->channels[i].next);
}

static void queue_burst(struct wm_coherent_caches *caches, struct wm_coherent_channel *channel,
                        const struct wm_coherent_burst *burst)
{
    if (channel->end - channel->first > channel->mask) {
        void *larger = wm_ring_grow(channel->bursts, sizeof *channel->bursts, &channel->mask,
                                    channel->first, channel->end);
        if (larger == NULL) {
            caches->failed = true;
            return;
        }
        channel->bursts = larger;
    }
    channel->bursts[channel->end++ & channel->mask] = *burst;
}

void wm_coherent_begin_bursts(struct wm_coherent_caches *caches,
                              const struct wm_coherent_event *event)
{
    const struct wm_coherent_map *map = &caches->spec.map;
    uint64_t first = event->line * caches->spec.line_bytes;
    for (uint32_t at = 0; at < caches->spec.line_bytes; at += caches->burst_bytes) {
        uint32_t number = 0;
        uint64_t address =
            map->channel != NULL ? map->channel(map->context, first + at, &number) : first + at;
        struct wm_coherent_burst burst = {address, event->token,
                                          event->kind == WM_COHERENT_WRITES_MEMORY};
        queue_burst(caches, &caches->channels[number], &burst);
        issue_bursts(caches, &caches->channels[number]);
    }
}

static void note_completion(void *context, const struct wm_dram_completion *done)
{
    struct wm_coherent_caches *caches = context;
    if (done->write)
        return;
    struct wm_coherent_read *read = &caches->reads[done->token];
    uint64_t cycle = wm_clock_convert(&caches->from_dram, done->cycle);
    read->latest = cycle > read->latest ? cycle : read->latest;
    if (--read->bursts != 0)
        return;
    struct wm_coherent_event message = read->message;
    struct wm_coherent_slice *slice = &caches->slices[message.sender];
    message.when = read->latest + caches->nodes[slice->node].spec.link_latency;
    slice->counters.memory_read_cycles += message.when - read->begun;
    read->next_free = caches->free_read;
    caches->free_read = (uint32_t)done->token;
    wm_coherent_add(caches, &message);
}

void wm_coherent_channels_advance(struct wm_coherent_caches *caches)
{
    for (uint32_t i = 0; i < caches->spec.channels; i++) {
        struct wm_coherent_channel *channel = &caches->channels[i];
        if (channel->next > caches->now)
            continue;
        wm_dram_channel_advance(channel->channel, wm_clock_floor(&caches->to_dram, caches->now),
                                note_completion, caches);
        issue_bursts(caches, channel);
    }
}
