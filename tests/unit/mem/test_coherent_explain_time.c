// Why misses of coherent caches missed, in time: as in the walk where one access follows the other,
// and by hand and by sums where they overlap.
#include "base/numbers/random.h"
#include "coherent_machines.h"
#include "fixed_dram.h"
#include "mem/explain/explain.h"
#include "mem/explain/written_lines.h"
#include "mem/timed/coherent/memory_caches.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128, SECTORS = 4, PCS = 4, SMS = 3, CORES = 2, ACCESSES = 3000, MOST_UNITS = 5 };

struct side {
    struct wm_memory *memory;
    struct wm_written_lines *written;
    struct wm_instruction_counters pays[PCS];
    struct wm_instruction_misses explained[PCS];
};

struct timed_side {
    struct side side;
    struct wm_coherent_memory_caches caches;
    uint64_t now;
    uint32_t begun, done;
};

// --- The two sides ---

static void note_done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    struct timed_side *timed = context;
    (void)token, (void)cycle, (void)origin;
    timed->done++;
}

static void note_change(void *context, uint32_t node, uint32_t slice)
{
    (void)context, (void)node, (void)slice;
}

static struct wm_instruction_counters *charged(void *context, const struct wm_requester *requester)
{
    return &((struct timed_side *)context)->side.pays[requester->pc];
}

static struct wm_instruction_misses *explains(void *context, const struct wm_requester *requester)
{
    return &((struct timed_side *)context)->side.explained[requester->pc];
}

static void begin_walk(struct side *walk, const struct wm_memory_spec *spec)
{
    struct wm_error error;
    memset(walk, 0, sizeof *walk);
    walk->memory = small_memory_new(spec);
    walk->written = wm_written_lines_new(LINE);
    cr_assert_eq(wm_memory_explain(walk->memory, &error), WM_OK, "%s", error.message);
}

