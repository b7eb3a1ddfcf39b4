// The crossbar's two ends: when packets leave and come, whose turn it is, and what credits do.
#include "base/numbers/random.h"
#include "mem/timed/network/crossbar.h"

#include <criterion/criterion.h>

enum { LATENCY = 7 };

static void new_output(struct wm_crossbar_output *output, uint32_t receivers, uint32_t depth)
{
    struct wm_error error;
    cr_assert_eq(wm_crossbar_output_init(output, receivers, LATENCY, depth, &error), WM_OK);
}

static void new_input(struct wm_crossbar_input *input, uint32_t senders, bool credits)
{
    struct wm_error error;
    cr_assert_eq(wm_crossbar_input_init(input, 3, senders, LATENCY, credits ? 0 : senders, &error),
                 WM_OK);
}

static struct wm_packet packet_of(uint64_t token, uint8_t flits)
{
    return (struct wm_packet){.token = token, .flits = flits};
}

static void arrives(struct wm_crossbar_input *input, uint32_t sender, uint64_t token, uint64_t when,
                    uint8_t flits)
{
    struct wm_packet packet = packet_of(token, flits);
    packet.when = when;
    cr_assert(wm_crossbar_input_add(input, sender, &packet));
}

static uint64_t take(struct wm_crossbar_input *input, uint64_t cycle)
{
    struct wm_packet packet;
    cr_assert_eq(wm_crossbar_input_ready(input, cycle), cycle, "in cycle %llu",
                 (unsigned long long)cycle);
    cr_assert(wm_crossbar_take(input, cycle, cycle, &packet));
    return packet.token;
}

Test(crossbar, flits_are_the_header_and_the_data)
{
    cr_expect_eq(wm_packet_flits(32, 0), 1, "8 bytes of 32");
    cr_expect_eq(wm_packet_flits(8, 0), 1);
    cr_expect_eq(wm_packet_flits(32, 24), 1, "just full");
    cr_expect_eq(wm_packet_flits(32, 32), 2);
    cr_expect_eq(wm_packet_flits(8, 128), 17);
    cr_expect_eq(wm_packet_flits(40, 128), 4);
}

// A packet of 3 flits that leaves in 10 is there in 10 + 7 + 2; the port sends again in 13.
Test(crossbar, a_port_sends_a_flit_a_cycle)
{
    struct wm_crossbar_output output;
    new_output(&output, 2, 0);
    struct wm_packet long_one = packet_of(1, 3), short_one = packet_of(2, 1);
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 10), 10);
    cr_assert(wm_crossbar_send(&output, &long_one, 0, 10));
    cr_assert_eq(output.sent[0].when, 19);
    cr_assert_eq(wm_crossbar_output_ready(&output, 1, 11), 13, "the port is one for all receivers");
    cr_assert(wm_crossbar_send(&output, &short_one, 1, 13));
    cr_assert_eq(output.sent[1].when, 20, "one flit takes the latency alone");
    cr_assert_eq(wm_crossbar_output_ready(&output, 1, 14), 14);
    cr_assert_eq(output.sent_count, 2);
    cr_assert_eq(output.counters.packets, 2);
    cr_assert_eq(output.counters.flits, 4);
    wm_crossbar_output_release(&output);
}

Test(crossbar, a_sender_waits_for_credits_of_its_receiver)
{
    struct wm_crossbar_output output;
    new_output(&output, 2, 2);
    struct wm_packet packet = packet_of(1, 1);
    cr_assert(wm_crossbar_send(&output, &packet, 0, 0));
    cr_assert(wm_crossbar_send(&output, &packet, 0, 1));
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 2), WM_NEVER, "two places are taken");
    cr_assert_eq(wm_crossbar_output_ready(&output, 1, 2), 2, "the other receiver's are not");
    wm_crossbar_credit(&output, 0, 20);
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 2), 20);
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 19), 20, "not before the credit is there");
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 20), 20);
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 21), 21);
    cr_assert(wm_crossbar_send(&output, &packet, 0, 21));
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 22), WM_NEVER);
    wm_crossbar_credit(&output, 0, 30);
    wm_crossbar_credit(&output, 0, 31);
    cr_assert(wm_crossbar_send(&output, &packet, 0, 30));
    cr_assert_eq(wm_crossbar_output_ready(&output, 0, 30), 31, "the second credit, and the port");
    wm_crossbar_output_release(&output);
}

