// What a row of the tables does: messages, by way of ports, and what becomes of the copy here.
#include "mem/system/instruction_counters.h"
#include "mem/timed/coherent/caches_parts.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void wm_coherent_add(struct wm_coherent_caches *caches, const struct wm_coherent_event *event)
{
    caches->failed |= !wm_coherent_events_add(&caches->events, event, caches->now);
}

// The ends of a link between two slices of which one is the other's home, or a sibling.
struct link {
    uint64_t *out, *in;
    const struct wm_coherent_tree_node *above; // whose link to its home it is
    uint64_t latency;                          // from one end to the other, in cycles
};

static struct link link_of(struct wm_coherent_caches *caches, const struct wm_coherent_event *event)
{
    uint64_t index_line;
    struct wm_coherent_slice *from = &caches->slices[event->sender];
    struct wm_coherent_slice *to =
        wm_coherent_slice_at(caches, event->node, event->line, &index_line);
    wm_coherent_host_prefetch(to, index_line); // the event comes there some cycles later
    const struct wm_coherent_tree_node *sender = &caches->nodes[from->node];
    if (sender->spec.home == event->node)
        return (struct link){&from->home_out, &to->child_in, sender, sender->spec.link_latency};
    const struct wm_coherent_tree_node *receiver = &caches->nodes[event->node];
    if (receiver->spec.home == from->node)
        return (struct link){&from->child_out, &to->home_in, receiver, receiver->spec.link_latency};
    // One network joins a home and all above it: two of these are as far from each other as the one
    // that is farther from the home is from that.
    uint64_t longer = later(sender->spec.link_latency, receiver->spec.link_latency);
    return (struct link){&from->home_out, &to->home_in, sender, longer};
}

static uint32_t flits_of(const struct link *link, const struct wm_coherent_event *event)
{
    return wm_coherence_brings_data(event->kind) ? link->above->data_flits : 1;
}

// Through the sender's port, as soon as that is free.
static void leave(struct wm_coherent_caches *caches, struct wm_coherent_event *event)
{
    struct link link = link_of(caches, event);
    struct wm_coherent_timing_counters *counters = &caches->slices[event->sender].counters;
    uint32_t flits = flits_of(&link, event);
    uint64_t begin = later(event->when, *link.out);
    struct wm_link_counters *port = link.out == &caches->slices[event->sender].child_out
                                        ? &caches->slices[event->sender].child_link
                                        : &caches->slices[event->sender].home_link;
    port->packets++;
    port->flits += flits;
    counters->messages++;
    counters->flits += flits;
    counters->port_wait_cycles += begin - event->when;
    *link.out = begin + flits;
    event->when = begin + link.latency;
    event->stage = WM_COHERENT_ARRIVES;
    wm_coherent_add(caches, event);
}

bool wm_coherent_move(struct wm_coherent_caches *caches, struct wm_coherent_event *event)
{
    uint64_t now = event->when, index_line;
    if (event->stage == WM_COHERENT_LEAVES) {
        leave(caches, event);
        return false;
    }
    if (event->stage == WM_COHERENT_ARRIVES) {
        struct link link = link_of(caches, event);
        uint64_t begin = later(now, *link.in);
        uint32_t flits = flits_of(&link, event);
        caches->slices[event->sender].counters.port_wait_cycles += begin - now;
        *link.in = begin + flits;
        event->when = begin + flits - 1;
        event->stage = WM_COHERENT_COMES;
    }
    if (event->when == now && event->stage == WM_COHERENT_COMES) {
        enum wm_coherence_network network = wm_coherence_network_of(event->kind);
        event->stage = WM_COHERENT_TAKEN;
        if (network == WM_COHERENCE_REQUEST || network == WM_COHERENCE_PROBE) {
            struct wm_coherent_slice *slice =
                wm_coherent_slice_at(caches, event->node, event->line, &index_line);
            event->when = later(now, slice->next_look_up);
            slice->next_look_up = event->when + 1;
            event->ready = event->when + caches->nodes[event->node].spec.latency;
        }
    }
    if (event->when == now)
        return true;
    wm_coherent_add(caches, event);
    return false;
}

