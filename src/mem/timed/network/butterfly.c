#include "mem/timed/network/butterfly.h"

#include "base/containers/array.h"
#include "mem/timed/topology.h"

#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_SWITCH_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_switch_counter_set = {
    .kind = "switches",
    .title = "stage of the interconnect's switches",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

#define NONE UINT32_MAX

// --- Building ---

uint32_t wm_butterfly_stages(uint32_t senders, uint32_t receivers, uint32_t radix)
{
    uint64_t ends = senders > receivers ? senders : receivers, width = radix;
    uint32_t stages = 1;
    for (; width < ends; width *= radix)
        stages++;
    return stages;
}

struct wm_network_ends wm_network_ends_of(const struct wm_memory_spec *spec)
{
    const struct wm_interconnect_spec *network = &spec->interconnect;
    const struct wm_tracker_spec *tracker = &spec->levels[WM_LEVEL_L1].tracker;
    uint32_t each = tracker->sms_each < spec->sm_count ? tracker->sms_each : spec->sm_count;
    uint32_t peers = tracker->present ? each : 0;
    if (network->topology == WM_CROSSBAR)
        return (struct wm_network_ends){.send = network->latency,
                                        .receive = network->latency,
                                        .requests = wm_timed_receivers(spec),
                                        .replies = wm_memory_units(spec),
                                        .peers = peers,
                                        .window = network->latency};
    uint32_t stages = wm_butterfly_stages(spec->sm_count, wm_timed_receivers(spec), network->radix);
    uint32_t wires = network->latency - stages;
    return (struct wm_network_ends){.stages = stages,
                                    .send = wires / 2,
                                    .receive = wires - wires / 2,
                                    .requests = 1,
                                    .replies = 1,
                                    .peers = peers,
                                    .depth = network->buffer,
                                    .window = wires / 2 * 2};
}

static uint32_t words_of(const struct wm_butterfly *network)
{
    return (network->width + 63) / 64;
}

// Digits, and the places of the buffers behind outputs: those of the next stage, or the receivers'.
static void build_outputs(struct wm_butterfly *network)
{
    uint32_t width = network->width, weight = width;
    uint64_t *places = network->places;
    for (uint32_t stage = 0; stage < network->stages; stage++) {
        bool last = stage + 1 == network->stages;
        uint32_t depth = last ? network->spec.receiver_depth : network->spec.depth;
        weight /= network->spec.radix;
        network->weights[stage] = weight;
        for (uint32_t position = 0; position < width; position++) {
            size_t at = (size_t)stage * width + position;
            network->digits[at] = position / weight % network->spec.radix;
            network->outputs[at].places = depth != 0 ? places : NULL;
            places += depth;
            network->inputs[at].first = NONE;
        }
    }
}

enum wm_status wm_butterfly_init(struct wm_butterfly *network, const struct wm_butterfly_spec *spec,
                                 struct wm_error *error)
{
    uint32_t stages = wm_butterfly_stages(spec->senders, spec->receivers, spec->radix), width = 1;
    for (uint32_t i = 0; i < stages; i++)
        width *= spec->radix;
    *network = (struct wm_butterfly){.spec = *spec,
                                     .stages = stages,
                                     .width = width,
                                     .free_packet = NONE,
                                     .next = WM_NEVER,
                                     .out_room = 64,
                                     .credit_room = 64};
    size_t ports = (size_t)stages * width;
    size_t places = (ports - width) * spec->depth + (size_t)width * spec->receiver_depth;
    network->digits = malloc(ports * sizeof *network->digits);
    network->weights = malloc(stages * sizeof *network->weights);
    network->inputs = calloc(ports, sizeof *network->inputs);
    network->outputs = calloc(ports, sizeof *network->outputs);
    network->places = calloc(places + 1, sizeof *network->places);
    network->waiting = calloc((size_t)stages * words_of(network), sizeof *network->waiting);
    network->requesting = calloc(width, sizeof *network->requesting);
    network->requested = malloc(width * sizeof *network->requested);
    network->out = malloc(network->out_room * sizeof *network->out);
    network->credits = malloc(network->credit_room * sizeof *network->credits);
    network->counters = calloc(stages, sizeof *network->counters);
    if (network->digits == NULL || network->weights == NULL || network->inputs == NULL ||
        network->outputs == NULL || network->places == NULL || network->waiting == NULL ||
        network->requesting == NULL || network->requested == NULL || network->out == NULL ||
        network->credits == NULL || network->counters == NULL)
        return wm_fail_no_memory(error, "the interconnect");
    build_outputs(network);
    return WM_OK;
}

