#include "coherent_tree.h"

#include "fixed_dram.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128, LOCKED_CYCLES = 20 };

bool tree_is_leaf(const struct tree *tree, uint32_t node)
{
    for (uint32_t other = 0; other < tree->count; other++)
        if (other != node && tree->nodes[other].home == node)
            return false;
    return true;
}

static bool has_copy(const struct tree *tree, uint32_t node, uint64_t line)
{
    uint8_t cache = wm_coherent_caches_state(tree->timed, node, line).cache;
    return cache == WM_COHERENCE_CACHE_S || cache == WM_COHERENCE_CACHE_E ||
           cache == WM_COHERENCE_CACHE_M || cache == WM_COHERENCE_CACHE_ML ||
           cache == WM_COHERENCE_CACHE_SM;
}

static void see_read(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    struct tree *tree = context;
    cr_assert_eq(data, tree->last[line], "cache %u reads write %llu of line %llu, not %llu", node,
                 (unsigned long long)data, (unsigned long long)line,
                 (unsigned long long)tree->last[line]);
    tree->reads++;
}

static uint64_t see_write(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    struct tree *tree = context;
    cr_assert_eq(data, tree->last[line], "a write to a stale copy");
    for (uint32_t other = 0; other < tree->count; other++)
        if (other != node && tree_is_leaf(tree, other))
            cr_assert_not(has_copy(tree, other, line), "cache %u writes what cache %u holds", node,
                          other);
    return tree->last[line] = ++tree->writes;
}

static uint64_t read_memory(void *context, uint64_t line)
{
    return ((struct tree *)context)->memory[line];
}

static void write_memory(void *context, uint64_t line, uint64_t data)
{
    ((struct tree *)context)->memory[line] = data;
}

static void note_done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    struct tree *tree = context;
    cr_assert_eq(tree->done[token], WM_NEVER, "an access is done twice");
    tree->done[token] = cycle;
    tree->served[token] = origin;
}

static void init_cache(struct wm_cache *cache, const struct tree_level *level)
{
    struct wm_cache_spec spec = {
        .present = true,
        .size_bytes = (uint64_t)level->ways * LINE * level->sets,
        .ways = level->ways,
        .line_bytes = LINE,
        .sector_bytes = LINE,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_error error;
    cr_assert_eq(wm_cache_init(cache, &spec, "cache", &error), WM_OK, "%s", error.message);
}

static void add_prefetchers(struct wm_cache_level *level, struct wm_cache *caches, uint32_t slices,
                            uint32_t lines)
{
    const struct wm_level_spec spec = {.cache = {.present = true},
                                       .prefetch = &wm_prefetch_next_line,
                                       .prefetch_values = {{lines, 1, 16}, 7}};
    struct wm_error error;
    *level = (struct wm_cache_level){
        .caches = caches, .count = slices, .slices = wm_divider_of(slices), .partitions = 1};
    cr_assert_eq(wm_prefetchers_init(&level->prefetchers, caches, slices, &spec, &error), WM_OK);
}

// Lines take turns with a node's slices.
static uint32_t slice_of(void *context, uint32_t node, uint64_t line, uint64_t *index_line)
{
    const struct tree *tree = context;
    *index_line = line / tree->nodes[node].slices;
    return (uint32_t)(line % tree->nodes[node].slices);
}

void tree_init_with(struct tree *tree, uint32_t count, const uint32_t *homes,
                    const struct tree_level *const *levels, bool forwards_clean,
                    void (*changed)(void *tree, uint32_t node, uint32_t slice))
{
    const struct wm_dram_channel_spec dram = fixed_dram(MEMORY, 8);
    memset(tree, 0, sizeof *tree);
    tree->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct tree_level *level = levels[i];
        uint32_t slices = level->slices != 0 ? level->slices : 1;
        for (uint32_t slice = 0; level->sets != 0 && slice < slices; slice++) {
            init_cache(&tree->caches[i][slice], level);
            tree->slices[i][slice] = &tree->caches[i][slice];
        }
        if (level->prefetch_lines != 0)
            add_prefetchers(&tree->levels[i], tree->caches[i], slices, level->prefetch_lines);
        tree->nodes[i] = (struct wm_coherent_node_spec){
            .caches = level->sets != 0 ? tree->slices[i] : NULL,
            .prefetches = level->prefetch_lines != 0 ? &tree->levels[i] : NULL,
            .slices = slices,
            .home = homes[i] == i ? WM_COHERENT_MEMORY : homes[i],
            .latency = level->latency,
            .mshr_entries = level->mshr_entries,
            .mshr_merges = level->merges,
            .evictions = level->evictions,
            .link_latency = homes[i] == i || level->link != 0 ? level->link : LINK,
            .flit_bytes = 16};
    }
    for (uint32_t i = 0; i < TREE_TOKENS; i++)
        tree->done[i] = WM_NEVER;
    struct wm_coherent_caches_spec spec = {
        .nodes = tree->nodes,
        .node_count = count,
        .forwards_clean = forwards_clean,
        .line_bytes = LINE,
        .clock_hz = 1000000000,
        .dram = &dram,
        .channels = 1,
        .map = {.context = tree, .slice = slice_of},
        .watch = {see_read, see_write, read_memory, write_memory},
        .done = note_done,
        .changed = changed,
        .context = tree};
    struct wm_error error;
    cr_assert_eq(wm_coherent_caches_new(&spec, &tree->timed, &error), WM_OK, "%s", error.message);
}

