#include "engine/profile/load_sets.h"

#include "base/containers/array.h"
#include "engine/access/front_end.h"
#include "engine/access/unified_array.h"
#include "engine/profile/load_lanes.h"
#include "mem/cache/cache.h"
#include "mem/system/memory_spec_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A set's requests among those of a batch are those of its loads and those that all sets serve, in
// their order: up to three lists, each in order, are merged.
enum { MOST_LISTS = 3 };
enum other_list {
    OF_ALL_SETS, // what every set serves
    KEPT,        // all that any set serves
    LEFT_OUT,    // what changes no set, where sets are chosen: its bytes are the same in all
    OTHER_LISTS,
};

// Requests of a batch that are alike to all sets, by their place in it.
struct list {
    uint32_t *places; // owned; room for all of a batch
    uint32_t count;
};

struct set {
    struct wm_memory *memory; // owned
    struct wm_load_set_counts counted;
    uint64_t bytes_at_begin;
};

// Lines that a load of the launch has brought to an SM's L1, in some set, by a hash: a store to any
// other finds nothing there.
enum { SEEN_BITS = 1 << 16, SEEN_WORDS = SEEN_BITS / 64 };

struct wm_load_sets {
    struct wm_machine machine;
    struct wm_load_lanes *lanes; // owned; where there are any, nothing below is used
    struct set *sets; // owned; `made` have a memory system, the launch uses `used` of them
    uint32_t room, made, used;
    const struct wm_load_set *chosen; // borrowed; NULL: the profile's sets
    uint32_t chosen_count;            // one more is used: it serves what is left out
    // The launch's.
    const int32_t *load_of;
    uint32_t load_count, instruction_count;
    struct wm_instruction_counters
        *counters_by_pc; // owned; by pc: what the sets' memory systems charge
    uint8_t *listed;     // owned; by pc: zeros, as no bypass list is read
    uint32_t cause_room;
    uint64_t *hits_together, *misses_together; // owned; by load
    uint64_t *seen;                            // owned; by SM
    bool stores_matter;                        // to lines that no load brought, too
    // A batch's.
    struct list *lists; // owned; of each load, and behind them enum other_list
    uint32_t list_count, place_room;
    uint32_t *first_line;          // owned; by place
    struct wm_request_head *heads; // owned; of a set's run
    struct wm_line_request *lines; // owned; likewise
    uint32_t line_room;
    bool failed; // out of memory in the launch
};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the profile of a kernel's loads");
}

// --- Building ---

// What lies below an L1 does not change what is in it; and what the loads' operators say has been
// decided when a request comes to a set.
static void simplify(struct wm_machine *machine)
{
    struct wm_memory_spec *spec = &machine->memory;
    spec->levels[WM_LEVEL_L2].cache.present = false;
    spec->levels[WM_LEVEL_L2].inclusion = WM_NON_INCLUSIVE;
    spec->levels[WM_LEVEL_L2].load_allocation = WM_L2_TAKES_ALL;
    spec->levels[WM_LEVEL_L2].atomic_buffer_lines = 0;
    spec->tlb.present = false;
    spec->levels[WM_LEVEL_L1].tracker.present = false;
    spec->levels[WM_LEVEL_L1].bypass = NULL;
    spec->levels[WM_LEVEL_L1].flush_at_kernel = true;
    for (uint32_t i = WM_LEVELS_NAMED; i < WM_MOST_LEVELS; i++)
        spec->levels[i].cache.present &= !wm_level_has_sides_alone_above(spec, i);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        spec->levels[WM_LEVEL_SIDE + kind].cache.present = false;
    // Which bytes of a sector are held matters to what is written back, not to loads.
    if (spec->levels[WM_LEVEL_L1].cache.write_fetch == WM_FETCH_NEVER)
        spec->levels[WM_LEVEL_L1].cache.write_fetch = WM_FETCH_PARTIAL;
}

enum wm_status wm_load_sets_new(const struct wm_machine *machine, bool may_be_lanes,
                                struct wm_load_sets **result, struct wm_error *error)
{
    struct wm_load_sets *sets = calloc(1, sizeof *sets);
    if (sets == NULL)
        return out_of_memory(error);
    sets->machine = *machine;
    simplify(&sets->machine);
    const struct wm_cache_spec *l1 = &sets->machine.memory.levels[WM_LEVEL_L1].cache;
    sets->stores_matter = l1->write_allocate;
    sets->seen = malloc((size_t)machine->sm.count * SEEN_WORDS * sizeof *sets->seen);
    if (sets->seen == NULL) {
        wm_load_sets_free(sets);
        return out_of_memory(error);
    }
    if (may_be_lanes) {
        enum wm_status status = wm_load_lanes_new(&sets->machine.memory, &sets->lanes, error);
        if (status != WM_OK) {
            wm_load_sets_free(sets);
            return status;
        }
    }
    *result = sets;
    return WM_OK;
}

