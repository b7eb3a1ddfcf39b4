// Machines of random levels (unit/mem/level_machines.h) in time: with one access at a time, nothing
// waits for anything, and the clock engine counts what the walk counts, but for what overlaps
// within an access (docs/engine-clock.md; test_clock_one_access.c). Each access is a kernel, in a
// block on one of the SMs, whose end waits for all that is on its way. Machines that the clock
// engine does not take are counted and left out. So are atomic buffers, whose operation may be two
// look-ups, the second before what the first fetches has come. So are lines that are refused when
// their bytes come, which have been fetched whole. Instructions are fetched beside
// accesses, and by all blocks at once: where they have a cache it lies above memory alone, and
// there is one block.
#include "../rounds.h"
#include "../unit/mem/choosy.h"
#include "../unit/mem/level_machines.h"
#include "engine/session/session.h"
#include "mem/replacement/entries.h"
#include "timed_levels.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MACHINES = 6000, KERNELS = 24, LAUNCHES = 60, WORDS = 1 << 14 };

// --- A machine in time ---

static uint32_t blocks_of(const struct wm_machine *machine)
{
    bool alone = machine->memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION].cache.present;
    return alone ? 1 : machine->sm.count;
}

// Some have two GPUs, where they may.
static void draw_gpus(struct wm_random *random, struct wm_memory_spec *spec)
{
    spec->peer_link =
        (struct wm_peer_link_spec){.latency = 20, .bandwidth_bytes_per_second = 10000000000};
    spec->gpus = wm_random_below(random, 3) == 0 ? 2 : 1;
    if (!level_machine_is_legal(spec))
        spec->gpus = 1;
}

// --- Kernels of one access ---

// Lanes below a limit access words so many bytes apart, all in one line, from the parameter on; the
// block that does is given, others end at once.
static void write_access(struct wm_random *random, struct wm_text *text, uint32_t number,
                         const struct wm_machine *machine)
{
    static const char *const accesses[] = {
        "ld.global.u32 %r3, [%rd1];",          "ld.global.u32 %r3, [%rd1];",
        "ld.global.nc.u32 %r3, [%rd1];",       "ld.global.cg.u32 %r3, [%rd1];",
        "ld.volatile.global.u32 %r3, [%rd1];", "ld.global.L1::no_allocate.u32 %r3, [%rd1];",
        "st.global.u32 [%rd1], %r2;",          "st.global.u32 [%rd1], %r2;",
        "st.global.u8 [%rd1], %r2;",           "atom.global.add.u32 %r3, [%rd1], %r2;",
        "red.global.add.u32 [%rd1], %r2;",
    };
    uint32_t stride = 4u << wm_random_below(random, 5);
    uint32_t most = machine->sm.coalescer_line_bytes / stride, lanes = 1;
    if (most > 1 && wm_random_below(random, 2) == 0)
        lanes += (uint32_t)wm_random_below(random, most < 32 ? most : 32);
    // What is drawn must not depend on the order in which a call's arguments are evaluated.
    size_t access = wm_random_below(random, sizeof accesses / sizeof accesses[0]);
    uint64_t block = wm_random_below(random, blocks_of(machine));
    wm_text_format(text,
                   ".visible .entry k%" PRIu32 "(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 "
                   "%%rd<9>;\n.reg .pred %%p<3>;\nld.param.u64 %%rd1, [p];\nmov.u32 %%r1, "
                   "%%ctaid.x;\nmov.u32 %%r2, %%tid.x;\n",
                   number);
    wm_text_format(text,
                   "setp.ne.u32 %%p0, %%r1, %" PRIu64 ";\n@%%p0 ret;\nsetp.ge.u32 %%p1, %%r2, "
                   "%" PRIu32 ";\n@%%p1 ret;\nmul.wide.u32 %%rd2, %%r2, %" PRIu32
                   ";\nadd.s64 %%rd1, %%rd1, %%rd2;\n%s\nret;\n}\n",
                   block, lanes, stride, accesses[access]);
}

// --- Both engines ---

