// What the clock engine counts differently from the walk though there is one access at a time, as
// docs/engine-clock.md lists it: what comes behind a miss, before its bytes have. Worked out by
// hand; test_clock_levels.c compares the two on random machines, and leaves out what this allows.
#include "clock_forms.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"

#include <criterion/criterion.h>

enum { LINE = 128 };

// Kernels of one access of a warp to one line, in the block on the first SM.
static const struct {
    const char *name, *line;
} kernels[] = {
    {"load", "ld.global.u32 %r3, [%rd1];"},
    {"load_around", "ld.global.cg.u32 %r3, [%rd1];"},
    {"store", "st.global.u32 [%rd1], %r2;"},
};

struct access {
    const char *kernel;
    uint64_t offset; // bytes behind a multiple of 64 KiB
};

static struct wm_results *run(const struct wm_machine *machine, bool timed,
                              const struct access *accesses, uint32_t lane_bytes)
{
    struct walk_fixture fixture;
    struct wm_text text;
    char before[128];
    wm_text_init(&text);
    wm_text_format(&text, ".version 7.4\n.target sm_70\n.address_size 64\n");
    snprintf(before, sizeof before,
             ".reg .pred %%p<2>;\nmul.wide.u32 %%rd2, %%r2, %u;\nadd.s64 %%rd1, %%rd1, %%rd2;",
             lane_bytes);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        write_kernel(&text, kernels[i].name, before, kernels[i].line, 1);
    if (timed)
        walk_fixture_init_timed(&fixture, machine, text.data);
    else
        walk_fixture_init_text(&fixture, machine, text.data);
    uint64_t words = (walk_words(&fixture, 1 << 15) + 0xffff) & ~UINT64_C(0xffff);
    for (; accesses->kernel != NULL; accesses++) {
        uint64_t address = words + accesses->offset;
        walk_run(&fixture, accesses->kernel, 1, 32, &address, 1);
    }
    struct wm_results *results = walk_take_results(&fixture);
    walk_fixture_release(&fixture);
    wm_text_release(&text);
    return results;
}

// A counter of all that the accesses made, in the walk and in time.
struct counts {
    uint64_t walk, timed;
};

static struct counts count(const struct wm_machine *machine, const struct access *accesses,
                           uint32_t lane_bytes, const char *kind, const char *name)
{
    struct counts counts;
    for (int timed = 0; timed < 2; timed++) {
        struct wm_results *results = run(machine, timed, accesses, lane_bytes);
        uint64_t sum =
            walk_component_sum(results->components, results->component_count, kind, name);
        *(timed ? &counts.timed : &counts.walk) = sum;
        wm_results_free(results);
    }
    return counts;
}

// L1 of one line, above an L2 of one set of two.
static struct wm_machine machine_of_lines(const struct wm_replacement_ops *replacement)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    l1->cache.size_bytes = LINE;
    l1->cache.ways = 1;
    l1->cache.write_policy = WM_WRITE_BACK;
    l1->cache.write_allocate = true;
    l1->flush_at_kernel = false;
    l2->cache.size_bytes = 2 * LINE;
    l2->cache.ways = 2;
    l2->cache.replacement = replacement;
    return machine;
}

// A cache like L1 between it and L2.
static void add_between(struct wm_machine *machine)
{
    struct wm_level_spec *levels = machine->memory.levels, *between = &levels[WM_LEVEL_L2 + 1];
    *between = levels[WM_LEVEL_L1];
    snprintf(between->name, sizeof between->name, "between");
    between->units_each = 1;
    between->below = WM_BELOW(WM_LEVEL_L2);
    levels[WM_LEVEL_L1].below = WM_BELOW(WM_LEVEL_L2 + 1);
}

