// What is in flight at a cache and what a miss has locked: which requests join others, which are
// refused and when they are sent again, worked out by hand.
#include "clock_forms.h"
#include "mem/system/memory_spec_check.h"

#include <criterion/criterion.h>
#include <inttypes.h>

enum { TO_L2_AND_BACK = TO_UNIT + L1 + LINK + L2 + REPLY + LINK };
enum { MISS = TO_L2_AND_BACK + TRANSFER + DRAM, LINE = 128 };

static struct wm_machine machine_of(uint32_t sms)
{
    struct wm_machine machine = simple_machine();
    machine.sm.count = machine.memory.sm_count = sms;
    return machine;
}

// Two SMs, one L1.
static struct wm_machine shared_l1(enum wm_cache_coalescing coalescing)
{
    struct wm_machine machine = machine_of(2);
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    l1->units_each = 2;
    l1->ports = 2;
    l1->coalescing = coalescing;
    return machine;
}

struct counts {
    uint64_t load_cycles, accesses, pending, requests, loads_joined, stores_joined, others;
    uint64_t attempts, refused_line, refused_set, l2_accesses;
};

static struct counts counts_of(const struct wm_kernel_result *kernel,
                               const struct wm_machine *machine)
{
    struct counts counts = {.load_cycles = counter(kernel, "memory_unit", "load_cycles"),
                            .accesses = counter(kernel, "l1", "accesses"),
                            .pending = counter(kernel, "l1_timing", "pending_hits"),
                            .l2_accesses = counter(kernel, "l2", "accesses")};
    if (machine->memory.levels[WM_LEVEL_L1].coalescing == WM_COALESCES_IN_FLIGHT) {
        counts.requests = counter(kernel, "coalescing", "requests");
        counts.loads_joined = counter(kernel, "coalescing", "loads_joined");
        counts.stores_joined = counter(kernel, "coalescing", "stores_joined");
        counts.others = counter(kernel, "coalescing", "joined_other_unit");
    }
    if (machine->memory.levels[WM_LEVEL_L2].locked_line == WM_LOCKED_REFUSES) {
        counts.attempts = counter(kernel, "locked_lines", "attempts");
        counts.refused_line = counter(kernel, "locked_lines", "refused_line");
        counts.refused_set = counter(kernel, "locked_lines", "refused_set");
    }
    return counts;
}

// One execution of `line` in each of so many blocks, behind `before`.
static struct counts once(const struct wm_machine *machine, const char *before, const char *line,
                          uint32_t blocks)
{
    struct forms forms;
    forms_init(&forms, machine, before, line);
    uint64_t address = walk_words(&forms.fixture, 64 * LINE / 4);
    walk_run(&forms.fixture, "warm", blocks, 32, &address, 1);
    struct wm_results *results = walk_take_results(&forms.fixture);
    struct counts counts = counts_of(kernel_of(results, "warm"), machine);
    wm_results_free(results);
    forms_release(&forms);
    return counts;
}

// --- Coalescing in flight ---

static const char load[] = "ld.global.u32 %r3, [%rd1];";

// The second SM's load joins the first's, which is looked up alone, instead of being a pending hit;
// both have their data in the same cycle, either way.
Test(clock_contention, loads_of_two_units_join)
{
    struct wm_machine alone = shared_l1(WM_COALESCES_NOTHING),
                      joins = shared_l1(WM_COALESCES_IN_FLIGHT);
    struct counts counts = once(&alone, "", load, 2);
    cr_expect_eq(counts.accesses, 2);
    cr_expect_eq(counts.pending, 1);
    cr_expect_eq(counts.load_cycles, 2 * MISS, "%" PRIu64, counts.load_cycles);
    counts = once(&joins, "", load, 2);
    cr_expect_eq(counts.requests, 2);
    cr_expect_eq(counts.accesses, 1);
    cr_expect_eq(counts.loads_joined, 1);
    cr_expect_eq(counts.others, 1);
    cr_expect_eq(counts.pending, 0);
    cr_expect_eq(counts.l2_accesses, 1);
    cr_expect_eq(counts.load_cycles, 2 * MISS, "%" PRIu64, counts.load_cycles);
}

// L1s of their own: each looks its own up.
Test(clock_contention, loads_of_other_caches_do_not_join)
{
    struct wm_machine machine = machine_of(2);
    machine.memory.levels[WM_LEVEL_L1].coalescing = WM_COALESCES_IN_FLIGHT;
    struct counts counts = once(&machine, "", load, 2);
    cr_expect_eq(counts.accesses, 2);
    cr_expect_eq(counts.loads_joined, 0);
}