Test(crossbar, a_packet_is_there_when_it_has_arrived_and_not_before)
{
    struct wm_crossbar_input input;
    new_input(&input, 2, false);
    cr_assert_eq(wm_crossbar_input_ready(&input, 5), WM_NEVER);
    arrives(&input, 0, 1, 20, 1);
    cr_assert_eq(wm_crossbar_input_ready(&input, 5), 20);
    cr_assert_eq(wm_crossbar_input_ready(&input, 19), 20);
    cr_assert_eq(take(&input, 20), 1);
    cr_assert_eq(wm_crossbar_input_ready(&input, 20), WM_NEVER);
    wm_crossbar_input_release(&input);
}

// Each packet takes the port as many cycles as it has flits.
Test(crossbar, senders_have_turns)
{
    struct wm_crossbar_input input;
    new_input(&input, 3, false);
    for (uint32_t sender = 0; sender < 3; sender++)
        for (uint64_t i = 0; i < 2; i++)
            arrives(&input, sender, sender * 10 + i, 4, 1);
    const uint64_t order[] = {0, 10, 20, 1, 11, 21};
    for (uint64_t i = 0; i < 6; i++)
        cr_expect_eq(take(&input, 4 + i), order[i]);
    arrives(&input, 2, 22, 20, 3);
    arrives(&input, 1, 12, 20, 1);
    cr_assert_eq(take(&input, 20), 12, "after 2 comes 0, which has none, then 1");
    cr_assert_eq(take(&input, 21), 22);
    arrives(&input, 0, 2, 22, 1);
    cr_assert_eq(wm_crossbar_input_ready(&input, 22), 24, "three flits");
    cr_assert_eq(take(&input, 24), 2);
    wm_crossbar_input_release(&input);
}

// One that has not arrived gives its turn away, and its sender's later packets stay behind it.
Test(crossbar, what_has_not_arrived_has_no_turn)
{
    struct wm_crossbar_input input;
    new_input(&input, 70, false);
    arrives(&input, 0, 1, 30, 1);
    arrives(&input, 0, 2, 31, 1);
    arrives(&input, 69, 3, 25, 1);
    arrives(&input, 64, 4, 25, 1);
    cr_assert_eq(take(&input, 25), 4, "from 0 on, the first that is there");
    cr_assert_eq(take(&input, 26), 3);
    cr_assert_eq(wm_crossbar_input_ready(&input, 27), 30);
    cr_assert_eq(take(&input, 30), 1);
    cr_assert_eq(take(&input, 31), 2);
    wm_crossbar_input_release(&input);
}

Test(crossbar, taking_a_packet_gives_a_credit_that_travels)
{
    struct wm_crossbar_input input;
    new_input(&input, 2, true);
    arrives(&input, 1, 1, 10, 2);
    take(&input, 12);
    cr_assert_eq(input.credit_count, 1);
    cr_assert_eq(input.credits[0].sender, 1);
    cr_assert_eq(input.credits[0].receiver, 3, "this one's number");
    cr_assert_eq(input.credits[0].when, 12 + LATENCY);
    // An owner with a slow clock takes in 20 what the port moved in 15.
    struct wm_packet packet;
    arrives(&input, 0, 2, 15, 1);
    cr_assert(wm_crossbar_take(&input, 15, 20, &packet));
    cr_assert_eq(input.credits[1].when, 20 + LATENCY, "not before the window's end");
    wm_crossbar_input_release(&input);
}

// --- Random traffic ---

enum { SENDERS = 5, RECEIVERS = 4, DEPTH = 3, CYCLES = 20000 };

struct network {
    struct wm_crossbar_output outputs[SENDERS];
    struct wm_crossbar_input inputs[RECEIVERS];
    uint64_t sent[SENDERS][RECEIVERS], taken[SENDERS][RECEIVERS]; // numbers of the last packets
    uint64_t in_flight[SENDERS][RECEIVERS];                       // without a credit given back
    uint64_t packets_taken;
};

static void new_network(struct network *network)
{
    struct wm_error error;
    *network = (struct network){0};
    for (uint32_t i = 0; i < SENDERS; i++)
        new_output(&network->outputs[i], RECEIVERS, DEPTH);
    for (uint32_t i = 0; i < RECEIVERS; i++)
        cr_assert_eq(wm_crossbar_input_init(&network->inputs[i], i, SENDERS, LATENCY, 0, &error),
                     WM_OK);
}

