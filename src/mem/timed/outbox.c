#include "mem/timed/outbox.h"

#include "base/containers/array.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>

enum wm_status wm_outbox_init(struct wm_outbox *out, struct wm_memory *memory,
                              const struct wm_timed_topology *topology, uint32_t room,
                              struct wm_error *error)
{
    const struct wm_interconnect_spec *network = &memory->spec.interconnect;
    *out =
        (struct wm_outbox){.memory = memory,
                           .topology = topology,
                           .room = room,
                           .packet_sectors = network->sectors,
                           .atomics_by_sector = memory->spec.levels[WM_LEVEL_L2].atomic_by_sector,
                           .flit_bytes = network->flit_bytes};
    if (topology->invalidates)
        WM_TRY(wm_packet_queue_init(&out->responses, error));
    return wm_packet_queue_init(&out->packets, error);
}

void wm_outbox_release(struct wm_outbox *out)
{
    wm_packet_queue_release(&out->packets);
    wm_packet_queue_release(&out->responses);
    if (out->prefetches != NULL)
        wm_packet_queue_release(&out->prefetches->packets);
    free(out->prefetches);
}

static inline bool goes_to_memory(const struct wm_sending *sending)
{
    return sending->to == NULL || sending->to->caches == NULL;
}

// The most that any of the sectors takes, or, where the unit does one after the other, all of them.
static uint8_t rounds_of(const struct wm_outbox *out, const struct wm_sending *sending,
                         uint32_t sectors)
{
    uint32_t most = 1, sum = 0;
    for (uint32_t rest = sending->rounds != NULL ? sectors : 0; rest != 0; rest &= rest - 1) {
        uint32_t of_sector = sending->rounds[__builtin_ctz(rest)];
        most = of_sector > most ? of_sector : most;
        sum += of_sector > 1 ? of_sector : 1;
    }
    uint32_t rounds = out->atomics_by_sector && sum > most ? sum : most;
    return (uint8_t)(sending->least_rounds > rounds ? sending->least_rounds : rounds);
}

// The number that a packet carries to where its bytes are; 0 where nothing below needs them.
static uint32_t note_bytes(struct wm_outbox *out, const uint32_t *bytes, uint32_t sectors)
{
    uint32_t count = 32 - (uint32_t)__builtin_clz(sectors);
    uint32_t row = wm_byte_mask_pool_put(out->written, bytes, count);
    out->failed |= row == 0;
    return row;
}

// Written field by field where it stays: made elsewhere and copied, the copy's loads would wait for
// these stores, and for all before them.
static inline void send_packet(struct wm_outbox *out, uint64_t cycle,
                               const struct wm_requester *who, const struct wm_sending *sending,
                               uint32_t receiver, uint32_t at, uint32_t sectors)
{
    struct wm_packet *packet = wm_outbox_place(out);
    if (packet == NULL)
        return;
    enum wm_cache_client client = sending->client;
    *packet = (struct wm_packet){0};
    packet->address = sending->address + (uint64_t)at * WM_SECTOR_BYTES;
    packet->when = cycle + sending->latency;
    packet->sent = cycle;
    packet->token = sending->token;
    packet->sectors = sectors;
    packet->full_sectors = sending->full_sectors >> at & sectors;
    packet->pc = who->pc;
    packet->sm = (uint16_t)who->sm;
    packet->receiver = (uint16_t)receiver;
    packet->warp = (uint16_t)who->warp;
    packet->client = (uint8_t)(sending->kind != 0 ? sending->kind : (uint32_t)client);
    packet->takes_over = sending->takes_over & (uint32_t)WM_MOST_UPGRADES;
    packet->hint = (uint8_t)who->hint;
    packet->to = (uint8_t)(goes_to_memory(sending) ? WM_TO_MEMORY : sending->to->number);
    packet->from = sending->from;
    packet->replies = sending->replies;
    packet->no_allocate = sending->no_allocate;
    packet->reduces = sending->reduces;
    packet->uncharged = sending->uncharged;
    packet->walks = sending->walks;
    packet->cause = who->kind & 3u;
    packet->block =
        WM_PACKET_BLOCK & (out->blocks != NULL ? (uint32_t)out->blocks[who->warp] : out->block);
    if (client == WM_CACHE_ATOMIC)
        packet->rounds = rounds_of(out, sending, sectors << at);
    packet->flits =
        wm_packet_flits(out->flit_bytes, client != WM_CACHE_LOAD ? wm_sector_bytes(sectors) : 0);
    if (__builtin_expect(out->written != NULL, false) && sending->bytes != NULL &&
        packet->full_sectors != sectors)
        packet->written = note_bytes(out, sending->bytes + at, sectors);
    if (__builtin_expect(sending->to_sm, false)) {
        packet->to_sm = true;
        packet->receiver = (uint16_t)sending->holder;
    }
}

