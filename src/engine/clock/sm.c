// An SM's cycles: replies come in, the load/store unit makes its requests, warps issue, packets go
// out. A cycle in which nothing of this can happen is passed over.
#include "engine/clock/warp_steps.h"

// --- Warps ---

// Prefetches what the scheduler's next instruction needs, as far as that is known: most often
// others have their turns before.
static inline void expect_next(const struct wm_clock_sm *sm, uint32_t index)
{
    const struct wm_issue_core *core = &sm->core;
    const struct wm_issue_scheduler *scheduler = &core->scheduler[index];
    uint64_t ready = scheduler->ready;
    if (sm->resident_warps < WM_CLOCK_MANY_WARPS || ready == 0)
        return;
    uint32_t next = wm_issue_first_behind(scheduler, ready) * core->schedulers + index;
    struct wm_clock_warp_slot at = sm->slots[next];
    const struct wm_clock_block_slot *place = &sm->places[at.place];
    const struct wm_work_ops *ops = place->run->work->ops;
    if (ops->expect == NULL)
        return;
    wm_issue_core_host_prefetch(core, next);
    if (core->warps[next].plain == 0)
        ops->expect(place->block, at.warp, core->warps[next].unit == WM_STEP_MEMORY);
}

// What a scheduler issues in `cycle`, of those warps first that it may.
static inline void issue_of(struct wm_clock_sm *sm, uint32_t scheduler, uint64_t allowed,
                            uint64_t cycle)
{
    uint32_t left = sm->issue_width;
    do {
        int32_t slot = wm_issue_core_choose(&sm->core, scheduler, allowed);
        if (slot == WM_NO_WARP)
            return;
        if (sm->core.warps[slot].plain != 0)
            wm_clock_pass_plain(sm, (uint32_t)slot, cycle);
        else
            wm_clock_execute(sm, (uint32_t)slot, cycle);
        expect_next(sm, scheduler);
    } while (--left != 0 && (allowed = wm_issue_core_allowed(&sm->core, scheduler, cycle)) != 0);
}

// No warp becomes ready by what others issue in the same cycle.
static void issue(struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t schedulers = wm_issue_core_ready(&sm->core, cycle);
    for (; schedulers != 0; schedulers &= schedulers - 1) {
        uint32_t scheduler = (uint32_t)__builtin_ctzll(schedulers);
        uint64_t allowed = wm_issue_core_allowed(&sm->core, scheduler, cycle);
        if (allowed == 0)
            continue;
        if (__builtin_expect(sm->front_end.machine_code != NULL, false))
            wm_clock_sm_issue_estimated(sm, scheduler, allowed, cycle);
        else
            issue_of(sm, scheduler, allowed, cycle);
    }
}

// --- The interconnect ---

void wm_clock_sm_reply(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle)
{
    if (__builtin_expect(packet->client >= WM_PACKET_REFUSAL, false)) {
        wm_timed_unit_refused(&sm->timed, cycle, packet);
        return;
    }
    if (wm_clock_is_between(sm->clock, packet->from)) {
        wm_clock_group_node_reply(sm->clock, packet, cycle);
        return;
    }
    if (__builtin_expect(packet->client == WM_PACKET_INVALIDATION, false)) {
        wm_timed_unit_invalidate(&sm->timed, cycle, packet);
        sm->retries = true; // ways may be free
        return;
    }
    sm->unit.requests_replied++;
    sm->unit.round_trip_cycles += cycle - packet->sent;
    sm->retries = true;
    sm->served = packet->to == WM_TO_MEMORY ? WM_SERVED_MEMORY : WM_SERVED_LEVEL + packet->to;
    bool at_once = packet->from != WM_LEVEL_L1 ||
                   sm->clock->machine->memory.levels[WM_LEVEL_L1].return_sectors == 0;
    void (*done)(void *context, uint64_t token) =
        at_once ? wm_load_store_done : wm_load_store_returned;
    wm_timed_unit_reply(&sm->timed, cycle, packet, sm->cpu != NULL ? wm_clock_core_done : done, sm);
}