static void begin_timed(struct timed_side *timed, const struct wm_memory_spec *spec)
{
    const struct wm_dram_channel_spec dram = fixed_dram(50, 4);
    const struct wm_coherent_users users = {.done = note_done,
                                            .changed = note_change,
                                            .charged = charged,
                                            .explains = explains,
                                            .context = timed};
    const struct wm_coherent_clocks clocks = {1000000000, 1000000000, 1000000000};
    struct wm_error error;
    memset(timed, 0, sizeof *timed);
    timed->side.memory = small_memory_new(spec);
    timed->side.written = wm_written_lines_new(LINE);
    cr_assert_eq(wm_memory_explain_timed(timed->side.memory, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_coherent_memory_caches_init(&timed->caches, timed->side.memory, &users, &dram,
                                                &clocks, &error),
                 WM_OK, "%s", error.message);
    wm_coherent_caches_note_written_lines(timed->caches.caches, timed->side.written);
}

static void release(struct side *side)
{
    wm_written_lines_free(side->written);
    wm_memory_free(side->memory);
}

static void release_timed(struct timed_side *timed)
{
    wm_coherent_memory_caches_release(&timed->caches);
    release(&timed->side);
}

static void give_times(struct wm_memory_spec *spec)
{
    spec->interconnect = (struct wm_interconnect_spec){.latency = 5, .flit_bytes = 16};
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        spec->levels[i].timing = (struct wm_cache_timing){
            .latency = 2 + i, .mshr_entries = 4, .mshr_merges = 4, .queue = 4};
}

// --- Accesses ---

// `count` bytes of one sector or of two that follow each other.
struct access {
    uint32_t unit, pc, first, count;
    uint64_t line;
    enum wm_access_kind kind;
};

static struct wm_request request_of(const struct access *it, struct side *side, uint32_t *bytes)
{
    struct wm_request request = {.address = it->line * LINE,
                                 .kind = it->kind,
                                 .sm = it->unit,
                                 .pc = it->pc,
                                 .block = 10 + it->unit,
                                 .bytes = bytes,
                                 .instruction_counters = &side->pays[it->pc],
                                 .explained = &side->explained[it->pc]};
    memset(bytes, 0, SECTORS * sizeof *bytes);
    for (uint32_t i = it->first; i < it->first + it->count; i++) {
        bytes[i / WM_SECTOR_BYTES] |= 1u << i % WM_SECTOR_BYTES;
        request.sectors |= 1u << i / WM_SECTOR_BYTES;
    }
    return request;
}

static void walk_access(struct side *walk, const struct access *it)
{
    uint32_t bytes[SECTORS], line_bytes;
    struct wm_request request = request_of(it, walk, bytes);
    wm_memory_access(walk->memory, &request);
    struct wm_written_access note = {
        .address = it->line * LINE + it->first,
        .bytes = it->count,
        .cache = wm_memory_coherent_cache_of(walk->memory, it->unit, &line_bytes),
        .unit = it->unit,
        .writes = it->kind != WM_ACCESS_LOAD,
        .instruction = &walk->explained[it->pc]};
    wm_written_lines_access(walk->written, &note);
}

static enum wm_coherent_answer begin_access(struct timed_side *timed, const struct access *it)
{
    uint32_t bytes[SECTORS];
    struct wm_request request = request_of(it, &timed->side, bytes);
    struct wm_coherent_access access = {
        .node = wm_coherent_node_of_unit(&timed->caches, it->unit),
        .kind = it->kind == WM_ACCESS_LOAD    ? WM_COHERENT_LOAD
                : it->kind == WM_ACCESS_STORE ? WM_COHERENT_STORE
                                              : WM_COHERENT_LOCKED,
        .line = it->line,
        .token = timed->begun,
        .locked_cycles = 1,
        .sectors = request.sectors,
        .requester = {.sm = it->unit, .pc = it->pc, .kind = it->kind},
        .block = (uint32_t)request.block,
        .bytes = request.bytes,
        .is_shared = true};
    uint64_t done = 0;
    enum wm_coherent_answer answer =
        wm_coherent_caches_access(timed->caches.caches, &access, timed->now, &done);
    memset(bytes, 0xff, sizeof bytes); // they are borrowed for the call alone
    timed->begun += !wm_coherent_is_blocked(answer);
    timed->done += answer == WM_COHERENT_DONE;
    return answer;
}

static void settle(struct timed_side *timed)
{
    uint64_t next;
    while ((next = wm_coherent_caches_next(timed->caches.caches)) != WM_NEVER)
        cr_assert(wm_coherent_caches_advance(timed->caches.caches, timed->now = next));
    cr_assert_eq(timed->done, timed->begun, "an access is never done");
    timed->now++;
}

static void timed_access(struct timed_side *timed, const struct access *it)
{
    cr_assert_not(wm_coherent_is_blocked(begin_access(timed, it)));
    settle(timed);
}

static struct access random_access(struct wm_random *random, uint32_t units, uint64_t lines)
{
    uint32_t count = 1 + (uint32_t)wm_random_below(random, 40);
    return (struct access){.unit = (uint32_t)wm_random_below(random, units),
                           .pc = (uint32_t)wm_random_below(random, PCS),
                           .first = (uint32_t)wm_random_below(random, LINE - count + 1),
                           .count = count,
                           .line = wm_random_below(random, lines),
                           .kind = (enum wm_access_kind)wm_random_below(random, 3)};
}

// --- What was explained ---

static void expect_value(struct wm_memory *memory, const char *path, const char *name,
                         uint64_t expected)
{
    uint64_t found = component_value(find_component(memory, path), name);
    cr_expect_eq(found, expected, "%s %s: %lu, not %lu", path, name, found, expected);
}

static void expect_classes(struct wm_memory *memory, const char *path, uint64_t cold,
                           uint64_t coherence, uint64_t capacity, uint64_t conflict)
{
    expect_value(memory, path, "cold", cold);
    expect_value(memory, path, "coherence", coherence);
    expect_value(memory, path, "capacity", capacity);
    expect_value(memory, path, "conflict", conflict);
}

// The classes of each cache add up to its misses; returns the misses by coherence.
static uint64_t expect_sums(struct wm_memory *memory, uint64_t seed)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    uint64_t by_coherence = 0;
    for (size_t i = 0; i < count; i++) {
        const char *end = strstr(components[i].path, ".misses");
        if (end == NULL)
            continue;
        char path[sizeof components[i].path];
        snprintf(path, sizeof path, "%.*s", (int)(end - components[i].path), components[i].path);
        const struct wm_component_counters *misses = &components[i],
                                           *cache = find_component(memory, path);
        uint64_t all = component_value(misses, "cold") + component_value(misses, "coherence") +
                       component_value(misses, "capacity") + component_value(misses, "conflict") +
                       component_value(misses, "unallocated");
        cr_assert_eq(all, component_value(cache, "misses"), "%lu: %s: %lu, not %lu", seed, path,
                     all, component_value(cache, "misses"));
        cr_assert_leq(component_value(misses, "unused_bytes"),
                      component_value(misses, "fetched_bytes"), "%s", path);
        by_coherence += component_value(misses, "coherence");
    }
    return by_coherence;
}

