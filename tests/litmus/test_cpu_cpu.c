// Threads of CPU cores in time (src/cpu/) over coherent caches in time (src/mem/timed/coherent/),
// under total store order: stores become visible in the order of the store buffer, behind younger
// loads. A store is a write of the line when its cache writes, and a load has seen what its cache
// read, the last time where it was made again. Each read has the number of the line's last write.
#include "cpu/core.h"
#include "litmus_page.h"
#include "litmus_tests.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/timed/coherent/caches.h"

#include "../unit/mem/fixed_dram.h"
#include "base/text/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = LITMUS_THREADS, LINE = 64, OPERATIONS = 12, SHARED = CORES };
enum { LATENCY = 4, SHARED_LATENCY = 10, LOCKED_CYCLES = 8, LINKS = 3 };

enum form { PLAIN, FENCED, LOCKED, FORMS };
static const char *const form_names[FORMS] = {"mov", "mov, mfence", "xchg"};

struct thread {
    struct machine *machine;
    uint32_t number;
    struct wm_core core;
    struct wm_core_operation operations[OPERATIONS];
    uint32_t count, next;
};

// When a core's cache reads, or writes, a location.
struct seen {
    uint64_t cycle;
    uint32_t node, location;
    bool write;
};

struct machine {
    const struct litmus_test *test;
    struct wm_cache caches[CORES + 1];
    struct wm_cache *slices[CORES + 1];
    struct wm_coherent_node_spec nodes[CORES + 1];
    struct wm_coherent_caches *timed;
    struct thread threads[CORES];
    struct litmus_outcome outcome;
    uint64_t data[LITMUS_LOCATIONS + CORES]; // what memory has: numbers of writes
    uint64_t last[LITMUS_LOCATIONS + CORES]; // the number of each line's last write
    uint64_t writes, cycle;
};

static struct seen seen[CORES * OPERATIONS]; // of the last run
static uint32_t seen_count;

// --- Caches ---

static void note(const struct machine *machine, uint32_t node, uint64_t line, bool write)
{
    if (line < LITMUS_LOCATIONS && seen_count < CORES * OPERATIONS)
        seen[seen_count++] = (struct seen){machine->cycle, node, (uint32_t)line, write};
}

// The load before the test reads first, and the test's own again.
static void see_read(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    struct machine *machine = context;
    cr_assert_eq(data, machine->last[line], "node %u reads an old copy", node);
    note(machine, node, line, false);
    for (uint32_t i = 0; i < machine->test->steps_of[node]; i++) {
        const struct litmus_step *step = &machine->test->steps[node][i];
        if (!step->store && step->location == line)
            machine->outcome.registers[step->value] = machine->outcome.last[line];
    }
}

// The caches keep lines coherent: the order in which they write is that of all.
static uint64_t see_write(void *context, uint32_t node, uint64_t line, uint64_t data)
{
    struct machine *machine = context;
    cr_assert_eq(data, machine->last[line], "node %u writes to an old copy", node);
    note(machine, node, line, true);
    for (uint32_t i = 0; i < machine->test->steps_of[node]; i++) {
        const struct litmus_step *step = &machine->test->steps[node][i];
        if (step->store && step->location == line)
            machine->outcome.last[line] = step->value;
    }
    return machine->last[line] = ++machine->writes;
}

static uint64_t read_memory(void *context, uint64_t line)
{
    return ((struct machine *)context)->data[line];
}

static void write_memory(void *context, uint64_t line, uint64_t data)
{
    ((struct machine *)context)->data[line] = data;
}

static void done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    struct machine *machine = context;
    (void)origin;
    uint64_t from = cycle > machine->cycle ? cycle : machine->cycle;
    wm_core_complete(&machine->threads[token >> 32].core, (uint32_t)token, from);
}

static void left(void *context, uint32_t node, uint64_t line)
{
    struct machine *machine = context;
    wm_core_line_left(&machine->threads[node].core, line * LINE, machine->cycle);
}

