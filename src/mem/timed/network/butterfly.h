// A butterfly from one side to the other, the SMs and the slices of L2, one in each direction: a
// k-ary n-fly (Dally and Towles, "Principles and Practices of Interconnection Networks", 2004,
// chapter 4). Positions are numbers of n digits to the base of the radix; stage s has a switch for
// each choice of the other digits, and replaces digit n-1-s by that of the packet's receiver, so
// there is one way from each sender to each receiver, and ways share outputs.
//
// Each input of a switch has a buffer of `depth` packets, in order. Its first packet moves on when
// the output that it needs is free and there is room behind that; of several the output takes one
// from its inputs in turn (round robin). An output moves a flit a cycle; the first flit is at the
// next stage a cycle later, and the others follow it without gaps (virtual cut-through). A packet's
// place is free when its last flit has left, and the sender knows a cycle later.
//
// Wires lead from the senders (wm_crossbar_output, for one receiver) to the first stage and from
// the last to the receivers (wm_crossbar_input, of one sender). A wire's length in cycles is that
// of its packets and of its credits.
//
// What is decided in a cycle depends on earlier cycles alone, so the order in which switches are
// looked at makes no difference. All cycles are the interconnect's.
//
// Thread rules: one thread at a time. Private to mem/.
#ifndef WM_MEM_TIMED_NETWORK_BUTTERFLY_H
#define WM_MEM_TIMED_NETWORK_BUTTERFLY_H

#include "mem/timed/network/crossbar.h"

// clang-format off
#define WM_SWITCH_COUNTERS(X)                                                                      \
    X(packets, "packets", "packets that passed this stage")                                        \
    X(flits, "flits", "their flits: the headers' and the data's")                                  \
    X(waited, "cycles", "sum over these of the cycles that they stood first in their buffer")
// clang-format on

struct wm_switch_counters {
    WM_SWITCH_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_switch_counter_set;

struct wm_butterfly_spec {
    uint32_t senders, receivers, radix;
    uint32_t to_first, from_last; // lengths of the wires
    uint32_t depth;               // of a buffer, in packets
    uint32_t receiver_depth;      // of a receiver's buffer; 0: it always has room
    bool to_sms;                  // packets go to their `sm`, not to their `receiver`
};

struct wm_butterfly_packet {
    struct wm_packet packet; // `when`: the cycle in which its first flit is here
    uint32_t next;
};

// The input of a switch.
struct wm_butterfly_input {
    uint32_t first, last; // its packets, in order
    uint64_t free;        // the first cycle in which the next can go on
};

// The output of a switch, and its credits of the buffer behind it.
struct wm_butterfly_output {
    uint64_t free;
    uint32_t turn;       // the input that comes first
    uint32_t take, give; // of `places`: the one to take next, and the one to be given back next
    uint64_t *places;    // borrowed: when each is free; NULL: there always is room
};

struct wm_butterfly {
    struct wm_butterfly_spec spec;
    uint32_t stages, width;
    uint32_t *digits;                    // owned: by stage and position, the one that it replaces
    uint32_t *weights;                   // owned: by stage, of that digit
    struct wm_butterfly_input *inputs;   // owned, by stage and position
    struct wm_butterfly_output *outputs; // owned, likewise
    uint64_t *places;                    // owned
    uint64_t *waiting;                   // owned: by stage, a bit a position with packets
    uint64_t *requesting;                // owned: by position, a bit an input that requests it
    uint32_t *requested;                 // owned: positions that are requested
    struct wm_butterfly_packet *packets; // owned; those in no buffer are linked from free_packet
    uint32_t packet_room, free_packet, packet_count;
    uint64_t next; // the cycle in which something may happen next; WM_NEVER: nothing
    // Since the owner took them: packets on their way to receivers, in order of leaving, and
    // credits on theirs to senders.
    struct wm_packet *out; // owned
    uint32_t out_count, out_room;
    struct wm_crossbar_credit *credits; // owned
    uint32_t credit_count, credit_room;
    struct wm_switch_counters *counters; // owned, by stage
};

// Stages between so many on either side.
uint32_t wm_butterfly_stages(uint32_t senders, uint32_t receivers, uint32_t radix);

// What the SMs and slices of a machine see of its interconnect. A packet of one flit takes
// `latency` cycles from end to end where no other is in its way: of a butterfly one for each stage,
// and the rest for the wires, which are as long as each other, or the second one cycle longer.
struct wm_network_ends {
    uint32_t stages;   // of a butterfly; 0: a crossbar
    uint32_t send;     // length of the wire from a sender
    uint32_t receive;  // of that to a receiver; a crossbar's is the same one
    uint32_t requests; // receivers that an SM has ways to
    uint32_t replies;  // that a slice has
    uint32_t peers;    // SMs of its tracker's group that an SM has ways to, behind those
    uint32_t depth;    // of the buffer that a reply is sent to; 0: it always has room
    uint32_t window;   // cycles for which ends need not see each other (docs/engine-clock.md)
};
struct wm_network_ends wm_network_ends_of(const struct wm_memory_spec *spec);

// WM_NO_MEMORY.
enum wm_status wm_butterfly_init(struct wm_butterfly *network, const struct wm_butterfly_spec *spec,
                                 struct wm_error *error);
void wm_butterfly_release(struct wm_butterfly *network);

// A packet that its sender's port has sent, which had a credit for it; `when` is the cycle in which
// its last flit is at the first stage. False when out of memory.
bool wm_butterfly_add(struct wm_butterfly *network, uint32_t sender,
                      const struct wm_packet *packet);
// A place in a receiver's buffer is free from `when` on.
void wm_butterfly_credit(struct wm_butterfly *network, uint32_t receiver, uint64_t when);

// Does all that happens before cycle `end`; what is added later happens later. Packets appear in
// `out`, with `when` the cycle in which their last flit is there, credits in `credits`. False when
// out of memory.
bool wm_butterfly_run(struct wm_butterfly *network, uint64_t end);

#endif