static void take_replies(struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t now = wm_clock_floor(&sm->to_network, cycle);
    for (;;) {
        uint64_t ready = wm_crossbar_input_ready(&sm->input, 0);
        if (ready > now)
            return;
        struct wm_packet packet;
        if (!wm_crossbar_take(&sm->input, ready, now, &packet))
            sm->failed = true;
        if (__builtin_expect(sm->input.credit_count != 0, false))
            wm_clock_return_credits(sm);
        if (__builtin_expect(packet.to_sm && !packet.supplied, false))
            wm_timed_unit_supply(&sm->timed, cycle, &packet);
        else
            wm_clock_sm_reply(sm, &packet, cycle);
    }
}

static uint32_t way_of(const struct wm_clock_sm *sm, const struct wm_packet *packet)
{
    return __builtin_expect(packet->to_sm, false) ? wm_clock_way_to_sm(sm, packet->receiver)
                                                  : wm_crossbar_way(&sm->output, packet->receiver);
}

// It waits for a place where it goes.
static uint64_t ready_to_send(const struct wm_clock_sm *sm, const struct wm_packet *packet,
                              uint64_t now)
{
    return wm_crossbar_output_ready(&sm->output, way_of(sm, packet), now);
}

static bool send_to_slice(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t now)
{
    uint32_t way = wm_crossbar_way(&sm->output, packet->receiver);
    wm_crossbar_count_stall(&sm->output, way, wm_clock_convert(&sm->to_network, packet->when));
    return wm_crossbar_send(&sm->output, packet, way, now);
}

bool wm_clock_sm_send(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle)
{
    uint64_t now = wm_clock_convert(&sm->to_network, cycle);
    if (ready_to_send(sm, packet, now) > now)
        return false;
    sm->failed |= !send_to_slice(sm, packet, now);
    return true;
}

// The first cycle of the interconnect, from `now` on, in which an acknowledgement can leave.
static uint64_t ready_to_respond(const struct wm_clock_sm *sm, const struct wm_packet *packet,
                                 uint64_t now)
{
    now = sm->output.free > now ? sm->output.free : now; // of the port
    return wm_crossbar_output_ready(&sm->responses,
                                    wm_crossbar_way(&sm->responses, packet->receiver), now);
}

bool wm_clock_sm_respond(struct wm_clock_sm *sm, const struct wm_packet *packet, uint64_t cycle)
{
    uint64_t now = wm_clock_convert(&sm->to_network, cycle);
    if (ready_to_respond(sm, packet, now) > now)
        return false;
    uint32_t way = wm_crossbar_way(&sm->responses, packet->receiver);
    sm->failed |= !wm_crossbar_send(&sm->responses, packet, way, now);
    sm->output.free = sm->responses.free;
    sm->output.counters.packets++;
    sm->output.counters.flits += packet->flits;
    return true;
}

static void send_responses(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_packet_queue *responses = &sm->timed.out.responses;
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(responses)) != NULL && packet->when <= cycle &&
           wm_clock_send_response(sm->clock, packet, cycle))
        wm_packet_queue_pop(responses);
}

// What was refused goes again, before what waits for the first time.
static void send_refused(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_packet_queue *refused = &sm->timed.refused;
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(refused)) != NULL && packet->when <= cycle &&
           wm_clock_sm_send(sm, packet, cycle))
        wm_packet_queue_pop(refused);
}

static void send_packets(struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t now = wm_clock_convert(&sm->to_network, cycle);
    const struct wm_packet *packet;
    if (__builtin_expect(wm_clock_sm_has_others(sm), false)) {
        send_responses(sm, cycle);
        send_refused(sm, cycle);
    }
    while ((packet = wm_packet_queue_head(&sm->timed.out.packets)) != NULL &&
           packet->when <= cycle) {
        if (wm_clock_is_between(sm->clock, packet->to) && !packet->to_sm) {
            if (wm_clock_group_node_ready(sm->clock, packet, cycle) > cycle)
                return;
            wm_clock_send_to_group_node(sm->clock, packet, cycle);
        } else if (ready_to_send(sm, packet, now) > now) {
            return;
        } else if (packet->to_sm) {
            wm_clock_send_to_sm(sm, packet, now);
        } else if (!send_to_slice(sm, packet, now)) {
            sm->failed = true;
        }
        wm_outbox_pop(&sm->timed.out);
        sm->retries = true;
    }
}

