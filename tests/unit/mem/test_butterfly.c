// The butterfly: closed forms by hand for ways alone, ways that share an output, and full buffers,
// on both sides of each edge; and random traffic against one that moves flit by flit.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "obvious_butterfly.h"

#include <criterion/criterion.h>
#include <string.h>

enum { TO_FIRST = 3, FROM_LAST = 4, DEPTH = 8 };

// 8 senders and receivers, 3 stages of 4 switches of 2 inputs.
static struct wm_butterfly_spec eight(void)
{
    return (struct wm_butterfly_spec){.senders = 8,
                                      .receivers = 8,
                                      .radix = 2,
                                      .to_first = TO_FIRST,
                                      .from_last = FROM_LAST,
                                      .depth = DEPTH};
}

static void new_network(struct wm_butterfly *network, const struct wm_butterfly_spec *spec)
{
    struct wm_error error;
    cr_assert_eq(wm_butterfly_init(network, spec, &error), WM_OK);
}

// A packet that its sender sent in `cycle`.
static void add(struct wm_butterfly *network, uint32_t sender, uint32_t receiver, uint64_t cycle,
                uint8_t flits)
{
    struct wm_packet packet = {.receiver = (uint16_t)receiver,
                               .sm = (uint16_t)sender,
                               .flits = flits,
                               .token = cycle,
                               .when = cycle + network->spec.to_first + flits - 1};
    cr_assert(wm_butterfly_add(network, sender, &packet));
}

// When the packet that `sender` sent in `cycle` is at its receiver.
static uint64_t arrival(const struct wm_butterfly *network, uint32_t sender, uint64_t cycle)
{
    for (uint32_t i = 0; i < network->out_count; i++)
        if (network->out[i].sm == sender && network->out[i].token == cycle)
            return network->out[i].when;
    return WM_NEVER;
}

Test(butterfly, stages_reach_the_larger_side)
{
    cr_expect_eq(wm_butterfly_stages(1, 1, 2), 1);
    cr_expect_eq(wm_butterfly_stages(2, 2, 2), 1);
    cr_expect_eq(wm_butterfly_stages(2, 3, 2), 2);
    cr_expect_eq(wm_butterfly_stages(80, 64, 2), 7);
    cr_expect_eq(wm_butterfly_stages(64, 64, 8), 2);
    cr_expect_eq(wm_butterfly_stages(65, 64, 8), 3);
    cr_expect_eq(wm_butterfly_stages(1024, 1024, 2), 10);
}

Test(butterfly, wires_take_what_stages_leave_of_the_latency)
{
    struct wm_memory_spec spec = {.sm_count = 80, .levels[WM_LEVEL_L2].slices = 64};
    spec.interconnect = (struct wm_interconnect_spec){
        .topology = WM_BUTTERFLY, .radix = 2, .latency = 16, .buffer = 8};
    struct wm_network_ends ends = wm_network_ends_of(&spec);
    cr_expect_eq(ends.stages, 7);
    cr_expect_eq(ends.send, 4);
    cr_expect_eq(ends.receive, 5);
    cr_expect_eq(ends.window, 8);
    spec.interconnect.latency = 9;
    ends = wm_network_ends_of(&spec);
    cr_expect_eq(ends.send, 1);
    cr_expect_eq(ends.receive, 1);
    spec.interconnect.topology = WM_CROSSBAR;
    ends = wm_network_ends_of(&spec);
    cr_expect_eq(ends.send, 9);
    cr_expect_eq(ends.window, 9);
}