static struct wm_results *run(const struct wm_machine *machine, const char *text, bool clock,
                              uint64_t number)
{
    struct walk_fixture fixture;
    struct wm_random random;
    wm_random_init(&random, number, "launches");
    if (clock)
        walk_fixture_init_timed(&fixture, machine, text);
    else
        walk_fixture_init_text(&fixture, machine, text);
    uint64_t line_bytes = machine->sm.coalescer_line_bytes;
    uint64_t words[2], lines = 4 * WORDS / line_bytes;
    uint32_t gpus = wm_memory_gpus(&machine->memory);
    for (fixture.gpu = 0; fixture.gpu < gpus; fixture.gpu++)
        words[fixture.gpu] = walk_words(&fixture, WORDS);
    for (int i = 0; i < LAUNCHES; i++) {
        char name[16];
        uint64_t near = wm_random_below(&random, 2) == 0 || lines < 8 ? lines : lines / 8;
        snprintf(name, sizeof name, "k%" PRIu64, wm_random_below(&random, KERNELS));
        uint64_t parameter = words[gpus > 1 ? wm_random_below(&random, gpus) : 0] +
                             line_bytes * wm_random_below(&random, near);
        fixture.gpu = gpus > 1 ? (uint32_t)wm_random_below(&random, gpus) : 0;
        walk_run(&fixture, name, blocks_of(machine), 32, &parameter, 1);
    }
    for (uint32_t gpu = 0; gpu < gpus; gpu++) // L1s write back sooner in time
        wm_session_host_read(fixture.session, words[gpu], 4 * WORDS);
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    return results;
}

static bool writes_back(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].cache.present &&
           spec->levels[level].cache.write_policy == WM_WRITE_BACK;
}

// So many lines may be on their way to a level at once, as an access, and what it is prefetched
// for at the levels above, sends there.
static uint64_t lines_at_once(const struct wm_memory_spec *spec, uint32_t level)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (!spec->levels[i].cache.present || wm_level_below(spec, i) != level)
            continue;
        uint64_t each = 1;
        if (wm_level_prefetches(spec, i))
            each += spec->levels[i].prefetch_values.values[1];
        uint64_t here = each * lines_at_once(spec, i);
        most = here > most ? here : most;
    }
    return most;
}

// Whether lines that wait for their bytes keep their ways from others: those of LRU, if there are
// more than such lines, would not be displaced yet.
static bool lines_hold_ways(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_cache_spec *cache = &spec->levels[level].cache;
    uint64_t lines = lines_at_once(spec, level);
    return lines > 1 && (cache->replacement != &wm_replacement_lru || cache->ways <= lines);
}

// Whether a line that has come last may be the first to go. In time it waits for its bytes, and
// what the level above displaced for it, or cleans, takes another way (docs/engine-clock.md, R3).
// Under these it is the last: PIPP inserts in front before it has counted for long, and no access
// here has a priority.
static bool newest_may_go(const struct wm_memory_spec *spec, uint32_t level)
{
    const struct wm_replacement_ops *entry = spec->levels[level].cache.replacement;
    return entry != &wm_replacement_lru && entry != &wm_replacement_fifo &&
           entry != &wm_replacement_plru && entry != &wm_replacement_priority &&
           entry != &wm_replacement_pipp;
}

// Whether what levels above write back comes to a level, also by way of one that writes through.
static bool gets_write_backs(const struct wm_memory_spec *spec, uint32_t level)
{
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && wm_level_below(spec, i) == level &&
               (writes_back(spec, i) || gets_write_backs(spec, i));
    return any;
}

// Whether lines of a level above are parts of those of `line_bytes`.
static bool has_smaller_lines(const struct wm_memory_spec *spec, uint32_t level,
                              uint32_t line_bytes)
{
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && wm_level_below(spec, i) == level &&
               (spec->levels[i].cache.line_bytes < line_bytes ||
                has_smaller_lines(spec, i, line_bytes));
    return any;
}

// Whether what is prefetched waits for what is on its way to a level, in one line with what it is
// prefetched behind (R2), and in the walk has it fetched again, as it was not kept there: loads
// take no line of that level, or the store has dropped it.
static bool finds_what_leaves(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    return lines_at_once(spec, number) > 1 &&
           has_smaller_lines(spec, number, level->cache.line_bytes) &&
           (level->load_allocation == WM_L2_TAKES_UNCACHED ||
            level->cache.write_policy == WM_WRITE_THROUGH_EVICT);
}

// Whether stores come to a level that one above has fetched the lines for.
static bool gets_fetched_stores(const struct wm_memory_spec *spec, uint32_t level)
{
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && wm_level_below(spec, i) == level &&
               !writes_back(spec, i) &&
               (spec->levels[i].cache.write_allocate || gets_fetched_stores(spec, i));
    return any;
}