static void free_lists(struct wm_load_sets *sets)
{
    for (uint32_t i = 0; i < sets->list_count; i++)
        free(sets->lists[i].places);
    free(sets->lists);
    sets->lists = NULL;
    sets->list_count = 0;
}

void wm_load_sets_free(struct wm_load_sets *sets)
{
    if (sets == NULL)
        return;
    for (uint32_t i = 0; i < sets->made; i++)
        wm_memory_free(sets->sets[i].memory);
    free_lists(sets);
    wm_load_lanes_free(sets->lanes);
    free(sets->sets);
    free(sets->counters_by_pc);
    free(sets->listed);
    free(sets->hits_together);
    free(sets->misses_together);
    free(sets->seen);
    free(sets->first_line);
    free(sets->heads);
    free(sets->lines);
    free(sets);
}

void wm_load_sets_choose(struct wm_load_sets *sets, const struct wm_load_set *chosen,
                         uint32_t count)
{
    assert(sets->lanes == NULL);
    sets->chosen = chosen;
    sets->chosen_count = count;
}

// --- A launch begins ---

static enum wm_status make_memories(struct wm_load_sets *sets, struct wm_error *error)
{
    if (!WM_ARRAY_RESERVE(sets->sets, 0, sets->room, sets->used))
        return out_of_memory(error);
    for (; sets->made < sets->used; sets->made++) {
        struct set *set = &sets->sets[sets->made];
        *set = (struct set){0};
        WM_TRY(wm_memory_new(&sets->machine.memory, "gpu0", &set->memory, error));
    }
    return WM_OK;
}

static enum wm_status make_room(struct wm_load_sets *sets, struct wm_error *error)
{
    uint32_t lists = sets->load_count + OTHER_LISTS;
    if (sets->list_count != lists) {
        free_lists(sets);
        sets->lists = calloc(lists, sizeof *sets->lists);
        if (sets->lists == NULL)
            return out_of_memory(error);
        sets->list_count = lists;
        sets->place_room = 0; // they are made with the first batch
    }
    if (sets->instruction_count > sets->cause_room) {
        free(sets->counters_by_pc);
        free(sets->listed);
        sets->counters_by_pc = calloc(sets->instruction_count, sizeof *sets->counters_by_pc);
        sets->listed = calloc(sets->instruction_count, sizeof *sets->listed);
        bool made = sets->counters_by_pc != NULL && sets->listed != NULL;
        sets->cause_room = made ? sets->instruction_count : 0;
    }
    free(sets->hits_together);
    free(sets->misses_together);
    sets->hits_together = calloc(sets->load_count + UINT64_C(1), sizeof *sets->hits_together);
    sets->misses_together = calloc(sets->load_count + UINT64_C(1), sizeof *sets->misses_together);
    bool failed = sets->cause_room < sets->instruction_count || sets->hits_together == NULL ||
                  sets->misses_together == NULL;
    return failed ? out_of_memory(error) : WM_OK;
}

// Between L1s and L2, both ways, since the memory system was made.
static uint64_t bytes_below(const struct wm_memory *memory)
{
    size_t count, from = wm_counter_index(&wm_l1_counter_set, "bytes_from_below"),
                  to = wm_counter_index(&wm_l1_counter_set, "bytes_to_below");
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (components[i].set == &wm_l1_counter_set)
            bytes += components[i].values[from] + components[i].values[to];
    return bytes;
}

static enum wm_status begin_lanes(struct wm_load_sets *sets, const int32_t *load_of,
                                  uint32_t load_count, const struct wm_occupancy *occupancy,
                                  uint64_t *l1_bytes, struct wm_error *error)
{
    struct wm_cache_spec l1 = sets->machine.memory.levels[WM_LEVEL_L1].cache;
    uint64_t way_bytes = l1.size_bytes / l1.ways;
    WM_TRY(wm_divide_unified_array(&sets->machine, occupancy, NULL, 0, l1_bytes, error));
    l1.size_bytes = *l1_bytes;
    l1.ways = (uint32_t)(*l1_bytes / way_bytes);
    WM_TRY(wm_cache_spec_check(&l1, "l1", 1, error));
    return wm_load_lanes_begin(sets->lanes, load_of, load_count, l1.ways, error);
}