static void build_cache(struct machine *machine, uint32_t number, uint32_t sets, uint32_t latency)
{
    struct wm_cache_spec spec = {
        .present = true,
        .size_bytes = 4u * LINE * sets,
        .ways = 4,
        .line_bytes = LINE,
        .sector_bytes = LINE,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&machine->caches[number], &spec, "cache", &error), WM_OK);
    machine->slices[number] = &machine->caches[number];
    machine->nodes[number] =
        (struct wm_coherent_node_spec){.caches = &machine->slices[number],
                                       .slices = 1,
                                       .home = number == SHARED ? WM_COHERENT_MEMORY : SHARED,
                                       .latency = latency,
                                       .mshr_entries = 4,
                                       .mshr_merges = 4,
                                       .evictions = 2,
                                       .link_latency = number == SHARED ? 0 : LINKS,
                                       .flit_bytes = 16};
}

static void build_caches(struct machine *machine)
{
    const struct wm_dram_channel_spec dram = fixed_dram(50, 8);
    struct wm_error error;
    for (uint32_t i = 0; i < CORES; i++)
        build_cache(machine, i, 4, LATENCY);
    build_cache(machine, SHARED, 16, SHARED_LATENCY);
    const struct wm_coherent_caches_spec spec = {
        .nodes = machine->nodes,
        .node_count = CORES + 1,
        .line_bytes = LINE,
        .clock_hz = 1000000000,
        .dram = &dram,
        .channels = 1,
        .watch = {see_read, see_write, read_memory, write_memory},
        .done = done,
        .left = left,
        .context = machine};
    cr_assert_eq(wm_coherent_caches_new(&spec, &machine->timed, &error), WM_OK, "%s",
                 error.message);
}

// --- Cores ---

static enum wm_core_supply next_of(void *context, struct wm_core_operation *operation)
{
    struct thread *thread = context;
    if (thread->next == thread->count) {
        operation->instructions = 1;
        return WM_CORE_ENDED;
    }
    *operation = thread->operations[thread->next++];
    return WM_CORE_NEXT;
}

static enum wm_core_sent send_to(void *context, const struct wm_core_request *request,
                                 uint64_t cycle, struct wm_core_answer *answer)
{
    const struct thread *thread = context;
    struct wm_coherent_access access = {.node = thread->number,
                                        .kind = request->kind == WM_CPU_LOAD ? WM_COHERENT_LOAD
                                                : request->kind == WM_CPU_STORE
                                                    ? WM_COHERENT_STORE
                                                    : WM_COHERENT_LOCKED,
                                        .line = request->address / LINE,
                                        .token = (uint64_t)thread->number << 32 | request->tag,
                                        .locked_cycles = LOCKED_CYCLES,
                                        .sectors = 1};
    enum wm_coherent_answer given =
        wm_coherent_caches_access(thread->machine->timed, &access, cycle, &answer->done);
    if (wm_coherent_is_blocked(given))
        return WM_CORE_AGAIN;
    answer->completions = given == WM_COHERENT_WAITS;
    return WM_CORE_SENT;
}

static void add(struct thread *thread, enum wm_core_kind kind, uint32_t location, uint64_t before)
{
    cr_assert_lt(thread->count, OPERATIONS);
    thread->operations[thread->count++] = (struct wm_core_operation){
        .kind = kind, .address = location * LINE, .bytes = 4, .instructions = before + 1};
}

static void add_step(struct thread *thread, enum form form, const struct litmus_step *step)
{
    enum wm_core_kind store = form == LOCKED ? WM_CPU_LOCKED : WM_CPU_STORE;
    add(thread, step->store ? store : WM_CPU_LOAD, step->location, 0);
}

// What threads have copies of before the test: of all that they will load; or of the last of it
// alone, so that it may come before what they load first.
enum warming { ALL_LOADS, LAST_LOAD, WARMINGS };

static bool is_warmed(const struct litmus_test *test, uint32_t thread, uint32_t i,
                      enum warming warming)
{
    bool is_last = i + 1u == test->steps_of[thread] || test->steps[thread][i + 1].store;
    return !test->steps[thread][i].store && (warming == ALL_LOADS || is_last);
}

