// What the host does to lines of coherent levels, between accesses.
#define WM_PATHS_FULL true
#include "mem/access_path/coherent_steps.h"

static bool is_under_way(const struct wm_coherent_memory *coherent, uint64_t line)
{
    return coherent->is_under_way != NULL && coherent->is_under_way(coherent->context, line);
}

static uint32_t node_at(const struct transaction *transaction, uint32_t unit,
                        const struct wm_cache_level *level)
{
    return transaction->coherent->levels.first_node[level->number] + wm_level_instance(level, unit);
}

// A cache above may have modified what it owns, without a message.
static bool may_be_modified(const struct wm_coherence_line *line)
{
    return line->cache == WM_COHERENCE_CACHE_M || line->home == WM_COHERENCE_HOME_OWNED;
}

void wm_coherent_clean(struct wm_memory *memory, uint32_t unit, const struct wm_cache_level *level,
                       uint64_t line)
{
    struct access_context context = {.instruction_counters = &memory->unattributed, .unit = unit};
    struct transaction transaction = {memory, memory->coherent, &context, line, true, false};
    if (is_under_way(memory->coherent, line))
        return;
    uint32_t node = node_at(&transaction, unit, level);
    const struct wm_coherent_place place = wm_coherent_place_of(&transaction, node);
    if (!may_be_modified(wm_coherent_line_at(&transaction, &place)))
        return;
    if (memory->coherent->levels.has_directory)
        wm_coherent_present(&transaction, memory->coherent->levels.root,
                            WM_COHERENCE_RECALL_SHARED);
    else
        wm_coherent_present(&transaction, node, WM_COHERENCE_DOWNGRADE);
}

void wm_coherent_recall(struct wm_memory *memory, uint32_t unit, const struct wm_cache_level *level,
                        uint64_t line)
{
    struct access_context context = {.instruction_counters = &memory->unattributed, .unit = unit};
    struct transaction transaction = {memory, memory->coherent, &context, line, true, true};
    if (is_under_way(memory->coherent, line))
        return;
    uint32_t node = node_at(&transaction, unit, level);
    if (memory->coherent->levels.has_directory) {
        wm_coherent_present(&transaction, memory->coherent->levels.root, WM_COHERENCE_RECALL);
        wm_coherent_forget_if_none(&transaction);
    } else {
        wm_coherent_present(&transaction, node, WM_COHERENCE_INV);
    }
}