// Each stage takes the first flit a cycle, and the others come behind it.
Test(butterfly, a_packet_alone_takes_wires_and_a_cycle_a_stage)
{
    struct wm_butterfly_spec spec = eight();
    for (uint32_t sender = 0; sender < 8; sender++)
        for (uint32_t receiver = 0; receiver < 8; receiver++)
            for (uint8_t flits = 1; flits < 6; flits += 2) {
                struct wm_butterfly network;
                new_network(&network, &spec);
                add(&network, sender, receiver, 100, flits);
                cr_assert_eq(network.next, 100 + TO_FIRST);
                cr_assert(wm_butterfly_run(&network, 1000));
                cr_expect_eq(arrival(&network, sender, 100),
                             100U + TO_FIRST + 3 + FROM_LAST + flits - 1);
                cr_expect_eq(network.out[0].receiver, receiver);
                cr_assert_eq(network.credit_count, 1);
                cr_expect_eq(network.credits[0].sender, sender);
                cr_expect_eq(network.credits[0].when, 100U + TO_FIRST + flits + TO_FIRST);
                cr_expect_eq(network.next, WM_NEVER);
                wm_butterfly_release(&network);
            }
}

static uint64_t second_arrival(uint32_t first_to, uint32_t second, uint32_t second_to)
{
    struct wm_butterfly_spec spec = eight();
    struct wm_butterfly network;
    new_network(&network, &spec);
    add(&network, 0, first_to, 0, 5);
    add(&network, second, second_to, 0, 1);
    cr_assert(wm_butterfly_run(&network, 1000));
    cr_assert_eq(arrival(&network, 0, 0), TO_FIRST + 3 + FROM_LAST + 4, "0 has the first turn");
    uint64_t when = arrival(&network, second, 0);
    wm_butterfly_release(&network);
    return when;
}

// 0 and 4 meet in the first stage when the first digits of their receivers are equal, 0 and 2 in
// the second when the first two are, 0 and 1 in the third when all are. Who is second waits for the
// other's five flits.
Test(butterfly, ways_that_share_an_output_block_each_other)
{
    enum { ALONE = TO_FIRST + 3 + FROM_LAST };
    cr_expect_eq(second_arrival(0, 4, 3), ALONE + 5, "000 and 011, from 000 and 100");
    cr_expect_eq(second_arrival(0, 4, 4), ALONE, "000 and 100");
    cr_expect_eq(second_arrival(0, 2, 1), ALONE + 5, "000 and 001, from 000 and 010");
    cr_expect_eq(second_arrival(0, 2, 2), ALONE, "000 and 010");
    cr_expect_eq(second_arrival(0, 6, 1), ALONE + 5, "from 110 they meet in the second stage");
    cr_expect_eq(second_arrival(0, 1, 0), ALONE + 5, "one receiver");
    cr_expect_eq(second_arrival(0, 1, 1), ALONE, "from 000 and 001, to 000 and 001");
    cr_expect_eq(second_arrival(0, 7, 0), ALONE + 5);
}

// A packet that comes while the output sends waits for its last flit, one that comes behind does
// not.
Test(butterfly, an_output_is_free_in_the_cycle_behind_the_last_flit)
{
    for (uint64_t late = 0; late < 8; late++) {
        struct wm_butterfly_spec spec = eight();
        struct wm_butterfly network;
        new_network(&network, &spec);
        add(&network, 0, 0, 0, 5);
        add(&network, 4, 0, late, 1);
        cr_assert(wm_butterfly_run(&network, 1000));
        uint64_t start = late < 5 ? 5 : late;
        cr_expect_eq(arrival(&network, 4, late), start + TO_FIRST + 3 + FROM_LAST);
        cr_expect_eq(network.counters[0].waited, start - late);
        cr_expect_eq(network.counters[1].waited + network.counters[2].waited, 0);
        wm_butterfly_release(&network);
    }
}

// Each output takes from its inputs in turn, packet by packet.
Test(butterfly, inputs_have_turns)
{
    struct wm_butterfly_spec spec = eight();
    struct wm_butterfly network;
    new_network(&network, &spec);
    for (uint64_t i = 0; i < 4; i++) {
        add(&network, 0, 0, i, 1);
        add(&network, 4, 0, i, 1);
    }
    cr_assert(wm_butterfly_run(&network, 1000));
    for (uint64_t i = 0; i < 4; i++) {
        cr_expect_eq(arrival(&network, 0, i), 2 * i + TO_FIRST + 3 + FROM_LAST);
        cr_expect_eq(arrival(&network, 4, i), 2 * i + 1 + TO_FIRST + 3 + FROM_LAST);
    }
    wm_butterfly_release(&network);
}

