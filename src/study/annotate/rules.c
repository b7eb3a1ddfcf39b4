#include "study/annotate/rules.h"

#include "base/text/units.h"
#include "study/annotate/annotate.h"
#include "study/run_report/result_sums.h"
#include "study/tables/columns.h"

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
    return wm_space_leaves_sm(view->space) && view->counters.executions >= FEWEST_EXECUTIONS;
}

// A load with enough requests to L1.
static bool is_cached_load(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    return is_off_chip(view) && view->kind == WM_ACCESS_LOAD &&
           c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses >= FEWEST_SECTORS;
}

// What is saved at a boundary: "12.0 MiB of 16.0 MiB between L1 and L2".
static void append_bytes(struct wm_text *text, double saved, double moved, const char *where)
{
    char less[32], all[32];
    wm_text_format(text, "saves up to %s of %s %s",
                   wm_units_round(saved, WM_QUANTITY_BYTES, less, sizeof less),
                   wm_units_round(moved, WM_QUANTITY_BYTES, all, sizeof all), where);
}

static void append_count(struct wm_text *text, double count)
{
    char number[32];
    wm_text_add(text, wm_units_round(count, WM_QUANTITY_COUNT, number, sizeof number));
}

static void append_counts(struct wm_text *text, const char *saves, double saved, double all,
                          const char *what)
{
    wm_text_add(text, saves);
    append_count(text, saved);
    wm_text_add(text, " of ");
    append_count(text, all);
    wm_text_add(text, what);
}

static bool is_stored_or_loaded(const struct wm_rule_view *view)
{
    return view->kind == WM_ACCESS_LOAD || view->kind == WM_ACCESS_STORE;
}

// Where lanes lie is the program's choice: equally far apart, or each lane walking through a piece
// of its own. What is looked up by data, a gather, lies where it lies.
static bool is_arranged(const struct wm_rule_view *view)
{
    const struct wm_instruction_misses *e = &view->explained;
    uint64_t executions = view->counters.executions;
    return 2 * e->regular >= executions || 2 * e->advancing >= executions;
}

// --- vectorise ---

static bool vectorise_applies(const struct wm_rule_view *view)
{
    return view->vector >= 2 && is_off_chip(view);
}

static void vectorise_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    double bytes = part(c->bytes_requested, c->lanes);
    wm_text_format(text,
                   "each thread's %" PRIu32 " neighbouring %ss of %.0f bytes could be one of %.0f "
                   "(float%" PRIu32 ", or a struct with __align__(%.0f))",
                   view->vector, wm_access_kind_name(view->kind), bytes, bytes * view->vector,
                   view->vector * (uint32_t)bytes / 4, bytes * view->vector);
}

static void vectorise_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    double executions = (double)view->counters.executions;
    append_counts(text, "saves ", executions * (view->vector - 1), executions * view->vector,
                  " requests of warps, each of which touches the same sectors");
}

// --- uncoalesced ---

// Sectors that the requested bytes fill when they lie together, an execution.
static double sectors_needed(const struct wm_instruction_counters *c)
{
    double needed = part(c->bytes_requested, c->executions) / WM_SECTOR_BYTES;
    return needed < 1.0 ? 1.0 : needed;
}

static bool uncoalesced_applies(const struct wm_rule_view *view)
{
    double touched = part(view->counters.sectors, view->counters.executions);
    return is_off_chip(view) && is_stored_or_loaded(view) && is_arranged(view) &&
           !view->in_vector && touched >= 4.0 && touched >= 2.0 * sectors_needed(&view->counters);
}

static void uncoalesced_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    wm_text_format(text,
                   "a warp's %s touches %.1f sectors where its %.0f bytes fill %.1f: let "
                   "neighbouring lanes use neighbouring addresses, if need be through a tile in "
                   "shared memory",
                   wm_access_kind_name(view->kind), part(c->sectors, c->executions),
                   part(c->bytes_requested, c->executions), sectors_needed(c));
}