void wm_butterfly_release(struct wm_butterfly *network)
{
    free(network->digits);
    free(network->weights);
    free(network->inputs);
    free(network->outputs);
    free(network->places);
    free(network->waiting);
    free(network->requesting);
    free(network->requested);
    free(network->packets);
    free(network->out);
    free(network->credits);
    free(network->counters);
    *network = (struct wm_butterfly){0};
}

// --- Buffers ---

static bool grow_packets(struct wm_butterfly *network)
{
    uint32_t before = network->packet_room;
    if (!WM_ARRAY_RESERVE(network->packets, before, network->packet_room, 1))
        return false;
    for (uint32_t i = before; i < network->packet_room; i++)
        network->packets[i].next = i + 1 < network->packet_room ? i + 1 : NONE;
    network->free_packet = before;
    return true;
}

static uint64_t *waiting_word(struct wm_butterfly *network, uint32_t stage, uint32_t position)
{
    return &network->waiting[stage * words_of(network) + position / 64];
}

static void enqueue(struct wm_butterfly *network, uint32_t stage, uint32_t position, uint32_t index)
{
    struct wm_butterfly_input *input = &network->inputs[(size_t)stage * network->width + position];
    network->packets[index].next = NONE;
    if (input->first == NONE)
        input->first = index;
    else
        network->packets[input->last].next = index;
    input->last = index;
    *waiting_word(network, stage, position) |= UINT64_C(1) << position % 64;
}

static uint32_t dequeue(struct wm_butterfly *network, uint32_t stage, uint32_t position)
{
    struct wm_butterfly_input *input = &network->inputs[(size_t)stage * network->width + position];
    uint32_t index = input->first;
    input->first = network->packets[index].next;
    if (input->first == NONE)
        *waiting_word(network, stage, position) &= ~(UINT64_C(1) << position % 64);
    return index;
}

static void host_prefetch(struct wm_butterfly *network, uint64_t cycle)
{
    network->next = cycle < network->next ? cycle : network->next;
}

bool wm_butterfly_add(struct wm_butterfly *network, uint32_t sender, const struct wm_packet *packet)
{
    if (network->free_packet == NONE && !grow_packets(network))
        return false;
    uint32_t index = network->free_packet;
    struct wm_butterfly_packet *place = &network->packets[index];
    network->free_packet = place->next;
    place->packet = *packet;
    place->packet.when = packet->when - packet->flits + 1;
    network->packet_count++;
    enqueue(network, 0, sender, index);
    host_prefetch(network, place->packet.when);
    return true;
}

// --- Credits ---

static uint64_t place_of(const struct wm_butterfly_output *output)
{
    return output->places != NULL ? output->places[output->take] : 0;
}

static void take_place(struct wm_butterfly_output *output, uint32_t depth)
{
    if (output->places == NULL)
        return;
    output->places[output->take] = WM_NEVER;
    output->take = output->take + 1 == depth ? 0 : output->take + 1;
}

// Places are given back in the order in which they were taken.
static void give_place(struct wm_butterfly_output *output, uint32_t depth, uint64_t when)
{
    output->places[output->give] = when;
    output->give = output->give + 1 == depth ? 0 : output->give + 1;
}

void wm_butterfly_credit(struct wm_butterfly *network, uint32_t receiver, uint64_t when)
{
    size_t last = (size_t)(network->stages - 1) * network->width;
    give_place(&network->outputs[last + receiver], network->spec.receiver_depth, when);
    if (network->packet_count != 0)
        host_prefetch(network, when);
}

static bool credit_sender(struct wm_butterfly *network, uint32_t sender, uint64_t when)
{
    return WM_ARRAY_ADD(network->credits, network->credit_count, network->credit_room,
                        (struct wm_crossbar_credit){.when = when, .sender = sender});
}

// --- A cycle ---

static bool send_out(struct wm_butterfly *network, uint32_t index, uint64_t cycle)
{
    if (!WM_ARRAY_RESERVE(network->out, network->out_count, network->out_room, 1))
        return false;
    struct wm_butterfly_packet *packet = &network->packets[index];
    struct wm_packet *out = &network->out[network->out_count++];
    *out = packet->packet;
    out->when = cycle + network->spec.from_last + packet->packet.flits;
    packet->next = network->free_packet;
    network->free_packet = index;
    network->packet_count--;
    return true;
}