// A place is free when the last flit has left, and known to be a cycle later: with one place a
// packet of f flits follows another after f + 2 cycles.
Test(butterfly, buffers_of_one_packet_set_the_pace)
{
    for (uint8_t flits = 1; flits < 5; flits++) {
        struct wm_butterfly_spec spec = eight();
        struct wm_butterfly network;
        spec.depth = 1;
        new_network(&network, &spec);
        uint64_t sent = 0, credit = 0;
        for (uint32_t i = 0; i < 5; i++) {
            sent = credit;
            add(&network, 5, 2, sent, flits);
            cr_assert(wm_butterfly_run(&network, sent + 20));
            credit = network.credits[i].when;
            cr_expect_eq(arrival(&network, 5, sent), sent + TO_FIRST + 3 + FROM_LAST + flits - 1U);
            cr_expect_eq(credit, sent + 2 * TO_FIRST + flits, "the sender's own wire is longer");
        }
        wm_butterfly_release(&network);
        // Two senders, each with one packet, whose ways meet in the first stage: the second has to
        // wait until the place behind it is free again.
        new_network(&network, &spec);
        add(&network, 0, 0, 0, flits);
        add(&network, 4, 0, 0, flits);
        cr_assert(wm_butterfly_run(&network, 1000));
        cr_expect_eq(arrival(&network, 4, 0), flits + 2U + TO_FIRST + 3 + FROM_LAST + flits - 1U);
        wm_butterfly_release(&network);
    }
}

// Nothing leaves for a receiver without room, and what waits leaves in the cycle of the credit.
Test(butterfly, receivers_give_credits)
{
    struct wm_butterfly_spec spec = eight();
    struct wm_butterfly network;
    spec.receiver_depth = 1;
    new_network(&network, &spec);
    add(&network, 3, 6, 0, 1);
    add(&network, 3, 6, 1, 1);
    add(&network, 3, 7, 2, 1);
    cr_assert(wm_butterfly_run(&network, 50));
    cr_expect_eq(network.out_count, 1);
    cr_expect_eq(arrival(&network, 3, 1), WM_NEVER);
    cr_expect_eq(arrival(&network, 3, 2), WM_NEVER, "behind it, though its receiver has room");
    cr_expect_eq(network.next, WM_NEVER);
    wm_butterfly_credit(&network, 6, 60);
    cr_expect_eq(network.next, 60);
    cr_assert(wm_butterfly_run(&network, 60));
    cr_expect_eq(network.out_count, 1, "not in the cycle before");
    cr_assert(wm_butterfly_run(&network, 61));
    cr_expect_eq(arrival(&network, 3, 1), 60 + 1 + FROM_LAST);
    cr_assert(wm_butterfly_run(&network, 62));
    cr_expect_eq(arrival(&network, 3, 2), 61 + 1 + FROM_LAST);
    wm_butterfly_release(&network);
}

// --- Random traffic ---

enum { CYCLES = 2500, ROUNDS = 16, MOST_ENDS = 30, MOST_LOG = CYCLES * MOST_ENDS };

struct logged {
    uint64_t when, token;
    uint32_t end;
};

struct traffic {
    struct wm_random chance;
    struct wm_butterfly network;
    struct obvious_butterfly model;
    struct wm_butterfly_spec spec;
    uint32_t credits[MOST_ENDS];    // places that each sender knows of
    uint64_t port_free[MOST_ENDS];  // of senders
    struct logged *packets, *given; // of the model: by cycle, and by sender
    uint32_t packet_count, given_count;
    struct logged to_come[MOST_ENDS * 64]; // credits for senders, and for receivers' places
    uint32_t to_come_count;
    struct logged
        owed[MOST_ENDS * 64]; // credits of receivers for packets that the network may not have sent
    uint32_t owed_count;
    uint64_t last_credit[MOST_ENDS]; // by receiver
    uint64_t sent;
};