static void uncoalesced_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    double moved = (double)c->sectors * WM_SECTOR_BYTES;
    append_bytes(text, moved - sectors_needed(c) * (double)c->executions * WM_SECTOR_BYTES, moved,
                 "between the SM and L1");
}

// --- one-sector ---

static bool one_sector_applies(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    return is_cached_load(view) && is_arranged(view) && !view->in_vector &&
           !uncoalesced_applies(view) && view->line_bytes >= 4 * WM_SECTOR_BYTES &&
           part(c->sectors, c->requests) <= 1.25 && part(c->requests, c->executions) >= 4.0 &&
           part(c->levels[WM_LEVEL_L1].hits,
                c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses) < 0.5;
}

static void one_sector_says(const struct wm_rule_view *view, struct wm_text *text)
{
    wm_text_format(text,
                   "%.1f of a line's %" PRIu32 " sectors are used, and each takes a whole line's "
                   "place in L1: put what is used together side by side",
                   part(view->counters.sectors, view->counters.requests),
                   view->line_bytes / WM_SECTOR_BYTES);
}

static void one_sector_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    uint32_t line_sectors = view->line_bytes / WM_SECTOR_BYTES;
    double full = line_sectors != 0 ? (double)c->sectors / line_sectors : 0.0;
    append_counts(text, "saves up to ",
                  full < (double)c->requests ? (double)c->requests - full : 0.0,
                  (double)c->requests, " lines requested, each a place in L1");
}

// --- thrashing ---

// Data that comes back only after more than so many times what L1 holds would not stay in a larger
// L1 either, nor by smaller tiles of the same loop.
enum { REACH = 4 };

// Of the requests whose line is reused too late for L1, the share that is reused within reach. A
// bucket of the histogram that L1's size lies in counts as too late, whole.
static double share_within_reach(const struct wm_rule_view *view)
{
    const uint64_t *reuse = &view->explained.reuse_first;
    uint64_t too_late = 0, within = 0;
    for (size_t i = 1; i < wm_l1_reuse_set.count; i++) { // 0 others, 1, 2 to 3, 4 to 7, …
        uint64_t least = i == 1 ? 0 : UINT64_C(1) << (i - 2), end = i == 1 ? 1 : 2 * least;
        if (end <= view->l1_lines)
            continue;
        too_late += reuse[i];
        within += least < REACH * view->l1_lines ? reuse[i] : 0;
    }
    return too_late == 0 || view->l1_lines == 0 ? 1.0 : part(within, too_late);
}

static double missed_again(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    const struct wm_explained_cache *e = &view->explained.levels[WM_LEVEL_L1];
    return part(e->capacity + e->conflict,
                c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses);
}

static double missed_within_reach(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    uint64_t sectors = c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses;
    return part(view->explained.levels[WM_LEVEL_L1].conflict, sectors) +
           share_within_reach(view) * part(view->explained.levels[WM_LEVEL_L1].capacity, sectors);
}

// Sectors of a load that would have been there with a slightly larger L1.
static double near_miss_sectors(const struct wm_rule_view *view)
{
    return missed_within_reach(view) * (double)(view->counters.levels[WM_LEVEL_L1].hits +
                                                view->counters.levels[WM_LEVEL_L1].misses);
}

static bool thrashing_applies(const struct wm_rule_view *view)
{
    return is_cached_load(view) && !view->in_vector && missed_within_reach(view) >= 0.25;
}

static void thrashing_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_explained_cache *e = &view->explained.levels[WM_LEVEL_L1];
    bool conflict = e->conflict > e->capacity;
    wm_text_format(text, "%.0f%% of its sectors were in L1 before and had gone (%s): %s",
                   100.0 * missed_again(view), conflict ? "conflict" : "capacity",
                   conflict ? "pad the rows, so that they spread over the sets"
                            : "use each line fully before going on, in smaller tiles or with fewer "
                              "warps at once");
}