// The GPU whose memory, or cache before that, it goes to. Another's: the links between count it.
static uint32_t home_of(const struct wm_outbox *out, const struct wm_sending *sending)
{
    struct wm_memory *memory = out->memory;
    if (__builtin_expect(memory->gpus == 1, true) || sending->to_sm ||
        !wm_is_before_home(sending->to))
        return out->gpu;
    uint32_t home = wm_gpu_of_address(sending->address, memory->gpus, out->gpu);
    bool returns = sending->client == WM_CACHE_ATOMIC && !sending->reduces;
    if (home != out->gpu)
        wm_count_crossing(memory, out->gpu, home, sending->client, returns, sending->sectors);
    return home;
}

// Sectors from `at` on, of one line below, in the memory of GPU `home`.
static uint32_t send_part(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                          const struct wm_sending *sending, uint32_t home, uint32_t at,
                          uint32_t sectors)
{
    uint64_t rest_line, address = sending->address + (uint64_t)at * WM_SECTOR_BYTES;
    uint32_t receiver, packets = 0;
    if (goes_to_memory(sending)) {
        wm_channel_of(out->memory, address, &receiver);
        receiver += out->topology->memory_receiver;
    } else {
        uint32_t slice =
            wm_level_slice(sending->to, address >> sending->to->line_shift, &rest_line);
        if (__builtin_expect(sending->to->partitions > 1, false))
            slice = wm_slice_near(&out->memory->spec, sending->to, who->sm, slice);
        receiver = out->topology->receiver[sending->to->number] + slice;
    }
    receiver += home * out->topology->gpu_receivers;
    while (sectors != 0) {
        uint32_t rest = sectors;
        for (uint32_t i = 0; i < out->packet_sectors && rest != 0; i++)
            rest &= rest - 1;
        send_packet(out, cycle, who, sending, receiver, at, sectors & ~rest);
        sectors = rest;
        packets++;
    }
    return packets;
}

// The bytes that lie below in one place: a line, or, of memory, no more than a channel's block.
static inline uint64_t bytes_below(const struct wm_outbox *out, const struct wm_sending *sending)
{
    uint64_t line = sending->to != NULL ? sending->to->line_bytes : WM_CACHE_MAX_LINE_BYTES;
    uint64_t block = UINT64_C(1) << out->memory->channel_shift;
    return goes_to_memory(sending) && block < line ? block : line;
}

// --- To a channel ---

// Sectors that lie in one channel's block, burst by burst.
static uint32_t send_to_channel(struct wm_outbox *out, uint64_t cycle,
                                const struct wm_sending *sending, uint32_t sectors)
{
    struct wm_memory *memory = out->memory;
    uint32_t step = memory->burst_sectors, bursts = 0;
    uint32_t burst = step >= 32 ? UINT32_MAX : (UINT32_C(1) << step) - 1;
    uint32_t at = (uint32_t)__builtin_ctz(sectors) / step * step;
    uint32_t channel;
    wm_channel_of(memory, sending->address + (uint64_t)at * WM_SECTOR_BYTES, &channel);
    channel += out->gpu * (uint32_t)memory->channels.divisor;
    for (; at < 32 && sectors >> at != 0; at += step) {
        uint32_t part = sectors & burst << at;
        if (part == 0)
            continue;
        struct wm_packet *packet = wm_outbox_place(out);
        if (packet == NULL)
            return bursts;
        packet->address = sending->address + (uint64_t)at * WM_SECTOR_BYTES;
        packet->when = cycle;
        packet->token = sending->token;
        packet->sectors = part >> at;
        packet->receiver = (uint16_t)channel;
        packet->client = (uint8_t)sending->client;
        bursts++;
    }
    wm_count_dram(memory, channel, sending->client != WM_CACHE_LOAD, sectors, bursts,
                  sending->charged);
    return bursts;
}

static uint32_t send_bursts(struct wm_outbox *out, uint64_t cycle, const struct wm_sending *sending)
{
    uint64_t block_bytes = UINT64_C(1) << out->memory->channel_shift;
    if (__builtin_expect(block_bytes >= WM_CACHE_MAX_LINE_BYTES, 1))
        return send_to_channel(out, cycle, sending, sending->sectors);
    uint32_t block = (uint32_t)(block_bytes / WM_SECTOR_BYTES), bursts = 0;
    for (uint32_t at = 0; at < 32; at += block) {
        uint32_t part = sending->sectors & ((UINT32_C(1) << block) - 1) << at;
        bursts += part != 0 ? send_to_channel(out, cycle, sending, part) : 0;
    }
    return bursts;
}