// A message for a node, as it stands before it has left.
static struct wm_coherent_event message_to(struct wm_coherent_step *step, uint32_t node,
                                           enum wm_coherence_event kind, unsigned peer)
{
    return (struct wm_coherent_event){.when = step->leave,
                                      .sequence = step->caches->sequence++,
                                      .line = step->event->line,
                                      .data = *step->data,
                                      .node = node,
                                      .sender = step->slice->number,
                                      .sectors = step->caches->line_sectors,
                                      .requester = step->event->requester,
                                      .block = step->event->block,
                                      .origin = step->origin,
                                      .kind = (uint8_t)kind,
                                      .stage = WM_COHERENT_LEAVES,
                                      .from = (uint8_t)step->node->number,
                                      .peer = (uint8_t)peer,
                                      .recalls = step->event->recalls,
                                      .uncharged = step->event->uncharged};
}

void wm_coherent_send(struct wm_coherent_step *step, uint32_t to, enum wm_coherence_event kind,
                      unsigned peer)
{
    struct wm_coherent_event message = message_to(step, to, kind, peer);
    if (step->leave == step->caches->now)
        leave(step->caches, &message);
    else
        wm_coherent_add(step->caches, &message);
}

// Memory below the root gives what is requested of it, and has no state.
static void to_memory(struct wm_coherent_step *step, enum wm_coherence_event message)
{
    bool upgrades = step->line->cache == WM_COHERENCE_CACHE_SM;
    enum wm_coherence_event answer = message == WM_COHERENCE_GETS   ? WM_COHERENCE_DATA_E
                                     : message != WM_COHERENCE_GETM ? WM_COHERENCE_PUT_ACK
                                     : upgrades                     ? WM_COHERENCE_GRANT_M
                                                                    : WM_COHERENCE_DATA_M;
    struct wm_coherent_event event =
        message_to(step, step->slice->node, answer, WM_COHERENCE_NOBODY);
    event.stage = WM_COHERENT_TAKEN;
    if (message == WM_COHERENCE_UNBLOCK)
        return;
    if (message == WM_COHERENCE_PUTM)
        wm_coherent_write_memory(step);
    if (wm_coherence_brings_data(answer)) {
        wm_coherent_read_memory(step, &event);
        return;
    }
    event.when += 2 * (uint64_t)step->node->spec.link_latency; // there and back
    wm_coherent_add(step->caches, &event);
}

static uint64_t line_bytes(const struct wm_coherent_step *step)
{
    return step->caches->spec.line_bytes;
}

// A modified line goes to the level below.
static void count_write_back(struct wm_coherent_step *step)
{
    struct wm_cache_counters *from = &step->slice->cache->counters;
    uint32_t home = step->node->spec.home;
    uint64_t index_line;
    from->write_backs++;
    from->bytes_to_below += line_bytes(step);
    if (home == WM_COHERENT_MEMORY)
        return;
    struct wm_coherent_slice *to =
        wm_coherent_slice_at(step->caches, home, step->event->line, &index_line);
    if (to->cache == NULL)
        return;
    to->cache->counters.bytes_from_above += line_bytes(step);
    wm_coherent_count_write_back(step->caches, to, index_line, step->event);
    wm_coherent_charged(step->caches, step->event)
        ->levels[step->caches->nodes[home].spec.level]
        .bytes += line_bytes(step);
}

static void to_home(void *context, enum wm_coherence_event message)
{
    struct wm_coherent_step *step = context;
    if (wm_coherence_brings_data(message))
        count_write_back(step);
    if (step->node->spec.home == WM_COHERENT_MEMORY)
        to_memory(step, message);
    else
        wm_coherent_send(step, step->node->spec.home, message, WM_COHERENCE_NOBODY);
}

