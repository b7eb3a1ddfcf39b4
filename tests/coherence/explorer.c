// Breadth first, so that what is found is found by the shortest way.
#include "explorer.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_STATE = UINT32_MAX };

struct known {
    uint32_t key, from; // where its key begins; the state it was found from
    uint8_t length;
    bool is_quiet;
    struct move move; // by which
};

struct edge {
    uint32_t from, to;
};

struct explorer {
    struct known *states;
    uint8_t *keys;
    uint32_t *slots; // of a hash table: number of a state, plus one
    struct edge *edges;
    size_t count, room, key_bytes, key_room, slot_count, edge_count, edge_room;
};

static void *grown(void *array, size_t *room, size_t needed, size_t element)
{
    if (needed <= *room)
        return array;
    *room = needed * 2;
    array = realloc(array, *room * element);
    if (array == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return array;
}

struct explorer *explorer_new(void)
{
    return calloc(1, sizeof(struct explorer));
}

void explorer_delete(struct explorer *explorer)
{
    free(explorer->states);
    free(explorer->keys);
    free(explorer->slots);
    free(explorer->edges);
    free(explorer);
}

static uint64_t hash_of(const uint8_t *key, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, key + i, length - i < sizeof word ? length - i : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return hash;
}

static void rehash(struct explorer *explorer)
{
    free(explorer->slots);
    explorer->slots = calloc(explorer->slot_count, sizeof explorer->slots[0]);
    if (explorer->slots == NULL)
        abort();
    for (size_t i = 0; i < explorer->count; i++) {
        const struct known *known = &explorer->states[i];
        size_t slot = hash_of(explorer->keys + known->key, known->length);
        while (explorer->slots[slot &= explorer->slot_count - 1] != 0)
            slot++;
        explorer->slots[slot] = (uint32_t)i + 1;
    }
}

// The state's number; `*is_new` says whether it has not been here before.
static uint32_t number_of(struct explorer *explorer, const uint8_t *key, size_t length,
                          bool *is_new)
{
    if (explorer->slot_count < 2 * (explorer->count + 1)) {
        explorer->slot_count = explorer->slot_count == 0 ? 1024 : explorer->slot_count * 4;
        rehash(explorer);
    }
    size_t slot = hash_of(key, length);
    for (;; slot++) {
        slot &= explorer->slot_count - 1;
        if (explorer->slots[slot] == 0)
            break;
        uint32_t number = explorer->slots[slot] - 1;
        const struct known *known = &explorer->states[number];
        if (known->length == length && memcmp(explorer->keys + known->key, key, length) == 0) {
            *is_new = false;
            return number;
        }
    }
    *is_new = true;
    uint32_t number = (uint32_t)explorer->count++;
    explorer->slots[slot] = number + 1;
    explorer->states =
        grown(explorer->states, &explorer->room, explorer->count, sizeof(struct known));
    explorer->keys = grown(explorer->keys, &explorer->key_room, explorer->key_bytes + length, 1);
    memcpy(explorer->keys + explorer->key_bytes, key, length);
    explorer->states[number] = (struct known){
        .key = (uint32_t)explorer->key_bytes, .from = NO_STATE, .length = (uint8_t)length};
    explorer->key_bytes += length;
    return number;
}

static void note_edge(struct explorer *explorer, uint32_t from, uint32_t to)
{
    explorer->edges =
        grown(explorer->edges, &explorer->edge_room, explorer->edge_count + 1, sizeof(struct edge));
    explorer->edges[explorer->edge_count++] = (struct edge){from, to};
}

static void describe(FILE *out, const struct walk *walk, const struct move *move)
{
    const struct tree *tree = walk->tree;
    fprintf(out, "  line %u, node %u%s: ", move->line, move->node,
            walk->is_leaf[move->node] ? " (leaf)"
            : move->node == 0         ? " (memory)"
                                      : "");
    if (move->kind == MOVE_ACCESS)
        fprintf(out, "%s\n", wm_coherence_event_name(move->event));
    else {
        fprintf(out, "takes %s of node %u", wm_coherence_event_name(move->event),
                move->message.from);
        if (move->message.peer != WM_COHERENCE_NOBODY)
            for (unsigned node = 1; node < tree->nodes; node++)
                if (tree->parent[node] == tree->parent[move->node] &&
                    walk->child_number[node] == move->message.peer)
                    fprintf(out, " for node %u", node);
        fputc('\n', out);
    }
}

static void describe_places(FILE *out, const struct walk *walk, const struct world *world)
{
    for (unsigned line = 0; line < walk->tree->lines; line++) {
        fprintf(out, "     ");
        for (unsigned node = 0; node < walk->tree->nodes; node++) {
            const struct wm_coherence_line *at = &world->places[line][node].line;
            fprintf(out, " %u:", node);
            if (node != 0)
                fprintf(out, "%s", wm_coherence_state_name(WM_COHERENCE_CACHE, at->cache));
            if (!walk->is_leaf[node])
                fprintf(out, "/%s", wm_coherence_state_name(WM_COHERENCE_HOME, at->home));
        }
        fputc('\n', out);
    }
}

// How a state was come to, and the move that shows what is wrong (NULL: the state does).
static void write_trace(const struct explorer *explorer, const struct walk *walk, uint32_t state,
                        const struct move *last)
{
    size_t bytes = 0, steps = 0;
    FILE *out = open_memstream(&walk->explored->trace, &bytes);
    if (out == NULL)
        return;
    uint32_t *way = NULL;
    size_t room = 0;
    for (; state != NO_STATE; state = explorer->states[state].from) {
        way = grown(way, &room, steps + 1, sizeof way[0]);
        way[steps++] = state;
    }
    while (steps-- > 0) {
        const struct known *known = &explorer->states[way[steps]];
        struct world world;
        if (known->from != NO_STATE)
            describe(out, walk, &known->move);
        world_unpack(walk, explorer->keys + known->key, known->length, &world);
        describe_places(out, walk, &world);
    }
    if (last != NULL)
        describe(out, walk, last);
    free(way);
    fclose(out);
}

static const uint8_t accesses[] = {
    WM_COHERENCE_RMW_END, WM_COHERENCE_EVICT,     WM_COHERENCE_LOAD,
    WM_COHERENCE_STORE,   WM_COHERENCE_RMW_BEGIN, WM_COHERENCE_RFO,
};

// All that may come next, in `moves`; how many.
static size_t moves_of(const struct walk *walk, const struct world *world, struct move *moves)
{
    size_t count = 0;
    for (unsigned i = 0; i < world->count; i++) {
        const struct message *message = &world->messages[i];
        moves[count++] =
            (struct move){MOVE_DELIVERY, message->line, message->to, message->event, *message};
    }
    for (unsigned line = 0; line < walk->tree->lines; line++)
        for (unsigned node = 1; node < walk->tree->nodes; node++)
            for (size_t i = 0; i < sizeof accesses; i++)
                moves[count++] = (struct move){.kind = MOVE_ACCESS,
                                               .line = (uint8_t)line,
                                               .node = (uint8_t)node,
                                               .event = accesses[i]};
    return count;
}

enum { MOST_MOVES = MOST_MESSAGES + MOST_LINES * MOST_NODES * sizeof accesses };

// Tries all moves of a state. False: something is wrong, and `*wrong` is the move, or NULL.
static bool expand(struct explorer *explorer, struct walk *walk, uint32_t number,
                   struct move *wrong, bool *is_move)
{
    const struct known known = explorer->states[number];
    struct world world;
    struct move moves[MOST_MOVES];
    world_unpack(walk, explorer->keys + known.key, known.length, &world);
    size_t count = moves_of(walk, &world, moves);
    for (size_t i = 0; i < count; i++) {
        struct world next = world;
        bool moved = world_move(walk, &next, &moves[i]);
        *wrong = moves[i];
        *is_move = true;
        if (walk->explored->fault[0] != '\0')
            return false;
        if (!moved)
            continue;
        world_check(walk, &next);
        if (walk->explored->fault[0] != '\0')
            return false;
        uint8_t key[MOST_KEY];
        size_t length = world_pack(walk, &next, key);
        bool is_new;
        uint32_t to = number_of(explorer, key, length, &is_new);
        if (to == number)
            continue;
        walk->explored->steps++;
        if (is_new) {
            explorer->states[to].from = number;
            explorer->states[to].move = moves[i];
            explorer->states[to].is_quiet = world_is_quiet(walk, &next);
        }
        if (move_is_progress(walk, &world, &moves[i]))
            note_edge(explorer, number, to);
    }
    return true;
}

// The first state from which none that is quiet can be reached; NO_STATE when there is none.
static uint32_t stuck_state(const struct explorer *explorer)
{
    size_t count = explorer->count;
    uint32_t *begins = calloc(count + 2, sizeof begins[0]),
             *before = calloc(explorer->edge_count + 1, sizeof before[0]);
    uint32_t *queue = calloc(count + 1, sizeof queue[0]);
    bool *good = calloc(count + 1, sizeof good[0]);
    if (begins == NULL || before == NULL || queue == NULL || good == NULL)
        abort();
    for (size_t i = 0; i < explorer->edge_count; i++)
        begins[explorer->edges[i].to + 2]++;
    for (size_t i = 1; i <= count; i++)
        begins[i + 1] += begins[i];
    for (size_t i = 0; i < explorer->edge_count; i++)
        before[begins[explorer->edges[i].to + 1]++] = explorer->edges[i].from;
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < count; i++)
        if (explorer->states[i].is_quiet) {
            good[i] = true;
            queue[tail++] = (uint32_t)i;
        }
    while (head < tail) {
        uint32_t state = queue[head++];
        for (uint32_t i = begins[state]; i < begins[state + 1]; i++)
            if (!good[before[i]]) {
                good[before[i]] = true;
                queue[tail++] = before[i];
            }
    }
    uint32_t stuck = NO_STATE;
    for (size_t i = 0; i < count && stuck == NO_STATE; i++)
        if (!good[i])
            stuck = (uint32_t)i;
    free(begins);
    free(before);
    free(queue);
    free(good);
    return stuck;
}

void explore(struct explorer *explorer, const struct tree *tree,
             const struct wm_coherence_protocol *protocol, bool wants_trace,
             struct explored *explored)
{
    *explored = (struct explored){0};
    explorer->count = explorer->key_bytes = explorer->edge_count = 0;
    explorer->slot_count = 1024;
    rehash(explorer);
    struct walk walk;
    struct world world;
    uint8_t key[MOST_KEY];
    bool is_new;
    walk_init(&walk, tree, protocol, explored, !wants_trace);
    world_init(&walk, &world);
    size_t length = world_pack(&walk, &world, key);
    uint32_t state = number_of(explorer, key, length, &is_new);
    explorer->states[state].is_quiet = true;
    struct move wrong;
    bool is_move = false;
    while (state < explorer->count && expand(explorer, &walk, state, &wrong, &is_move))
        state++;
    if (explored->fault[0] == '\0') {
        is_move = false;
        state = stuck_state(explorer);
        if (state != NO_STATE)
            snprintf(explored->fault, sizeof explored->fault,
                     "what is under way can never end: a deadlock");
    }
    explored->states = explorer->count;
    if (explored->fault[0] != '\0' && wants_trace)
        write_trace(explorer, &walk, state, is_move ? &wrong : NULL);
}
