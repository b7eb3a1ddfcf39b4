// The tables driven as an engine without time does it: a message is an event of its receiver before
// the sender goes on. First the transactions of docs/coherence.md, message by message as worked out
// by hand; then many accesses to trees of caches, where each must be done when it returns.
#include "base/numbers/random.h"
#include "mem/coherence/coherence.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 7, LOG = 400 };

struct machine {
    struct wm_coherence_protocol protocol;
    unsigned nodes;
    bool forwards_clean; // node 0 does
    uint8_t parent[NODES], number[NODES];
    struct wm_coherence_line lines[NODES]; // one line
    unsigned written[NODES], last;         // by which store each copy was written; the last store
    char log[LOG];                         // the messages, in their order
};

struct at {
    struct machine *machine;
    unsigned node, written; // what the message brings
    bool was_deferred, was_completed;
};

static const struct wm_coherence_ports ports;

static void add_children(struct machine *machine, unsigned nodes, const uint8_t *parent)
{
    uint8_t children[NODES] = {0};
    memset(machine, 0, sizeof *machine);
    wm_coherence_protocol_init(&machine->protocol, wm_coherence_mesi_cache, wm_coherence_mesi_home);
    machine->nodes = nodes;
    machine->lines[0].cache = WM_COHERENCE_CACHE_M;
    for (unsigned node = 1; node < nodes; node++) {
        machine->parent[node] = parent[node];
        machine->number[node] = children[parent[node]]++;
    }
}

// An event, and again where it was deferred: what it waits for has been done by then.
static bool present(struct machine *machine, unsigned node, unsigned written,
                    struct wm_coherence_input input)
{
    input.forwards_clean = machine->forwards_clean && node == 0;
    for (unsigned times = 0; times < 3; times++) {
        struct at at = {machine, node, written, false, false};
        cr_assert(wm_coherence_step(&machine->protocol, &machine->lines[node], &input, &ports, &at),
                  "no row for %s", wm_coherence_event_name(input.event));
        if (!at.was_deferred)
            return at.was_completed;
    }
    cr_assert_fail("%s waits, and nothing is under way", wm_coherence_event_name(input.event));
    return false;
}

static void send(const struct at *at, unsigned to, enum wm_coherence_event message, unsigned peer)
{
    struct machine *machine = at->machine;
    size_t length = strlen(machine->log);
    snprintf(machine->log + length, LOG - length, "%u %s %u, ", at->node,
             wm_coherence_event_name(message), to);
    present(machine, to, machine->written[at->node],
            (struct wm_coherence_input){message, machine->number[at->node], (uint8_t)peer});
}

static void to_home(void *context, enum wm_coherence_event message)
{
    const struct at *at = context;
    send(at, at->machine->parent[at->node], message, WM_COHERENCE_NOBODY);
}

static unsigned child_of(const struct machine *machine, unsigned parent, unsigned number)
{
    unsigned node = 1;
    while (machine->parent[node] != parent || machine->number[node] != number)
        node++;
    return node;
}

static void to_peer(void *context, unsigned peer, enum wm_coherence_event message)
{
    const struct at *at = context;
    send(at, child_of(at->machine, at->machine->parent[at->node], peer), message,
         WM_COHERENCE_NOBODY);
}

static void to_child(void *context, unsigned child, enum wm_coherence_event message, unsigned peer)
{
    const struct at *at = context;
    send(at, child_of(at->machine, at->node, child), message, peer);
}

static void complete(void *context, enum wm_coherence_event access)
{
    struct at *at = context;
    struct machine *machine = at->machine;
    at->was_completed = true;
    cr_expect_eq(machine->written[at->node], machine->last, "a stale copy");
    if (access == WM_COHERENCE_STORE || access == WM_COHERENCE_RMW_END)
        machine->written[at->node] = ++machine->last;
}

static void defer(void *context)
{
    ((struct at *)context)->was_deferred = true;
}

static void take_data(void *context)
{
    const struct at *at = context;
    at->machine->written[at->node] = at->written;
}

static void drop(void *context)
{
    const struct at *at = context;
    at->machine->written[at->node] = 0;
}

static const struct wm_coherence_ports ports = {
    .to_home = to_home,
    .to_peer = to_peer,
    .to_child = to_child,
    .complete = complete,
    .defer = defer,
    .fill = take_data,
    .merge = take_data,
    .drop = drop,
};