// First it has copies; then it waits, and stores to a line of its own, which
// has to come from memory, so that its store buffer holds back what it stores next.
static void write_thread(struct thread *thread, const struct litmus_test *test, enum form form,
                         enum warming warming, uint64_t wait)
{
    uint32_t number = thread->number, steps = test->steps_of[number];
    for (uint32_t i = 0; i < steps; i++)
        if (is_warmed(test, number, i, warming))
            add(thread, WM_CPU_LOAD, test->steps[number][i].location, 0);
    add(thread, WM_CPU_FENCE, 0, 0);
    add(thread, WM_CPU_STORE, LITMUS_LOCATIONS + number, wait);
    for (uint32_t i = 0; i < steps; i++) {
        if (form == FENCED && i != 0)
            add(thread, WM_CPU_FENCE, 0, 0);
        add_step(thread, form, &test->steps[number][i]);
    }
}

static bool run_cycle(struct machine *machine)
{
    bool running = false;
    cr_assert(wm_coherent_caches_advance(machine->timed, machine->cycle));
    for (uint32_t i = 0; i < machine->test->threads; i++) {
        struct thread *thread = &machine->threads[i];
        if (!wm_core_has_finished(&thread->core) && wm_core_next(&thread->core) <= machine->cycle)
            wm_core_run_cycle(&thread->core, machine->cycle);
        running |= !wm_core_has_finished(&thread->core);
    }
    machine->cycle++;
    return running;
}

static uint64_t made_again; // loads, in all runs

static bool is_weak(const struct litmus_test *test, enum form form, uint32_t in_flight,
                    enum warming warming, const uint64_t *waits)
{
    struct machine *machine = calloc(1, sizeof *machine);
    const struct wm_core_spec spec = {.width = 2,
                                      .window = 16,
                                      .load_queue = 8,
                                      .store_buffer = 8,
                                      .stores_in_flight = in_flight,
                                      .forward_latency = 1};
    struct wm_error error;
    cr_assert_not_null(machine);
    seen_count = 0;
    machine->test = test;
    build_caches(machine);
    for (uint32_t i = 0; i < test->threads; i++) {
        struct thread *thread = &machine->threads[i];
        thread->machine = machine;
        thread->number = i;
        write_thread(thread, test, form, warming, waits[i]);
        const struct wm_core_port port = {.send = send_to, .context = thread};
        const struct wm_core_source source = {.next = next_of, .context = thread};
        cr_assert_eq(wm_core_init(&thread->core, &spec, LINE, &port, &error), WM_OK);
        wm_core_begin(&thread->core, &source, 0);
    }
    while (run_cycle(machine))
        cr_assert_lt(machine->cycle, 100000, "%s: it hangs", test->name);
    bool weak = test->is_weak(&machine->outcome);
    for (uint32_t i = 0; i < test->threads; i++) {
        made_again += machine->threads[i].core.counters.loads_made_again;
        wm_core_release(&machine->threads[i].core);
    }
    wm_coherent_caches_free(machine->timed);
    for (uint32_t i = 0; i <= CORES; i++)
        wm_cache_release(&machine->caches[i]);
    free(machine);
    return weak;
}

// Over all combinations of the threads' waiting.
static uint32_t count_weak(const struct litmus_test *test, enum form form, uint32_t in_flight)
{
    const uint32_t most = test->threads == 2 ? 24 : 5, step = test->threads == 2 ? 8 : 40;
    uint32_t runs = 1, weak = 0;
    for (uint32_t i = 0; i < test->threads; i++)
        runs *= most;
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t waits[CORES] = {0};
        uint32_t rest = run;
        for (uint32_t i = 0; i < test->threads; i++, rest /= most)
            waits[i] = (uint64_t)(rest % most) * step;
        for (enum warming warming = 0; warming < WARMINGS; warming++)
            weak += is_weak(test, form, in_flight, warming, waits);
    }
    return weak;
}

// x86-TSO (Sewell et al., CACM 2010): a store may be delayed behind a younger load, and nothing
// else is reordered.
static bool is_allowed(const struct litmus_test *test, enum form form)
{
    return form == PLAIN && (strcmp(test->name, "SB") == 0 || strcmp(test->name, "R") == 0);
}

