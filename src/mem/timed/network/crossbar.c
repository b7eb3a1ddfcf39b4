#include "mem/timed/network/crossbar.h"

#include "base/containers/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_LINK_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_link_counter_set = {
    .kind = "link",
    .title = "output port of the interconnect",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum { NO_SENDER = -1, FIRST_ROOM = 16 };
#define NONE UINT32_MAX

// --- The sending end ---

enum wm_status wm_crossbar_output_init(struct wm_crossbar_output *output, uint32_t receivers,
                                       uint32_t latency, uint32_t depth, struct wm_error *error)
{
    *output = (struct wm_crossbar_output){
        .latency = latency, .depth = depth, .one_way = receivers == 1, .sent_room = FIRST_ROOM};
    output->sent = wm_packets_new(output->sent_room);
    output->sent_to = malloc(output->sent_room * sizeof *output->sent_to);
    output->next_place = calloc(receivers, sizeof *output->next_place);
    output->next_credit = calloc(receivers, sizeof *output->next_credit);
    bool ok = output->sent != NULL && output->sent_to != NULL && output->next_place != NULL &&
              output->next_credit != NULL;
    if (depth != 0) {
        output->places = calloc((size_t)receivers * depth, sizeof *output->places);
        ok = ok && output->places != NULL;
    }
    return ok ? WM_OK : wm_fail_no_memory(error, "the interconnect");
}

void wm_crossbar_output_release(struct wm_crossbar_output *output)
{
    free(output->places);
    free(output->next_place);
    free(output->next_credit);
    free(output->sent);
    free(output->sent_to);
    *output = (struct wm_crossbar_output){0};
}

void wm_crossbar_count_stall(struct wm_crossbar_output *output, uint32_t receiver, uint64_t ready)
{
    if (output->places == NULL)
        return;
    uint64_t place = wm_crossbar_output_place(output, receiver);
    uint64_t from = output->free > ready ? output->free : ready;
    output->counters.stalled_credit += place > from ? place - from : 0;
}

static bool grow_sent(struct wm_crossbar_output *output)
{
    size_t room = 2 * (size_t)output->sent_room;
    if (!WM_ARRAY_RESIZE(output->sent_to, room) ||
        !wm_packets_grow(&output->sent, output->sent_count, room))
        return false;
    output->sent_room *= 2;
    return true;
}

bool wm_crossbar_send(struct wm_crossbar_output *output, const struct wm_packet *packet,
                      uint32_t receiver, uint64_t cycle)
{
    if (output->sent_count == output->sent_room && !grow_sent(output))
        return false;
    if (output->places != NULL) {
        output->places[(size_t)receiver * output->depth + output->next_place[receiver]] = WM_NEVER;
        uint16_t *next = &output->next_place[receiver];
        *next = (uint16_t)(*next + 1U == output->depth ? 0U : *next + 1U);
    }
    output->sent_to[output->sent_count] = (uint16_t)receiver;
    struct wm_packet *sent = &output->sent[output->sent_count++];
    *sent = *packet;
    // The last flit follows the first; with it the packet is there.
    sent->when = cycle + output->latency + packet->flits - 1;
    output->free = cycle + packet->flits;
    output->counters.packets++;
    output->counters.flits += packet->flits;
    return true;
}

// Places of one receiver are given back in the order in which they were taken.
void wm_crossbar_credit(struct wm_crossbar_output *output, uint32_t receiver, uint64_t when)
{
    uint16_t *next = &output->next_credit[receiver];
    output->places[(size_t)receiver * output->depth + *next] = when;
    *next = (uint16_t)(*next + 1U == output->depth ? 0U : *next + 1U);
    output->credited = true;
}

// --- The receiving end ---

enum wm_status wm_crossbar_input_init(struct wm_crossbar_input *input, uint32_t index,
                                      uint32_t senders, uint32_t latency, uint32_t credited_from,
                                      struct wm_error *error)
{
    *input = (struct wm_crossbar_input){.latency = latency,
                                        .senders = senders,
                                        .index = index,
                                        .held_room = FIRST_ROOM,
                                        .free_held = NONE,
                                        .arrival_room = FIRST_ROOM,
                                        .credit_room = FIRST_ROOM,
                                        .credited_from = credited_from};
    input->lines = malloc(senders * sizeof *input->lines);
    input->held = wm_packets_new(input->held_room);
    input->next = malloc(input->held_room * sizeof *input->next);
    input->arrived = calloc((senders + 63) / 64, sizeof *input->arrived);
    input->arrivals = malloc(input->arrival_room * sizeof *input->arrivals);
    input->credits = malloc(input->credit_room * sizeof *input->credits);
    if (input->lines == NULL || input->held == NULL || input->next == NULL ||
        input->arrived == NULL || input->arrivals == NULL || input->credits == NULL)
        return wm_fail_no_memory(error, "the interconnect");
    memset(input->lines, 0xff, senders * sizeof *input->lines); // NONE
    for (uint32_t i = 0; i < input->held_room; i++)
        input->next[i] = i + 1 < input->held_room ? i + 1 : NONE;
    input->free_held = 0;
    return WM_OK;
}

