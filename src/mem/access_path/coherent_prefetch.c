// Prefetchers of coherent levels in the walk (docs/prefetch.md). What they bring enters the cache
// itself, as a line that is read: its home knows of it, and other caches' writes take it.
#define WM_PATHS_FULL true
#include "mem/access_path/coherent_steps.h"
#include "mem/system/prefetch_events.h"

#include <string.h>

void wm_coherent_missed(const struct transaction *transaction,
                        const struct wm_coherent_place *place)
{
    wm_prefetchers_noticed(place->level, place->cache, place->line,
                           &transaction->context->requester, false);
}

void wm_coherent_used(const struct transaction *transaction, const struct wm_coherent_place *place)
{
    enum wm_coherent_prefetched how =
        wm_coherent_take_mark(place->coherent, slot_of(place), WM_NOT_PREFETCHED);
    if (how != WM_NOT_PREFETCHED)
        wm_prefetchers_noticed(place->level, place->cache, place->line,
                               &transaction->context->requester, how == WM_PREFETCHED);
}

void wm_coherent_left(const struct wm_coherent_place *place, uint64_t line)
{
    enum wm_coherent_prefetched how =
        wm_coherent_take_mark(place->coherent, slot_of(place), WM_NOT_PREFETCHED);
    if (how != WM_NOT_PREFETCHED)
        wm_prefetchers_left(place->level, place->cache, line, how == WM_PREFETCHED);
}

// A line that is there already is not read again, but its use says as much of what comes next.
static void prefetch_line(const struct transaction *cause, uint32_t node, uint64_t line)
{
    struct transaction transaction = *cause;
    transaction.line = line;
    struct wm_coherent_place place = wm_coherent_place_of(&transaction, node);
    if (place.way >= 0) {
        if (place.coherent->prefetched[slot_of(&place)] == WM_NOT_PREFETCHED)
            wm_coherent_take_mark(place.coherent, slot_of(&place), WM_WANTED_AND_HERE);
        return;
    }
    wm_prefetchers_filled(place.level, place.cache);
    wm_coherent_fetch(&transaction, node);
    place = wm_coherent_place_of(&transaction, node);
    wm_coherent_take_mark(place.coherent, slot_of(&place), WM_PREFETCHED);
    wm_coherent_prefetch(&transaction, node_of(&transaction, node)->home);
}

// Levels below first: what they want is for what has been requested of them so far.
void wm_coherent_prefetch(const struct transaction *transaction, uint32_t node)
{
    if (node == WM_NO_NODE || node_of(transaction, node)->level == WM_MOST_LEVELS)
        return;
    wm_coherent_prefetch(transaction, node_of(transaction, node)->home);
    const struct wm_coherent_place place = wm_coherent_place_of(transaction, node);
    if (!place_has_prefetcher(&place))
        return;
    struct wm_prefetch_answer *wanted = wm_prefetchers_wanted(place.level, place.cache);
    uint64_t lines[WM_MOST_PREFETCHES];
    uint32_t count = wanted->count;
    memcpy(lines, wanted->lines, count * sizeof *lines);
    wanted->count = 0;
    for (uint32_t i = 0; i < count; i++)
        prefetch_line(transaction, node, lines[i]);
}
