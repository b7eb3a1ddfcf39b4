// Finds the row of an event and carries it out through the driver's ports.
#include "mem/coherence/coherence.h"

#include <assert.h>
#include <string.h>

enum { NO_ROW = UINT8_MAX };

#define NETWORK_OF(name, text, network, ...) WM_COHERENCE_##network,
#define DATA_OF(name, text, network, data, ...) data,

static const uint8_t networks[] = {WM_COHERENCE_EVENTS(NETWORK_OF)};
static const bool data[] = {WM_COHERENCE_EVENTS(DATA_OF)};

enum wm_coherence_network wm_coherence_network_of(enum wm_coherence_event event)
{
    return networks[event];
}

bool wm_coherence_brings_data(enum wm_coherence_event event)
{
    return data[event];
}

enum wm_coherence_side wm_coherence_side_of(enum wm_coherence_event event)
{
    bool home = networks[event] == WM_COHERENCE_REQUEST || event == WM_COHERENCE_ACK ||
                event == WM_COHERENCE_ACK_DATA || event == WM_COHERENCE_UNBLOCK ||
                event == WM_COHERENCE_RECALL || event == WM_COHERENCE_RECALL_SHARED;
    return home ? WM_COHERENCE_HOME : WM_COHERENCE_CACHE;
}

void wm_coherence_protocol_init(struct wm_coherence_protocol *protocol,
                                struct wm_coherence_table cache, struct wm_coherence_table home)
{
    protocol->tables[WM_COHERENCE_CACHE] = cache;
    protocol->tables[WM_COHERENCE_HOME] = home;
    memset(protocol->first, NO_ROW, sizeof protocol->first);
    for (unsigned side = 0; side < WM_COHERENCE_SIDES; side++) {
        struct wm_coherence_table table = protocol->tables[side];
        assert(table.count < NO_ROW);
        for (size_t i = table.count; i-- > 0;)
            protocol->first[side][table.rows[i].state][table.rows[i].event] = (uint8_t)i;
    }
}

// For whom the home side acts: who sent the event, or for whom it has invalidated.
static unsigned requester_of(const struct wm_coherence_line *line, unsigned sender)
{
    return line->home == WM_COHERENCE_HOME_INVALIDATING ? line->requester : sender;
}

static unsigned own_copy_fact(const struct wm_coherence_line *line)
{
    switch (line->cache) {
    case WM_COHERENCE_CACHE_I: return WM_COHERENCE_IF_OWN_NONE;
    case WM_COHERENCE_CACHE_S: return WM_COHERENCE_IF_OWN_SHARED;
    case WM_COHERENCE_CACHE_E:
    case WM_COHERENCE_CACHE_M: return WM_COHERENCE_IF_OWN_EXCLUSIVE;
    default: return WM_COHERENCE_IF_OWN_BUSY;
    }
}

unsigned wm_coherence_facts(const struct wm_coherence_line *line,
                            const struct wm_coherence_input *input)
{
    unsigned facts = 0;
    if (wm_coherence_side_of(input->event) == WM_COHERENCE_CACHE) {
        if (line->holders != 0)
            facts |= WM_COHERENCE_IF_HELD_ABOVE;
        if (line->home == WM_COHERENCE_HOME_OWNED)
            facts |= WM_COHERENCE_IF_OWNED_ABOVE;
        if (line->home > WM_COHERENCE_HOME_OWNED)
            facts |= WM_COHERENCE_IF_BUSY_ABOVE;
        return facts;
    }
    uint64_t sender = (uint64_t)1 << input->from;
    uint64_t requester = (uint64_t)1 << requester_of(line, input->from);
    facts |= own_copy_fact(line);
    if (line->holders & requester)
        facts |= WM_COHERENCE_IF_HOLDS;
    if (line->holders & ~sender & ~requester)
        facts |= WM_COHERENCE_IF_OTHERS;
    if (input->forwards_clean)
        facts |= WM_COHERENCE_IF_FORWARDS_CLEAN;
    return facts;
}

