// The order of CPU cores' accesses: traces with random orders that can be kept, imported and run in
// rounds, cores in any order within each. No access comes before those that it waits for, and all
// come.
#include "base/numbers/random.h"
#include "engine/replay/recorded_work.h"
#include "source/cores/core_import.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_CORES = 5, MOST_ACCESSES = 40, MOST_ORDERS = 200 };

struct order {
    uint32_t core, before, awaited, accesses; // access `before` of `core` waits
};

static struct {
    char trace[32], path[32];
    uint32_t cores, made[MOST_CORES], total[MOST_CORES], core;
    // Accesses that were made before the round that runs.
    uint32_t shown[MOST_CORES];
    struct order orders[MOST_ORDERS];
    uint32_t order_count;
} the;

static uint32_t below(struct wm_random *random, uint32_t limit)
{
    return (uint32_t)wm_random_below(random, limit);
}

// A run of the threads one at a time: what a thread waits for has happened by then.
static void write_trace(struct wm_random *random)
{
    FILE *file = fopen(the.trace, "w");
    cr_assert_not_null(file);
    the.cores = 2 + below(random, MOST_CORES - 1);
    the.order_count = 0;
    memset(the.total, 0, sizeof the.total);
    for (uint32_t i = 0; i < MOST_ACCESSES * the.cores; i++) {
        uint32_t core = i < the.cores ? i : below(random, the.cores);
        uint32_t other = below(random, the.cores);
        fprintf(file, "t %x\n", core);
        if (below(random, 4) == 0)
            fprintf(file, below(random, 2) == 0 ? "n 3\n" : "f\n");
        if (other != core && below(random, 3) == 0 && the.order_count < MOST_ORDERS) {
            uint32_t accesses = below(random, the.total[other] + 1);
            fprintf(file, "a %x %x\n", other, accesses);
            the.orders[the.order_count++] = (struct order){core, the.total[core], other, accesses};
        }
        fprintf(file, "%c %x 4\n", "rwu"[below(random, 3)], 0x1000 + 64 * below(random, 9));
        the.total[core]++;
    }
    fclose(file);
}

static void access_made(void *context, const struct wm_warp_access *access)
{
    (void)context, (void)access;
    for (uint32_t i = 0; i < the.order_count; i++) {
        const struct order *order = &the.orders[i];
        if (order->core == the.core && order->before == the.made[the.core])
            cr_assert_leq(order->accesses, the.shown[order->awaited]);
    }
    the.made[the.core]++;
}

static void import_trace(const char *trace, bool unordered)
{
    struct wm_error error;
    const struct wm_core_import import = {.paths = &trace,
                                          .count = 1,
                                          .format = &wm_core_dinero,
                                          .output = the.path,
                                          .writer = "test",
                                          .unordered = unordered};
    cr_assert_eq(wm_core_import(&import, NULL, &error), WM_OK, "%s", error.message);
}

static void open_launch(struct wm_recording *recording)
{
    struct wm_recorded_event event;
    struct wm_error error;
    bool more = true;
    cr_assert_eq(wm_recording_open(recording, the.path, &error), WM_OK);
    do
        cr_assert_eq(wm_recording_next(recording, &event, &more, &error), WM_OK);
    while (event.kind != WM_RECORDED_LAUNCH);
}

struct run {
    struct wm_recording recording;
    struct wm_recorded_work work;
    struct wm_block *blocks[MOST_CORES];
};

static void begin_run(struct run *run)
{
    struct wm_error error;
    open_launch(&run->recording);
    cr_assert_eq(wm_recorded_work_init(&run->work, &run->recording, MOST_CORES, &error), WM_OK);
    memset(the.made, 0, sizeof the.made);
    for (uint32_t core = 0; core < the.cores; core++)
        cr_assert_eq(
            run->work.work.ops->start_block(&run->work, core, core, 0, &run->blocks[core], &error),
            WM_OK);
}

static void end_run(struct run *run)
{
    wm_recorded_work_release(&run->work);
    wm_recording_close(&run->recording);
}