static uint32_t below(struct traffic *traffic, uint32_t limit)
{
    return (uint32_t)wm_random_below(&traffic->chance, limit);
}

static void new_traffic(struct traffic *traffic, uint32_t round)
{
    wm_random_init(&traffic->chance, round, "butterfly");
    traffic->spec = (struct wm_butterfly_spec){
        .senders = 1 + below(traffic, MOST_ENDS),
        .receivers = 1 + below(traffic, MOST_ENDS),
        .radix = 2 + below(traffic, 6),
        .to_first = 1 + below(traffic, 6),
        .from_last = 1 + below(traffic, 6),
        .depth = 1 + below(traffic, 4),
        .receiver_depth = below(traffic, 4),
        .to_sms = round % 2 == 0,
    };
    uint32_t width = traffic->spec.radix;
    while (width < traffic->spec.senders || width < traffic->spec.receivers)
        width *= traffic->spec.radix;
    if (width > OBVIOUS_WIDTH)
        traffic->spec.radix = 2;
    new_network(&traffic->network, &traffic->spec);
    obvious_butterfly_init(&traffic->model, &traffic->spec);
    for (uint32_t i = 0; i < MOST_ENDS; i++) {
        traffic->credits[i] = traffic->spec.depth;
        traffic->port_free[i] = 0;
    }
    traffic->packet_count = traffic->given_count = traffic->to_come_count = 0;
    traffic->owed_count = 0;
    memset(traffic->last_credit, 0, sizeof traffic->last_credit);
}

static void random_send(struct traffic *traffic, uint32_t sender, uint64_t cycle)
{
    if (traffic->credits[sender] == 0 || traffic->port_free[sender] > cycle)
        return;
    // Half of them to one receiver, where they get into each other's way.
    uint32_t receiver = below(traffic, 2) == 0 ? 0 : below(traffic, traffic->spec.receivers);
    struct wm_packet packet = {.token = ++traffic->sent, .flits = (uint8_t)(1 + below(traffic, 5))};
    *(traffic->spec.to_sms ? &packet.sm : &packet.receiver) = (uint16_t)receiver;
    packet.when = cycle + traffic->spec.to_first + packet.flits - 1;
    cr_assert(wm_butterfly_add(&traffic->network, sender, &packet));
    obvious_butterfly_add(&traffic->model, sender, &packet);
    traffic->credits[sender]--;
    traffic->port_free[sender] = cycle + packet.flits;
}

// What left the model in its cycle; a receiver keeps it for some time.
static void note_model(struct traffic *traffic, uint64_t cycle)
{
    struct obvious_butterfly *model = &traffic->model;
    for (uint32_t i = 0; i < model->out_count; i++) {
        uint32_t end = traffic->spec.to_sms ? model->out[i].sm : model->out[i].receiver;
        traffic->packets[traffic->packet_count++] =
            (struct logged){model->out[i].when, model->out[i].token, end};
        if (traffic->spec.receiver_depth == 0)
            continue;
        uint64_t when = model->out[i].when + traffic->spec.from_last + below(traffic, 20);
        when = when > traffic->last_credit[end] ? when : traffic->last_credit[end];
        traffic->last_credit[end] = when;
        traffic->owed[traffic->owed_count++] = (struct logged){when, 0, end};
        obvious_butterfly_credit(model, end, when);
    }
    for (uint32_t i = 0; i < model->credit_count; i++) {
        traffic->given[traffic->given_count++] =
            (struct logged){model->credits[i].when, 0, model->credits[i].sender};
        traffic->to_come[traffic->to_come_count++] =
            (struct logged){model->credits[i].when, 0, model->credits[i].sender};
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < traffic->to_come_count; i++)
        if (traffic->to_come[i].when <= cycle + 1)
            traffic->credits[traffic->to_come[i].end]++;
        else
            traffic->to_come[kept++] = traffic->to_come[i];
    traffic->to_come_count = kept;
}

