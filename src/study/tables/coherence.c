#include "study/tables/coherence.h"

#include "base/text/units.h"
#include "mem/system/memory_components.h"
#include "study/format/text_table.h"

#include <string.h>

static const struct wm_report_column coherence_columns[] = {
    {"Coherence", 'l', 0, "the coherent caches of a level, or the directory at memory", NULL, NULL},
    {"GetS", 'r', 0,
     "lines that they requested of their home to be read; the directory's: requested "
     "of it",
     NULL, NULL},
    {"GetM", 'r', 0, "the same, to be written", NULL, NULL},
    {"upgrades", 'r', 0, "of these, by a cache that had the line already, shared", NULL, NULL},
    {"forwarded", 'r', 0,
     "lines that a cache gave to another one itself, at its home's request: three hops", NULL,
     NULL},
    {"invalidated", 'r', 0, "copies that another cache's write took", NULL, NULL},
    {"recalled", 'r', 0,
     "copies that were taken as a level below evicted the line; the directory's: as the host wrote "
     "it",
     NULL, NULL},
    {"PutM", 'r', 0, "modified lines that were evicted", NULL, NULL},
    {"locked", 'r', 0, "locked read-modify-writes", NULL, NULL},
    {"in E or M", 'r', 0, "of these, those whose line was here in E or M", NULL, NULL},
    {"coherence misses", 'r', 0, "accesses that missed as another cache's write had taken the line",
     NULL, NULL},
};
const struct wm_report_table wm_coherence_table =
    WM_REPORT_TABLE("run and replay: coherent caches", coherence_columns);

// The counters of the columns behind the first: of caches, and of the directory, which lacks some.
enum { COLUMNS = 10 };
static const char *const of_caches[COLUMNS] = {
    "read_requests",      "write_requests", "upgrades",          "forwards",    "invalidations",
    "back_invalidations", "put_m",          "locked_operations", "locked_hits", "coherence_misses"};
static const char *const of_directory[COLUMNS] = {
    "read_requests", "write_requests", "upgrades", "forwards", "invalidations",
    "recalls",       "put_m",          NULL,       NULL,       NULL};

static bool is_of_caches(const struct wm_component_result *component)
{
    return strcmp(component->set->kind, wm_coherence_counter_set.kind) == 0;
}

// "gpu0.sm[*].l1" of "gpu0.sm[3].l1.coherence".
static void level_of(const struct wm_component_result *component,
                     char level[WM_COMPONENT_PATH_BYTES])
{
    wm_counter_level(component->path, level);
    char *within = is_of_caches(component) ? strrchr(level, '.') : NULL;
    if (within != NULL)
        *within = '\0';
}

static bool is_same_level(const struct wm_component_result *component, const char *level)
{
    char other[WM_COMPONENT_PATH_BYTES];
    level_of(component, other);
    return strcmp(other, level) == 0;
}

// All of one level, from its first component on. Returns whether anything came to it.
static bool add_level(const struct wm_results *results, uint32_t first, const char *level,
                      struct wm_text_table *table)
{
    const struct wm_counter_set *set = results->components[first].set;
    const char *const *names = is_of_caches(&results->components[first]) ? of_caches : of_directory;
    uint64_t sums[COLUMNS] = {0}, any = 0;
    for (uint32_t i = first; i < results->component_count; i++) {
        const struct wm_component_result *component = &results->components[i];
        if (component->set != set || !is_same_level(component, level))
            continue;
        for (uint32_t n = 0; n < COLUMNS && names[n] != NULL; n++) {
            sums[n] += component->values[wm_counter_index(set, names[n])];
            any |= sums[n];
        }
    }
    if (any == 0)
        return false;
    wm_text_table_row(table);
    wm_text_table_cell(table, 0, "  %s", level);
    for (uint32_t n = 0; n < COLUMNS; n++) {
        char number[32];
        wm_text_table_cell(table, n + 1, "%s",
                           names[n] == NULL ? "-"
                                            : wm_units_round((double)sums[n], WM_QUANTITY_COUNT,
                                                             number, sizeof number));
    }
    return true;
}

static bool is_first_of_level(const struct wm_results *results, uint32_t at, const char *level)
{
    for (uint32_t i = 0; i < at; i++)
        if (results->components[i].set == results->components[at].set &&
            is_same_level(&results->components[i], level))
            return false;
    return true;
}

void wm_report_coherence(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    char level[WM_COMPONENT_PATH_BYTES];
    bool any = false;
    wm_report_table_begin(&table, &wm_coherence_table, wm_coherence_table.count);
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_component_result *component = &results->components[i];
        if (!is_of_caches(component) &&
            strcmp(component->set->kind, wm_directory_counter_set.kind) != 0)
            continue;
        level_of(component, level);
        if (is_first_of_level(results, i, level))
            any |= add_level(results, i, level, &table);
    }
    if (!any)
        return;
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}