void tree_init(struct tree *tree, uint32_t count, const uint32_t *homes,
               const struct tree_level *const *levels)
{
    tree_init_with(tree, count, homes, levels, false, NULL);
}

void tree_init_forwarding(struct tree *tree, uint32_t count, const uint32_t *homes,
                          const struct tree_level *const *levels)
{
    tree_init_with(tree, count, homes, levels, true, NULL);
}

void tree_release(struct tree *tree)
{
    wm_coherent_caches_free(tree->timed);
    for (uint32_t i = 0; i < tree->count; i++) {
        wm_prefetchers_release(&tree->levels[i].prefetchers);
        for (uint32_t slice = 0; slice < TREE_SLICES; slice++)
            wm_cache_release(&tree->caches[i][slice]);
    }
}

static enum wm_coherent_answer access(struct tree *tree, uint32_t node,
                                      enum wm_coherent_access_kind kind, uint64_t line,
                                      uint32_t token, uint64_t cycle, bool bypasses)
{
    struct wm_coherent_access access = {.node = node,
                                        .kind = kind,
                                        .line = line,
                                        .token = token,
                                        .locked_cycles = LOCKED_CYCLES,
                                        .sectors = 1,
                                        .bypasses = bypasses};
    uint64_t done = WM_NEVER;
    cr_assert(wm_coherent_caches_advance(tree->timed, cycle));
    enum wm_coherent_answer answer = wm_coherent_caches_access(tree->timed, &access, cycle, &done);
    if (answer == WM_COHERENT_DONE)
        note_done(tree, token, done, node);
    return answer;
}

enum wm_coherent_answer tree_access(struct tree *tree, uint32_t node,
                                    enum wm_coherent_access_kind kind, uint64_t line,
                                    uint32_t token, uint64_t cycle)
{
    return access(tree, node, kind, line, token, cycle, false);
}

enum wm_coherent_answer tree_load_past(struct tree *tree, uint32_t node, uint64_t line,
                                       uint32_t token, uint64_t cycle)
{
    return access(tree, node, WM_COHERENT_LOAD, line, token, cycle, true);
}

uint64_t tree_settle(struct tree *tree)
{
    uint64_t at = 0, next;
    while ((next = wm_coherent_caches_next(tree->timed)) != WM_NEVER) {
        cr_assert_lt(next, UINT64_C(1) << 40);
        cr_assert(wm_coherent_caches_advance(tree->timed, next));
        at = next;
    }
    return at;
}

static void check_line(const struct tree *tree, uint32_t node, uint64_t line)
{
    struct wm_coherence_line here = wm_coherent_caches_state(tree->timed, node, line);
    uint64_t holders = 0;
    uint32_t number = 0;
    bool owned = false;
    for (uint32_t child = 0; child < tree->count; child++) {
        if (child == node || tree->nodes[child].home != node)
            continue;
        uint8_t cache = wm_coherent_caches_state(tree->timed, child, line).cache;
        owned |= cache == WM_COHERENCE_CACHE_E || cache == WM_COHERENCE_CACHE_M;
        holders |= (uint64_t)(cache != WM_COHERENCE_CACHE_I) << number++;
    }
    cr_assert_leq(here.cache, WM_COHERENCE_CACHE_M, "a line stays under way");
    cr_assert_eq(here.holders, holders, "a home does not know who holds a line");
    cr_assert_eq(here.home, owned          ? WM_COHERENCE_HOME_OWNED
                            : holders != 0 ? WM_COHERENCE_HOME_SHARED
                                           : WM_COHERENCE_HOME_NONE);
    if (holders != 0 && tree->nodes[node].caches != NULL)
        cr_assert_neq(here.cache, WM_COHERENCE_CACHE_I, "a level is not inclusive");
}

void tree_check_quiet(const struct tree *tree)
{
    for (uint64_t line = 0; line < TREE_LINES; line++) {
        bool modified = false;
        for (uint32_t node = 0; node < tree->count; node++) {
            check_line(tree, node, line);
            modified |=
                tree->nodes[node].caches != NULL &&
                wm_coherent_caches_state(tree->timed, node, line).cache == WM_COHERENCE_CACHE_M;
        }
        if (!modified)
            cr_assert_eq(tree->memory[line], tree->last[line], "a write is lost");
    }
}
