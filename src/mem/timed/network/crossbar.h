// A crossbar between two sides, the SMs and the slices of L2, one in each direction, and among SMs
// whose L1s supply each other. Each sender has an output port that sends one flit a cycle; each
// receiver an input port that takes one flit a cycle, from its senders in turn (round robin), out
// of a buffer that each sender has there. A sender holds a credit for each packet that a buffer has
// room for; what a receiver takes out gives the credit back, which travels as long as a packet
// does.
//
// The two ends belong to different islands (docs/engine-clock.md) and exchange packets only between
// windows: what an output has sent is handed over then (wm_crossbar_output.sent), and so are
// credits (wm_crossbar_input.credits). All cycles are the interconnect's.
//
// Thread rules: each end by one thread at a time; when no end sends or takes, several threads may
// hand over at once, each to receivers (wm_crossbar_input_add) and senders (wm_crossbar_credit) of
// its own. Private to mem/timed/.
#ifndef WM_MEM_TIMED_NETWORK_CROSSBAR_H
#define WM_MEM_TIMED_NETWORK_CROSSBAR_H

#include "base/numbers/clock_domain.h"
#include "mem/system/memory_spec.h"
#include "mem/timed/network/packet.h"

// clang-format off
#define WM_LINK_COUNTERS(X)                                                                        \
    X(packets, "packets", "packets sent")                                                          \
    X(flits, "flits", "flits sent: the header's and the data's")                                   \
    X(stalled_credit, "cycles", "cycles in which the port was free and its packet waited for room")
// clang-format on