// Returns whether anything ran.
static bool run_core(struct run *run, uint32_t core, uint64_t budget)
{
    const struct wm_access_sink sink = {.access = access_made};
    struct wm_run_result result = {0};
    uint64_t finished = run->blocks[core]->finished;
    the.core = core;
    if (finished == 0)
        run->work.work.ops->run(&run->work, run->blocks[core], 0, budget, WM_RUN_INSTRUCTIONS,
                                &sink, &result);
    return result.warp_instructions != 0 || run->blocks[core]->finished != finished;
}

static void begin_round(struct run *run)
{
    run->work.work.ops->begin_round(&run->work);
    memcpy(the.shown, the.made, sizeof the.shown);
}

static void open_files(void)
{
    snprintf(the.trace, sizeof the.trace, "/tmp/core_order_XXXXXX");
    snprintf(the.path, sizeof the.path, "/tmp/core_order_XXXXXX");
    close(mkstemp(the.trace));
    close(mkstemp(the.path));
}

static void remove_files(void)
{
    unlink(the.trace);
    unlink(the.path);
}

Test(core_order, random_orders_are_kept)
{
    struct wm_random random;
    wm_random_init(&random, 11, "core order");
    open_files();
    for (int times = 0; times < 60; times++) {
        struct run run;
        write_trace(&random);
        import_trace(the.trace, false);
        begin_run(&run);
        for (bool ran = true; ran;) {
            ran = false;
            begin_round(&run);
            uint32_t first = below(&random, the.cores);
            for (uint32_t i = 0; i < the.cores; i++)
                ran |= run_core(&run, (first + i) % the.cores, 1 + below(&random, 30));
        }
        for (uint32_t core = 0; core < the.cores; core++) {
            cr_assert_eq(run.blocks[core]->finished, 1);
            cr_assert_eq(the.made[core], the.total[core]);
        }
        cr_assert_eq(run.work.work.ops->fault(&run.work, NULL), WM_OK);
        end_run(&run);
    }
    remove_files();
}

static void write_text(const char *text)
{
    FILE *file = fopen(the.trace, "w");
    fputs(text, file);
    fclose(file);
    the.order_count = 0;
    the.cores = 2;
}

// Cores that wait for each other stand still, and the error says which waits for what.
Test(core_order, a_circle_is_named)
{
    struct run run;
    struct wm_error error;
    open_files();
    write_text("t 0\nr 10 4\na 1 1\nr 20 4\nt 1\na 0 2\nr 30 4\n");
    import_trace(the.trace, false);
    begin_run(&run);
    for (int round = 0; round < 3; round++) {
        begin_round(&run);
        for (uint32_t core = 0; core < 2; core++)
            cr_assert_eq(run_core(&run, core, 100), round == 0 && core == 0);
    }
    cr_assert_eq(run.work.work.ops->deadlock(&run.work, run.blocks, 2, &error), WM_INVALID);
    cr_expect_str_eq(error.message, "core 0, after 1 of its accesses, waits until core 1 has "
                                    "made 1, which has made 0 and waits, too");
    cr_expect_str_eq(error.place, the.path);
    end_run(&run);
    import_trace(the.trace, true); // without the order
    begin_run(&run);
    begin_round(&run);
    cr_assert(run_core(&run, 1, 100) && run_core(&run, 0, 100));
    cr_assert_eq(the.made[0] + the.made[1], 3);
    end_run(&run);
    remove_files();
}

// An order counts from the next round on, and not at all where the engine has none.
Test(core_order, counts_from_the_next_round_on)
{
    struct run run;
    open_files();
    write_text("t 0\nr 10 4\nt 1\na 0 1\nr 30 4\n");
    import_trace(the.trace, false);
    begin_run(&run);
    begin_round(&run);
    cr_assert(run_core(&run, 0, 100));
    cr_assert_not(run_core(&run, 1, 100));
    begin_round(&run);
    cr_assert(run_core(&run, 1, 100));
    end_run(&run);
    begin_run(&run);
    memset(the.shown, 0xff, sizeof the.shown);
    cr_assert(run_core(&run, 1, 100));
    cr_assert_eq(the.made[1], 1);
    end_run(&run);
    remove_files();
}