// Line 0 is dirty in L1 alone, 1 and 2 are in L2. The load of line 3 displaces 0 from L1, which
// comes to L2 while 3 waits there for its bytes. Under LIP line 3 displaces 2, and is the next to
// go: in the walk 0 displaces it, and 1 stays; in time 0 displaces 1, and 3 stays.
Test(clock_one_access, a_line_that_waits_makes_no_room_for_what_its_miss_displaced)
{
    struct access accesses[] = {
        {"store", 0},       {"load_around", LINE}, {"load_around", 2 * LINE},
        {"load", 3 * LINE}, {"load_around", LINE}, {NULL, 0}};
    struct wm_machine machine = machine_of_lines(&wm_replacement_lip);
    struct counts hits = count(&machine, accesses, 4, "l2", "load_hits");
    cr_expect_eq(hits.walk, 4, "line 1, of four sectors");
    cr_expect_eq(hits.timed, 0);
    // Under LRU line 1 is the next to go when 3 has come: 0 displaces it in either.
    machine = machine_of_lines(&wm_replacement_lru);
    hits = count(&machine, accesses, 4, "l2", "load_hits");
    cr_expect_eq(hits.walk, 0);
    cr_expect_eq(hits.timed, 0);
}

// Lines of L1 are halves of L2's, and the next one is prefetched.
static struct wm_machine machine_of_halves(void)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    machine.sm.coalescer_line_bytes = 32;
    l1->cache.line_bytes = l1->cache.sector_bytes = 32;
    l1->prefetch = &wm_prefetch_stream_buffer;
    l1->prefetch_values = (struct wm_entry_values){.values = {1, 1}, .given = 3};
    l2->cache.line_bytes = 64;
    l2->cache.sector_bytes = 32;
    return machine;
}

// All lanes load the first half of a line. What is prefetched is the second, with the unit of 64
// bytes that it lies in, as L2 has kept nothing of it: 96 bytes in the walk. In time the first half
// is on its way, and is not fetched again: 64.
Test(clock_one_access, what_is_prefetched_waits_for_what_is_on_its_way_and_not_kept)
{
    struct access accesses[] = {{"load", 0}, {NULL, 0}};
    struct wm_machine machine = machine_of_halves();
    machine.memory.levels[WM_LEVEL_L2].cache.sector_bytes = 64;
    machine.memory.levels[WM_LEVEL_L2].load_allocation = WM_L2_TAKES_UNCACHED;
    struct counts bytes = count(&machine, accesses, 0, "l2", "bytes_from_below");
    cr_expect_eq(bytes.walk, 96);
    cr_expect_eq(bytes.timed, 64);
    machine.memory.levels[WM_LEVEL_L2].load_allocation = WM_L2_TAKES_ALL;
    bytes = count(&machine, accesses, 0, "l2", "bytes_from_below");
    cr_expect_eq(bytes.walk, 64);
    cr_expect_eq(bytes.timed, 64);
}

// A part of line 0 is stored, and goes on to L2, which has room for six lines; the cache between
// prefetches lines 1 to 3. In the walk this is before the store, in time 2 and 3 are behind it. Of
// the next four lines two displace the least recently used ones: 1 and 2 in the walk, 1 and 0 in
// time. (Of two SMs, so that the cache between is one SM's, before the network.)
Test(clock_one_access, what_is_prefetched_goes_behind_the_store_that_missed)
{
    struct access accesses[] = {
        {"store", 0}, {"load_around", 8 * LINE}, {"load_around", 0}, {NULL, 0}};
    struct wm_machine machine = machine_of_lines(&wm_replacement_lru);
    struct wm_level_spec *levels = machine.memory.levels, *between = &levels[WM_LEVEL_L2 + 1];
    machine.sm.count = machine.memory.sm_count = 2;
    add_between(&machine);
    levels[WM_LEVEL_L2].cache.ways = 6;
    levels[WM_LEVEL_L2].cache.size_bytes = 6 * LINE;
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    between->cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    between->prefetch = &wm_prefetch_stream_buffer;
    between->prefetch_values = (struct wm_entry_values){.values = {1, 3}, .given = 3};
    struct counts hits = count(&machine, accesses, 0, "l2", "load_hits");
    cr_expect_eq(hits.walk, 1);
    cr_expect_eq(hits.timed, 0);
}

