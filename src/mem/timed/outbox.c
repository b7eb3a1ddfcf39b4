#include "mem/timed/outbox.h"

#include "base/containers/array.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>

enum wm_status wm_outbox_init(struct wm_outbox *out, struct wm_memory *memory,
                              const struct wm_timed_topology *topology, uint32_t room,
                              struct wm_error *error)
{
    const struct wm_interconnect_spec *network = &memory->spec.interconnect;
    *out = (struct wm_outbox){.memory = memory,
                              .topology = topology,
                              .room = room,
                              .packet_sectors = network->sectors,
                              .flit_bytes = network->flit_bytes};
    if (topology->invalidates)
        WM_TRY(wm_packet_queue_init(&out->responses, error));
    return wm_packet_queue_init(&out->packets, error);
}

void wm_outbox_release(struct wm_outbox *out)
{
    wm_packet_queue_release(&out->packets);
    wm_packet_queue_release(&out->responses);
    if (out->later != NULL)
        wm_packet_queue_release(&out->later->packets);
    free(out->later);
}

static inline bool goes_to_memory(const struct wm_sending *sending)
{
    return sending->to == NULL || sending->to->caches == NULL;
}

// The most that any of the sectors takes.
static uint8_t rounds_of(const struct wm_sending *sending, uint32_t sectors)
{
    uint8_t rounds = sending->least_rounds > 1 ? sending->least_rounds : 1;
    for (uint32_t rest = sending->rounds != NULL ? sectors : 0; rest != 0; rest &= rest - 1) {
        uint8_t of_sector = sending->rounds[__builtin_ctz(rest)];
        rounds = of_sector > rounds ? of_sector : rounds;
    }
    return rounds;
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
    packet->takes_over = sending->takes_over;
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
        packet->rounds = rounds_of(sending, sectors << at);
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
    uint64_t bytes = wm_sector_bytes(sending->sectors);
    bool writes = sending->client != WM_CACHE_LOAD;
    bool reads = !writes || (sending->client == WM_CACHE_ATOMIC && !sending->reduces);
    if (home != out->gpu)
        wm_count_crossing(memory, out->gpu, home, writes ? bytes : 0, reads ? bytes : 0);
    return home;
}

// Sectors from `at` on, of one line below, in the memory of GPU `home`.
static uint32_t send_part(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                          const struct wm_sending *sending, uint32_t home, uint32_t at,
                          uint32_t sectors)
{
    uint64_t rest_line, receiver, address = sending->address + (uint64_t)at * WM_SECTOR_BYTES;
    uint32_t packets = 0;
    if (goes_to_memory(sending)) {
        address = wm_address_in_memory(out->memory, address);
        wm_divide(&out->memory->channels, address >> out->memory->channel_shift, &receiver);
        receiver += out->topology->memory_receiver;
    } else {
        receiver = out->topology->receiver[sending->to->number] +
                   wm_level_slice(sending->to, address >> sending->to->line_shift, &rest_line);
    }
    receiver += home * out->topology->gpu_receivers;
    while (sectors != 0) {
        uint32_t rest = sectors;
        for (uint32_t i = 0; i < out->packet_sectors && rest != 0; i++)
            rest &= rest - 1;
        send_packet(out, cycle, who, sending, (uint32_t)receiver, at, sectors & ~rest);
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

static void count_dram(struct wm_memory *memory, uint64_t channel, uint32_t sectors,
                       uint32_t bursts, const struct wm_sending *sending)
{
    struct wm_dram_counters *dram = &memory->dram[channel];
    bool write = sending->client != WM_CACHE_LOAD;
    uint64_t bytes = wm_sector_bytes(sectors);
    *(write ? &dram->writes : &dram->reads) += 1;
    *(write ? &dram->bytes_written : &dram->bytes_read) += bytes;
    *(write ? &dram->write_bursts : &dram->read_bursts) += bursts;
    dram->bytes_transferred += (uint64_t)bursts * memory->spec.dram.access_bytes;
    sending->charged->memory_bytes += bytes;
}

// Sectors that lie in one channel's block, burst by burst.
static uint32_t send_to_channel(struct wm_outbox *out, uint64_t cycle,
                                const struct wm_sending *sending, uint32_t sectors)
{
    struct wm_memory *memory = out->memory;
    uint32_t step = memory->burst_sectors, bursts = 0;
    uint32_t burst = step >= 32 ? UINT32_MAX : (UINT32_C(1) << step) - 1;
    uint32_t at = (uint32_t)__builtin_ctz(sectors) / step * step;
    uint64_t channel, address = sending->address + (uint64_t)at * WM_SECTOR_BYTES;
    wm_divide(&memory->channels, wm_address_in_memory(memory, address) >> memory->channel_shift,
              &channel);
    channel += out->gpu * memory->channels.divisor;
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
    count_dram(memory, channel, sectors, bursts, sending);
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
    if (!sending->to_sm && sending->to != NULL && sending->kind != WM_PACKET_UPGRADE)
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

// --- Later ---

static bool push(struct wm_packet_queue *queue, const struct wm_packet *packet)
{
    struct wm_packet *place = wm_packet_queue_place(queue);
    if (place != NULL)
        *place = *packet;
    return place != NULL;
}

// Makes the first of what was sent later the first of all, if nothing else waits.
static void lead(struct wm_outbox *out)
{
    struct wm_outbox_later *later = out->later;
    const struct wm_packet *first = wm_packet_queue_head(&later->packets);
    if (first == NULL || wm_packet_queue_count(&out->packets) != 0)
        return;
    out->failed |= !push(&out->packets, first);
    wm_packet_queue_pop(&later->packets);
    later->leaves = true;
    out->room++;
}

void wm_outbox_follow(struct wm_outbox *out)
{
    out->room -= out->later->leaves;
    out->later->leaves = false;
    lead(out);
}

static bool begin_later(struct wm_outbox *out)
{
    struct wm_error ignored;
    if (out->later == NULL && WM_ARRAY_NEW(out->later, 1, &ignored, "prefetches") != WM_OK)
        return false;
    return out->later->packets.packets != NULL ||
           wm_packet_queue_init(&out->later->packets, &ignored) == WM_OK;
}

void wm_outbox_send_later(struct wm_outbox *out, uint64_t cycle, const struct wm_requester *who,
                          const struct wm_sending *sending)
{
    if (!begin_later(out)) {
        out->failed = true;
        return;
    }
    struct wm_packet_queue others = out->packets;
    out->packets = out->later->packets;
    wm_outbox_send(out, cycle, who, sending);
    out->later->packets = out->packets;
    out->packets = others;
    lead(out);
}

void wm_outbox_send_sooner(struct wm_outbox *out, uint64_t token)
{
    if (out->later == NULL) // out of memory, as out->failed says
        return;
    struct wm_packet_queue *later = &out->later->packets;
    for (uint32_t count = wm_packet_queue_count(later); count != 0; count--) {
        struct wm_packet packet = *wm_packet_queue_head(later);
        wm_packet_queue_pop(later);
        out->failed |= !push(packet.token == token ? &out->packets : later, &packet);
    }
}