static void access_line(struct machine *machine, unsigned node, enum wm_coherence_event event)
{
    machine->log[0] = '\0';
    bool done = present(machine, node, 0, (struct wm_coherence_input){.event = event});
    cr_expect(done || event == WM_COHERENCE_EVICT);
}

static void expect_messages(struct machine *machine, unsigned node, enum wm_coherence_event event,
                            const char *messages)
{
    access_line(machine, node, event);
    cr_expect_str_eq(machine->log, messages);
}

// Three caches, 1 to 3, under a directory, 0.
Test(coherence, messages_of_each_transaction)
{
    struct machine machine;
    add_children(&machine, 4, (const uint8_t[]){0, 0, 0, 0});
    expect_messages(&machine, 1, WM_COHERENCE_LOAD, "1 GetS 0, 0 DataE 1, 1 Unblock 0, ");
    expect_messages(&machine, 1, WM_COHERENCE_STORE, "");
    expect_messages(&machine, 2, WM_COHERENCE_LOAD,
                    "2 GetS 0, 0 FwdGetS 1, 1 DataS 2, 2 Unblock 0, 1 AckData 0, ");
    expect_messages(&machine, 3, WM_COHERENCE_LOAD, "3 GetS 0, 0 DataS 3, 3 Unblock 0, ");
    expect_messages(&machine, 2, WM_COHERENCE_STORE,
                    "2 GetM 0, 0 Inv 1, 1 Ack 0, 0 Inv 3, 3 Ack 0, 0 GrantM 2, 2 Unblock 0, ");
    expect_messages(&machine, 3, WM_COHERENCE_RMW_BEGIN,
                    "3 GetM 0, 0 FwdGetM 2, 2 DataM 3, 3 Unblock 0, ");
    expect_messages(&machine, 3, WM_COHERENCE_RMW_END, "");
    expect_messages(&machine, 3, WM_COHERENCE_EVICT, "3 PutM 0, 0 PutAck 3, ");
    cr_expect_eq(machine.written[0], 3); // a store, another, the locked operation
    expect_messages(&machine, 1, WM_COHERENCE_STORE, "1 GetM 0, 0 DataM 1, 1 Unblock 0, ");
}

// A directory that forwards clean lines: a sharer gives in place of memory, the first of those that
// are left.
Test(coherence, messages_of_a_clean_forward)
{
    struct machine machine;
    add_children(&machine, 4, (const uint8_t[]){0, 0, 0, 0});
    machine.forwards_clean = true;
    access_line(&machine, 1, WM_COHERENCE_LOAD);
    access_line(&machine, 2, WM_COHERENCE_LOAD);
    expect_messages(&machine, 3, WM_COHERENCE_LOAD,
                    "3 GetS 0, 0 FwdGetS 1, 1 DataS 3, 3 Unblock 0, 1 Ack 0, ");
    expect_messages(&machine, 1, WM_COHERENCE_EVICT, "1 PutS 0, 0 PutAck 1, ");
    expect_messages(&machine, 1, WM_COHERENCE_LOAD,
                    "1 GetS 0, 0 FwdGetS 2, 2 DataS 1, 1 Unblock 0, 2 Ack 0, ");
}

// An L1 (3) under an L2 (1), and one (4) under another (2), under an L3 (0).
Test(coherence, messages_through_levels)
{
    struct machine machine;
    add_children(&machine, 5, (const uint8_t[]){0, 0, 0, 1, 2});
    expect_messages(&machine, 3, WM_COHERENCE_LOAD,
                    "3 GetS 1, 1 GetS 0, 0 DataE 1, 1 Unblock 0, 1 DataE 3, 3 Unblock 1, ");
    access_line(&machine, 3, WM_COHERENCE_STORE);
    // The owner's L2 calls its L1's copy back first.
    expect_messages(&machine, 4, WM_COHERENCE_LOAD,
                    "4 GetS 2, 2 GetS 0, 0 FwdGetS 1, 1 Downgrade 3, 3 AckData 1, 1 DataS 2, "
                    "2 Unblock 0, 1 AckData 0, 2 DataS 4, 4 Unblock 2, ");
    // An L2 that evicts calls its L1's copy back.
    expect_messages(&machine, 1, WM_COHERENCE_EVICT, "1 Inv 3, 3 Ack 1, 1 PutS 0, 0 PutAck 1, ");
    expect_messages(&machine, 4, WM_COHERENCE_STORE,
                    "4 GetM 2, 2 GetM 0, 0 GrantM 2, 2 Unblock 0, 2 GrantM 4, 4 Unblock 2, ");
}