static void release_network(struct network *network)
{
    for (uint32_t i = 0; i < SENDERS; i++)
        wm_crossbar_output_release(&network->outputs[i]);
    for (uint32_t i = 0; i < RECEIVERS; i++)
        wm_crossbar_input_release(&network->inputs[i]);
}

static void hand_over(struct network *network, uint64_t now)
{
    for (uint32_t i = 0; i < SENDERS; i++) {
        struct wm_crossbar_output *output = &network->outputs[i];
        for (uint32_t n = 0; n < output->sent_count; n++) {
            cr_assert_geq(output->sent[n].when, now, "nothing arrives within its window");
            cr_assert(wm_crossbar_input_add(&network->inputs[output->sent[n].receiver], i,
                                            &output->sent[n]));
        }
        output->sent_count = 0;
    }
    for (uint32_t i = 0; i < RECEIVERS; i++) {
        struct wm_crossbar_input *input = &network->inputs[i];
        for (uint32_t n = 0; n < input->credit_count; n++) {
            const struct wm_crossbar_credit *credit = &input->credits[n];
            cr_assert_geq(credit->when, now);
            wm_crossbar_credit(&network->outputs[credit->sender], credit->receiver, credit->when);
            network->in_flight[credit->sender][credit->receiver]--;
        }
        input->credit_count = 0;
    }
}

static void random_send(struct network *network, struct wm_random *chance, uint32_t sender,
                        uint64_t cycle)
{
    uint32_t receiver = (uint32_t)wm_random_below(chance, RECEIVERS);
    struct wm_crossbar_output *output = &network->outputs[sender];
    bool room = network->in_flight[sender][receiver] < DEPTH;
    cr_assert_eq(wm_crossbar_output_ready(output, receiver, cycle) == WM_NEVER, !room);
    if (wm_crossbar_output_ready(output, receiver, cycle) != cycle)
        return;
    struct wm_packet packet = {.receiver = (uint16_t)receiver,
                               .sm = (uint16_t)sender,
                               .token = ++network->sent[sender][receiver],
                               .flits = (uint8_t)(1 + wm_random_below(chance, 4))};
    cr_assert(wm_crossbar_send(output, &packet, receiver, cycle));
    network->in_flight[sender][receiver]++;
}

static void take_one(struct network *network, uint32_t receiver, uint64_t cycle)
{
    struct wm_packet packet;
    if (wm_crossbar_input_ready(&network->inputs[receiver], cycle) != cycle)
        return;
    cr_assert(wm_crossbar_take(&network->inputs[receiver], cycle, cycle, &packet));
    cr_assert_leq(packet.when, cycle, "it has arrived");
    cr_assert_eq(packet.receiver, receiver);
    cr_assert_eq(packet.token, ++network->taken[packet.sm][receiver], "in the sender's order");
    network->packets_taken++;
}

// Windows as long as the latency, or shorter: every packet comes once, in its sender's order, and
// no receiver ever holds more of one sender than it has room for.
Test(crossbar, random_traffic_loses_and_repeats_nothing)
{
    struct wm_random chance;
    struct network network;
    uint64_t packets = 0;
    wm_random_init(&chance, 3, "crossbar");
    new_network(&network);
    for (uint64_t cycle = 0; cycle < CYCLES + 1000; cycle++) {
        for (uint32_t i = 0; i < SENDERS && cycle < CYCLES; i++)
            random_send(&network, &chance, i, cycle);
        for (uint32_t i = 0; i < RECEIVERS; i++)
            if (cycle >= CYCLES || wm_random_below(&chance, 3) != 0)
                take_one(&network, i, cycle);
        if (cycle % LATENCY == LATENCY - 1 || wm_random_below(&chance, 5) == 0)
            hand_over(&network, cycle + 1);
    }
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t j = 0; j < RECEIVERS; j++) {
            packets += network.sent[i][j];
            cr_expect_eq(network.taken[i][j], network.sent[i][j]);
            cr_expect_eq(network.in_flight[i][j], 0, "all credits are back");
        }
    cr_assert_eq(network.packets_taken, packets);
    cr_assert_gt(packets, CYCLES / 2, "it was traffic");
    release_network(&network);
}