// Line 0 is dirty in the cache between. The load of line 1 displaces it; L2 has each in a slice of
// its own, keeps no line of a store, and passes both on at once. In the walk the level below has
// used line 1 before line 0, in time behind it. It has two lines: the next one displaces 1 in the
// walk, and 0 in time.
Test(clock_one_access, slices_work_at_the_same_time)
{
    struct access accesses[] = {
        {"store", 0}, {"load", LINE}, {"load_around", 2 * LINE}, {"load_around", 0}, {NULL, 0}};
    struct wm_machine machine = machine_of_lines(&wm_replacement_lru);
    struct wm_level_spec *levels = machine.memory.levels, *l2 = &levels[WM_LEVEL_L2];
    struct wm_level_spec *between = l2 + 1, *l3 = l2 + 2;
    add_between(&machine);
    between->units_each = WM_UNITS_ALL;
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_EVICT;
    levels[WM_LEVEL_L1].cache.write_allocate = false;
    *l3 = *l2;
    snprintf(l3->name, sizeof l3->name, "l3");
    l2->below = WM_BELOW(WM_LEVEL_L2 + 2);
    l3->below = WM_BELOW_MEMORY;
    l2->slices = 2;
    l2->interleave_bytes = LINE;
    l2->cache.size_bytes = 4 * LINE;
    l2->cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    l2->cache.write_allocate = false;
    struct counts hits = count(&machine, accesses, 4, "l3", "load_hits");
    cr_expect_eq(hits.walk, 4);
    cr_expect_eq(hits.timed, 0);
}

// The block's SM is near the first slice, and the line is of the second. Both halves of the line
// miss in both slices. Where its home has it since the first, the copy has it in the walk alone.
Test(clock_one_access, a_copy_has_no_line_before_its_bytes)
{
    struct access accesses[] = {{"load", 256}, {NULL, 0}};
    struct wm_machine machine = machine_of_halves();
    machine.sm.count = machine.memory.sm_count = 2;
    machine.memory.levels[WM_LEVEL_L2].slices = machine.memory.levels[WM_LEVEL_L2].partitions = 2;
    struct counts misses = count(&machine, accesses, 0, "l2", "misses");
    cr_expect_eq(misses.walk, 4);
    cr_expect_eq(misses.timed, 4);
    misses = count(&machine, accesses, 0, "l2", "sector_misses");
    cr_expect_eq(misses.walk, 2);
    cr_expect_eq(misses.timed, 1);
}

// The same with an exclusive one, above an L2 that is inclusive.
static struct wm_machine machine_of_relations(void)
{
    struct wm_machine machine = machine_of_lines(&wm_replacement_lru);
    add_between(&machine);
    machine.memory.levels[WM_LEVEL_L2 + 1].inclusion = WM_EXCLUSIVE;
    machine.memory.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    return machine;
}

// Line 0 is in L1, 0 and 1 are in L2. The load of line 2 displaces 0 from both. From L1 it moves to
// the cache between, which in the walk is behind the loss: it is kept, and L2 takes it again. In
// time it is there before L2's invalidation, which drops it.
Test(clock_one_access, a_line_that_moves_above_is_lost_below)
{
    struct access accesses[] = {
        {"load", 0}, {"load_around", LINE}, {"load", 2 * LINE}, {"load", 0}, {NULL, 0}};
    struct wm_machine machine = machine_of_relations();
    struct counts hits = count(&machine, accesses, 4, "between", "load_hits");
    cr_expect_eq(hits.walk, 4);
    cr_expect_eq(hits.timed, 0);
}

// Three lines are stored, all of whose bytes are fetched first, and the cache between keeps two
// dirty. In the walk L2 loses line 0 for line 2, so no more than two are left; in time line 0 is
// cleaned first.
Test(clock_one_access, a_line_is_cleaned_before_it_is_lost_below)
{
    struct access accesses[] = {{"store", 0}, {"store", LINE}, {"store", 2 * LINE}, {NULL, 0}};
    struct wm_machine machine = machine_of_relations();
    struct wm_level_spec *levels = machine.memory.levels, *between = &levels[WM_LEVEL_L2 + 1];
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    levels[WM_LEVEL_L1].cache.write_allocate = false;
    between->inclusion = WM_NON_INCLUSIVE;
    between->cache.ways = 4;
    between->cache.size_bytes = 4 * LINE;
    between->cache.write_fetch = WM_FETCH_ALWAYS;
    between->cache.dirty_limit_bytes = 2 * LINE;
    struct counts cleaned = count(&machine, accesses, 4, "dirty_limit", "cleaned");
    cr_expect_eq(cleaned.walk, 0);
    cr_expect_eq(cleaned.timed, 1);
}