static void thrashing_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    append_bytes(text, near_miss_sectors(view) * WM_SECTOR_BYTES,
                 (double)view->counters.levels[WM_LEVEL_L1].misses * WM_SECTOR_BYTES,
                 "that come from L2");
}

// --- bypass ---

// Sectors that loads other than this one would find in a slightly larger L1.
static double others_near_misses(const struct wm_rule_view *view)
{
    double own = near_miss_sectors(view), all = (double)view->kernel->near_misses;
    return all > own ? all - own : 0.0;
}

// L1 is worth nothing to this load, and something to others that go without.
static bool bypass_applies(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    if (view->kernel == NULL || !is_cached_load(view) || missed_again(view) > 0.02 ||
        part(c->levels[WM_LEVEL_L1].hits,
             c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses) > 0.02 ||
        part(view->explained.levels[WM_LEVEL_L1].again, c->levels[WM_LEVEL_L1].misses) > 0.02 ||
        part(view->explained.wanted_again, c->requests) > 0.02)
        return false;
    double near_misses = others_near_misses(view);
    double lookups = (double)(view->kernel->lookups -
                              (c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses));
    return near_misses >= FEWEST_SECTORS && near_misses >= 0.1 * lookups &&
           4.0 * (double)c->levels[WM_LEVEL_L1].misses >= near_misses;
}

static void bypass_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    double near_misses = others_near_misses(view),
           lookups = (double)view->kernel->lookups -
                     (double)(c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses);
    wm_text_format(
        text,
        "%.1f%% of its sectors hit in L1, what it brings is not requested again, and "
        "%.0f%% of the other loads' sectors had to leave L1 before their next use: load "
        "around L1 (__ldcg, ld.global.cg); warpmem bypass decides it for all loads of the "
        "kernel together",
        100.0 * part(c->levels[WM_LEVEL_L1].hits,
                     c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses),
        lookups > 0 ? 100.0 * near_misses / lookups : 0.0);
}

static void bypass_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    double lookups = (double)view->kernel->lookups -
                     (double)(c->levels[WM_LEVEL_L1].hits + c->levels[WM_LEVEL_L1].misses);
    append_bytes(text, others_near_misses(view) * WM_SECTOR_BYTES, lookups * WM_SECTOR_BYTES,
                 "that the others look for in L1");
}

// --- shared-tile ---

// A tile costs a load and a store of each of its bytes, and barriers. From four uses of a byte on
// it takes less than half of L1's look-ups in loads and stores. What the same warp used last could
// stay in its registers.
enum { FEWEST_USES = 4 };

bool wm_rule_is_shared(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    const struct wm_instruction_misses *e = &view->explained;
    return is_off_chip(view) && view->space == WM_SPACE_GLOBAL && view->kind == WM_ACCESS_LOAD &&
           !view->ordered && 2 * e->regular >= c->executions && e->block_bytes > 0 &&
           2 * e->block_other_warp >= e->block_bytes &&
           e->block_bytes >= FEWEST_USES * e->block_first;
}

// What a full SM has of registers for a warp: 32 of each thread (65,536 for 2,048 threads; CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability"), 4 bytes each. So much a
// warp may hold without shared memory, lane by lane; and the smallest L1 (16 KiB, compute
// capability 2.0) has it four times over and does not lose it between uses.
enum { REGISTERS_OF_A_WARP = 32 * 32 * 4 };

// An SM's L1 looks for one line a cycle, and gets 64 bytes a cycle from L2.
enum { L1_L2_BYTES = 64 };

// What is left of a load by a tile: each byte once a block.
static double part_left(const struct wm_rule_view *view)
{
    return part(view->explained.block_first, view->explained.block_bytes);
}

