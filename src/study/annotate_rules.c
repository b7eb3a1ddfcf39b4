#include "study/annotate_rules.h"

#include "study/annotate.h"
#include "study/result_sums.h"

#include <inttypes.h>
#include <stddef.h>

// Below so few executions or sectors nothing is worth a sentence.
enum { FEWEST_EXECUTIONS = 8, FEWEST_SECTORS = 64 };

static double part(uint64_t of, uint64_t all)
{
    return all == 0 ? 0.0 : (double)of / (double)all;
}

static bool is_off_chip(const struct wm_rule_view *view)
{
    return wm_reaches_memory(view->space) && view->counters.executions >= FEWEST_EXECUTIONS;
}

// A load that L1 was asked for often enough.
static bool is_cached_load(const struct wm_rule_view *view)
{
    const struct wm_cause_counters *c = &view->counters;
    return is_off_chip(view) && view->kind == WM_ACCESS_LOAD &&
           c->l1_hits + c->l1_misses >= FEWEST_SECTORS;
}

// --- uncoalesced ---

// Sectors that the bytes asked for fill when they lie together, an execution.
static double sectors_needed(const struct wm_cause_counters *c)
{
    double needed = part(c->bytes_requested, c->executions) / WM_SECTOR_BYTES;
    return needed < 1.0 ? 1.0 : needed;
}

static bool uncoalesced_applies(const struct wm_rule_view *view)
{
    double touched = part(view->counters.sectors, view->counters.executions);
    return is_off_chip(view) && touched >= 4.0 && touched >= 2.0 * sectors_needed(&view->counters);
}

static void uncoalesced_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_cause_counters *c = &view->counters;
    wm_text_format(text,
                   "a warp's %s touches %.1f sectors where its %.0f bytes fill %.1f: let "
                   "neighbouring lanes use neighbouring addresses, if need be through a tile in "
                   "shared memory",
                   wm_access_kind_name(view->kind), part(c->sectors, c->executions),
                   part(c->bytes_requested, c->executions), sectors_needed(c));
}

// --- one-sector ---

static bool one_sector_applies(const struct wm_rule_view *view)
{
    const struct wm_cause_counters *c = &view->counters;
    return is_cached_load(view) && view->line_bytes >= 4 * WM_SECTOR_BYTES &&
           part(c->sectors, c->requests) <= 1.25 && part(c->requests, c->executions) >= 4.0 &&
           part(c->l1_hits, c->l1_hits + c->l1_misses) < 0.5;
}

static void one_sector_says(const struct wm_rule_view *view, struct wm_text *text)
{
    wm_text_format(text,
                   "%.1f of a line's %" PRIu32 " sectors are used, and each takes a whole line's "
                   "place in L1: put what is used together side by side",
                   part(view->counters.sectors, view->counters.requests),
                   view->line_bytes / WM_SECTOR_BYTES);
}

// --- thrashing ---

// Data that comes back only after more than so many times what L1 holds would not stay in a larger
// L1 either, nor by smaller tiles of the same loop.
enum { REACH = 4 };

// Of the requests whose line comes back too late for L1, the share that comes back within reach. A
// bucket of the histogram that L1's size lies in counts as too late, whole.
static double share_within_reach(const struct wm_rule_view *view)
{
    const uint64_t *reuse = (const uint64_t *)&view->explained +
                            offsetof(struct wm_explained_cause, reuse_first) / sizeof(uint64_t);
    uint64_t late = 0, within = 0;
    for (size_t i = 1; i < wm_l1_reuse_set.count; i++) { // 0 others, 1, 2 to 3, 4 to 7, …
        uint64_t least = i == 1 ? 0 : UINT64_C(1) << (i - 2), end = i == 1 ? 1 : 2 * least;
        if (end <= view->l1_lines)
            continue;
        late += reuse[i];
        within += least < REACH * view->l1_lines ? reuse[i] : 0;
    }
    return late == 0 || view->l1_lines == 0 ? 1.0 : part(within, late);
}

static double missed_again(const struct wm_rule_view *view)
{
    const struct wm_cause_counters *c = &view->counters;
    return part(view->explained.l1_capacity + view->explained.l1_conflict,
                c->l1_hits + c->l1_misses);
}