// A hit is in flight until its data is there: what comes meanwhile joins, and is done when it is;
// what comes in that cycle does not.
Test(clock_contention, loads_join_hits)
{
    struct wm_machine machine = machine_of(1);
    machine.memory.levels[WM_LEVEL_L1].coalescing = WM_COALESCES_IN_FLIGHT;
    // Both issue one behind the other, and their line is there.
    const char *there = "ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r4, %r4;";
    struct counts counts = once(&machine, there,
                                "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r6, "
                                "[%rd1];",
                                1);
    cr_expect_eq(counts.accesses, 2);
    cr_expect_eq(counts.loads_joined, 1);
    // The first takes TO_UNIT + L1, the second a cycle less.
    uint64_t miss = MISS; // one sector: all lanes read one word
    cr_expect_eq(counts.load_cycles, miss + TO_UNIT + L1 + TO_UNIT + L1 - 1, "%" PRIu64,
                 counts.load_cycles);
    struct wm_text late;
    wm_text_init(&late);
    wm_text_format(&late, "ld.global.u32 %%r3, [%%rd1];\n");
    for (int i = 0; i < L1; i++) // cycles between
        wm_text_format(&late, "mov.u32 %%r7, 0;\n");
    wm_text_format(&late, "ld.global.u32 %%r6, [%%rd1];");
    counts = once(&machine, there, late.data, 1);
    wm_text_release(&late);
    cr_expect_eq(counts.accesses, 3);
    cr_expect_eq(counts.loads_joined, 0);
}

// A store in flight keeps younger loads from joining older ones; they are looked up, and find their
// bytes on their way. When it is over they join again.
Test(clock_contention, stores_divide_loads)
{
    struct wm_machine machine = machine_of(1);
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    l1->coalescing = WM_COALESCES_IN_FLIGHT;
    l1->cache.write_policy = WM_WRITE_BACK;
    l1->cache.write_allocate = true;
    l1->cache.write_fetch = WM_FETCH_ALWAYS;
    const char *loads = "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];";
    struct counts counts = once(&machine, "", loads, 1);
    cr_expect_eq(counts.loads_joined, 1);
    counts = once(&machine, "",
                  "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1+256], %r2;\n"
                  "ld.global.u32 %r4, [%rd1+4];",
                  1);
    cr_expect_eq(counts.loads_joined, 0);
    cr_expect_eq(counts.accesses, 3);
    cr_expect_eq(counts.pending, 1);
    // The third load joins the second: no store came between these.
    counts = once(&machine, "",
                  "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1+256], %r2;\n"
                  "ld.global.u32 %r4, [%rd1+4];\nld.global.u32 %r5, [%rd1+8];",
                  1);
    cr_expect_eq(counts.loads_joined, 1);
    cr_expect_eq(counts.accesses, 3);
    // The store is over when its line has come, which the load of that waits for.
    counts = once(&machine,
                  "st.global.u32 [%rd1+256], %r2;\nld.global.u32 %r6, [%rd1+256];\n"
                  "add.u32 %r6, %r6, %r6;",
                  loads, 1);
    cr_expect_eq(counts.loads_joined, 1);
}

// A store joins the one before it while that waits for the port, behind a load of four lines.
Test(clock_contention, queued_stores_join)
{
    struct wm_machine machine = machine_of(1);
    machine.memory.levels[WM_LEVEL_L1].coalescing = WM_COALESCES_IN_FLIGHT;
    const char *spread = "mul.wide.u32 %rd2, %r2, 16;\nadd.s64 %rd2, %rd2, %rd1;";
    struct counts counts = once(&machine, spread,
                                "ld.global.u32 %r3, [%rd2+2048];\nst.global.u32 [%rd1], %r2;\n"
                                "st.global.u32 [%rd1+4], %r2;",
                                1);
    cr_expect_eq(counts.requests, 6);
    cr_expect_eq(counts.stores_joined, 1);
    cr_expect_eq(counts.accesses, 5);
    cr_expect_eq(counts.l2_accesses, 5);
    // Another access came between.
    counts = once(&machine, spread,
                  "ld.global.u32 %r3, [%rd2+2048];\nst.global.u32 [%rd1], %r2;\n"
                  "ld.global.u32 %r4, [%rd1+512];\nst.global.u32 [%rd1+4], %r2;",
                  1);
    cr_expect_eq(counts.stores_joined, 0);
    // It has been looked up.
    counts = once(&machine, "", "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+4], %r2;", 1);
    cr_expect_eq(counts.stores_joined, 0);
    cr_expect_eq(counts.accesses, 2);
}

// --- Locked lines ---

enum { SHORT_L1 = 1, DIRECTORY = 1 };

// Two SMs with L1s of a cycle, and an L2 of a directory that is looked up first.
static struct wm_machine refusing(void)
{
    struct wm_machine machine = machine_of(2);
    machine.memory.levels[WM_LEVEL_L1].timing.latency = SHORT_L1;
    machine.memory.levels[WM_LEVEL_L2].locked_line = WM_LOCKED_REFUSES;
    return machine;
}