// --- Time ---

static void expect_reply(struct wm_clock_sm *sm)
{
    sm->reply_due = wm_clock_convert(&sm->from_network, wm_crossbar_input_ready(&sm->input, 0));
}

// When the first of the acknowledgements may leave.
static uint64_t next_response(const struct wm_clock_sm *sm, uint64_t cycle)
{
    const struct wm_packet *packet = wm_packet_queue_head(&sm->timed.out.responses);
    if (packet == NULL)
        return WM_NEVER;
    uint64_t when = packet->when > cycle ? packet->when : cycle;
    if (wm_clock_is_between(sm->clock, packet->to))
        return when;
    uint64_t ready = ready_to_respond(sm, packet, wm_clock_convert(&sm->to_network, when));
    uint64_t free = wm_clock_convert(&sm->from_network, ready);
    return free > when ? free : when;
}

// And the first of what was refused.
static uint64_t next_refused(const struct wm_clock_sm *sm, uint64_t cycle)
{
    const struct wm_packet *packet = wm_packet_queue_head(&sm->timed.refused);
    if (packet == NULL)
        return WM_NEVER;
    uint64_t when = packet->when > cycle ? packet->when : cycle;
    uint64_t ready = ready_to_send(sm, packet, wm_clock_convert(&sm->to_network, when));
    uint64_t free = wm_clock_convert(&sm->from_network, ready);
    return free > when ? free : when;
}

// From `cycle` on. Whether a packet of a later cycle has a place is looked up then: that it has
// none is rare, and by then the place has been prefetched.
static void expect_request(struct wm_clock_sm *sm, uint64_t cycle)
{
    const struct wm_packet *packet = wm_packet_queue_head(&sm->timed.out.packets);
    sm->packet_due = WM_NEVER;
    if (packet == NULL)
        return;
    uint64_t when = packet->when > cycle ? packet->when : cycle;
    if (wm_clock_is_between(sm->clock, packet->to) && !packet->to_sm) {
        sm->packet_due = wm_clock_group_node_ready(sm->clock, packet, when);
        return;
    }
    uint64_t ready = wm_clock_convert(&sm->to_network, when);
    if (packet->when <= cycle)
        ready = ready_to_send(sm, packet, ready);
    else
        ready = sm->output.free > ready ? sm->output.free : ready;
    uint64_t free = wm_clock_convert(&sm->from_network, ready);
    sm->packet_due = free > when ? free : when;
}

static inline void expect_packet(struct wm_clock_sm *sm, uint64_t cycle)
{
    expect_request(sm, cycle);
    if (__builtin_expect(wm_clock_sm_has_others(sm), false))
        sm->packet_due = wm_earlier(sm->packet_due,
                                    wm_earlier(next_response(sm, cycle), next_refused(sm, cycle)));
}

void wm_clock_sm_expect_arrival(struct wm_clock_sm *sm)
{
    expect_reply(sm);
    sm->due = wm_earlier(sm->due, sm->reply_due);
}

void wm_clock_sm_expect_credit(struct wm_clock_sm *sm, uint64_t when)
{
    if (!wm_clock_sm_has_packets(sm))
        return;
    sm->packet_due = wm_earlier(sm->packet_due, wm_clock_convert(&sm->from_network, when));
    sm->due = wm_earlier(sm->due, sm->packet_due);
}

static inline uint64_t find_next_cycle(const struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t next = sm->memory_due;
    if (__builtin_expect(sm->cpu == NULL, true))
        next = wm_earlier(next, wm_issue_core_next(&sm->core, cycle));
    next = wm_earlier(next, sm->reply_due);
    next = wm_earlier(next, sm->packet_due);
    if (sm->throttle != NULL)
        next = wm_earlier(next, wm_clock_throttle_next(sm, cycle));
    if (__builtin_expect(sm->code != NULL, false) && wm_clock_code_is_queued(sm))
        next = cycle;
    return next > cycle ? next : cycle;
}