enum wm_status wm_load_sets_begin(struct wm_load_sets *sets, const int32_t *load_of,
                                  uint32_t instruction_count, uint32_t load_count,
                                  const struct wm_occupancy *occupancy, uint64_t *l1_bytes,
                                  struct wm_error *error)
{
    if (sets->lanes != NULL)
        return begin_lanes(sets, load_of, load_count, occupancy, l1_bytes, error);
    sets->load_of = load_of;
    sets->instruction_count = instruction_count;
    sets->load_count = load_count;
    sets->used = sets->chosen != NULL ? sets->chosen_count + 1 : wm_load_sets_count(load_count);
    WM_TRY(make_memories(sets, error));
    WM_TRY(make_room(sets, error));
    memset(sets->counters_by_pc, 0, sets->instruction_count * sizeof *sets->counters_by_pc);
    memset(sets->seen, 0, (size_t)sets->machine.sm.count * SEEN_WORDS * sizeof *sets->seen);
    for (uint32_t i = 0; i < sets->used; i++) {
        struct set *set = &sets->sets[i];
        WM_TRY(wm_divide_unified_array(&sets->machine, occupancy, set->memory, 0, l1_bytes, error));
        wm_memory_kernel_begin(set->memory);
        set->counted = (struct wm_load_set_counts){0};
        set->bytes_at_begin = bytes_below(set->memory);
    }
    return WM_OK;
}

// --- A batch ---

static bool make_batch_room(struct wm_load_sets *sets, uint32_t heads, uint32_t lines)
{
    if (heads > sets->place_room) {
        for (uint32_t i = 0; i < sets->list_count; i++) {
            free(sets->lists[i].places);
            sets->lists[i].places = malloc(heads * sizeof *sets->lists[i].places);
            if (sets->lists[i].places == NULL)
                return false;
        }
        free(sets->first_line);
        free(sets->heads);
        sets->first_line = malloc(heads * sizeof *sets->first_line);
        sets->heads = malloc(heads * sizeof *sets->heads);
        sets->place_room = heads;
    }
    if (lines > sets->line_room) {
        free(sets->lines);
        sets->lines = malloc(lines * sizeof *sets->lines);
        sets->line_room = lines;
    }
    return sets->first_line != NULL && sets->heads != NULL && (lines == 0 || sets->lines != NULL);
}

// --- What comes to which sets ---

static uint64_t *seen_word(const struct wm_load_sets *sets, uint32_t sm, uint64_t line_address,
                           uint64_t *bit)
{
    const struct wm_memory_spec *spec = &sets->machine.memory;
    uint32_t l1 =
        spec->levels[WM_LEVEL_L1].units_each > 1 ? sm / spec->levels[WM_LEVEL_L1].units_each : sm;
    uint64_t hash =
        line_address / spec->levels[WM_LEVEL_L1].cache.line_bytes * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 48) % SEEN_BITS;
    *bit = UINT64_C(1) << at % 64;
    return &sets->seen[(size_t)l1 * SEEN_WORDS + at / 64];
}

static void note_seen(struct wm_load_sets *sets, const struct wm_request_head *head,
                      const struct wm_line_request *lines)
{
    for (uint32_t i = 0; i < head->count; i++) {
        uint64_t bit, *word = seen_word(sets, head->sm, lines[i].line_address, &bit);
        *word |= bit;
    }
}

static bool any_seen(const struct wm_load_sets *sets, const struct wm_request_head *head,
                     const struct wm_line_request *lines)
{
    for (uint32_t i = 0; i < head->count; i++) {
        uint64_t bit;
        const uint64_t *word = seen_word(sets, head->sm, lines[i].line_address, &bit);
        if ((*word & bit) != 0)
            return true;
    }
    return false;
}

static void add_place(struct wm_load_sets *sets, uint32_t list, uint32_t place)
{
    sets->lists[list].places[sets->lists[list].count++] = place;
    struct list *kept = &sets->lists[sets->load_count + KEPT];
    kept->places[kept->count++] = place;
}

static void sort_out(struct wm_load_sets *sets, const struct wm_request_head *heads, uint32_t count,
                     const struct wm_line_request *lines)
{
    for (uint32_t i = 0; i < sets->list_count; i++)
        sets->lists[i].count = 0;
    uint32_t line = 0;
    for (uint32_t place = 0; place < count; place++) {
        const struct wm_request_head *head = &heads[place];
        sets->first_line[place] = line;
        line += head->count;
        if (head->item != WM_BATCH_L1)
            continue;
        const struct wm_line_request *its = lines + sets->first_line[place];
        if (head->kind == WM_ACCESS_LOAD) {
            int32_t load = sets->load_of[head->pc];
            note_seen(sets, head, its);
            add_place(sets, load >= 0 ? (uint32_t)load : sets->load_count + OF_ALL_SETS, place);
        } else if (sets->stores_matter || any_seen(sets, head, its)) {
            add_place(sets, sets->load_count + OF_ALL_SETS, place);
        } else if (sets->chosen != NULL) {
            struct list *left_out = &sets->lists[sets->load_count + LEFT_OUT];
            left_out->places[left_out->count++] = place;
        }
    }
}

