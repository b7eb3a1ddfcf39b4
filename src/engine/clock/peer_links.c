// Links between GPUs in time, one in each direction between each two. What an SM and another GPU's
// slices send each other passes the interconnect, and then its link: packet after packet in order
// of arrival, each for as long as its flits take at the link's bandwidth, and `latency` cycles
// further is the other end. What has passed stands in the receiver's buffer as if it came from a
// sender of its own GPU. Between two windows all that was sent in the last is known, and nothing
// that is sent later comes to a link before it; so links are run then, on one thread.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdlib.h>

// clang-format off
#define WM_PEER_LINK_TIMING_COUNTERS(X)                                                            \
    X(packets, "packets", "packets sent")                                                          \
    X(flits, "flits", "flits sent: the header's and the data's")                                   \
    X(waited, "cycles", "sum over packets of the cycles that they waited for others")
// clang-format on

struct wm_peer_link_timing {
    WM_PEER_LINK_TIMING_COUNTERS(WM_COUNTER_FIELD)
};

static const struct wm_counter_declaration declarations[] = {
    WM_PEER_LINK_TIMING_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_peer_link_timing_set = {
    .kind = "peer_link_timing",
    .title = "link between GPUs in time, in one direction",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

// It is free from `cycle` on, and `rest` parts of that, of as many as it moves bytes in a second.
struct peer_link {
    uint64_t cycle, rest;
    struct wm_peer_link_timing counters;
};

struct crossing {
    struct wm_packet packet; // `when` it comes to the link
    uint32_t sm, receiver, order;
    bool is_reply;
};

struct wm_clock_peer_links {
    uint32_t gpus, sms, receivers; // of each GPU
    uint64_t latency, hz;          // of the interconnect's clock
    uint64_t bandwidth;            // bytes a second
    uint32_t flit_bytes;
    struct peer_link *links; // owned: from GPU f to t at f * gpus + t
    // Those taken since the last window, in order of sender.
    struct crossing *crossings; // owned
    uint32_t count, room;
};

enum wm_status wm_clock_peer_links_init(struct wm_clock *clock, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    uint32_t gpus = wm_memory_gpus(memory);
    struct wm_clock_peer_links *made;
    if (gpus == 1)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(made, 1, error, "links between GPUs"));
    clock->peer_links = made;
    uint64_t network_hz = memory->interconnect.clock_hz;
    *made = (struct wm_clock_peer_links){
        .gpus = gpus,
        .sms = memory->sm_count,
        .receivers = clock->topology.gpu_receivers,
        .latency = wm_clock_convert(&clock->to_network, memory->peer_link.latency),
        .hz = network_hz != 0 ? network_hz : clock->machine->device.clock_hz,
        .bandwidth = memory->peer_link.bandwidth_bytes_per_second,
        .flit_bytes = memory->interconnect.flit_bytes,
    };
    return WM_ARRAY_NEW(made->links, gpus * gpus, error, "links between GPUs");
}

void wm_clock_peer_links_release(struct wm_clock *clock)
{
    if (clock->peer_links == NULL)
        return;
    free(clock->peer_links->links);
    free(clock->peer_links->crossings);
    free(clock->peer_links);
}

size_t wm_clock_peer_link_count(const struct wm_clock *clock)
{
    const struct wm_clock_peer_links *links = clock->peer_links;
    return links != NULL ? (size_t)links->gpus * (links->gpus - 1) : 0;
}

const struct wm_peer_link_timing *wm_clock_peer_link_counters(const struct wm_clock *clock,
                                                              uint32_t from, uint32_t to)
{
    return &clock->peer_links->links[from * clock->peer_links->gpus + to].counters;
}

bool wm_clock_crosses(const struct wm_clock *clock, uint32_t sm, uint32_t receiver)
{
    const struct wm_clock_peer_links *links = clock->peer_links;
    return sm / links->sms != receiver / links->receivers;
}

uint64_t wm_clock_peer_link_latency(const struct wm_clock *clock)
{
    return clock->peer_links->latency;
}

bool wm_clock_peer_link_take(struct wm_clock *clock, uint32_t sm, uint32_t receiver,
                             const struct wm_packet *packet, bool is_reply)
{
    struct wm_clock_peer_links *links = clock->peer_links;
    return WM_ARRAY_ADD(links->crossings, links->count, links->room,
                        (struct crossing){.packet = *packet,
                                          .sm = sm,
                                          .receiver = receiver,
                                          .order = links->count,
                                          .is_reply = is_reply});
}

// Of those that come at once, in order of sender.
static int by_arrival(const void *a, const void *b)
{
    const struct crossing *left = a, *right = b;
    if (left->packet.when != right->packet.when)
        return left->packet.when < right->packet.when ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

// Its packet's `when` becomes that at which its last flit is at the other end.
static void cross(const struct wm_clock_peer_links *links, struct crossing *crossing)
{
    uint32_t of_sm = crossing->sm / links->sms, of_receiver = crossing->receiver / links->receivers;
    uint32_t from = crossing->is_reply ? of_receiver : of_sm;
    uint32_t to = crossing->is_reply ? of_sm : of_receiver;
    struct peer_link *link = &links->links[from * links->gpus + to];
    struct wm_packet *packet = &crossing->packet;
    if (link->cycle < packet->when) {
        link->cycle = packet->when;
        link->rest = 0;
    }
    link->counters.packets++;
    link->counters.flits += packet->flits;
    link->counters.waited += link->cycle - packet->when;
    link->rest += (uint64_t)packet->flits * links->flit_bytes * links->hz;
    link->cycle += link->rest / links->bandwidth;
    link->rest %= links->bandwidth;
    packet->when = link->cycle + (link->rest != 0) + links->latency;
}

bool wm_clock_peer_links_hand_over(struct wm_clock *clock)
{
    struct wm_clock_peer_links *links = clock->peer_links;
    bool ok = true;
    if (links->count != 0)
        qsort(links->crossings, links->count, sizeof *links->crossings, by_arrival);
    for (uint32_t i = 0; i < links->count && ok; i++) {
        struct crossing *at = &links->crossings[i];
        cross(links, at);
        ok = at->is_reply ? wm_clock_give_reply(clock, at->receiver, at->sm, &at->packet, false)
                          : wm_clock_give_request(clock, at->sm, at->receiver, &at->packet, false);
    }
    links->count = 0;
    return ok;
}