static void run_network(struct traffic *traffic, uint64_t end)
{
    cr_assert(wm_butterfly_run(&traffic->network, end));
    for (uint32_t i = 0; i < traffic->owed_count; i++) {
        cr_assert_geq(traffic->owed[i].when, end);
        wm_butterfly_credit(&traffic->network, traffic->owed[i].end, traffic->owed[i].when);
    }
    traffic->owed_count = 0;
}

static int by_end(const void *a, const void *b)
{
    const struct logged *one = a, *other = b;
    if (one->end != other->end)
        return one->end < other->end ? -1 : 1;
    return one->when < other->when ? -1 : one->when > other->when;
}

static void compare(struct traffic *traffic)
{
    struct wm_butterfly *network = &traffic->network;
    struct logged *ours = calloc(network->out_count + network->credit_count + 1U, sizeof *ours);
    cr_assert_eq(network->out_count, traffic->packet_count);
    for (uint32_t i = 0; i < network->out_count; i++) {
        const struct wm_packet *packet = &network->out[i];
        uint32_t end = traffic->spec.to_sms ? packet->sm : packet->receiver;
        ours[i] = (struct logged){packet->when, packet->token, end};
    }
    qsort(ours, network->out_count, sizeof *ours, by_end);
    qsort(traffic->packets, traffic->packet_count, sizeof *ours, by_end);
    for (uint32_t i = 0; i < network->out_count; i++) {
        cr_assert_eq(ours[i].end, traffic->packets[i].end);
        cr_assert_eq(ours[i].token, traffic->packets[i].token);
        cr_assert_eq(ours[i].when, traffic->packets[i].when, "packet %llu",
                     (unsigned long long)ours[i].token);
    }
    cr_assert_eq(network->credit_count, traffic->given_count);
    for (uint32_t i = 0; i < network->credit_count; i++)
        ours[i] = (struct logged){network->credits[i].when, 0, network->credits[i].sender};
    qsort(ours, network->credit_count, sizeof *ours, by_end);
    qsort(traffic->given, traffic->given_count, sizeof *ours, by_end);
    cr_assert_eq(memcmp(ours, traffic->given, network->credit_count * sizeof *ours), 0);
    free(ours);
}

// The network runs ahead of its senders by the length of a wire at most, in steps of any length;
// the model in every cycle.
Test(butterfly, random_traffic_as_flit_by_flit, .timeout = 120)
{
    static struct traffic traffic;
    uint64_t waited = 0;
    traffic.packets = calloc(MOST_LOG, sizeof *traffic.packets);
    traffic.given = calloc(MOST_LOG, sizeof *traffic.given);
    for (uint32_t round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        new_traffic(&traffic, round);
        uint32_t rest = 1 + below(&traffic, 6), steps = 1 + below(&traffic, 5);
        uint64_t end = CYCLES;
        for (uint64_t cycle = 0, run = 0; cycle < end; cycle++) {
            for (uint32_t i = 0; i < traffic.spec.senders && cycle < CYCLES - 20; i++)
                if (below(&traffic, rest) == 0)
                    random_send(&traffic, i, cycle);
            obvious_butterfly_cycle(&traffic.model, cycle);
            note_model(&traffic, cycle);
            if (below(&traffic, steps) == 0 || cycle + 1 - run >= traffic.spec.from_last)
                run_network(&traffic, run = cycle + 1);
            if (traffic.network.packet_count != 0)
                end = cycle + 20 > CYCLES ? cycle + 20 : CYCLES; // some more than it takes
        }
        cr_assert_eq(traffic.network.packet_count, 0, "nothing stays");
        compare(&traffic);
        for (uint32_t i = 0; i < traffic.network.stages; i++)
            waited += traffic.network.counters[i].waited;
        wm_butterfly_release(&traffic.network);
    }
    free(traffic.packets);
    free(traffic.given);
    cr_assert_gt(waited, CYCLES, "they were in each other's way");
}