// Where lines are evicted, what is written back to a level comes to it before or behind the request
// for which it was: which of the lines there was used last may be another, and with that whether a
// miss of it is a capacity or a conflict miss. Both are as many.
static void join_classes(struct wm_explained_cache *counters)
{
    counters->capacity += counters->conflict;
    counters->conflict = 0;
}

static void compare_components(struct side *walk, struct side *timed, bool evicts, uint64_t seed)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(timed->memory, &count);
    for (size_t i = 0; i < count; i++) {
        const struct wm_component_counters *it = &components[i];
        bool of_misses = strstr(it->path, ".misses") != NULL;
        uint64_t values[32], expected[32];
        if (!of_misses && strstr(it->path, ".reuse") == NULL)
            continue;
        cr_assert_leq(it->set->count, 32);
        memcpy(values, it->values, it->set->count * sizeof *values);
        memcpy(expected, find_component(walk->memory, it->path)->values,
               it->set->count * sizeof *values);
        if (evicts && of_misses) {
            join_classes((struct wm_explained_cache *)values);
            join_classes((struct wm_explained_cache *)expected);
        }
        for (size_t n = 0; n < it->set->count; n++)
            cr_expect_eq(values[n], expected[n], "%lu: %s %s: %lu, in the walk %lu", seed, it->path,
                         it->set->declarations[n].name, values[n], expected[n]);
    }
}

// Who shares lines of loads is said by the walk alone (docs/misses.md).
static void compare_instructions(struct side *walk, struct side *timed, bool evicts, uint64_t seed)
{
    for (uint32_t pc = 0; pc < PCS; pc++) {
        struct wm_instruction_misses expected = walk->explained[pc], found = timed->explained[pc];
        expected.reads_private = expected.reads_boundary = expected.reads_broadcast =
            expected.reads_dynamic = 0;
        for (uint32_t level = 0; evicts && level < WM_MOST_LEVELS; level++) {
            join_classes(&expected.levels[level]);
            join_classes(&found.levels[level]);
        }
        cr_expect_eq(memcmp(&expected, &found, sizeof expected), 0, "%lu: instruction %u", seed,
                     pc);
    }
}

static size_t compare_written_lines(struct side *walk, struct side *timed, uint64_t seed)
{
    size_t count = wm_written_lines_finish(walk->written);
    cr_assert_eq(wm_written_lines_finish(timed->written), count, "%lu", seed);
    for (size_t i = 0; i < count; i++) {
        struct wm_written_line a = wm_written_line_at(walk->written, i),
                               b = wm_written_line_at(timed->written, i);
        cr_expect(a.address == b.address && a.caches == b.caches && a.writers == b.writers &&
                      a.copies_taken == b.copies_taken && a.true_misses == b.true_misses &&
                      a.false_misses == b.false_misses && a.place_count == b.place_count,
                  "%lu: line %zu: %lu copies taken, %lu true, %lu false; in the walk %lu, %lu, %lu",
                  seed, i, b.copies_taken, b.true_misses, b.false_misses, a.copies_taken,
                  a.true_misses, a.false_misses);
    }
    return count;
}

