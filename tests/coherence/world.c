#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void fault(const struct walk *walk, const char *format,
                                                        ...)
{
    if (walk->explored->fault[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(walk->explored->fault, sizeof walk->explored->fault, format, arguments);
    va_end(arguments);
}

// Of a client beside a level: it fetches nothing for itself.
#define RFO (1U << WM_COHERENCE_RFO)

void walk_init(struct walk *walk, const struct tree *tree,
               const struct wm_coherence_protocol *protocol, struct explored *explored,
               bool renames)
{
    *walk = (struct walk){.tree = tree, .protocol = protocol, .explored = explored};
    uint8_t children[MOST_NODES] = {0};
    for (unsigned node = 0; node < tree->nodes; node++) {
        walk->is_leaf[node] = true;
        if (node != 0) {
            walk->child_number[node] = children[tree->parent[node]]++;
            walk->is_leaf[tree->parent[node]] = false;
        }
    }
    for (unsigned node = 0; node < tree->nodes; node++)
        walk->accesses[node] = walk->is_leaf[node]                ? tree->accesses
                               : (tree->clients >> node & 1) != 0 ? tree->accesses & ~RFO
                                                                  : 0;
    // A sharer gives by its number, so caches are not alike.
    if (renames && !tree->forwards_clean) {
        walk_find_renamings(walk);
        return;
    }
    walk->renaming_count = 1;
    for (unsigned node = 0; node < tree->nodes; node++)
        walk->renamings[0][node] = (uint8_t)node;
}

void world_init(const struct walk *walk, struct world *world)
{
    memset(world, 0, sizeof *world);
    for (unsigned line = 0; line < walk->tree->lines; line++) {
        struct place *root = &world->places[line][0];
        root->line.cache = WM_COHERENCE_CACHE_M;
        root->has_data = root->is_latest = true;
    }
}

// One event of one line in one node, as the ports see it.
struct event_context {
    struct walk *walk;
    struct world *world;
    unsigned node, line;
    const struct message *message; // NULL: an access
    bool was_deferred, was_completed;
};

static struct place *here(const struct event_context *event)
{
    return &event->world->places[event->line][event->node];
}

static void send(struct event_context *event, unsigned to, enum wm_coherence_event message,
                 unsigned peer)
{
    const struct walk *walk = event->walk;
    struct world *world = event->world;
    if (world->count == MOST_MESSAGES) {
        fault(walk, "more messages under way than there is a reason for");
        return;
    }
    bool data = wm_coherence_brings_data(message);
    if (data && !here(event)->has_data)
        fault(walk, "%s is sent where no data are", wm_coherence_event_name(message));
    world->messages[world->count++] = (struct message){
        .event = (uint8_t)message,
        .line = (uint8_t)event->line,
        .from = (uint8_t)event->node,
        .to = (uint8_t)to,
        .peer = (uint8_t)peer,
        .is_latest = data && here(event)->is_latest,
    };
}

static void to_home(void *context, enum wm_coherence_event message)
{
    struct event_context *event = context;
    if (event->node == 0)
        fault(event->walk, "the root sends %s to a home", wm_coherence_event_name(message));
    else
        send(event, event->walk->tree->parent[event->node], message, WM_COHERENCE_NOBODY);
}

static void to_child_of(struct event_context *event, unsigned parent, unsigned number,
                        enum wm_coherence_event message, unsigned peer)
{
    const struct walk *walk = event->walk;
    for (unsigned node = 1; node < walk->tree->nodes; node++)
        if (walk->tree->parent[node] == parent && walk->child_number[node] == number) {
            send(event, node, message, peer);
            return;
        }
    fault(walk, "%s is sent to nobody", wm_coherence_event_name(message));
}

static void to_peer(void *context, unsigned peer, enum wm_coherence_event message)
{
    struct event_context *event = context;
    to_child_of(event, event->walk->tree->parent[event->node], peer, message, WM_COHERENCE_NOBODY);
}

static void to_child(void *context, unsigned child, enum wm_coherence_event message, unsigned peer)
{
    struct event_context *event = context;
    to_child_of(event, event->node, child, message, peer);
}

static void write_here(struct event_context *event)
{
    struct world *world = event->world;
    for (unsigned node = 0; node < event->walk->tree->nodes; node++)
        world->places[event->line][node].is_latest = node == event->node;
    for (unsigned i = 0; i < world->count; i++)
        if (world->messages[i].line == event->line)
            world->messages[i].is_latest = false;
}

static void complete(void *context, enum wm_coherence_event access)
{
    struct event_context *event = context;
    event->was_completed = true;
    if (access == WM_COHERENCE_EVICT || access >= WM_COHERENCE_GETS)
        fault(event->walk, "%s completes as an access", wm_coherence_event_name(access));
    else if (!here(event)->has_data)
        fault(event->walk, "%s completes without data", wm_coherence_event_name(access));
    else if (!here(event)->is_latest)
        fault(event->walk, "%s completes on a stale copy", wm_coherence_event_name(access));
    else if (access == WM_COHERENCE_STORE || access == WM_COHERENCE_RMW_END)
        write_here(event);
    if (access != WM_COHERENCE_LOAD && access != WM_COHERENCE_RFO)
        here(event)->is_modified = true;
    here(event)->is_locked = access == WM_COHERENCE_RMW_BEGIN ||
                             (here(event)->is_locked && access != WM_COHERENCE_RMW_END);
}

static void defer(void *context)
{
    struct event_context *event = context;
    event->was_deferred = true;
}

static void take_data(void *context)
{
    struct event_context *event = context;
    if (event->message == NULL || !wm_coherence_brings_data(event->message->event)) {
        fault(event->walk, "data are taken of what brings none");
        return;
    }
    here(event)->has_data = true;
    here(event)->is_latest = event->message->is_latest;
    here(event)->is_modified = event->message->event != WM_COHERENCE_DATA_S &&
                               event->message->event != WM_COHERENCE_DATA_E;
}

static void drop(void *context)
{
    struct event_context *event = context;
    here(event)->has_data = here(event)->is_latest = here(event)->is_modified = false;
}

static void took(void *context, enum wm_coherence_side side, const struct wm_coherence_row *row,
                 unsigned facts)
{
    struct event_context *event = context;
    const struct wm_coherence_table *table = &event->walk->protocol->tables[side];
    event->walk->explored->reached[side][row - table->rows] = true;
    for (const struct wm_coherence_row *next = row + 1;
         next < table->rows + table->count && next->state == row->state &&
         next->event == row->event;
         next++)
        if ((facts & next->when) == next->when && !(facts & next->unless))
            fault(event->walk, "two rows apply to %s in %s", wm_coherence_event_name(row->event),
                  wm_coherence_state_name(side, row->state));
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
    .took = took,
};

static void step(struct event_context *event, const struct wm_coherence_input *input)
{
    struct wm_coherence_line *line = &here(event)->line;
    uint8_t cache = line->cache, home = line->home;
    if (!wm_coherence_step(event->walk->protocol, line, input, &ports, event))
        fault(event->walk, "no row for %s where the cache side is %s and the home side %s",
              wm_coherence_event_name(input->event),
              wm_coherence_state_name(WM_COHERENCE_CACHE, cache),
              wm_coherence_state_name(WM_COHERENCE_HOME, home));
}

static bool has_room(const struct walk *walk, const struct world *world, unsigned node,
                     unsigned line)
{
    unsigned room = walk->tree->room[node], used = 0;
    for (unsigned other = 0; other < walk->tree->lines; other++)
        if (other != line && world->places[other][node].line.cache != WM_COHERENCE_CACHE_I)
            used++;
    return room == 0 || used < room;
}

static bool deliver(struct walk *walk, struct world *world, const struct message *message)
{
    bool wants_line = message->event == WM_COHERENCE_GETS || message->event == WM_COHERENCE_GETM;
    if (wants_line && !has_room(walk, world, message->to, message->line))
        return false;
    unsigned at = 0;
    while (at < world->count && memcmp(&world->messages[at], message, sizeof *message) != 0)
        at++;
    world->messages[at] = world->messages[--world->count];
    struct event_context event = {walk, world, message->to, message->line, message, false, false};
    struct wm_coherence_input input = {.event = message->event,
                                       .from = walk->child_number[message->from],
                                       .peer = message->peer,
                                       .forwards_clean =
                                           walk->tree->forwards_clean && message->to == 0};
    step(&event, &input);
    struct place *place = here(&event);
    if (message->event == WM_COHERENCE_GRANT_M)
        place->is_modified = true;
    else if (!event.was_deferred &&
             (message->event == WM_COHERENCE_FWD_GETS || message->event == WM_COHERENCE_DOWNGRADE))
        place->is_modified = false;
    if (place->line.cache == WM_COHERENCE_CACHE_I)
        place->is_victim = false;
    if (event.was_completed)
        fault(walk, "%s completes an access", wm_coherence_event_name(message->event));
    if (event.was_deferred && wm_coherence_network_of(message->event) == WM_COHERENCE_RESPONSE)
        fault(walk, "%s, a response, waits", wm_coherence_event_name(message->event));
    if (event.was_deferred && world->count < MOST_MESSAGES)
        world->messages[world->count++] = *message;
    return true;
}

static bool has_copy(const struct place *place)
{
    switch (place->line.cache) {
    case WM_COHERENCE_CACHE_S:
    case WM_COHERENCE_CACHE_E:
    case WM_COHERENCE_CACHE_M:
    case WM_COHERENCE_CACHE_ML:
    case WM_COHERENCE_CACHE_SM: return true;
    default: return false;
    }
}

// Whether as many accesses and evictions are under way as may be.
static bool is_full(const struct walk *walk, const struct world *world)
{
    unsigned count = 0;
    for (unsigned line = 0; line < walk->tree->lines; line++)
        for (unsigned node = 0; node < walk->tree->nodes; node++) {
            const struct place *place = &world->places[line][node];
            count += place->waiting != 0 || place->is_victim ||
                     place->line.cache >= WM_COHERENCE_CACHE_SI ||
                     place->line.home == WM_COHERENCE_HOME_RECALLING;
        }
    return walk->tree->at_once != 0 && count >= walk->tree->at_once;
}

// An eviction is kept, or has begun with the Put that its state says.
static void check_eviction(struct event_context *event, unsigned messages)
{
    struct place *place = here(event);
    const struct world *world = event->world;
    if (event->was_deferred) {
        place->is_victim = !event->walk->is_leaf[event->node];
        return;
    }
    place->is_victim = false;
    unsigned put = world->count == messages ? WM_COHERENCE_EVENT_COUNT
                                            : world->messages[world->count - 1].event;
    unsigned state = put == WM_COHERENCE_PUTS   ? WM_COHERENCE_CACHE_SI
                     : put == WM_COHERENCE_PUTE ? WM_COHERENCE_CACHE_EI
                     : put == WM_COHERENCE_PUTM ? WM_COHERENCE_CACHE_MI
                                                : WM_COHERENCE_CACHE_STATE_COUNT;
    if (place->line.cache != state)
        fault(event->walk, "an eviction is neither kept nor begun");
}

static bool access_line(struct walk *walk, struct world *world, const struct move *move)
{
    struct place *place = &world->places[move->line][move->node];
    bool prefetches = walk->tree->prefetches && move->event == WM_COHERENCE_LOAD &&
                      !walk->is_leaf[move->node] && place->line.cache == WM_COHERENCE_CACHE_I;
    bool accesses = walk->accesses[move->node] >> move->event & 1;
    if (move->event == WM_COHERENCE_EVICT ? !has_copy(place) : !accesses && !prefetches)
        return false;
    if (move->event == WM_COHERENCE_RMW_END && !place->is_locked)
        return false;
    if (place->line.cache == WM_COHERENCE_CACHE_I && !has_room(walk, world, move->node, move->line))
        return false;
    bool is_again =
        move->event == WM_COHERENCE_EVICT ? place->is_victim : place->waiting == move->event + 1;
    if (move->event != WM_COHERENCE_RMW_END && !is_again && is_full(walk, world))
        return false;
    struct world before = *world;
    struct event_context event = {walk, world, move->node, move->line, NULL, false, false};
    struct wm_coherence_input input = {.event = move->event, .peer = WM_COHERENCE_NOBODY};
    step(&event, &input);
    if (move->event == WM_COHERENCE_EVICT) {
        check_eviction(&event, before.count);
        return true;
    }
    if (prefetches) { // nothing waits for the line
        if (event.was_completed || !event.was_deferred)
            fault(walk, "a line that is prefetched has come at once");
        return true;
    }
    if (event.was_completed == event.was_deferred)
        fault(walk, "%s is neither done nor kept, or both", wm_coherence_event_name(move->event));
    bool waited = place->waiting == move->event + 1;
    if (event.was_completed) {
        if (waited)
            place->waiting = 0;
    } else if (place->waiting != 0 && !waited) {
        // A second access that has to wait, too; it does so behind the first.
        uint8_t cache = before.places[move->line][move->node].line.cache;
        if (cache > WM_COHERENCE_CACHE_M && place->line.cache != cache)
            fault(walk, "an access that waits changes a line that is on its way");
        *world = before;
        return false;
    } else {
        place->waiting = (uint8_t)(move->event + 1);
    }
    return true;
}

bool world_move(struct walk *walk, struct world *world, const struct move *move)
{
    bool moved = move->kind == MOVE_DELIVERY ? deliver(walk, world, &move->message)
                                             : access_line(walk, world, move);
    struct place *place = &world->places[move->line][move->node];
    if (moved && walk->tree->is_prompt && place->waiting != 0) {
        struct move again = {
            .line = move->line, .node = move->node, .event = (uint8_t)(place->waiting - 1)};
        access_line(walk, world, &again);
    }
    return moved;
}

bool move_is_progress(const struct walk *walk, const struct world *before, const struct move *move)
{
    const struct place *place = &before->places[move->line][move->node];
    if (move->kind == MOVE_ACCESS && move->event == WM_COHERENCE_EVICT)
        return place->is_victim || walk->tree->room[move->node] != 0;
    return move->kind == MOVE_DELIVERY || move->event == WM_COHERENCE_RMW_END ||
           place->waiting == move->event + 1;
}

bool world_is_quiet(const struct walk *walk, const struct world *world)
{
    for (unsigned line = 0; line < walk->tree->lines; line++)
        for (unsigned node = 0; node < walk->tree->nodes; node++) {
            const struct place *place = &world->places[line][node];
            if (place->waiting != 0 || place->is_locked || place->is_victim)
                return false;
        }
    return world->count == 0;
}

// Nothing is under way: each directory against what its children have.
static void check_quiet_place(const struct walk *walk, const struct world *world, unsigned line,
                              unsigned node)
{
    const struct place *place = &world->places[line][node];
    if (place->line.cache > WM_COHERENCE_CACHE_M)
        fault(walk, "a line stays in %s for ever",
              wm_coherence_state_name(WM_COHERENCE_CACHE, place->line.cache));
    if (place->line.home > WM_COHERENCE_HOME_OWNED)
        fault(walk, "a line stays in %s for ever",
              wm_coherence_state_name(WM_COHERENCE_HOME, place->line.home));
    unsigned holders = 0, owners = 0;
    for (unsigned child = 1; child < walk->tree->nodes; child++)
        if (walk->tree->parent[child] == node) {
            unsigned cache = world->places[line][child].line.cache;
            holders += (unsigned)(cache != WM_COHERENCE_CACHE_I) << walk->child_number[child];
            owners += cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_M;
        }
    if (place->line.holders != holders || place->line.requester != 0)
        fault(walk, "a directory does not know who holds the line");
    enum wm_coherence_home_state known = owners != 0    ? WM_COHERENCE_HOME_OWNED
                                         : holders != 0 ? WM_COHERENCE_HOME_SHARED
                                                        : WM_COHERENCE_HOME_NONE;
    if (place->line.home != known)
        fault(walk, "a directory says %s of a line that is %s",
              wm_coherence_state_name(WM_COHERENCE_HOME, place->line.home),
              wm_coherence_state_name(WM_COHERENCE_HOME, known));
    if (holders != 0 && place->line.cache == WM_COHERENCE_CACHE_I)
        fault(walk, "a level is not inclusive");
    if (owners != 0 && place->line.cache == WM_COHERENCE_CACHE_S)
        fault(walk, "a child owns a line that its level shares");
    if (owners == 0 && place->has_data && !place->is_latest &&
        place->line.cache == WM_COHERENCE_CACHE_S)
        fault(walk, "a shared copy is old");
}

// That E says what is as the home has it, and M what may not be.
static void check_modified(const struct walk *walk, const struct place *place)
{
    unsigned cache = place->line.cache;
    bool says_clean = cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_EI;
    bool says_modified = cache == WM_COHERENCE_CACHE_M || cache == WM_COHERENCE_CACHE_ML ||
                         cache == WM_COHERENCE_CACHE_MI;
    if (place->is_modified ? says_clean : says_modified)
        fault(walk, "a line is in %s, which it is not",
              wm_coherence_state_name(WM_COHERENCE_CACHE, cache));
}

// That the states with data have some, and the others none.
static void check_data(const struct walk *walk, const struct place *place)
{
    unsigned cache = place->line.cache;
    bool has_none = cache == WM_COHERENCE_CACHE_I || cache == WM_COHERENCE_CACHE_IS ||
                    cache == WM_COHERENCE_CACHE_IM || cache == WM_COHERENCE_CACHE_II;
    if (place->has_data == has_none)
        fault(walk, "a line in %s %s data", wm_coherence_state_name(WM_COHERENCE_CACHE, cache),
              has_none ? "has" : "lacks");
}

// That a home which is not busy knows in which of the two ways a child holds the line.
static void check_known(const struct walk *walk, const struct place *child,
                        const struct place *home, unsigned number)
{
    unsigned cache = child->line.cache;
    bool shares = cache == WM_COHERENCE_CACHE_S || cache == WM_COHERENCE_CACHE_SM ||
                  cache == WM_COHERENCE_CACHE_SI;
    bool owns = cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_M ||
                cache == WM_COHERENCE_CACHE_ML || cache == WM_COHERENCE_CACHE_EI ||
                cache == WM_COHERENCE_CACHE_MI;
    bool holds = home->line.holders >> number & 1;
    if (holds && (home->line.home == WM_COHERENCE_HOME_SHARED  ? !shares
                  : home->line.home == WM_COHERENCE_HOME_OWNED ? !owns
                                                               : false))
        fault(walk, "a home says %s of a child's line in %s",
              wm_coherence_state_name(WM_COHERENCE_HOME, home->line.home),
              wm_coherence_state_name(WM_COHERENCE_CACHE, cache));
}

void world_check(const struct walk *walk, const struct world *world)
{
    bool quiet = world_is_quiet(walk, world);
    for (unsigned line = 0; line < walk->tree->lines; line++) {
        unsigned readers = 0, writers = 0, latest = 0;
        for (unsigned node = 0; node < walk->tree->nodes; node++) {
            const struct place *place = &world->places[line][node];
            latest += place->is_latest;
            if (node != 0) {
                check_modified(walk, place);
                check_data(walk, place);
                check_known(walk, place, &world->places[line][walk->tree->parent[node]],
                            walk->child_number[node]);
            }
            unsigned cache = place->line.cache;
            bool is_locked = walk->accesses[node] != 0 && cache == WM_COHERENCE_CACHE_ML;
            if (walk->is_leaf[node] || is_locked) {
                readers += has_copy(place);
                writers += cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_M ||
                           cache == WM_COHERENCE_CACHE_ML;
            }
            if (quiet)
                check_quiet_place(walk, world, line, node);
        }
        for (unsigned i = 0; i < world->count; i++)
            latest += world->messages[i].line == line && world->messages[i].is_latest;
        if (writers != 0 && readers > 1)
            fault(walk, "one may write while others may read or write");
        if (latest == 0)
            fault(walk, "the last write is lost");
    }
}