static uint64_t next_cycle(const struct wm_clock_sm *sm, uint64_t cycle)
{
    return find_next_cycle(sm, cycle);
}

enum { EXPECTED_DONE = 16, EXPECTED_PACKETS = 8 }; // that the host prefetches in a window

static void expect_packets(const struct wm_clock_sm *sm)
{
    const struct wm_packet_queue *out = &sm->timed.out.packets;
    for (uint32_t i = out->first; i != out->end && i - out->first < EXPECTED_PACKETS; i++) {
        const struct wm_packet *packet = &out->packets[i & out->mask];
        if (!packet->to_sm && !wm_clock_is_between(sm->clock, packet->to)) // other ways
            wm_crossbar_output_host_prefetch(&sm->output,
                                             wm_crossbar_way(&sm->output, packet->receiver));
    }
}

static void expect_replies(const struct wm_clock_sm *sm)
{
    const struct wm_crossbar_input *input = &sm->input;
    uint32_t end = input->arrivals_taken + EXPECTED_PACKETS;
    end = end < input->arrival_count ? end : input->arrival_count;
    for (uint32_t i = input->arrivals_taken; i < end; i++) {
        const struct wm_packet *packet = wm_crossbar_input_of(input, input->arrivals[i].sender);
        if (packet != NULL)
            wm_timed_unit_host_prefetch_reply(&sm->timed, packet);
    }
}

// Prefetches what a window will change, as far as that is known at its beginning: since the SM's
// last one all other islands have been in its caches.
static void expect_window(const struct wm_clock_sm *sm)
{
    const struct wm_clock_completion_queue *hits = &sm->hits;
    for (uint32_t i = hits->first; i != hits->end && i - hits->first < EXPECTED_DONE; i++)
        __builtin_prefetch(&sm->ops[hits->items[i & hits->mask].op], 1);
    expect_packets(sm);
    expect_replies(sm);
}

// From `cycle` on, with nothing known from before.
static void look_ahead(struct wm_clock_sm *sm, uint64_t cycle)
{
    expect_window(sm);
    expect_reply(sm);
    expect_packet(sm, cycle);
    sm->memory_due =
        sm->cpu != NULL ? wm_clock_core_next(sm, cycle) : wm_load_store_next(sm, cycle);
}

// Parts that have nothing to do in `cycle` are passed over. Where the interconnect has a clock of
// its own, a packet may go in any cycle in which something else happens.
static void run_cycle(struct wm_clock_sm *sm, uint64_t cycle, bool one_clock)
{
    bool replies = sm->reply_due <= cycle;
    sm->cycle = cycle;
    if (replies) {
        take_replies(sm, cycle);
        expect_reply(sm);
    }
    bool memory = replies || sm->memory_due <= cycle;
    if (memory) {
        wm_load_store_run(sm, cycle);
        if (sm->packet_due == WM_NEVER || wm_clock_sm_has_others(sm))
            expect_packet(sm, cycle);
    }
    if (__builtin_expect(sm->code != NULL, false))
        wm_clock_code_run(sm);
    bool packets = sm->packet_due <= cycle || !one_clock;
    if (sm->throttle != NULL)
        wm_clock_throttle_find(sm, cycle);
    issue(sm, cycle);
    if (packets) {
        send_packets(sm, cycle);
        expect_packet(sm, cycle + 1);
    }
    if (memory || packets)
        sm->memory_due = wm_load_store_next(sm, cycle + 1);
    if (__builtin_expect(sm->code != NULL, false) && sm->packet_due == WM_NEVER)
        expect_packet(sm, cycle + 1);
    sm->acted = cycle + 1;
}

// The same of a CPU core.
static void run_core_cycle(struct wm_clock_sm *sm, uint64_t cycle, bool one_clock)
{
    sm->cycle = cycle;
    if (sm->reply_due <= cycle) {
        take_replies(sm, cycle);
        expect_reply(sm);
    }
    if (sm->retries)
        wm_clock_core_retry(sm, cycle);
    wm_clock_core_run(sm, cycle);
    expect_packet(sm, cycle);
    if (sm->packet_due <= cycle || !one_clock) {
        send_packets(sm, cycle);
        expect_packet(sm, cycle + 1);
    }
    if (sm->retries)
        wm_clock_core_retry(sm, cycle + 1);
    sm->memory_due = wm_clock_core_next(sm, cycle + 1);
    sm->acted = cycle + 1;
}