// --- A set ---

struct merge {
    const struct list *lists[MOST_LISTS];
    uint32_t next[MOST_LISTS], count;
    const struct wm_load_set *only; // of loads that are decided; NULL: all
};

// The next place in order; false behind the last.
static bool merge_next(struct merge *merge, uint32_t *place)
{
    uint32_t best = UINT32_MAX, of = 0;
    for (uint32_t i = 0; i < merge->count; i++) {
        const struct list *list = merge->lists[i];
        if (merge->next[i] < list->count && list->places[merge->next[i]] < best) {
            best = list->places[merge->next[i]];
            of = i;
        }
    }
    *place = best;
    merge->next[of]++;
    return best != UINT32_MAX;
}

static void serve_run(const struct wm_load_sets *sets, const struct set *set, uint32_t first,
                      uint32_t end, uint32_t first_line, uint32_t end_line)
{
    if (first == end)
        return;
    const struct wm_request_run run = {.heads = sets->heads + first,
                                       .count = end - first,
                                       .line_count = end_line - first_line,
                                       .lines = sets->lines + first_line,
                                       .counters_by_pc = sets->counters_by_pc,
                                       .listed = sets->listed,
                                       .next_sm = sets->heads[first].sm};
    wm_memory_access_run(set->memory, &run);
}

// Each load of the set uses L1, whatever its operator says.
static void serve_set(struct wm_load_sets *sets, const struct set *set, struct merge *merge,
                      const struct wm_request_head *heads, const struct wm_line_request *lines)
{
    uint32_t count = 0, line_count = 0, run = 0, run_line = 0, place;
    while (merge_next(merge, &place)) {
        struct wm_request_head head = heads[place];
        bool decided = head.kind == WM_ACCESS_LOAD && sets->load_of[head.pc] >= 0;
        if (decided && merge->only != NULL &&
            !wm_load_set_has(merge->only, (uint32_t)sets->load_of[head.pc]))
            continue;
        if (count != run && head.sm != sets->heads[run].sm) {
            serve_run(sets, set, run, count, run_line, line_count);
            run = count;
            run_line = line_count;
        }
        if (decided)
            head.hint = WM_HINT_DEFAULT;
        sets->heads[count++] = head;
        memcpy(sets->lines + line_count, lines + sets->first_line[place],
               head.count * sizeof *lines);
        line_count += head.count;
    }
    serve_run(sets, set, run, count, run_line, line_count);
    wm_memory_drain_l2_queues(set->memory);
}

// --- A batch ---

static void serve_small_set(struct wm_load_sets *sets, struct set *set, uint32_t a, uint32_t b,
                            const struct wm_request_head *heads,
                            const struct wm_line_request *lines)
{
    const struct list *of_all = &sets->lists[sets->load_count + OF_ALL_SETS];
    struct merge merge = {.lists = {of_all, &sets->lists[a], &sets->lists[b]}};
    merge.count = a == sets->load_count + OF_ALL_SETS ? 1 : a == b ? 2 : 3;
    serve_set(sets, set, &merge, heads, lines);
}

// Adds what the set's loads were charged with since it was done last.
static void take_charges(struct wm_load_sets *sets, struct set *set, uint32_t a, uint32_t b)
{
    for (uint32_t pc = 0; pc < sets->instruction_count; pc++) {
        int32_t load = sets->load_of[pc];
        if (load < 0 || ((uint32_t)load != a && (uint32_t)load != b))
            continue;
        set->counted.hits += sets->counters_by_pc[pc].levels[WM_LEVEL_L1].hits;
        set->counted.misses += sets->counters_by_pc[pc].levels[WM_LEVEL_L1].misses;
        sets->counters_by_pc[pc].levels[WM_LEVEL_L1].hits =
            sets->counters_by_pc[pc].levels[WM_LEVEL_L1].misses = 0;
    }
}