// --- Both ---

uint32_t wm_outbox_send(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                        const struct wm_sending *sending)
{
    if (out->bursts)
        return send_bursts(out, cycle, sending);
    uint32_t packets = 0, sectors = sending->sectors;
    uint64_t bytes = wm_sector_bytes(sectors), below = bytes_below(out, sending);
    bool returns = sending->client == WM_CACHE_ATOMIC && !sending->reduces;
    bool crosses = sending->to != NULL && sending->from == sending->to->number;
    if (!sending->to_sm && sending->to != NULL && sending->kind != WM_PACKET_UPGRADE && !crosses)
        sending->charged->levels[sending->to->number].bytes += returns ? 2 * bytes : bytes;
    uint64_t within = sending->address & (below - 1);
    uint32_t home = home_of(out, sending);
    uint32_t part = (uint32_t)(below - within) / WM_SECTOR_BYTES;
    if (__builtin_expect(part >= 32 || sectors >> part == 0, true))
        return send_part(out, cycle, who, sending, home, 0, sectors);
    for (uint32_t at = 0; at < 32 && sectors >> at != 0; at += part) {
        uint32_t here = sectors >> at & ((UINT32_C(1) << part) - 1);
        packets += here != 0 ? send_part(out, cycle, who, sending, home, at, here) : 0;
    }
    return packets;
}

void wm_outbox_acknowledge(struct wm_outbox *out, uint64_t cycle,
                           const struct wm_packet *invalidation, uint32_t dirty, uint32_t part)
{
    if (invalidation->token == WM_NO_TOKEN && dirty == 0)
        return;
    struct wm_packet *packet = wm_packet_queue_place(&out->responses);
    out->failed |= packet == NULL;
    if (packet == NULL)
        return;
    *packet = *invalidation;
    packet->client = WM_PACKET_ACKNOWLEDGEMENT;
    packet->when = cycle;
    packet->sectors = dirty;
    packet->full_sectors = part;
    packet->flits = wm_packet_flits(out->flit_bytes, wm_sector_bytes(dirty));
}

// --- Prefetches ---

// The first prefetch may leave when nothing else waits.
static void send_first(struct wm_outbox *out)
{
    struct wm_prefetch_queue *prefetches = out->prefetches;
    const struct wm_packet *first = wm_packet_queue_head(&prefetches->packets);
    if (first == NULL || wm_packet_queue_count(&out->packets) != 0)
        return;
    out->failed |= !wm_packet_queue_push(&out->packets, first);
    wm_packet_queue_pop(&prefetches->packets);
    prefetches->leaves = true;
    out->room++;
}

void wm_outbox_next_prefetch(struct wm_outbox *out)
{
    out->room -= out->prefetches->leaves;
    out->prefetches->leaves = false;
    send_first(out);
}

static bool make_prefetch_queue(struct wm_outbox *out)
{
    struct wm_error ignored;
    if (out->prefetches == NULL &&
        WM_ARRAY_NEW(out->prefetches, 1, &ignored, "prefetches") != WM_OK)
        return false;
    return out->prefetches->packets.packets != NULL ||
           wm_packet_queue_init(&out->prefetches->packets, &ignored) == WM_OK;
}

void wm_outbox_send_prefetch(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                             const struct wm_sending *sending)
{
    if (!make_prefetch_queue(out)) {
        out->failed = true;
        return;
    }
    struct wm_packet_queue others = out->packets;
    out->packets = out->prefetches->packets;
    wm_outbox_send(out, cycle, who, sending);
    out->prefetches->packets = out->packets;
    out->packets = others;
    send_first(out);
}

void wm_outbox_promote_prefetch(struct wm_outbox *out, uint64_t token)
{
    if (out->prefetches == NULL) // out of memory, as out->failed says
        return;
    struct wm_packet_queue *prefetches = &out->prefetches->packets;
    for (uint32_t count = wm_packet_queue_count(prefetches); count != 0; count--) {
        struct wm_packet packet = *wm_packet_queue_head(prefetches);
        wm_packet_queue_pop(prefetches);
        out->failed |=
            !wm_packet_queue_push(packet.token == token ? &out->packets : prefetches, &packet);
    }
}