static void add_cycles(struct wm_rule_kernel_totals *kernel, const struct wm_rule_view *view)
{
    if (!wm_space_leaves_sm(view->space))
        return;
    double tag = (double)view->counters.requests;
    double l1_l2 = (double)view->below_l1_bytes / L1_L2_BYTES;
    bool tiled = wm_rule_is_shared(view);
    double left = tiled ? part_left(view) : 1.0;
    // It has to come once, whatever of it L1 has kept.
    double once = (double)view->explained.block_first / L1_L2_BYTES;
    kernel->tag_cycles += tag;
    kernel->l1_l2_cycles += l1_l2;
    kernel->tag_cycles_tiled += left * tag;
    kernel->l1_l2_cycles_tiled += tiled && once < l1_l2 ? once : l1_l2;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

// Tiles help where they relieve what is busiest: L1's tags, or the link to L2. Barriers, and stores
// to the tile, take some of it back.
static bool tiles_relieve(const struct wm_rule_kernel_totals *kernel)
{
    return greater(kernel->tag_cycles_tiled, kernel->l1_l2_cycles_tiled) <=
           0.9 * greater(kernel->tag_cycles, kernel->l1_l2_cycles);
}

static bool shared_tile_applies(const struct wm_rule_view *view)
{
    return wm_rule_is_shared(view) && view->tile_bytes > REGISTERS_OF_A_WARP &&
           view->kernel != NULL && tiles_relieve(view->kernel);
}

static void shared_tile_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_misses *e = &view->explained;
    char tile[32];
    wm_text_format(text,
                   "%.0f%% of the bytes that its warps request, another warp of the block has just "
                   "used, and a block's warps request each %.0f times, of %s: load them once into "
                   "tiles in shared memory",
                   100.0 * part(e->block_other_warp, e->block_bytes),
                   e->block_first > 0 ? part(e->block_bytes, e->block_first) : 0.0,
                   wm_units_round(view->tile_bytes, WM_QUANTITY_BYTES, tile, sizeof tile));
}

static void shared_tile_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    double moved = (double)view->counters.sectors * WM_SECTOR_BYTES;
    append_bytes(text, (1.0 - part_left(view)) * moved, moved, "between the SM and L1");
}

// --- The kernel ---

void wm_rule_kernel_totals_add(struct wm_rule_kernel_totals *kernel,
                               const struct wm_rule_view *view)
{
    add_cycles(kernel, view);
    if (!is_cached_load(view))
        return;
    kernel->lookups +=
        view->counters.levels[WM_LEVEL_L1].hits + view->counters.levels[WM_LEVEL_L1].misses;
    kernel->near_misses += (uint64_t)near_miss_sectors(view);
}

// --- bank-conflict ---

static bool bank_conflict_applies(const struct wm_rule_view *view)
{
    return view->space == WM_SPACE_SHARED && is_stored_or_loaded(view) &&
           view->counters.executions >= FEWEST_EXECUTIONS &&
           2 * view->explained.regular >= view->counters.executions &&
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

static void bank_conflict_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    append_counts(text, "saves up to ", (double)view->explained.shared_replays,
                  (double)view->explained.shared_passes, " passes, a cycle each");
}

// --- privatise ---

// Lanes that come to an address behind another of their warp, and addresses that another warp of
// the block has just come to: what copies of the block's, or the warp's, own do not wait for. An
// atomic whose result is read takes its turn (a place in a queue): copies would give the same one
// twice. Its warp can still do one for all its lanes at once.
static uint64_t behind_others(const struct wm_rule_view *view)
{
    return view->counters.atomic_conflicts +
           (view->returns ? 0 : view->explained.atomic_other_warp);
}

static bool privatise_applies(const struct wm_rule_view *view)
{
    const struct wm_instruction_counters *c = &view->counters;
    bool atomic = view->kind == WM_ACCESS_ATOMIC || view->kind == WM_ACCESS_REDUCTION;
    return atomic && c->executions >= FEWEST_EXECUTIONS && behind_others(view) >= FEWEST_SECTORS &&
           part(behind_others(view), c->lanes) >= 0.25;
}

