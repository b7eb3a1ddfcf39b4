// Finds the row of an event and carries it out through the driver's ports.
#include "mem/coherence/coherence.h"

#include <assert.h>
#include <string.h>

enum { NO_ROW = UINT8_MAX };

#define NETWORK_OF(name, text, network, ...) WM_COHERENCE_##network,
#define DATA_OF(name, text, network, data, ...) data,
#define IS(name, other) (WM_COHERENCE_##name == WM_COHERENCE_##other)
#define SIDE_OF(name, text, network, ...)                                               \
    IS(network, REQUEST) || IS(name, ACK) || IS(name, ACK_DATA) || IS(name, UNBLOCK) || \
            IS(name, RECALL) || IS(name, RECALL_SHARED)                                 \
        ? WM_COHERENCE_HOME                                                             \
        : WM_COHERENCE_CACHE,

static const uint8_t networks[] = {WM_COHERENCE_EVENTS(NETWORK_OF)};
static const bool data[] = {WM_COHERENCE_EVENTS(DATA_OF)};
static const uint8_t sides[] = {WM_COHERENCE_EVENTS(SIDE_OF)};

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
    return sides[event];
}

// --- Finding a row ---

// A situation is the facts of the cache side, of which there are three; or of the home side: which
// of four its own copy is, and three more.
enum {
    CACHE_SITUATIONS = 1 << WM_COHERENCE_BIT_OWN_NONE,
    OWN_COPIES = WM_COHERENCE_BIT_HOLDS - WM_COHERENCE_BIT_OWN_NONE,
};
static_assert(OWN_COPIES == 4 && WM_COHERENCE_FACT_COUNT == WM_COHERENCE_BIT_HOLDS + 3 &&
                  (int)CACHE_SITUATIONS <= (int)WM_COHERENCE_SITUATIONS,
              "facts are one side's or the other's");

static inline unsigned situation_of(enum wm_coherence_side side, unsigned facts)
{
    if (side == WM_COHERENCE_CACHE)
        return facts;
    return (unsigned)__builtin_ctz(facts >> WM_COHERENCE_BIT_OWN_NONE) |
           facts >> WM_COHERENCE_BIT_HOLDS << 2;
}

static unsigned facts_in(enum wm_coherence_side side, unsigned situation)
{
    if (side == WM_COHERENCE_CACHE)
        return situation % CACHE_SITUATIONS;
    return 1u << (WM_COHERENCE_BIT_OWN_NONE + situation % OWN_COPIES) |
           situation / OWN_COPIES << WM_COHERENCE_BIT_HOLDS;
}

void wm_coherence_protocol_init(struct wm_coherence_protocol *protocol,
                                struct wm_coherence_table cache, struct wm_coherence_table home)
{
    protocol->tables[WM_COHERENCE_CACHE] = cache;
    protocol->tables[WM_COHERENCE_HOME] = home;
    memset(protocol->rows, NO_ROW, sizeof protocol->rows);
    for (unsigned side = 0; side < WM_COHERENCE_SIDES; side++) {
        struct wm_coherence_table table = protocol->tables[side];
        assert(table.count < NO_ROW);
        for (size_t i = table.count; i-- > 0;)
            for (unsigned situation = 0; situation < WM_COHERENCE_SITUATIONS; situation++) {
                const struct wm_coherence_row *row = &table.rows[i];
                unsigned facts = facts_in(side, situation);
                if ((facts & row->when) == row->when && (facts & row->unless) == 0)
                    protocol->rows[side][row->state][row->event][situation] = (uint8_t)i;
            }
    }
}

// For whom the home side acts: who sent the event, or for whom it has invalidated.
static unsigned requester_of(const struct wm_coherence_line *line, unsigned sender)
{
    return line->home == WM_COHERENCE_HOME_INVALIDATING ? line->requester : sender;
}

static unsigned own_copy_fact(const struct wm_coherence_line *line)
{
    static const uint16_t facts[WM_COHERENCE_CACHE_STATE_COUNT] = {
        [WM_COHERENCE_CACHE_I] = WM_COHERENCE_IF_OWN_NONE,
        [WM_COHERENCE_CACHE_S] = WM_COHERENCE_IF_OWN_SHARED,
        [WM_COHERENCE_CACHE_E] = WM_COHERENCE_IF_OWN_EXCLUSIVE,
        [WM_COHERENCE_CACHE_M] = WM_COHERENCE_IF_OWN_EXCLUSIVE,
    };
    return facts[line->cache] != 0 ? facts[line->cache] : WM_COHERENCE_IF_OWN_BUSY;
}

static inline unsigned facts_of(const struct wm_coherence_line *line,
                                const struct wm_coherence_input *input)
{
    if (sides[input->event] == WM_COHERENCE_CACHE)
        return (line->holders != 0 ? WM_COHERENCE_IF_HELD_ABOVE : 0u) |
               (line->home == WM_COHERENCE_HOME_OWNED ? WM_COHERENCE_IF_OWNED_ABOVE : 0u) |
               (line->home > WM_COHERENCE_HOME_OWNED ? WM_COHERENCE_IF_BUSY_ABOVE : 0u);
    uint64_t sender = (uint64_t)1 << input->from;
    uint64_t requester = (uint64_t)1 << requester_of(line, input->from);
    return own_copy_fact(line) | ((line->holders & requester) != 0 ? WM_COHERENCE_IF_HOLDS : 0u) |
           ((line->holders & ~sender & ~requester) != 0 ? WM_COHERENCE_IF_OTHERS : 0u) |
           (input->forwards_clean ? WM_COHERENCE_IF_FORWARDS_CLEAN : 0u);
}

unsigned wm_coherence_facts(const struct wm_coherence_line *line,
                            const struct wm_coherence_input *input)
{
    return facts_of(line, input);
}

static inline const struct wm_coherence_row *find(const struct wm_coherence_protocol *protocol,
                                                  const struct wm_coherence_line *line,
                                                  enum wm_coherence_event event, unsigned facts)
{
    enum wm_coherence_side side = sides[event];
    unsigned state = side == WM_COHERENCE_CACHE ? line->cache : line->home;
    unsigned row = protocol->rows[side][state][event][situation_of(side, facts)];
    return row != NO_ROW ? &protocol->tables[side].rows[row] : NULL;
}

const struct wm_coherence_row *wm_coherence_find(const struct wm_coherence_protocol *protocol,
                                                 const struct wm_coherence_line *line,
                                                 enum wm_coherence_event event, unsigned facts)
{
    return find(protocol, line, event, facts);
}

// --- Carrying it out ---

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
    enum wm_coherence_side side = sides[input->event];
    unsigned facts = facts_of(line, input);
    const struct wm_coherence_row *row = find(step->protocol, line, input->event, facts);
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
    for (unsigned i = 0;
         i < WM_COHERENCE_MOST_ACTIONS && row->actions[i] != WM_COHERENCE_DO_NOTHING; i++)
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