// Whether what the level above sends for an access may go before what is prefetched for its miss,
// or, to another slice, before the miss itself.
static bool passes_others(const struct wm_memory_spec *spec, uint32_t level)
{
    bool prefetches = wm_level_prefetches(spec, level);
    return ((prefetches || spec->levels[level].slices > 1) && gets_write_backs(spec, level)) ||
           (prefetches && gets_fetched_stores(spec, level) && !writes_back(spec, level));
}

// Whether copies are dropped by what comes behind a load, before its own copy takes its way.
static bool drops_copies_late(const struct wm_memory_spec *spec, uint32_t level)
{
    return spec->levels[level].partitions > 1 &&
           (gets_write_backs(spec, level) || gets_fetched_stores(spec, level));
}

// Whether what a level sends to the one below may be in another order than in the walk. L1s write
// back when a kernel ends, too, and streaming ones after the fetch; at the end all lines are
// written back in order of their places, and so displace others of the next. Parts of one line are
// on their way at once: that one waits for its bytes keeps it from making room for the next; so are
// a miss and what is prefetched behind it.
static bool sends_in_other_order(const struct wm_memory_spec *spec, uint32_t level, uint32_t below)
{
    bool after_others = level == WM_LEVEL_L1;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        after_others |= writes_back(spec, i) && wm_level_below(spec, i) == level;
    return below != WM_BELOW_MEMORY &&
           ((after_others && writes_back(spec, level)) || lines_hold_ways(spec, below) ||
            ((writes_back(spec, level) || gets_write_backs(spec, level)) &&
             newest_may_go(spec, below)) ||
            finds_what_leaves(spec, below) || passes_others(spec, level) ||
            spec->levels[level].cache.line_bytes > spec->levels[below].cache.line_bytes);
}

// What may differ of a level, or, as WM_BELOW_MEMORY, of memory: 0 nothing; 1 all but what comes to
// it; 2 all.
static int openness(const struct wm_memory_spec *spec, uint32_t number)
{
    int most = number != WM_BELOW_MEMORY && drops_copies_late(spec, number);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        bool present = spec->levels[i].cache.present;
        if (!(present || i == WM_LEVEL_L1) || wm_level_below(spec, i) != number)
            continue;
        int open = present && openness(spec, i) > 0 ? 2 : sends_in_other_order(spec, i, number);
        most = open > most ? open : most;
    }
    return most;
}

// Links between GPUs count what comes to the first levels that stand before their memories, or to
// these.
static bool links_are_open(const struct wm_memory_spec *spec)
{
    bool open = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        uint32_t below = wm_level_below(spec, i);
        bool crosses = (spec->levels[i].cache.present || i == WM_LEVEL_L1) &&
                       !wm_level_is_home(spec, i) &&
                       (below == WM_BELOW_MEMORY || wm_level_is_home(spec, below));
        open |= crosses && openness(spec, below) > 1;
    }
    return open;
}

// Whether the level, or one above it, refuses lines.
static bool is_choosy(const struct wm_memory_spec *spec, uint32_t level)
{
    bool any = spec->levels[level].cache.replacement == &choosy_replacement;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |=
            spec->levels[i].cache.present && wm_level_below(spec, i) == level && is_choosy(spec, i);
    return any;
}

// A store that fetches, and goes on, comes before its bytes. A line that an inclusive level refuses
// leaves those above with these, as does one whose only way is taken by what was displaced for it
// above, and one that the level loses makes room above, for what is refused there else; of an
// exclusive level the store finds them on their way.
static bool relates_late(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && spec->levels[i].cache.write_allocate &&
               !writes_back(spec, i);
    return any && (level->inclusion == WM_EXCLUSIVE || is_choosy(spec, number) ||
                   (level->cache.ways == 1 && gets_write_backs(spec, number)));
}

// Whether what this level loses for an access is, when it leaves those above, where what these have
// displaced for that access has come to, or what they have cleaned for it: it moves to an exclusive
// level, is written back by way of one between (`passes`), or is clean, and in the walk is so
// behind the loss.
static bool moves_before_it_loses(const struct wm_memory_spec *spec, uint32_t number, bool passes)
{
    bool any = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        any |= spec->levels[i].cache.present && wm_level_below(spec, i) == number &&
               (spec->levels[i].cache.dirty_limit_bytes != 0 ||
                spec->levels[i].inclusion == WM_EXCLUSIVE || (passes && writes_back(spec, i)) ||
                moves_before_it_loses(spec, i, true));
    return any;
}