static void privatise_says(const struct wm_rule_view *view, struct wm_text *text)
{
    const struct wm_instruction_counters *c = &view->counters;
    bool shared = view->space == WM_SPACE_SHARED;
    if (view->returns) {
        wm_text_format(text,
                       "%.0f%% of its lanes come to an address behind another lane of their warp, "
                       "and are served one after another: add up in the warp first, let one lane "
                       "go, and share out what it gets",
                       100.0 * part(c->atomic_conflicts, c->lanes));
        return;
    }
    bool within = c->atomic_conflicts >= view->explained.atomic_other_warp;
    wm_text_format(text,
                   "%.0f%% of its lanes come to an address behind another lane of their warp and "
                   "%.0f%% behind another warp of their block, and are served one after another: "
                   "give each %s%s, and merge at the end",
                   100.0 * part(c->atomic_conflicts, c->lanes),
                   100.0 * part(view->explained.atomic_other_warp, c->lanes),
                   shared ? "warp a copy of its own" : "block a copy of its own in shared memory",
                   within ? ", or add up in the warp first" : "");
}

static void privatise_saves(const struct wm_rule_view *view, struct wm_text *text)
{
    append_counts(text, "saves up to ", (double)behind_others(view), (double)view->counters.lanes,
                  " operations on the same addresses");
}

const struct wm_annotate_rule wm_annotate_rule_table[] = {
    {"vectorise",
     "each time a thread makes 2 or 4 accesses of 4 or 8 bytes to neighbouring addresses from one "
     "register, the first a multiple of their length together, and lanes lie further apart than "
     "that",
     "One access of 8 or 16 bytes moves the same sectors with one request.", WM_TRIALS_NONE, NULL,
     true, "executions, one for each vector instead of each part", vectorise_applies,
     vectorise_says, vectorise_saves},
    {"uncoalesced",
     "a load or store touches at least 4 sectors, and at least twice those that its bytes fill, "
     "and "
     "half of the time its lanes lie equally far apart, or each walks through a piece of its own",
     "Each sector moves 32 bytes, whether one is used or all. Lanes that use neighbouring "
     "addresses share them. Addresses that come from data, a gather, are not arranged so easily: "
     "nothing is said of them.",
     WM_TRIALS_NONE, NULL, true, "sectors touched, less those that its bytes fill",
     uncoalesced_applies, uncoalesced_says, uncoalesced_saves},
    {"one-sector",
     "a load that is not uncoalesced touches at least 4 lines of 4 or more sectors, at most 1.25 "
     "sectors of each, and less than half of them hit in L1",
     "L1 keeps a tag a line: lines of which one sector is used fill it four times as soon.",
     WM_TRIALS_NONE, NULL, false, "lines touched, less those that its sectors fill",
     one_sector_applies, one_sector_says, one_sector_saves},
    {"thrashing-l1",
     "at least 25% of a load's sectors miss in L1 for conflict, or for capacity with the line "
     "requested again within 4 times as many others as L1 has lines, and no other load of the "
     "kernel is better done around L1",
     "The line was there and had to go before its next use. It would have hit with a smaller "
     "working set, or one that is spread better over the sets.",
     WM_TRIALS_BLOCKS, "L1::evict_last", false,
     "its misses by conflict, and by capacity within reach", thrashing_applies, thrashing_says,
     thrashing_saves},
    {"bypass-l1",
     "at most 2% of a load's sectors hit in L1 or had been there before, at most 2% of what it "
     "brings "
     "is requested again, while it is there or later in the launch, and of the other loads' "
     "sectors "
     "at least 10% miss as of "
     "thrashing-l1, no more than 4 times those that it brings",
     "What is used once takes the place of what is used again, and gains nothing. Where nothing "
     "else wants the place, going around L1 gains nothing either. warpmem bypass decides for all "
     "loads of a kernel together which are to use L1.",
     WM_TRIALS_BYPASS, "L1::evict_first", false, "misses of the other loads, as of thrashing-l1",
     bypass_applies, bypass_says, bypass_saves},
    {"shared-tile",
     "lanes of a load that is not volatile or ordered lie equally far apart, at least half of the "
     "bytes that its warps request are ones that the block had requested, another warp last, a "
     "block's warps request each byte 4 times or more, those of the source line are more than "
     "4 KiB a block, and the busier of L1's tags and the way between L1 and L2 would be at least "
     "10% less busy for the kernel",
     "Shared memory has what a block has loaded at hand, without a look into L1 and without being "
     "displaced. 4 KiB fit into a warp's registers, and stay in any L1. A kernel that waits for "
     "other data from L2 gains nothing.",
     WM_TRIALS_NONE, NULL, false, "bytes but a block's first use of each", shared_tile_applies,
     shared_tile_says, shared_tile_saves},
    {"bank-conflict",
     "at least 25% of the passes of shared memory's banks are for conflicts of a load or store "
     "whose "
     "lanes lie equally far apart",
     "Lanes that need different words of one bank are served one after another.", WM_TRIALS_NONE,
     NULL, false, "passes that conflicts added", bank_conflict_applies, bank_conflict_says,
     bank_conflict_saves},
    {"privatise",
     "at least 25% of an atomic's lanes, 64 or more, come to an address that a lane of their warp "
     "comes to as well, or, if its result is not read, that another warp of the block came to in "
     "the block's last 32 atomics",
     "Atomics to one address are done one after another, wherever it lies. Copies are added to "
     "side "
     "by side.",
     WM_TRIALS_NONE, NULL, false,
     "lanes behind another of their warp, or another warp of their block", privatise_applies,
     privatise_says, privatise_saves},
};
const uint32_t wm_annotate_rule_count =
    sizeof wm_annotate_rule_table / sizeof wm_annotate_rule_table[0];