const struct wm_coherence_row *wm_coherence_find(const struct wm_coherence_protocol *protocol,
                                                 const struct wm_coherence_line *line,
                                                 enum wm_coherence_event event, unsigned facts)
{
    enum wm_coherence_side side = wm_coherence_side_of(event);
    struct wm_coherence_table table = protocol->tables[side];
    unsigned state = side == WM_COHERENCE_CACHE ? line->cache : line->home;
    for (size_t i = protocol->first[side][state][event]; i < table.count; i++) {
        const struct wm_coherence_row *row = &table.rows[i];
        if (row->state != state || row->event != event)
            return NULL;
        if ((facts & row->when) == row->when && !(facts & row->unless))
            return row;
    }
    return NULL;
}

struct step {
    const struct wm_coherence_protocol *protocol;
    struct wm_coherence_line *line;
    const struct wm_coherence_ports *ports;
    void *context;
    bool is_inside; // what the other side of the same level requested: it waits, not this event
};

static bool take(const struct step *step, const struct wm_coherence_input *input);

static bool other_side(const struct step *step, enum wm_coherence_event event)
{
    struct step inside = *step;
    inside.is_inside = true;
    struct wm_coherence_input input = {.event = event, .peer = WM_COHERENCE_NOBODY};
    return take(&inside, &input);
}

static void to_children(const struct step *step, uint64_t children, enum wm_coherence_event message,
                        unsigned requester)
{
    for (; children != 0; children &= children - 1)
        step->ports->to_child(step->context, (unsigned)__builtin_ctzll(children), message,
                              requester);
}

// What a home sends to several of its children, or to one that has the data.
static void send_to_children(const struct step *step, enum wm_coherence_action action,
                             unsigned requester)
{
    struct wm_coherence_line *line = step->line;
    uint64_t requesting = (uint64_t)1 << requester, others = line->holders & ~requesting;
    switch (action) {
    case WM_COHERENCE_DO_INV_OTHERS:
        to_children(step, others, WM_COHERENCE_INV, WM_COHERENCE_NOBODY);
        break;
    case WM_COHERENCE_DO_INV_ALL:
        to_children(step, line->holders, WM_COHERENCE_INV, WM_COHERENCE_NOBODY);
        break;
    case WM_COHERENCE_DO_FORWARD_GETS:
        to_children(step, others, WM_COHERENCE_FWD_GETS, requester);
        break;
    case WM_COHERENCE_DO_FORWARD_CLEAN:
        to_children(step, others & -others, WM_COHERENCE_FWD_GETS, requester);
        break;
    case WM_COHERENCE_DO_FORWARD_GETM:
        line->holders = requesting;
        to_children(step, others, WM_COHERENCE_FWD_GETM, requester);
        break;
    default: to_children(step, line->holders, WM_COHERENCE_DOWNGRADE, WM_COHERENCE_NOBODY); break;
    }
}

static void give(const struct step *step, unsigned child, enum wm_coherence_event message)
{
    step->ports->to_child(step->context, child, message, WM_COHERENCE_NOBODY);
}

