// Programs beside each other: how they ended is told, what they said is in their files.
#include "cli/process/worker_pool.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wm_worker_pool pool;
static char folder[] = "/tmp/wm-workers-XXXXXX";
static char log_path[64];

static void make(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    wm_worker_pool_init(&pool, 4);
}

static void remove_it(void)
{
    wm_worker_pool_release(&pool);
    unlink(log_path);
    rmdir(folder);
}

static void start(uint32_t task, const char *script, const char *run_in)
{
    struct wm_error error;
    const char *const words[] = {"sh", "-c", script, NULL};
    const struct wm_worker_start asked = {"/bin/sh", words, run_in, log_path};
    cr_assert_eq(wm_worker_start(&pool, task, &asked, &error), WM_OK, "%s", error.message);
}

static struct wm_worker_end await(void)
{
    struct wm_worker_end end;
    for (int i = 0; i < 200; i++)
        if (wm_worker_wait(&pool, 100, &end))
            return end;
    cr_assert(false, "it did not end");
    return end;
}

TestSuite(worker_pool, .init = make, .fini = remove_it);

Test(worker_pool, tells_how_each_ended)
{
    start(7, "exit 3", NULL);
    cr_expect_eq(pool.busy, 1);
    struct wm_worker_end end = await();
    cr_expect_eq(end.task, 7);
    cr_expect_eq(end.status, 3);
    cr_expect_eq(end.signal, 0);
    cr_expect_eq(pool.busy, 0);
    start(8, "kill -TERM $$", NULL);
    end = await();
    cr_expect_eq(end.task, 8);
    cr_expect_eq(end.signal, SIGTERM);
}

Test(worker_pool, several_at_a_time_end_in_their_own_order)
{
    start(1, "sleep 0.5", NULL);
    start(2, "exit 0", NULL);
    cr_expect_eq(pool.busy, 2);
    cr_expect_eq(await().task, 2);
    struct wm_worker_end end = await();
    cr_expect_eq(end.task, 1);
    cr_expect(end.seconds >= 0.5 && end.seconds < 10, "%g s", end.seconds);
}

Test(worker_pool, what_it_said_is_in_its_file)
{
    char said[256] = "", wanted[128];
    start(1, "pwd; echo wrong >&2; cat", folder);
    cr_expect_eq(await().status, 0, "standard input is empty");
    FILE *file = fopen(log_path, "r");
    cr_assert(file != NULL);
    cr_expect(fread(said, 1, sizeof said - 1, file) > 0);
    fclose(file);
    snprintf(wanted, sizeof wanted, "%s\nwrong\n", folder);
    cr_expect_str_eq(said, wanted);
}

Test(worker_pool, patience_ends)
{
    struct wm_worker_end end;
    start(1, "sleep 60", NULL);
    cr_expect_not(wm_worker_wait(&pool, 20, &end));
    wm_worker_pool_release(&pool); // kills it
    cr_expect_eq(pool.busy, 0);
}

Test(worker_pool, a_program_that_is_not_there_fails)
{
    struct wm_error error;
    const char *const words[] = {"none", NULL};
    const struct wm_worker_start asked = {"/nowhere/none", words, NULL, log_path};
    cr_assert_eq(wm_worker_start(&pool, 1, &asked, &error), WM_OK);
    cr_expect_eq(await().status, 127);
}