void wm_rule_basis(const struct wm_annotate_rule *rule, struct wm_text *text)
{
    static const char *const trials[] = {
        [WM_TRIALS_NONE] = "",
        [WM_TRIALS_BYPASS] =
            "Measured: the run's accesses again, with these loads around L1, alone "
            "and together with all others of the kernel that are so advised. ",
        [WM_TRIALS_BLOCKS] = "Measured: the run's accesses again, with half as many blocks at a "
                             "time on an SM, a quarter, and one. ",
    };
    wm_text_add(text, trials[rule->trials]);
    if (rule->priority != NULL)
        wm_text_format(text,
                       "And, where the GPU is of compute capability 7.0 or later, with these loads "
                       "saying %s. ",
                       rule->priority);
    wm_text_format(text, "%s: %s.", rule->counted ? "Counted on the run's addresses" : "Estimate",
                   rule->computed);
}

enum { RULE_COLUMNS = 80 };

void wm_annotate_rules(struct wm_text *text)
{
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        struct wm_text when, how;
        wm_text_init(&when);
        wm_text_format(&when, "when %s.", rule->threshold);
        wm_text_format(text, "%s%s\n", i > 0 ? "\n" : "", rule->name);
        wm_report_wrap(when.data != NULL ? when.data : "", 2, RULE_COLUMNS, text);
        wm_report_wrap(rule->reason, 2, RULE_COLUMNS, text);
        wm_text_init(&how);
        wm_rule_basis(rule, &how);
        wm_report_wrap(how.data != NULL ? how.data : "", 2, RULE_COLUMNS, text);
        text->failed = text->failed || how.failed;
        wm_text_release(&how);
        text->failed = text->failed || when.failed;
        wm_text_release(&when);
    }
    wm_text_format(text,
                   "\nNo rule speaks of an instruction that warps executed fewer than %d times, or "
                   "of a load\nthat requested fewer than %d sectors of L1.\n",
                   (int)FEWEST_EXECUTIONS, (int)FEWEST_SECTORS);
}
