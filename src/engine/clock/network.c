// Butterflies between the SMs and the slices of L2, one in each direction. They belong to no
// window: between two they run as far as what their ends have sent is known, which is further by
// the length of a wire than the ends are; so what leaves them is known for a window of two wires
// (docs/engine-clock.md).
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <inttypes.h>
#include <stdlib.h>

struct wm_clock_network {
    struct wm_network_ends ends;
    struct wm_butterfly requests, replies;
    struct wm_butterfly responses; // acknowledgements; of machines with inclusive levels
};

enum wm_status wm_clock_network_init(struct wm_clock *clock, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    struct wm_network_ends ends = wm_network_ends_of(memory);
    clock->window = ends.window;
    if (ends.stages == 0)
        return WM_OK;
    struct wm_clock_network *network;
    WM_TRY(WM_ARRAY_NEW(network, 1, error, "the interconnect"));
    network->ends = ends;
    clock->network = network;
    struct wm_butterfly_spec requests = {.senders = clock->sm_count,
                                         .receivers = clock->topology.receivers,
                                         .radix = memory->interconnect.radix,
                                         .to_first = ends.send,
                                         .from_last = ends.receive,
                                         .depth = memory->interconnect.buffer,
                                         .receiver_depth = memory->interconnect.buffer};
    struct wm_butterfly_spec replies = requests;
    replies.senders = requests.receivers;
    replies.receivers = requests.senders;
    replies.receiver_depth = 0; // replies have the place that their requests reserved
    replies.to_sms = true;
    WM_TRY(wm_butterfly_init(&network->requests, &requests, error));
    requests.receiver_depth = 0; // nor do they ever wait
    if (clock->topology.invalidates)
        WM_TRY(wm_butterfly_init(&network->responses, &requests, error));
    return wm_butterfly_init(&network->replies, &replies, error);
}

void wm_clock_network_release(struct wm_clock *clock)
{
    if (clock->network == NULL)
        return;
    wm_butterfly_release(&clock->network->requests);
    wm_butterfly_release(&clock->network->replies);
    wm_butterfly_release(&clock->network->responses);
    free(clock->network);
}

// --- What its ends hand over ---

static bool take_sent(struct wm_butterfly *to, uint32_t sender, struct wm_crossbar_output *output)
{
    bool ok = true;
    for (uint32_t i = 0; i < output->sent_count; i++)
        ok = ok && wm_butterfly_add(to, sender, &output->sent[i]);
    output->sent_count = 0;
    return ok;
}

bool wm_clock_network_take(struct wm_clock *clock)
{
    struct wm_clock_network *network = clock->network;
    bool ok = true;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        ok = take_sent(&network->requests, i, &clock->sms[i].output) && ok;
        ok = take_sent(&network->responses, i, &clock->sms[i].responses) && ok;
    }
    for (uint32_t i = 0; i < clock->topology.receivers; i++) {
        struct wm_partition_slice *slice = clock->receivers[i].slice;
        ok = take_sent(&network->replies, i, &slice->output) && ok;
        struct wm_crossbar_input *input = &slice->input;
        for (uint32_t n = 0; n < input->credit_count; n++)
            wm_butterfly_credit(&network->requests, i, input->credits[n].when);
        input->credit_count = 0;
    }
    return ok;
}

// --- What it hands over to them ---

static bool give_requests(struct wm_clock *clock, struct wm_butterfly *network)
{
    bool ok = true, responds = network == &clock->network->responses;
    for (uint32_t i = 0; i < network->out_count; i++) {
        const struct wm_packet *packet = &network->out[i];
        const struct wm_clock_receiver *to = &clock->receivers[packet->receiver];
        ok = ok &&
             wm_crossbar_input_add(responds ? &to->slice->responses : &to->slice->input, 0, packet);
        wm_clock_partition_expect(clock, to->partition, packet->when);
    }
    for (uint32_t i = 0; i < network->credit_count; i++) {
        const struct wm_crossbar_credit *credit = &network->credits[i];
        struct wm_clock_sm *to = &clock->sms[credit->sender];
        wm_crossbar_credit(responds ? &to->responses : &to->output, 0, credit->when);
        if (wm_clock_sm_has_packets(to))
            wm_clock_sm_expect(to, credit->when);
    }
    network->out_count = network->credit_count = 0;
    return ok;
}

static bool give_replies(struct wm_clock *clock, struct wm_butterfly *network)
{
    bool ok = true;
    for (uint32_t i = 0; i < network->out_count; i++) {
        struct wm_clock_sm *to = &clock->sms[network->out[i].sm];
        ok = ok && wm_crossbar_input_add(&to->input, 0, &network->out[i]);
        wm_clock_sm_expect(to, network->out[i].when);
    }
    for (uint32_t i = 0; i < network->credit_count; i++) {
        const struct wm_crossbar_credit *credit = &network->credits[i];
        const struct wm_clock_receiver *to = &clock->receivers[credit->sender];
        wm_crossbar_credit(&to->slice->output, 0, credit->when);
        wm_clock_partition_expect(clock, to->partition, credit->when);
    }
    network->out_count = network->credit_count = 0;
    return ok;
}

// --- Time ---

uint64_t wm_clock_network_next(const struct wm_clock *clock)
{
    const struct wm_clock_network *network = clock->network;
    uint64_t next = wm_earlier(network->requests.next, network->replies.next);
    if (clock->topology.invalidates)
        next = wm_earlier(next, network->responses.next);
    return next != WM_NEVER ? next + network->ends.send : WM_NEVER;
}

bool wm_clock_network_run(struct wm_clock *clock)
{
    struct wm_clock_network *network = clock->network;
    uint64_t end = clock->now + network->ends.send;
    bool ok = wm_butterfly_run(&network->requests, end);
    ok = wm_butterfly_run(&network->replies, end) && ok;
    ok = give_requests(clock, &network->requests) && ok;
    if (clock->topology.invalidates)
        ok = wm_butterfly_run(&network->responses, end) &&
             give_requests(clock, &network->responses) && ok;
    return give_replies(clock, &network->replies) && ok;
}

// --- For its owner ---

size_t wm_clock_network_stages(const struct wm_clock *clock)
{
    return clock->network != NULL ? clock->network->ends.stages : 0;
}

const struct wm_switch_counters *wm_clock_network_counters(const struct wm_clock *clock,
                                                           bool replies, uint32_t stage)
{
    return &(replies ? &clock->network->replies : &clock->network->requests)->counters[stage];
}

void wm_clock_network_describe(const struct wm_clock *clock, struct wm_text *text)
{
    const struct wm_clock_network *network = clock->network;
    if (network != NULL)
        wm_text_format(text,
                       "interconnect: %" PRIu32 " requests and %" PRIu32 " replies in switches\n",
                       network->requests.packet_count, network->replies.packet_count);
}