// --- One access after the other: as the walk ---

static void run_equal(struct wm_memory_spec spec, uint64_t seed, uint64_t lines, bool evicts)
{
    static struct side walk;
    static struct timed_side timed;
    struct wm_random random;
    wm_random_init(&random, seed, "explain in time");
    give_times(&spec);
    begin_walk(&walk, &spec);
    begin_timed(&timed, &spec);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct access it = random_access(&random, spec.sm_count + spec.core_count, lines);
        walk_access(&walk, &it);
        timed_access(&timed, &it);
        if (i % 500 == 499) {
            wm_memory_host_write(walk.memory, it.line * LINE + 8, 200);
            wm_memory_host_write(timed.side.memory, it.line * LINE + 8, 200);
        }
    }
    compare_written_lines(&walk, &timed.side, seed);
    compare_components(&walk, &timed.side, evicts, seed);
    compare_instructions(&walk, &timed.side, evicts, seed);
    cr_expect_gt(expect_sums(timed.side.memory, seed), 500);
    release_timed(&timed);
    release(&walk);
}

Test(coherent_explain_time, one_access_after_the_other_is_as_in_the_walk)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        run_equal(coherent_shared(SMS, CORES), seed, 8, false);
        run_equal(coherent_split(SMS, CORES), seed, 8, false);
        run_equal(coherent_cores(SMS + CORES), seed, 4, false);
        run_equal(coherent_shared(SMS, CORES), seed, 200, true);
        run_equal(coherent_split(SMS, CORES), seed, 120, true);
        run_equal(coherent_cores(SMS + CORES), seed, 40, true);
    }
}

// --- By hand ---

static struct access of_word(uint32_t unit, uint64_t line, uint32_t word, enum wm_access_kind kind)
{
    return (struct access){
        .unit = unit, .pc = unit, .first = 4 * word, .count = 4, .line = line, .kind = kind};
}

static void load(struct timed_side *timed, uint32_t unit, uint64_t line)
{
    const struct access it = of_word(unit, line, unit, WM_ACCESS_LOAD);
    timed_access(timed, &it);
}

static void store(struct timed_side *timed, uint32_t unit, uint64_t line)
{
    const struct access it = of_word(unit, line, unit, WM_ACCESS_STORE);
    timed_access(timed, &it);
}

static void begin_cores(struct timed_side *timed, struct wm_memory_spec *spec)
{
    give_times(spec);
    begin_timed(timed, spec);
}

// As coherent_explain, each_class_by_hand: two cores with L1s of two sets of two ways, under an L2
// of four sets of four ways.
Test(coherent_explain_time, each_class_by_hand)
{
    static struct timed_side timed;
    struct wm_memory_spec spec = coherent_cores(2);
    begin_cores(&timed, &spec);
    load(&timed, 0, 0);  // cold
    store(&timed, 1, 0); // takes the copy
    load(&timed, 0, 0);  // coherence
    store(&timed, 0, 0); // an upgrade is a hit
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 1, 1, 0, 0);
    expect_classes(timed.side.memory, "gpu0.sm[1].l1.misses", 1, 0, 0, 0);
    load(&timed, 0, 2);
    load(&timed, 0, 4); // three lines of one set: 0 leaves
    load(&timed, 0, 0); // four lines would have had room
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 3, 1, 0, 1);
    load(&timed, 0, 1);
    load(&timed, 0, 3); // the fifth line, of two sets: 2 is the oldest of all
    load(&timed, 0, 2);
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 5, 1, 1, 1);
    expect_classes(timed.side.memory, "gpu0.l2[0].misses", 5 * SECTORS, 0, 0, 0);
    // The same at the instructions, which are the cores' own.
    cr_expect_eq(timed.side.explained[0].levels[WM_LEVEL_L1].coherence, 1);
    cr_expect_eq(timed.side.explained[0].levels[WM_LEVEL_L1].capacity, 1);
    cr_expect_eq(timed.side.explained[1].levels[WM_LEVEL_L1].cold, 1);
    // Core 0's upgrade took what had come to core 1, of which a word had been used.
    expect_value(timed.side.memory, "gpu0.sm[1].l1.misses", "fetched_bytes", LINE);
    expect_value(timed.side.memory, "gpu0.sm[1].l1.misses", "unused_bytes", LINE - 4);
    expect_value(timed.side.memory, "gpu0.sm[1].l1.misses", "unused_sector_bytes", LINE - 32);
    release_timed(&timed);
}