static void check_form(enum form form)
{
    char *page = litmus_page_read();
    for (size_t i = 0; i < litmus_test_count; i++) {
        const struct litmus_test *test = &litmus_tests[i];
        uint32_t one = count_weak(test, form, 1), four = count_weak(test, form, 4);
        bool allowed = is_allowed(test, form);
        if (!allowed)
            cr_expect_eq(one, 0, "%s (%s): %u times", test->name, form_names[form], one);
        char row[200];
        snprintf(row, sizeof row, "| %s | %s | %s | %s | %s |", test->name, form_names[form],
                 allowed ? "allowed" : "forbidden", one != 0 ? "seen" : "never",
                 four != 0 ? "seen" : "never");
        litmus_page_expect(page, row);
    }
    free(page);
}

Test(cpu_litmus, plain, .timeout = 300)
{
    made_again = 0;
    check_form(PLAIN);
    cr_expect_gt(made_again, 0);
    cr_expect_gt(count_weak(&litmus_tests[0], PLAIN, 1), 0);
}

Test(cpu_litmus, fences, .timeout = 300)
{
    check_form(FENCED);
}

Test(cpu_litmus, locked_operations, .timeout = 300)
{
    check_form(LOCKED);
}

// --- To the cycle ---

enum { X, Y };

static void expect_seen(uint32_t node, uint32_t location, bool write, const uint64_t *cycles,
                        uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < seen_count; i++) {
        if (seen[i].node != node || seen[i].location != location || seen[i].write != write)
            continue;
        cr_assert_lt(found, count, "node %u again, in %lu", node, seen[i].cycle);
        cr_expect_eq(seen[i].cycle, cycles[found], "node %u: in %lu, not %lu", node, seen[i].cycle,
                     cycles[found]);
        found++;
    }
    cr_expect_eq(found, count);
}

static void run(const char *name, uint64_t wait0, uint64_t wait1)
{
    const struct litmus_test *test = litmus_tests;
    while (strcmp(test->name, name) != 0)
        test++;
    made_again = 0;
    cr_expect(!is_weak(test, PLAIN, 4, LAST_LOAD, (const uint64_t[]){wait0, wait1}));
}

// The reader has x alone (74), reads it in 143, while y is on its way until 219, and the writer
// writes both. Its GetM of x, made in 124, is at the home in 131, the probe leaves there in 141 and
// takes the reader's copy in 144. The data leave in 148, a flit a cycle; the last comes to the
// writer in 155. The reader makes its load again in 144: GetS leaves behind the data's five flits,
// in 153, is at the home in 156, the probe at the writer in 169, and of its data the last in 180.
Test(cpu_litmus, message_passing_to_the_cycle)
{
    run("MP", 244, 150);
    expect_seen(1, X, false, (const uint64_t[]){74, 143, 180}, 3);
    expect_seen(0, X, true, (const uint64_t[]){155}, 1);
    expect_seen(0, Y, true, (const uint64_t[]){202}, 1);
    expect_seen(1, Y, false, (const uint64_t[]){219}, 1);
    cr_expect_eq(made_again, 1);
    // A cycle earlier the probe comes before the read, which misses then.
    run("MP", 242, 150);
    expect_seen(0, X, true, (const uint64_t[]){154}, 1);
    expect_seen(1, X, false, (const uint64_t[]){74, 179}, 2);
    cr_expect_eq(made_again, 0);
}

// Of a load and then a store, the store is sent when the load has retired. Thread 1 reads y in 147,
// behind 14 instructions that wait in its window; the load retires in 155, x is written from 156
// on: the probe takes thread 0's copy in 176. Thread 0 read that in 175, so it reads again: GetS
// leaves behind the data, in 185, is at the home in 188, the probe at thread 1 in 201, data in 212.
Test(cpu_litmus, load_buffering_to_the_cycle)
{
    run("LB", 216, 150);
    expect_seen(1, Y, false, (const uint64_t[]){79, 147}, 2);
    expect_seen(1, X, true, (const uint64_t[]){187}, 1);
    expect_seen(0, X, false, (const uint64_t[]){74, 175, 212}, 3);
    cr_expect_eq(made_again, 1);
    // Read a cycle later it misses; read eight cycles before the probe comes it is the oldest then.
    run("LB", 218, 150);
    expect_seen(0, X, false, (const uint64_t[]){74, 212}, 2);
    cr_expect_eq(made_again, 0);
    run("LB", 200, 150);
    expect_seen(0, X, false, (const uint64_t[]){74, 167}, 2);
    cr_expect_eq(made_again, 0);
}
