#include "mem/timed/l1_send.h"

#include "mem/system/memory_state.h"

// The number that a packet carries to where its bytes are; 0 where L2 does not need them.
static uint32_t note_bytes(struct wm_timed_l1 *l1, const uint32_t *bytes)
{
    uint32_t row = wm_byte_mask_pool_put(&l1->written, bytes);
    l1->failed |= row == 0;
    return row;
}

void wm_l1_push(struct wm_timed_l1 *l1, const struct wm_packet *packet)
{
    if (!wm_packet_queue_push(&l1->out, packet))
        l1->failed = true;
}

// The next place in the queue, for the caller to fill; NULL, which l1->failed remembers.
static inline struct wm_packet *place_packet(struct wm_timed_l1 *l1)
{
    struct wm_packet *packet = wm_packet_queue_place(&l1->out);
    if (packet == NULL)
        l1->failed = true;
    return packet;
}

// Which of the packet's sectors are whole.
static inline uint32_t full_sectors(const struct wm_request *request,
                                    const struct wm_l1_packet_kind *kind, uint32_t sectors)
{
    if (kind->client == WM_CACHE_STORE)
        return request->full_sectors & sectors;
    return kind->client == WM_CACHE_WRITEBACK ? sectors & ~kind->partly : 0;
}

// The most that any of the sectors takes.
static uint8_t rounds_of(const struct wm_timed_l1 *l1, uint32_t sectors)
{
    uint8_t rounds = 1;
    for (uint32_t rest = l1->rounds != NULL ? sectors : 0; rest != 0; rest &= rest - 1) {
        uint8_t of_sector = l1->rounds[__builtin_ctz(rest)];
        rounds = of_sector > rounds ? of_sector : rounds;
    }
    return rounds;
}

// Written field by field where it stays: made elsewhere and copied, the copy's loads would wait for
// these stores, and for all before them.
static void send_part(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                      const struct wm_l1_packet_kind *kind, uint32_t sectors)
{
    struct wm_packet *packet = place_packet(l1);
    if (packet == NULL)
        return;
    enum wm_cache_client client = kind->client;
    uint64_t index_line, line = request->address >> l1->memory->l2_line_shift;
    *packet = (struct wm_packet){0};
    packet->address = request->address;
    packet->when = cycle + l1->latency_below;
    packet->sent = cycle;
    packet->token = kind->token;
    packet->sectors = sectors;
    packet->full_sectors = full_sectors(request, kind, sectors);
    packet->pc = request->pc;
    packet->sm = (uint16_t)l1->sm;
    packet->slice = (uint16_t)wm_memory_slice(l1->memory, line, &index_line);
    packet->warp = (uint16_t)request->warp;
    packet->client = (uint8_t)client;
    packet->hint = (uint8_t)request->hint;
    packet->fills = kind->fills;
    packet->replies = kind->replies;
    packet->read_no_allocate = kind->read_no_allocate;
    packet->reduces = kind->reduces;
    if (client == WM_CACHE_ATOMIC)
        packet->rounds = rounds_of(l1, sectors);
    packet->flits =
        wm_packet_flits(l1->flit_bytes, client != WM_CACHE_LOAD ? wm_sector_bytes(sectors) : 0);
    if (__builtin_expect(l1->sends_byte_masks, false) && kind->bytes != NULL &&
        packet->full_sectors != sectors)
        packet->written = note_bytes(l1, kind->bytes);
    if (__builtin_expect(kind->to_sm, false)) {
        packet->to_sm = true;
        packet->slice = (uint16_t)kind->holder;
    }
}

uint32_t wm_l1_send(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                    const struct wm_l1_packet_kind *kind, uint32_t sectors)
{
    uint32_t packets = 0;
    while (sectors != 0) {
        uint32_t rest = sectors;
        for (uint32_t i = 0; i < l1->packet_sectors && rest != 0; i++)
            rest &= rest - 1;
        send_part(l1, cycle, request, kind, sectors & ~rest);
        sectors = rest;
        packets++;
    }
    return packets;
}

uint32_t wm_l1_send_store(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          uint64_t token, uint32_t sectors)
{
    const struct wm_l1_packet_kind store = {.client = WM_CACHE_STORE,
                                            .replies = l1->store_replies,
                                            .token = token,
                                            .bytes = request->bytes};
    uint32_t packets = wm_l1_send(l1, cycle, request, &store, sectors);
    return l1->store_replies ? packets : 0;
}

void wm_l1_send_victim(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                       struct wm_cache *cache, const struct wm_cache_victim *victim)
{
    struct wm_request write_back = *request;
    write_back.address = victim->line << cache->line_shift;
    cache->counters.bytes_to_below += wm_sector_bytes(victim->dirty);
    request->instruction_counters->levels[WM_LEVEL_L2].bytes += wm_sector_bytes(victim->dirty);
    const struct wm_l1_packet_kind kind = {
        .client = WM_CACHE_WRITEBACK, .partly = victim->partly, .bytes = victim->bytes};
    wm_l1_send(l1, cycle, &write_back, &kind, victim->dirty);
}

void wm_timed_l1_supply(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_packet *access)
{
    struct wm_packet answer = *access;
    answer.when = cycle + l1->latency;
    answer.slice = access->sm;
    answer.supplied = true;
    answer.flits = wm_packet_flits(l1->flit_bytes, wm_sector_bytes(access->sectors));
    wm_l1_push(l1, &answer);
}
