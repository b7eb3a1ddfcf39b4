#include "mem/coherence/counters.h"

static const struct wm_counter_declaration cache_declarations[] = {
    WM_COHERENCE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration directory_declarations[] = {
    WM_DIRECTORY_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_coherence_counter_set = {
    .kind = "coherence",
    .title = "cache, in coherence with others",
    .declarations = cache_declarations,
    .count = sizeof cache_declarations / sizeof cache_declarations[0],
};

const struct wm_counter_set wm_directory_counter_set = {
    .kind = "directory",
    .title = "directory at memory",
    .declarations = directory_declarations,
    .count = sizeof directory_declarations / sizeof directory_declarations[0],
};

static void count_drop(struct wm_coherence_counters *counters, const struct wm_coherence_row *row,
                       bool recalled)
{
    if (wm_coherence_network_of((enum wm_coherence_event)row->event) != WM_COHERENCE_PROBE)
        return; // it has been evicted
    if (recalled)
        counters->back_invalidations++;
    else
        counters->invalidations++;
}

static void count_action(struct wm_coherence_counters *counters, const struct wm_coherence_row *row,
                         enum wm_coherence_action action, bool recalled)
{
    switch (action) {
    case WM_COHERENCE_DO_SEND_GETS: counters->read_requests++; break;
    case WM_COHERENCE_DO_SEND_GETM:
        counters->write_requests++;
        counters->upgrades += row->state == WM_COHERENCE_CACHE_S;
        break;
    case WM_COHERENCE_DO_SEND_PUTS:
    case WM_COHERENCE_DO_SEND_PUTE: counters->clean_puts++; break;
    case WM_COHERENCE_DO_SEND_PUTM: counters->put_m++; break;
    case WM_COHERENCE_DO_PASS_DATA_S:
    case WM_COHERENCE_DO_PASS_DATA_M: counters->forwards++; break;
    case WM_COHERENCE_DO_DROP: count_drop(counters, row, recalled); break;
    default: break;
    }
}

// An owner's answer after which the copy is one of several.
static bool downgrades(const struct wm_coherence_row *row)
{
    bool shares = row->event == WM_COHERENCE_FWD_GETS || row->event == WM_COHERENCE_DOWNGRADE;
    return shares && row->next != row->state;
}

void wm_coherence_count(struct wm_coherence_counters *counters, const struct wm_coherence_row *row,
                        enum wm_coherence_side side, bool recalled)
{
    if (side == WM_COHERENCE_HOME) {
        counters->recalls += row->event == WM_COHERENCE_RECALL;
        return;
    }
    counters->downgrades += downgrades(row);
    for (uint32_t i = 0;
         i < WM_COHERENCE_MOST_ACTIONS && row->actions[i] != WM_COHERENCE_DO_NOTHING; i++)
        count_action(counters, row, (enum wm_coherence_action)row->actions[i], recalled);
}

void wm_directory_count(struct wm_directory_counters *counters, const struct wm_coherence_row *row,
                        const struct wm_coherence_line *line, unsigned facts)
{
    bool defers = row->actions[0] == WM_COHERENCE_DO_DEFER;
    bool is_clean = row->next == WM_COHERENCE_HOME_FORWARDING;
    bool forwards = (row->state == WM_COHERENCE_HOME_OWNED || is_clean) && !defers;
    switch (row->event) {
    case WM_COHERENCE_GETS:
        counters->read_requests += !defers;
        counters->forwards += forwards;
        break;
    case WM_COHERENCE_GETM:
        counters->write_requests += !defers;
        counters->forwards += forwards;
        counters->upgrades += !defers && !forwards && (facts & WM_COHERENCE_IF_HOLDS) != 0;
        if (row->next == WM_COHERENCE_HOME_INVALIDATING && !defers)
            counters->invalidations += (uint64_t)__builtin_popcountll(line->holders) -
                                       ((facts & WM_COHERENCE_IF_HOLDS) != 0);
        break;
    case WM_COHERENCE_PUTS:
    case WM_COHERENCE_PUTE: counters->clean_puts += !defers; break;
    case WM_COHERENCE_PUTM: counters->put_m += !defers; break;
    case WM_COHERENCE_RECALL: counters->recalls++; break;
    default: break;
    }
}