// All before `last` is done; the SM acts next in `cycle`.
static void end_window(struct wm_clock_sm *sm, uint64_t last, uint64_t cycle)
{
    sm->cycle = last;
    sm->failed |= sm->timed.out.failed;
    if (sm->throttle != NULL)
        wm_clock_throttle_update_counters(sm);
    sm->clock->islands[sm->index] = (struct wm_island_status){
        .next = cycle != WM_NEVER ? wm_clock_floor(&sm->to_network, cycle) : WM_NEVER,
        .window = sm->clock->windows,
        .failed = sm->failed,
        .finished = sm->finished_blocks != 0,
        .sent = sm->output.sent_count != 0 || sm->responses.sent_count != 0,
    };
}

// The next cycle behind a window, `cycle`, and where that is a packet's, whether it has a place:
// the next window begins where something happens.
static uint64_t settle_next(struct wm_clock_sm *sm, uint64_t cycle)
{
    if (cycle != sm->packet_due || cycle == WM_NEVER)
        return cycle;
    expect_packet(sm, cycle);
    return next_cycle(sm, cycle);
}

void wm_clock_sm_run(struct wm_clock_sm *sm, uint64_t end)
{
    uint64_t last = wm_clock_convert(&sm->from_network, end), cycle;
    bool one_clock = sm->to_network.from == sm->to_network.to;
    look_ahead(sm, sm->cycle);
    for (uint64_t from = sm->cycle; (cycle = find_next_cycle(sm, from)) < last; from = cycle + 1)
        run_cycle(sm, cycle, one_clock);
    end_window(sm, last, settle_next(sm, cycle));
}

// --- For groups ---

uint64_t wm_clock_sm_look_ahead(struct wm_clock_sm *sm)
{
    look_ahead(sm, sm->cycle);
    return next_cycle(sm, sm->cycle);
}

void wm_clock_sm_cycle(struct wm_clock_sm *sm, uint64_t cycle, bool one_clock)
{
    (sm->cpu != NULL ? run_core_cycle : run_cycle)(sm, cycle, one_clock);
}

uint64_t wm_clock_sm_due(struct wm_clock_sm *sm, uint64_t cycle)
{
    return next_cycle(sm, cycle);
}

void wm_clock_sm_end_window(struct wm_clock_sm *sm, uint64_t last, uint64_t cycle)
{
    if (cycle != sm->inbox.due)
        cycle = wm_earlier(settle_next(sm, cycle), sm->inbox.due);
    end_window(sm, last, cycle);
}

// --- The end of a launch ---

static uint64_t next_flush_cycle(struct wm_clock_sm *sm, uint64_t cycle)
{
    look_ahead(sm, cycle);
    return sm->flush.next != sm->flush.count ? cycle : next_cycle(sm, cycle);
}

static void write_back_next(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_clock_flush *flush = &sm->flush;
    uint32_t no_instruction = sm->clock->table.instruction_count;
    if (flush->next != flush->count &&
        wm_timed_unit_write_back(&sm->timed, cycle, flush->lines[flush->next], no_instruction))
        flush->next++;
}

void wm_clock_sm_flush(struct wm_clock_sm *sm, uint64_t end)
{
    uint64_t last = wm_clock_convert(&sm->from_network, end), cycle;
    for (cycle = next_flush_cycle(sm, sm->cycle); cycle < last;
         cycle = next_flush_cycle(sm, cycle + 1)) {
        sm->cycle = cycle;
        take_replies(sm, cycle);
        write_back_next(sm, cycle);
        send_packets(sm, cycle);
        sm->acted = cycle + 1;
    }
    end_window(sm, last, sm->flush.next != sm->flush.count ? cycle : settle_next(sm, cycle));
}