// What leaves an inclusive level leaves those above, and what leaves those comes to an exclusive
// one: where what they hold may differ, so may the others, and what they send.
static bool relations_are_open(const struct wm_memory_spec *spec)
{
    bool open = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        open |=
            spec->levels[i].cache.present && spec->levels[i].inclusion != WM_NON_INCLUSIVE &&
            (openness(spec, i) > 0 || relates_late(spec, i) ||
             (spec->levels[i].inclusion == WM_INCLUSIVE && moves_before_it_loses(spec, i, false)));
    return open;
}

static bool is_open(const struct wm_machine *machine, const char *path, const char *counter)
{
    const struct wm_memory_spec *spec = &machine->memory;
    if (strncmp(counter, "writeback", 9) == 0) // at the end it is in order of places
        return true;
    if (relations_are_open(spec))
        return true;
    // A copy takes its way when its bytes come (docs/memory-system.md, R16): till then a load of
    // another sector, prefetched behind them, finds no line, where in the walk it finds one without
    // that sector. Either is a miss.
    if (strcmp(counter, "sector_misses") == 0 && strstr(path, "l2") != NULL &&
        spec->levels[WM_LEVEL_L2].partitions > 1 && lines_at_once(spec, WM_LEVEL_L2) > 1)
        return true;
    bool comes = (strstr(counter, "accesses") != NULL && strstr(counter, "miss") == NULL) ||
                 strstr(counter, "_above") != NULL;
    if (strstr(path, "dram") != NULL)
        return openness(spec, WM_BELOW_MEMORY) > 0;
    if (strstr(path, "link") != NULL)
        return links_are_open(spec);
    for (uint32_t i = WM_LEVEL_L2; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && strstr(path, wm_level_name(spec, i)) != NULL)
            // Victims are not looked at for a line that is on its way, of which parts come. To a
            // slice in a partition comes, too, what copies in the other lack.
            return strstr(path, ".victim") != NULL ||
                   openness(spec, i) > (comes && spec->levels[i].partitions < 2);
    return false;
}

// Counters of the walk that are not 0, and those of them that the clock engine has to count alike.
struct compared {
    uint64_t all, alike;
};

// What both count is the same.
static bool equal(const struct wm_machine *machine, const struct wm_results *walk,
                  const struct wm_results *clock, struct compared *compared)
{
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_result *it = &walk->components[i];
        const struct wm_component_result *timed = component_of(clock, it->path, it->set);
        for (size_t n = 0; timed != NULL && n < it->set->count; n++) {
            bool open = is_open(machine, it->path, it->set->declarations[n].name);
            compared->all += it->values[n] != 0;
            compared->alike += it->values[n] != 0 && !open;
            if (it->values[n] == timed->values[n] || open)
                continue;
            fprintf(stderr, "%s %s: %" PRIu64 " in the walk, %" PRIu64 " in time\n", it->path,
                    it->set->declarations[n].name, it->values[n], timed->values[n]);
            return false;
        }
    }
    return true;
}

Test(clock_levels, one_access_at_a_time_counts_as_the_walk, .timeout = 300)
{
    struct level_machine drawn;
    struct wm_random random;
    uint32_t refused = 0, several = 0, prefetching = 0, related = 0, contended = 0;
    uint32_t machines = TEST_ROUNDS(MACHINES);
    struct compared compared = {0};
    for (uint32_t number = 0; number < machines; number++) {
        struct wm_text text;
        struct wm_error error;
        wm_random_init(&random, number, "clock levels");
        level_machine_draw(&random, &drawn);
        draw_gpus(&random, &drawn.spec);
        struct wm_machine machine = timed_levels(&drawn.spec);
        if (has_inclusion(&drawn.spec)) // else a line from below finds the way of one that it drops
            machine.memory.levels[WM_LEVEL_L1].allocation = WM_ALLOCATE_ON_MISS;
        if (wm_clock_check(&machine, &error) != WM_OK) {
            refused++;
            continue;
        }
        contended += draw_contention(number, &machine);
        related += has_inclusion(&machine.memory) && !relations_are_open(&machine.memory);
        for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
            prefetching += wm_level_prefetches(&machine.memory, i);
        wm_text_init(&text);
        wm_text_format(&text, ".version 7.4\n.target sm_70\n.address_size 64\n");
        for (uint32_t kernel = 0; kernel < KERNELS; kernel++)
            write_access(&random, &text, kernel, &machine);
        struct wm_results *walk = run(&machine, text.data, false, number);
        struct wm_results *clock = run(&machine, text.data, true, number);
        bool same = equal(&machine, walk, clock, &compared);
        if (!same)
            level_machine_print(stderr, &drawn);
        cr_expect(same, "machine %" PRIu32, number);
        wm_results_free(walk);
        wm_results_free(clock);
        several += wm_memory_gpus(&machine.memory) > 1;
        wm_text_release(&text);
    }
    cr_log_info(
        "%u machines, of which the clock engine refuses %u; %u have two GPUs, %u relations "
        "that are held to; %u levels with prefetchers; %u where requests join or are refused",
        machines, refused, several, related, prefetching, contended);
    // Two thirds are; with fewer the reasons for leaving some out say too much.
    cr_expect_gt(compared.alike * 100, compared.all * 60);
    cr_expect_gt(related, machines / 60);
    cr_expect_gt(prefetching, machines / 10);
    cr_expect_gt(contended, machines / 4);
    cr_expect_lt(refused, machines);
    cr_expect_gt(several, 0);
}