static void take_charges_together(struct wm_load_sets *sets, struct set *set)
{
    for (uint32_t pc = 0; pc < sets->instruction_count; pc++) {
        int32_t load = sets->load_of[pc];
        if (load < 0)
            continue;
        const struct wm_instruction_counters *instruction_counters = &sets->counters_by_pc[pc];
        sets->hits_together[load] += instruction_counters->levels[WM_LEVEL_L1].hits;
        sets->misses_together[load] += instruction_counters->levels[WM_LEVEL_L1].misses;
        set->counted.hits += instruction_counters->levels[WM_LEVEL_L1].hits;
        set->counted.misses += instruction_counters->levels[WM_LEVEL_L1].misses;
        sets->counters_by_pc[pc].levels[WM_LEVEL_L1].hits =
            sets->counters_by_pc[pc].levels[WM_LEVEL_L1].misses = 0;
    }
}

static void serve_chosen_sets(struct wm_load_sets *sets, const struct wm_request_head *heads,
                              const struct wm_line_request *lines)
{
    for (uint32_t i = 0; i < sets->chosen_count; i++) {
        struct merge kept = {
            .lists = {&sets->lists[sets->load_count + KEPT]}, .count = 1, .only = &sets->chosen[i]};
        serve_set(sets, &sets->sets[i], &kept, heads, lines);
    }
    struct merge left_out = {.lists = {&sets->lists[sets->load_count + LEFT_OUT]}, .count = 1};
    serve_set(sets, &sets->sets[sets->chosen_count], &left_out, heads, lines);
}

void wm_load_sets_serve(struct wm_load_sets *sets, const struct wm_request_head *heads,
                        uint32_t count, const struct wm_line_request *lines)
{
    if (sets->lanes != NULL) {
        wm_load_lanes_serve(sets->lanes, heads, count, lines);
        return;
    }
    uint32_t line_count = 0;
    for (uint32_t i = 0; i < count; i++)
        line_count += heads[i].count;
    sets->failed = sets->failed || !make_batch_room(sets, count, line_count);
    if (sets->failed)
        return;
    sort_out(sets, heads, count, lines);
    if (sets->chosen != NULL) {
        serve_chosen_sets(sets, heads, lines);
        return;
    }
    struct set *set = sets->sets;
    uint32_t none = sets->load_count + OF_ALL_SETS;
    serve_small_set(sets, set++, none, none, heads, lines);
    for (uint32_t a = 0; a < sets->load_count; a++, set++) {
        serve_small_set(sets, set, a, a, heads, lines);
        take_charges(sets, set, a, a);
    }
    for (uint32_t high = 1; high < sets->load_count; high++)
        for (uint32_t low = 0; low < high; low++, set++) {
            serve_small_set(sets, set, low, high, heads, lines);
            take_charges(sets, set, low, high);
        }
    struct merge all = {.lists = {&sets->lists[sets->load_count + KEPT]}, .count = 1};
    serve_set(sets, set, &all, heads, lines);
    take_charges_together(sets, set);
}

// --- A launch ends ---

static void add_counts(struct wm_load_set_counts *to, const struct set *set)
{
    to->hits += set->counted.hits;
    to->misses += set->counted.misses;
    to->bytes += bytes_below(set->memory) - set->bytes_at_begin;
}

enum wm_status wm_load_sets_end(struct wm_load_sets *sets, struct wm_profiled_kernel *kernel,
                                struct wm_error *error)
{
    if (sets->lanes != NULL)
        return wm_load_lanes_end(sets->lanes, kernel, error);
    if (sets->failed)
        return out_of_memory(error);
    uint32_t loads = sets->load_count;
    assert(kernel->load_count == loads);
    const struct set *set = sets->sets;
    add_counts(&kernel->none, set++);
    for (uint32_t a = 0; a < loads; a++) {
        kernel->loads[a].hits_together += sets->hits_together[a];
        kernel->loads[a].misses_together += sets->misses_together[a];
        add_counts(&kernel->loads[a].alone, set++);
    }
    for (uint32_t pair = 0; pair < wm_load_sets_count(loads) - 2 - loads; pair++)
        add_counts(&kernel->pairs[pair], set++);
    add_counts(&kernel->all, set);
    return WM_OK;
}

enum wm_status wm_load_sets_end_chosen(struct wm_load_sets *sets, uint64_t *bytes,
                                       struct wm_error *error)
{
    if (sets->failed)
        return out_of_memory(error);
    const struct set *left_out = &sets->sets[sets->chosen_count];
    uint64_t of_all = bytes_below(left_out->memory) - left_out->bytes_at_begin;
    for (uint32_t i = 0; i < sets->chosen_count; i++)
        bytes[i] += bytes_below(sets->sets[i].memory) - sets->sets[i].bytes_at_begin + of_all;
    return WM_OK;
}