struct wm_link_counters {
    WM_LINK_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_link_counter_set;

struct wm_crossbar_credit {
    uint64_t when;
    uint32_t sender, receiver;
};

// The sending end of one sender.
struct wm_crossbar_output {
    uint32_t latency, depth;
    bool one_way;  // it leads to one switch, which all packets go to
    uint64_t free; // the first cycle in which the port can send
    // By receiver, `depth` of each: when the place in its buffer is free again. And the next place,
    // and the next to be given back.
    uint64_t *places; // owned; NULL: receivers always have room
    uint16_t *next_place, *next_credit;
    bool credited;          // a credit came back; its owner clears it
    struct wm_packet *sent; // owned, in order: packets with `when` at which they arrive
    uint16_t *sent_to;      // owned, by packet sent: the receiver that it was sent to
    uint32_t sent_count, sent_room;
    struct wm_link_counters counters;
};

// The packets that one sender has sent, in order, by their index; UINT32_MAX: there is none.
struct wm_crossbar_fifo {
    uint32_t first, last;
};

// The receiving end of one receiver.
struct wm_crossbar_input {
    uint32_t latency, senders, index;
    uint64_t free;                  // the first cycle in which the port can take
    struct wm_crossbar_fifo *lines; // owned, by sender; most often it has sent one at most
    struct wm_packet *held;         // owned: packets in its buffers
    uint32_t *next; // owned, by held packet: the next one; free ones from free_held on
    uint32_t held_room, free_held, held_count;
    bool added;             // a packet is on its way that was not before; its owner clears it
    uint64_t *arrived;      // owned: a bit a sender whose first packet has arrived
    uint32_t arrived_count; // of them
    // Arrivals to come: (when, sender), in that order. Those before `arrivals_taken` have come.
    struct wm_crossbar_arrival {
        uint64_t when;
        uint32_t sender;
    } * arrivals; // owned
    uint32_t arrival_count, arrivals_taken, arrival_room;
    uint32_t turn;                      // the sender that comes first
    uint32_t credited_from;             // the first of the senders that get credits
    struct wm_crossbar_credit *credits; // owned: given since the last hand-over
    uint32_t credit_count, credit_room;
};

// The number that an output has for `receiver`: where it has one way only, to a switch, that is 0.
static inline uint32_t wm_crossbar_way(const struct wm_crossbar_output *output, uint32_t receiver)
{
    return output->one_way ? 0 : receiver;
}

// `depth` 0: receivers always have room. WM_NO_MEMORY.
enum wm_status wm_crossbar_output_init(struct wm_crossbar_output *output, uint32_t receivers,
                                       uint32_t latency, uint32_t depth, struct wm_error *error);
void wm_crossbar_output_release(struct wm_crossbar_output *output);
// When the next place in a receiver's buffer is free; WM_NEVER: not before a credit comes back.
static inline uint64_t wm_crossbar_output_place(const struct wm_crossbar_output *output,
                                                uint32_t receiver)
{
    return output->places[(size_t)receiver * output->depth + output->next_place[receiver]];
}
// Prefetches that place.
static inline void wm_crossbar_output_host_prefetch(const struct wm_crossbar_output *output,
                                                    uint32_t receiver)
{
    if (output->places != NULL)
        __builtin_prefetch(
            &output->places[(size_t)receiver * output->depth + output->next_place[receiver]], 1);
}
// The first cycle at which a packet to `receiver`, ready in `cycle`, can set out; WM_NEVER: not
// before a credit comes back.
static inline uint64_t wm_crossbar_output_ready(const struct wm_crossbar_output *output,
                                                uint32_t receiver, uint64_t cycle)
{
    cycle = output->free > cycle ? output->free : cycle;
    if (output->places == NULL)
        return cycle;
    uint64_t place = wm_crossbar_output_place(output, receiver);
    return place > cycle ? place : cycle;
}

// Counts how long a packet that is about to be sent, and was ready in `ready`, waits for a credit
// while the port is free.
void wm_crossbar_count_stall(struct wm_crossbar_output *output, uint32_t receiver, uint64_t ready);
// Sends it in `cycle`, not before it is ready. False when out of memory.
bool wm_crossbar_send(struct wm_crossbar_output *output, const struct wm_packet *packet,
                      uint32_t receiver, uint64_t cycle);

enum wm_status wm_crossbar_input_init(struct wm_crossbar_input *input, uint32_t index,
                                      uint32_t senders, uint32_t latency, uint32_t credited_from,
                                      struct wm_error *error);
void wm_crossbar_input_release(struct wm_crossbar_input *input);
// Between windows: `packet` of `sender` is on its way. Packets of one sender come in their order.
// False when out of memory.
bool wm_crossbar_input_add(struct wm_crossbar_input *input, uint32_t sender,
                           const struct wm_packet *packet);
// The first cycle, from `cycle` on, in which it could hand out a packet; WM_NEVER: nothing is
// there or on its way.
static inline uint64_t wm_crossbar_input_ready(const struct wm_crossbar_input *input,
                                               uint64_t cycle)
{
    if (input->held_count == 0)
        return WM_NEVER;
    cycle = input->free > cycle ? input->free : cycle;
    if (input->arrived_count != 0)
        return cycle;
    uint64_t when = input->arrivals[input->arrivals_taken].when;
    return when > cycle ? when : cycle;
}

// The first of a sender's packets that are there or on their way; NULL: there is none.
static inline const struct wm_packet *wm_crossbar_input_of(const struct wm_crossbar_input *input,
                                                           uint32_t sender)
{
    uint32_t index = input->lines[sender].first;
    return index != UINT32_MAX ? &input->held[index] : NULL;
}

// Hands out a packet in `cycle`, in which it is ready. The owner looks at `now`, an edge of its own
// clock and not before that: then the credit sets out, lest it be there within this window. False
// when out of memory.
bool wm_crossbar_take(struct wm_crossbar_input *input, uint64_t cycle, uint64_t now,
                      struct wm_packet *packet);

// Between windows: a place in a receiver's buffer is free from `when` on.
void wm_crossbar_credit(struct wm_crossbar_output *output, uint32_t receiver, uint64_t when);

#endif