static void to_peer(void *context, unsigned peer, enum wm_coherence_event message)
{
    struct wm_coherent_step *step = context;
    const struct wm_coherent_tree_node *home = &step->caches->nodes[step->node->spec.home];
    step->slice->beside->counters.bytes_to_peers += line_bytes(step);
    wm_coherent_send(step, home->children[peer], message, WM_COHERENCE_NOBODY);
}

static void to_child(void *context, unsigned child, enum wm_coherence_event message, unsigned peer)
{
    struct wm_coherent_step *step = context;
    uint32_t node = step->node->children[child];
    if (!wm_coherence_brings_data(message)) {
        wm_coherent_send(step, node, message, peer);
    } else if (step->slice->cache == NULL) {
        struct wm_coherent_event event = message_to(step, node, message, peer);
        wm_coherent_read_memory(step, &event);
    } else {
        step->slice->cache->counters.bytes_to_above += line_bytes(step);
        wm_coherent_charged(step->caches, step->event)->levels[step->node->spec.level].bytes +=
            line_bytes(step);
        wm_coherent_send(step, node, message, peer);
    }
}

void wm_coherent_see(const struct wm_coherent_caches *caches, uint32_t node, uint64_t line,
                     enum wm_coherence_event access, uint64_t *data)
{
    const struct wm_coherent_watch *watch = &caches->spec.watch;
    bool reads = access == WM_COHERENCE_LOAD || access == WM_COHERENCE_RMW_BEGIN;
    if (watch->read == NULL)
        return;
    if (reads)
        watch->read(caches->spec.context, node, line, *data);
    else
        *data = watch->write(caches->spec.context, node, line, *data);
}

static void complete(void *context, enum wm_coherence_event access)
{
    struct wm_coherent_step *step = context;
    step->was_completed = true;
    wm_coherent_see(step->caches, step->slice->node, step->event->line, access, step->data);
}

static void defer(void *context)
{
    ((struct wm_coherent_step *)context)->was_deferred = true;
}

static void fill(void *context)
{
    struct wm_coherent_step *step = context;
    struct wm_coherent_slice *slice = step->slice;
    const struct wm_coherent_slice *sender = &step->caches->slices[step->event->sender];
    bool from_peer = sender != slice && sender->node != step->node->spec.home;
    *step->data = step->event->data;
    if (step->slot != WM_NO_SLOT)
        slice->cache->counters.fills += wm_count_sectors(step->caches->line_sectors);
    *(from_peer ? &slice->beside->counters.bytes_from_peers
                : &slice->cache->counters.bytes_from_below) += line_bytes(step);
}

static void merge(void *context)
{
    struct wm_coherent_step *step = context;
    *step->data = step->event->data;
    if (step->slice->cache == NULL)
        wm_coherent_write_memory(step);
}

// The way is left when the step is over (requests.c): of a line that is fetched again it is kept.
static void drop(void *context)
{
    struct wm_coherent_step *step = context;
    struct wm_coherent_slice *slice = step->slice;
    if (step->slot == WM_NO_SLOT)
        return; // it has been evicted
    if (wm_coherent_is_explained(step->caches))
        wm_coherent_explain_loss(step);
    if (step->event->recalls)
        slice->cache->counters.inclusion_victims++;
    else
        wm_coherent_set_taken(slice->beside, step->slot, step->event->line);
}

static void took(void *context, enum wm_coherence_side side, const struct wm_coherence_row *row,
                 unsigned facts)
{
    struct wm_coherent_step *step = context;
    if (step->slice->cache == NULL) {
        wm_directory_count(step->caches->spec.directory_counters, row, step->line, facts);
        return;
    }
    struct wm_coherence_counters *counters = &step->slice->beside->counters;
    uint64_t taken = counters->invalidations;
    wm_coherence_count(counters, row, side, step->event->recalls);
    wm_coherent_charged(step->caches, step->event)->copies_taken += counters->invalidations - taken;
}

const struct wm_coherence_ports wm_coherent_ports = {
    .to_home = to_home,
    .to_peer = to_peer,
    .to_child = to_child,
    .complete = complete,
    .defer = defer,
    .fill = fill,
    .merge = merge,
    .drop = drop,
    .took = took,
};