// The cycle of the first's look-up, from issue; when its line is there; and of what is refused,
// from one look-up to the next: its way back, the pause, and the way down again.
enum {
    FIRST = TO_UNIT + SHORT_L1 + LINK + DIRECTORY,
    THERE = FIRST + TRANSFER + DRAM,
    AGAIN = REPLY + LINK + SHORT_L1 + LINK + DIRECTORY,
    TO_SM = REPLY + L2 + LINK,
};

// Both load one word of a line. The second comes to the slice a cycle later.
Test(clock_contention, a_refused_request_comes_again)
{
    struct wm_machine machine = refusing();
    uint64_t second = FIRST + 1, refused = 0;
    while (second < THERE) {
        second += AGAIN;
        refused++;
    }
    struct counts counts = once(&machine, "", load, 2);
    cr_expect_eq(refused, 3, "so it is with these latencies");
    cr_expect_eq(counts.refused_line, refused);
    cr_expect_eq(counts.refused_set, 0);
    cr_expect_eq(counts.attempts, 2 + refused);
    cr_expect_eq(counts.l2_accesses, 2);
    cr_expect_eq(counts.load_cycles, THERE + TO_SM + second + TO_SM, "%" PRIu64,
                 counts.load_cycles);
    // Where it waits there, it has its data a cycle behind the first, whose reply leaves first.
    machine.memory.levels[WM_LEVEL_L2].locked_line = WM_LOCKED_MERGES;
    counts = once(&machine, "", load, 2);
    cr_expect_eq(counts.load_cycles, 2 * (MISS - L1 + SHORT_L1) + 1, "%" PRIu64,
                 counts.load_cycles);
}

// The pause is the latency of L1 and less than that more: of two cycles, two or three.
Test(clock_contention, pauses_are_random_and_bounded)
{
    struct wm_machine machine = refusing();
    machine.memory.levels[WM_LEVEL_L1].timing.latency = 2;
    struct counts counts = once(&machine, "", load, 2);
    uint64_t first = FIRST + 1, there = THERE + 1, found = 0;
    uint64_t cycles = counts.load_cycles - (there + TO_SM) - TO_SM;
    for (uint64_t more = 0; more <= counts.refused_line; more++)
        found += cycles == first + 1 + counts.refused_line * (AGAIN + 1) + more;
    cr_expect_eq(found, 1, "%" PRIu64 " cycles", cycles);
    cr_expect_eq(once(&machine, "", load, 2).load_cycles, counts.load_cycles, "always the same");
}

// A slice of one line: the second SM's line has no way there before the first's has come.
Test(clock_contention, a_locked_set_refuses_too)
{
    struct wm_machine machine = refusing();
    struct wm_cache_spec *l2 = &machine.memory.levels[WM_LEVEL_L2].cache;
    l2->size_bytes = l2->line_bytes;
    l2->ways = 1;
    const char *own = "mov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd2, %r3, 128;\n"
                      "add.s64 %rd1, %rd1, %rd2;";
    uint64_t second = FIRST + 1, refused = 0;
    for (; second < THERE; second += AGAIN)
        refused++;
    struct counts counts = once(&machine, own, load, 2);
    cr_expect_eq(counts.refused_set, refused);
    cr_expect_eq(counts.refused_line, 0);
    cr_expect_eq(counts.load_cycles, THERE + TO_SM + second + TRANSFER + DRAM + TO_SM, "%" PRIu64,
                 counts.load_cycles);
}

// What is written back is refused as well, and comes in the end.
Test(clock_contention, refused_write_backs_come_again)
{
    struct wm_machine machine = refusing();
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    l1->cache.write_policy = WM_WRITE_BACK;
    l1->cache.write_allocate = true;
    l1->cache.size_bytes = l1->cache.line_bytes;
    l1->cache.ways = 1;
    // Block 0 stores a line and displaces it while block 1's load has it on its way to L2.
    const char *before = ".reg .pred %p<3>;\nmov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n"
                         "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd2, %rd2, %rd1;";
    struct counts counts =
        once(&machine, before,
             "@%p1 st.global.u32 [%rd2], %r2;\n@!%p1 ld.global.u32 %r4, [%rd2];\n"
             "@%p1 st.global.u32 [%rd2+128], %r2;",
             2);
    cr_expect_eq(counts.l2_accesses, 1, "the load; write-backs are counted apart");
    cr_expect_eq(counts.attempts, 3 + counts.refused_line,
                 "and two write-backs, the second at the kernel's end");
    cr_expect_gt(counts.refused_line, 0);
}