// The first packet of an input moves to `to` of the same stage.
static bool pass_on(struct wm_butterfly *network, uint32_t stage, uint32_t from, uint32_t to,
                    uint64_t cycle)
{
    uint32_t width = network->width, index = dequeue(network, stage, from);
    bool last = stage + 1 == network->stages;
    struct wm_butterfly_input *input = &network->inputs[(size_t)stage * width + from];
    struct wm_butterfly_output *output = &network->outputs[(size_t)stage * width + to];
    struct wm_packet *packet = &network->packets[index].packet;
    uint64_t ready = packet->when > input->free ? packet->when : input->free;
    uint64_t end = cycle + packet->flits;
    input->free = output->free = end;
    take_place(output, last ? network->spec.receiver_depth : network->spec.depth);
    uint32_t digit = network->digits[(size_t)stage * width + from] + 1;
    output->turn = digit == network->spec.radix ? 0 : digit;
    network->counters[stage].packets++;
    network->counters[stage].flits += packet->flits;
    network->counters[stage].waited += cycle - ready;
    bool ok = true;
    if (stage == 0)
        ok = credit_sender(network, from, end + network->spec.to_first);
    else
        give_place(&network->outputs[(size_t)(stage - 1) * width + from], network->spec.depth,
                   end + 1);
    if (last)
        return ok && send_out(network, index, cycle);
    packet->when = cycle + 1;
    enqueue(network, stage + 1, to, index);
    return ok;
}

// Whether the first packet of an input can move in `cycle`: then it requests its output, else
// `*next` is the cycle in which it may.
static bool access(struct wm_butterfly *network, uint32_t stage, uint32_t position, uint64_t cycle,
                   uint64_t *next, uint32_t *to)
{
    size_t base = (size_t)stage * network->width;
    const struct wm_butterfly_input *input = &network->inputs[base + position];
    const struct wm_packet *packet = &network->packets[input->first].packet;
    uint32_t receiver = network->spec.to_sms ? packet->sm : packet->receiver;
    uint32_t mine = network->digits[base + position], its = network->digits[base + receiver];
    *to = position + its * network->weights[stage] - mine * network->weights[stage];
    const struct wm_butterfly_output *output = &network->outputs[base + *to];
    uint64_t when = packet->when, place = place_of(output);
    when = input->free > when ? input->free : when;
    when = output->free > when ? output->free : when;
    when = place > when ? place : when;
    if (when <= cycle)
        return true;
    *next = when < *next ? when : *next;
    return false;
}

// Each output that is requested takes a packet from the input whose turn it is.
static bool grant(struct wm_butterfly *network, uint32_t stage, uint32_t requested, uint64_t cycle)
{
    size_t base = (size_t)stage * network->width;
    bool ok = true;
    for (uint32_t i = 0; i < requested; i++) {
        uint32_t to = network->requested[i];
        uint64_t inputs = network->requesting[to], turn = network->outputs[base + to].turn;
        uint64_t later = inputs >> turn << turn;
        uint32_t digit = (uint32_t)__builtin_ctzll(later != 0 ? later : inputs);
        uint32_t weight = network->weights[stage];
        uint32_t from = to - network->digits[base + to] * weight + digit * weight;
        network->requesting[to] = 0;
        ok = pass_on(network, stage, from, to, cycle) && ok;
    }
    return ok;
}

static bool run_stage(struct wm_butterfly *network, uint32_t stage, uint64_t cycle, uint64_t *next)
{
    uint32_t requested = 0, to, words = words_of(network);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t bits = network->waiting[stage * words + word];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t position = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (!access(network, stage, position, cycle, next, &to))
                continue;
            if (network->requesting[to] == 0)
                network->requested[requested++] = to;
            network->requesting[to] |=
                UINT64_C(1) << network->digits[(size_t)stage * network->width + position];
        }
    }
    if (requested != 0)
        *next = cycle + 1;
    return grant(network, stage, requested, cycle);
}

bool wm_butterfly_run(struct wm_butterfly *network, uint64_t end)
{
    bool ok = true;
    while (network->next < end && ok) {
        uint64_t cycle = network->next, next = WM_NEVER;
        // Whatever a switch does now the others see in a later cycle.
        for (uint32_t stage = network->stages; stage-- > 0;)
            ok = run_stage(network, stage, cycle, &next) && ok;
        network->next = next;
    }
    return ok;
}