static bool act(const struct step *step, enum wm_coherence_action action,
                const struct wm_coherence_input *input, unsigned requester)
{
    const struct wm_coherence_ports *ports = step->ports;
    struct wm_coherence_line *line = step->line;
    void *context = step->context;
    switch (action) {
    case WM_COHERENCE_DO_NOTHING: break;
    case WM_COHERENCE_DO_DEFER:
        if (!step->is_inside)
            ports->defer(context);
        break;
    case WM_COHERENCE_DO_COMPLETE:
        if (!step->is_inside)
            ports->complete(context, input->event);
        break;
    case WM_COHERENCE_DO_SEND_GETS: ports->to_home(context, WM_COHERENCE_GETS); break;
    case WM_COHERENCE_DO_SEND_GETM: ports->to_home(context, WM_COHERENCE_GETM); break;
    case WM_COHERENCE_DO_SEND_PUTS: ports->to_home(context, WM_COHERENCE_PUTS); break;
    case WM_COHERENCE_DO_SEND_PUTE: ports->to_home(context, WM_COHERENCE_PUTE); break;
    case WM_COHERENCE_DO_SEND_PUTM: ports->to_home(context, WM_COHERENCE_PUTM); break;
    case WM_COHERENCE_DO_SEND_ACK: ports->to_home(context, WM_COHERENCE_ACK); break;
    case WM_COHERENCE_DO_SEND_ACK_DATA: ports->to_home(context, WM_COHERENCE_ACK_DATA); break;
    case WM_COHERENCE_DO_SEND_UNBLOCK: ports->to_home(context, WM_COHERENCE_UNBLOCK); break;
    case WM_COHERENCE_DO_PASS_DATA_S:
        ports->to_peer(context, input->peer, WM_COHERENCE_DATA_S);
        break;
    case WM_COHERENCE_DO_PASS_DATA_M:
        ports->to_peer(context, input->peer, WM_COHERENCE_DATA_M);
        break;
    case WM_COHERENCE_DO_FILL: ports->fill(context); break;
    case WM_COHERENCE_DO_DROP: ports->drop(context); break;
    case WM_COHERENCE_DO_RECALL_ALL: return other_side(step, WM_COHERENCE_RECALL);
    case WM_COHERENCE_DO_RECALL_OWNER: return other_side(step, WM_COHERENCE_RECALL_SHARED);
    case WM_COHERENCE_DO_OWN_LOAD: return other_side(step, WM_COHERENCE_LOAD);
    case WM_COHERENCE_DO_OWN_RFO: return other_side(step, WM_COHERENCE_RFO);
    case WM_COHERENCE_DO_NOTE: line->requester = (uint8_t)requester; break;
    case WM_COHERENCE_DO_ADD: line->holders |= (uint64_t)1 << requester; break;
    case WM_COHERENCE_DO_REMOVE: line->holders &= ~((uint64_t)1 << input->from); break;
    case WM_COHERENCE_DO_GIVE_DATA_S: give(step, requester, WM_COHERENCE_DATA_S); break;
    case WM_COHERENCE_DO_GIVE_DATA_E: give(step, requester, WM_COHERENCE_DATA_E); break;
    case WM_COHERENCE_DO_GIVE_DATA_M: give(step, requester, WM_COHERENCE_DATA_M); break;
    case WM_COHERENCE_DO_GIVE_GRANT_M: give(step, requester, WM_COHERENCE_GRANT_M); break;
    case WM_COHERENCE_DO_GIVE_PUT_ACK: give(step, input->from, WM_COHERENCE_PUT_ACK); break;
    case WM_COHERENCE_DO_INV_OTHERS:
    case WM_COHERENCE_DO_INV_ALL:
    case WM_COHERENCE_DO_FORWARD_GETS:
    case WM_COHERENCE_DO_FORWARD_CLEAN:
    case WM_COHERENCE_DO_FORWARD_GETM:
    case WM_COHERENCE_DO_SEND_DOWNGRADE: send_to_children(step, action, requester); break;
    case WM_COHERENCE_DO_MERGE:
        ports->merge(context);
        return other_side(step, WM_COHERENCE_WRITTEN);
    case WM_COHERENCE_ACTION_COUNT: break;
    }
    return true;
}

static bool take(const struct step *step, const struct wm_coherence_input *input)
{
    struct wm_coherence_line *line = step->line;
    enum wm_coherence_side side = wm_coherence_side_of(input->event);
    unsigned facts = wm_coherence_facts(line, input);
    const struct wm_coherence_row *row =
        wm_coherence_find(step->protocol, line, input->event, facts);
    if (row == NULL)
        return false;
    if (step->ports->took != NULL)
        step->ports->took(step->context, side, row, facts);
    unsigned requester = requester_of(line, input->from);
    if (side == WM_COHERENCE_CACHE) {
        line->cache = row->next;
    } else {
        line->home = row->next;
        if (row->next != WM_COHERENCE_HOME_INVALIDATING)
            line->requester = 0;
    }
    for (unsigned i = 0; i < WM_COHERENCE_MOST_ACTIONS; i++)
        if (!act(step, row->actions[i], input, requester))
            return false;
    return true;
}

bool wm_coherence_step(const struct wm_coherence_protocol *protocol, struct wm_coherence_line *line,
                       const struct wm_coherence_input *input,
                       const struct wm_coherence_ports *ports, void *context)
{
    struct step step = {protocol, line, ports, context, false};
    return take(&step, input);
}