void wm_crossbar_input_release(struct wm_crossbar_input *input)
{
    free(input->lines);
    free(input->held);
    free(input->next);
    free(input->arrived);
    free(input->arrivals);
    free(input->credits);
    *input = (struct wm_crossbar_input){0};
}

static bool grow_held(struct wm_crossbar_input *input)
{
    uint32_t room = input->held_room;
    if (!WM_ARRAY_RESIZE(input->next, 2 * (size_t)room) ||
        !wm_packets_grow(&input->held, room, 2 * (size_t)room))
        return false;
    for (uint32_t i = room; i < 2 * room; i++)
        input->next[i] = i + 1 < 2 * room ? i + 1 : NONE;
    input->free_held = room;
    input->held_room = 2 * room;
    return true;
}

// What has come makes room first; then the array grows.
static bool make_arrival_room(struct wm_crossbar_input *input)
{
    if (input->arrivals_taken > 0) {
        input->arrival_count -= input->arrivals_taken;
        memmove(input->arrivals, input->arrivals + input->arrivals_taken,
                input->arrival_count * sizeof *input->arrivals);
        input->arrivals_taken = 0;
    }
    return WM_ARRAY_RESERVE(input->arrivals, input->arrival_count, input->arrival_room, 1);
}

bool wm_crossbar_input_add(struct wm_crossbar_input *input, uint32_t sender,
                           const struct wm_packet *packet)
{
    if (input->free_held == NONE && !grow_held(input))
        return false;
    if (input->arrival_count == input->arrival_room && !make_arrival_room(input))
        return false;
    uint32_t index = input->free_held;
    input->free_held = input->next[index];
    input->held[index] = *packet;
    input->next[index] = NONE;
    struct wm_crossbar_fifo *line = &input->lines[sender];
    *(line->first == NONE ? &line->first : &input->next[line->last]) = index;
    line->last = index;
    input->held_count++;
    input->added = true;
    uint32_t at = input->arrival_count++;
    const struct wm_crossbar_arrival *before = input->arrivals;
    for (; at > input->arrivals_taken && before[at - 1].when > packet->when; at--)
        input->arrivals[at] = before[at - 1];
    input->arrivals[at] = (struct wm_crossbar_arrival){.when = packet->when, .sender = sender};
    return true;
}

// Whatever arrives until `cycle` is there.
static void arrive(struct wm_crossbar_input *input, uint64_t cycle)
{
    while (input->arrivals_taken < input->arrival_count &&
           input->arrivals[input->arrivals_taken].when <= cycle) {
        uint32_t sender = input->arrivals[input->arrivals_taken++].sender;
        uint64_t bit = UINT64_C(1) << sender % 64;
        input->arrived_count += (input->arrived[sender / 64] & bit) == 0;
        input->arrived[sender / 64] |= bit;
    }
    if (input->arrivals_taken == input->arrival_count)
        input->arrivals_taken = input->arrival_count = 0;
}

// The next sender in turn with an arrived packet, or NO_SENDER.
static int32_t next_sender(const struct wm_crossbar_input *input)
{
    uint32_t words = (input->senders + 63) / 64, word = input->turn / 64;
    uint64_t bits = input->arrived[word] >> input->turn % 64 << input->turn % 64;
    for (uint32_t i = 0; i <= words; i++) {
        if (bits != 0)
            return (int32_t)(word * 64 + (uint32_t)__builtin_ctzll(bits));
        word = word + 1 == words ? 0 : word + 1;
        bits = input->arrived[word];
    }
    return NO_SENDER;
}

static bool give_credit(struct wm_crossbar_input *input, uint32_t sender, uint64_t when)
{
    return WM_ARRAY_ADD(
        input->credits, input->credit_count, input->credit_room,
        (struct wm_crossbar_credit){.when = when, .sender = sender, .receiver = input->index});
}

bool wm_crossbar_take(struct wm_crossbar_input *input, uint64_t cycle, uint64_t now,
                      struct wm_packet *packet)
{
    arrive(input, cycle);
    int32_t found = next_sender(input);
    assert(found != NO_SENDER);
    uint32_t sender = (uint32_t)found, index = input->lines[sender].first,
             next = input->next[index];
    *packet = input->held[index];
    input->lines[sender].first = next;
    if (next == NONE || input->held[next].when > cycle) {
        input->arrived[sender / 64] &= ~(UINT64_C(1) << sender % 64);
        input->arrived_count--;
    }
    input->next[index] = input->free_held;
    input->free_held = index;
    input->held_count--;
    input->turn = sender + 1 == input->senders ? 0 : sender + 1;
    input->free = cycle + packet->flits;
    return sender < input->credited_from || give_credit(input, sender, now + input->latency);
}