// What L2 evicts is called back: a miss of it in L1 is no miss by coherence, and who requested the
// line for which it left is who displaced it.
Test(coherent_explain_time, what_a_home_calls_back_was_displaced)
{
    static struct timed_side timed;
    struct wm_memory_spec spec = coherent_cores(2);
    spec.levels[WM_LEVEL_L2].cache = small_cache(2, 1, LINE, LINE);
    begin_cores(&timed, &spec);
    load(&timed, 0, 0);
    load(&timed, 1, 2); // in L2's only way of the set
    load(&timed, 0, 0);
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 1, 0, 0, 1);
    expect_classes(timed.side.memory, "gpu0.l2[0].misses", 2 * SECTORS, 0, 0, SECTORS);
    expect_value(timed.side.memory, "gpu0.sm[0].l1.misses", "evicted_other_block", 1);
    expect_value(timed.side.memory, "gpu0.sm[0].l1.misses", "accesses_other_warp", 1);
    release_timed(&timed);
}

// An access to a line that is on its way is a hit that waits, in L1 and in L2.
Test(coherent_explain_time, what_is_on_its_way_is_no_miss)
{
    static struct timed_side timed;
    struct wm_memory_spec spec = coherent_cores(2);
    begin_cores(&timed, &spec);
    const struct access both[] = {of_word(0, 0, 0, WM_ACCESS_LOAD),
                                  of_word(0, 0, 9, WM_ACCESS_LOAD),
                                  of_word(1, 0, 0, WM_ACCESS_LOAD)};
    for (int i = 0; i < 3; i++)
        cr_expect_eq(begin_access(&timed, &both[i]), WM_COHERENT_WAITS);
    settle(&timed);
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 1, 0, 0, 0);
    expect_classes(timed.side.memory, "gpu0.sm[1].l1.misses", 1, 0, 0, 0);
    expect_classes(timed.side.memory, "gpu0.l2[0].misses", SECTORS, 0, 0, 0);
    expect_value(timed.side.memory, "gpu0.sm[0].l1.misses", "again", 1);
    store(&timed, 1, 0); // the line leaves core 0: two words of two sectors of it were used
    expect_value(timed.side.memory, "gpu0.sm[0].l1.misses", "unused_bytes", LINE - 8);
    expect_value(timed.side.memory, "gpu0.sm[0].l1.misses", "unused_sector_bytes", LINE - 64);
    release_timed(&timed);
}