// A client of an LLC (1), without copies that it has a record of, beside its two L1s (2, 3); and
// another cache (4) under the directory.
Test(coherence, messages_of_accesses_at_a_home)
{
    struct machine machine;
    add_children(&machine, 5, (const uint8_t[]){0, 0, 1, 1, 0});
    expect_messages(&machine, 1, WM_COHERENCE_LOAD, "1 GetS 0, 0 DataE 1, 1 Unblock 0, ");
    access_line(&machine, 2, WM_COHERENCE_STORE);
    expect_messages(&machine, 1, WM_COHERENCE_LOAD, "1 Downgrade 2, 2 AckData 1, ");
    expect_messages(&machine, 1, WM_COHERENCE_LOAD, "");
    access_line(&machine, 3, WM_COHERENCE_LOAD);
    expect_messages(&machine, 1, WM_COHERENCE_STORE, "1 Inv 2, 2 Ack 1, 1 Inv 3, 3 Ack 1, ");
    access_line(&machine, 2, WM_COHERENCE_STORE);
    expect_messages(&machine, 1, WM_COHERENCE_RMW_BEGIN, "1 Inv 2, 2 AckData 1, ");
    expect_messages(&machine, 1, WM_COHERENCE_RMW_END, "");
    // What others share is upgraded here, and then taken of the L1s.
    access_line(&machine, 2, WM_COHERENCE_LOAD);
    access_line(&machine, 4, WM_COHERENCE_LOAD);
    expect_messages(&machine, 1, WM_COHERENCE_STORE,
                    "1 GetM 0, 0 Inv 4, 4 Ack 0, 0 GrantM 1, 1 Unblock 0, 1 Inv 2, 2 Ack 1, ");
}

// `clients`: a bit for each node with children that has accesses, too, but RFO.
static void check_tree(unsigned nodes, const uint8_t *parent, unsigned clients, uint64_t seed)
{
    static const enum wm_coherence_event events[] = {WM_COHERENCE_LOAD, WM_COHERENCE_STORE,
                                                     WM_COHERENCE_RFO, WM_COHERENCE_RMW_BEGIN,
                                                     WM_COHERENCE_EVICT};
    struct machine machine;
    add_children(&machine, nodes, parent);
    struct wm_random random;
    wm_random_init(&random, seed, "coherence");
    for (unsigned i = 0; i < 20000; i++) {
        unsigned node = 1 + (unsigned)wm_random_below(&random, nodes - 1);
        enum wm_coherence_event event = events[wm_random_below(&random, 5)];
        bool has_access = event != WM_COHERENCE_RFO && (clients >> node & 1) != 0, is_leaf = true;
        for (unsigned other = 1; other < nodes; other++)
            is_leaf = is_leaf && parent[other] != node;
        if (event == WM_COHERENCE_EVICT ? machine.lines[node].cache == WM_COHERENCE_CACHE_I
                                        : !is_leaf && !has_access)
            continue;
        access_line(&machine, node, event);
        if (event == WM_COHERENCE_RMW_BEGIN)
            access_line(&machine, node, WM_COHERENCE_RMW_END);
        for (unsigned other = 0; other < nodes; other++)
            cr_assert(machine.lines[other].cache <= WM_COHERENCE_CACHE_M &&
                      machine.lines[other].home <= WM_COHERENCE_HOME_OWNED);
    }
}

Test(coherence, every_access_is_done_at_once)
{
    check_tree(4, (const uint8_t[]){0, 0, 0, 0}, 0, 1);
    check_tree(7, (const uint8_t[]){0, 0, 0, 1, 1, 2, 2}, 0, 2);
    check_tree(7, (const uint8_t[]){0, 0, 0, 1, 2, 3, 4}, 0, 3);
    check_tree(6, (const uint8_t[]){0, 0, 1, 2, 2, 1}, 0, 4);
    check_tree(7, (const uint8_t[]){0, 0, 0, 1, 1, 2, 2}, 1 << 1, 5);
    check_tree(6, (const uint8_t[]){0, 0, 1, 2, 2, 1}, 1 << 1 | 1 << 2, 6);
}