// L2 has a way in each of two sets, where the cache between has two in one. A part of line 0 is
// stored, 1 is loaded, and the store to a part of line 2 has 0 written back from between. In the
// walk 0 displaces 2 from L2 at once, and so from all above, where the store then finds nothing. In
// time the store comes there before the bytes of 2, which keeps its way till these come.
Test(clock_one_access, a_store_comes_before_the_bytes_that_it_fetches)
{
    struct access accesses[] = {{"store", 0}, {"load", LINE}, {"store", 2 * LINE}, {NULL, 0}};
    struct wm_machine machine = machine_of_relations();
    struct wm_level_spec *levels = machine.memory.levels, *between = &levels[WM_LEVEL_L2 + 1];
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    between->inclusion = WM_NON_INCLUSIVE;
    between->cache.ways = 2;
    between->cache.size_bytes = 2 * LINE;
    levels[WM_LEVEL_L2].cache.ways = 1;
    struct counts misses = count(&machine, accesses, 0, "between", "store_misses");
    cr_expect_eq(misses.walk, 1);
    cr_expect_eq(misses.timed, 0);
    levels[WM_LEVEL_L2].cache.ways = 2;
    misses = count(&machine, accesses, 0, "between", "store_misses");
    cr_expect_eq(misses.walk, 0);
    cr_expect_eq(misses.timed, 0);
}

// Parts of two lines of the second slice are stored. The store to the second displaces the first
// from L1, whose write-back drops its copy in the first slice. In time the way is free for the copy
// of the second then; in the walk that has displaced the other copy before. At home the second
// displaces the first, and the write-back the second, in either.
Test(clock_one_access, a_copy_that_is_dropped_makes_room)
{
    struct access accesses[] = {{"store", 256}, {"store", 256 + LINE}, {NULL, 0}};
    struct wm_machine machine = machine_of_lines(&wm_replacement_lru);
    struct wm_level_spec *l2 = &machine.memory.levels[WM_LEVEL_L2];
    machine.sm.count = machine.memory.sm_count = 2;
    l2->slices = l2->partitions = 2;
    l2->cache.ways = 1;
    struct counts evictions = count(&machine, accesses, 0, "l2", "evictions");
    cr_expect_eq(evictions.walk, 3);
    cr_expect_eq(evictions.timed, 2);
}

static int32_t refuse(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)set;
    (void)event;
    (void)allowed;
    return WM_NO_WAY;
}

static void ignore(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

static const struct wm_replacement_ops refuses = {
    .name = "refuses", .victim = refuse, .hit = ignore, .insert = ignore};

// Line 0 is in all caches, each of one line; the cache between displaces nothing. A part of line 1
// is stored, and fetched first, for which L2 loses line 0. In the walk the store then finds the
// cache between empty, and takes the line there; in time it finds line 0.
Test(clock_one_access, what_is_lost_below_makes_room_behind_the_store)
{
    struct access accesses[] = {{"load", 0}, {"store", LINE}, {NULL, 0}};
    struct wm_machine machine = machine_of_relations();
    struct wm_level_spec *levels = machine.memory.levels, *between = &levels[WM_LEVEL_L2 + 1];
    levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    between->inclusion = WM_NON_INCLUSIVE;
    between->cache.replacement = &refuses;
    levels[WM_LEVEL_L2].cache.ways = 1;
    levels[WM_LEVEL_L2].cache.size_bytes = LINE;
    struct counts lines = count(&machine, accesses, 0, "between", "allocations");
    cr_expect_eq(lines.walk, 2);
    cr_expect_eq(lines.timed, 1);
}