static double missed_within_reach(const struct wm_rule_view *view)
{
    const struct wm_cause_counters *c = &view->counters;
    uint64_t sectors = c->l1_hits + c->l1_misses;
    return part(view->explained.l1_conflict, sectors) +
           share_within_reach(view) * part(view->explained.l1_capacity, sectors);
}

static bool thrashing_applies(const struct wm_rule_view *view)
{
    return is_cached_load(view) && missed_within_reach(view) >= 0.25;
}

static void thrashing_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_explained_cause *e = &view->explained;
    bool conflict = e->l1_conflict > e->l1_capacity;
    wm_text_format(text, "%.0f%% of its sectors were in L1 before and had gone (%s): %s",
                   100.0 * missed_again(view), conflict ? "conflict" : "capacity",
                   conflict ? "pad the rows, so that they spread over the sets"
                            : "use each line fully before going on, in smaller tiles or with fewer "
                              "warps at once");
}

// --- bypass ---

static bool bypass_applies(const struct wm_rule_view *view)
{
    const struct wm_cause_counters *c = &view->counters;
    return is_cached_load(view) && part(c->l1_hits, c->l1_hits + c->l1_misses) <= 0.02 &&
           part(view->explained.l1_again, c->l1_misses) <= 0.02;
}

static void bypass_says(const struct wm_rule_view *view, struct wm_text *text)
{
    wm_text_format(
        text,
        "%.1f%% of its sectors hit in L1, and what it brings is not asked for again: load around "
        "L1 (__ldcg, ld.global.cg), which leaves L1 to others",
        100.0 * part(view->counters.l1_hits, view->counters.l1_hits + view->counters.l1_misses));
}

// --- bank-conflict ---

static bool bank_conflict_applies(const struct wm_rule_view *view)
{
    return view->space == WM_SPACE_SHARED && view->counters.executions >= FEWEST_EXECUTIONS &&
           part(view->explained.shared_replays, view->explained.shared_passes) >= 0.25;
}

static void bank_conflict_says(const struct wm_rule_view *view, struct wm_text *text)
{
    wm_text_format(text,
                   "a warp's %s takes %.1f passes of shared memory's banks, %.1f of them for "
                   "conflicts: pad the tile's rows by a word, or permute its columns",
                   wm_access_kind_name(view->kind),
                   part(view->explained.shared_passes, view->counters.executions),
                   part(view->explained.shared_replays, view->counters.executions));
}

const struct wm_annotate_rule wm_annotate_rule_table[] = {
    {"uncoalesced",
     "a warp's access touches at least 4 sectors, and at least twice those that its bytes fill",
     "Each sector moves 32 bytes, whether one is used or all. Lanes that use neighbouring "
     "addresses "
     "share them.",
     uncoalesced_applies, uncoalesced_says},
    {"one-sector",
     "a load touches at least 4 lines of 4 or more sectors, at most 1.25 sectors of each, and less "
     "than half of them hit in L1",
     "L1 keeps a tag a line: lines of which one sector is used fill it four times as soon.",
     one_sector_applies, one_sector_says},
    {"thrashing-l1",
     "at least 25% of a load's sectors miss in L1 for conflict, or for capacity with the line "
     "asked "
     "for again within 4 times as many others as L1 has lines",
     "The line was there and had to go before its next use. It would have hit with a smaller "
     "working set, or one that is spread better over the sets.",
     thrashing_applies, thrashing_says},
    {"bypass-l1",
     "at most 2% of a load's sectors hit in L1, and of those it brings there at most 2% are asked "
     "for again by any instruction",
     "What is used once takes the place of what is used again, and gains nothing.", bypass_applies,
     bypass_says},
    {"bank-conflict", "at least 25% of the passes of shared memory's banks are for conflicts",
     "Lanes that need different words of one bank are served one after another.",
     bank_conflict_applies, bank_conflict_says},
};
const uint32_t wm_annotate_rule_count =
    sizeof wm_annotate_rule_table / sizeof wm_annotate_rule_table[0];

void wm_annotate_rules(struct wm_text *text)
{
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        wm_text_format(text, "%s%s\n  when %s.\n  %s\n", i > 0 ? "\n" : "", rule->name,
                       rule->threshold, rule->reason);
    }
    wm_text_format(text,
                   "\nNo rule speaks of an instruction that warps executed fewer than %d times, or "
                   "of a load\nthat asked L1 for fewer than %d sectors.\n",
                   (int)FEWEST_EXECUTIONS, (int)FEWEST_SECTORS);
}