// --- Many accesses at a time ---

enum { BUSY_MACHINES = 1200, BUSY_ROUNDS = 12 };

// All threads of all blocks load a word here and one there, and store one, again and again, along
// lines that follow each other.
static void write_busy(struct wm_text *text)
{
    wm_text_format(
        text,
        ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry busy(.param .u64 p)\n{\n"
        ".reg .b32 %%r<12>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\nld.param.u64 %%rd1, [p];\n"
        "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\nmad.lo.u32 %%r3, %%r1, 4001, %%r2;\n"
        "mov.u32 %%r4, 0;\nagain:\nmad.lo.u32 %%r5, %%r4, 64, %%r3;\nand.b32 %%r5, %%r5, %d;\n"
        "mul.wide.u32 %%rd2, %%r5, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
        "ld.global.u32 %%r6, [%%rd3];\nxor.b32 %%r7, %%r5, 2049;\nmul.wide.u32 %%rd4, %%r7, 4;\n"
        "add.s64 %%rd5, %%rd1, %%rd4;\nld.global.u32 %%r8, [%%rd5];\nadd.s32 %%r6, %%r6, %%r8;\n"
        "st.global.u32 [%%rd5], %%r6;\nadd.s32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p1, %%r4, %d;\n"
        "@%%p1 bra again;\nret;\n}\n",
        WORDS - 1, BUSY_ROUNDS);
}

static struct wm_results *run_busy(const struct wm_machine *machine, const char *text)
{
    struct walk_fixture fixture;
    walk_fixture_init_timed(&fixture, machine, text);
    uint64_t words = walk_words(&fixture, WORDS + 4096);
    for (int i = 0; i < 2; i++)
        walk_run(&fixture, "busy", 2 * blocks_of(machine), 96, &words, 1);
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    return results;
}

// All that is prefetched comes, early, late or for nothing, and kernels end, the same way again.
Test(clock_levels, prefetchers_of_busy_machines, .timeout = 300)
{
    uint64_t late = 0, refused = 0, supplied = 0;
    struct wm_text text;
    wm_text_init(&text);
    write_busy(&text);
    for (uint32_t number = 0; number < TEST_ROUNDS(BUSY_MACHINES); number++) {
        struct level_machine drawn;
        struct wm_random random;
        struct wm_error error;
        struct compared compared = {0};
        bool prefetches = false;
        wm_random_init(&random, number, "busy clock levels");
        level_machine_draw(&random, &drawn);
        struct wm_machine machine = timed_levels(&drawn.spec);
        for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
            machine.memory.levels[i].timing.queue = 1 + (uint32_t)wm_random_below(&random, 8);
            prefetches |= wm_level_prefetches(&machine.memory, i);
        }
        if (!prefetches || wm_clock_check(&machine, &error) != WM_OK)
            continue;
        struct wm_results *once = run_busy(&machine, text.data);
        struct wm_results *again = run_busy(&machine, text.data);
        cr_expect(equal(&machine, once, again, &compared) &&
                      once->kernels[0].cycles == again->kernels[0].cycles,
                  "machine %" PRIu32, number);
        late += walk_component_sum(once->components, once->component_count, "prefetcher_timing",
                                   "late");
        refused += walk_component_sum(once->components, once->component_count, "prefetcher_timing",
                                      "refused");
        supplied +=
            walk_component_sum(once->components, once->component_count, "prefetcher", "supplied");
        wm_results_free(once);
        wm_results_free(again);
    }
    cr_log_info("%" PRIu64 " supplied, %" PRIu64 " late, %" PRIu64 " refused", supplied, late,
                refused);
    cr_expect(late != 0 && refused != 0 && late < supplied);
    wm_text_release(&text);
}