// Both cores upgrade one line: that which comes second loses its copy and gets the line again,
// which is no miss; then the first has lost it.
Test(coherent_explain_time, upgrades_that_cross)
{
    static struct timed_side timed;
    struct wm_memory_spec spec = coherent_cores(2);
    begin_cores(&timed, &spec);
    load(&timed, 0, 0);
    load(&timed, 1, 0);
    const struct access both[] = {of_word(0, 0, 0, WM_ACCESS_STORE),
                                  of_word(1, 0, 1, WM_ACCESS_STORE)};
    for (int i = 0; i < 2; i++)
        cr_expect_eq(begin_access(&timed, &both[i]), WM_COHERENT_WAITS);
    settle(&timed);
    expect_classes(timed.side.memory, "gpu0.sm[1].l1.misses", 1, 0, 0, 0);
    load(&timed, 0, 0);
    expect_classes(timed.side.memory, "gpu0.sm[0].l1.misses", 1, 1, 0, 0);
    // Evicted, it is no miss by coherence, though its copy was taken once.
    load(&timed, 1, 2);
    load(&timed, 1, 4);
    load(&timed, 1, 0);
    expect_classes(timed.side.memory, "gpu0.sm[1].l1.misses", 3, 0, 0, 1);
    release_timed(&timed);
}

// Core 0 has a line modified; core 1 begins a store to it, and before that has the line core 0
// reads it again: the store takes the copy of one who has it, and only the last load misses.
Test(coherent_explain_time, lines_are_shared_in_the_order_in_which_accesses_are_done)
{
    static struct timed_side timed;
    struct wm_memory_spec spec = coherent_cores(2);
    begin_cores(&timed, &spec);
    store(&timed, 0, 0);
    const struct access takes = of_word(1, 0, 1, WM_ACCESS_STORE),
                        reads = of_word(0, 0, 1, WM_ACCESS_LOAD);
    cr_expect_eq(begin_access(&timed, &takes), WM_COHERENT_WAITS);
    cr_expect_eq(begin_access(&timed, &reads), WM_COHERENT_DONE);
    settle(&timed);
    cr_assert_eq(wm_written_lines_finish(timed.side.written), 1);
    struct wm_written_line line = wm_written_line_at(timed.side.written, 0);
    cr_expect(line.copies_taken == 1 && line.true_misses == 0 && line.false_misses == 0);
    load(&timed, 0, 0); // of its own word
    wm_written_lines_finish(timed.side.written);
    line = wm_written_line_at(timed.side.written, 0);
    cr_expect(line.copies_taken == 1 && line.true_misses == 0 && line.false_misses == 1);
    cr_expect_eq(timed.side.explained[0].false_sharing, 1);
    cr_expect_eq(timed.side.explained[1].false_sharing, 0);
    release_timed(&timed);
}

// --- Accesses that overlap ---

static void run_overlapping(struct wm_memory_spec spec, uint64_t seed, uint64_t lines,
                            uint64_t *by_coherence)
{
    static struct timed_side timed;
    struct wm_random random;
    wm_random_init(&random, seed, "explain what overlaps");
    give_times(&spec);
    begin_timed(&timed, &spec);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct access it = random_access(&random, spec.sm_count + spec.core_count, lines);
        (void)begin_access(&timed, &it); // one that is blocked does not come again
        cr_assert(wm_coherent_caches_advance(
            timed.caches.caches, timed.now += wm_random_below(&random, i % 100 == 0 ? 400 : 5)));
        timed.now++;
    }
    settle(&timed);
    *by_coherence += expect_sums(timed.side.memory, seed);
    // What is wrong in the order of accesses is true or false sharing of one that has no copy to
    // lose: no more can be missed than was taken.
    size_t count = wm_written_lines_finish(timed.side.written);
    for (size_t i = 0; i < count; i++) {
        struct wm_written_line line = wm_written_line_at(timed.side.written, i);
        cr_expect_leq(line.true_misses + line.false_misses, line.copies_taken);
    }
    cr_expect_gt(count, 0);
    release_timed(&timed);
}

Test(coherent_explain_time, each_miss_has_a_class_where_accesses_overlap)
{
    uint64_t by_coherence = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        run_overlapping(coherent_shared(SMS, CORES), seed, 20 + 8 * seed, &by_coherence);
        run_overlapping(coherent_split(SMS, CORES), seed, 20 + 8 * seed, &by_coherence);
        run_overlapping(coherent_cores(SMS + CORES), seed, 4 + 4 * seed, &by_coherence);
    }
    cr_expect_gt(by_coherence, 1000);
}
