// What threads of a traced program wait for: what is written of it orders accesses exactly as all
// that threads did at places they met at, which a reference keeps in full.
#include "host_trace/order.h"

#include "base/numbers/random.h"
#include "host_trace/access_word.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 5, PLACES = 6, STEPS = 400, MOST_ACCESSES = STEPS + 1 };

typedef uint32_t clock_row[THREADS];

static void join(clock_row to, const clock_row from)
{
    for (int i = 0; i < THREADS; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

// Of each thread, what comes before each of its accesses: by the reference, in which an access is
// known to all threads at once, and by the waits that were written.
static struct {
    clock_row reference[THREADS][MOST_ACCESSES], written[THREADS][MOST_ACCESSES];
    clock_row now[THREADS], places[2 * PLACES]; // the second half: variables
    uint32_t made[THREADS];
} the;
// All that were written, and those that followed from others.
static uint32_t waits, redundant;

static uint32_t below(struct wm_random *random, uint32_t limit)
{
    return (uint32_t)wm_random_below(random, limit);
}

static void make_access(struct wm_host_order *order, uint32_t thread, uint64_t word)
{
    uint32_t number = the.made[thread], awaited;
    uint64_t accesses;
    if (number > 0)
        memcpy(the.written[thread][number], the.written[thread][number - 1], sizeof(clock_row));
    if (wm_host_order_before(order, thread, word))
        while (wm_host_order_next_wait(order, thread, &awaited, &accesses)) {
            clock_row behind = {0};
            cr_assert(awaited != thread && accesses > 0 && accesses <= the.made[awaited]);
            memcpy(behind, the.written[awaited][accesses - 1], sizeof behind);
            behind[awaited] = (uint32_t)accesses;
            redundant += accesses <= the.written[thread][number][awaited];
            join(the.written[thread][number], behind);
            waits++;
        }
    memcpy(the.reference[thread][number], the.now[thread], sizeof(clock_row));
    the.made[thread]++;
    the.now[thread][thread] = the.made[thread];
    cr_assert(wm_host_order_after(order, thread, word));
}

static void do_atomic(struct wm_host_order *order, struct wm_random *random, uint32_t thread)
{
    uint32_t variable = below(random, PLACES), kind = below(random, 3);
    uint64_t address = 0x1000 + 8 * variable, atomic = UINT64_C(1) << WM_HOST_ATOMIC_BIT;
    clock_row *place = &the.places[PLACES + variable];
    if (kind != 0) // it reads
        join(the.now[thread], *place);
    make_access(order, thread,
                kind == 0   ? wm_host_access_word(address, 4, true) | atomic
                : kind == 1 ? wm_host_access_word(address + 4, 4, false) | atomic
                            : wm_host_locked_word(address, 8));
    if (kind != 1)
        memcpy(*place, the.now[thread], sizeof *place);
}

static void do_step(struct wm_host_order *order, struct wm_random *random)
{
    uint32_t thread = below(random, THREADS), place = below(random, PLACES);
    switch (below(random, 4)) {
    case 0:
        wm_host_order_acquire(order, thread, 0x10 + place);
        join(the.now[thread], the.places[place]);
        break;
    case 1:
        cr_assert(wm_host_order_release(order, thread, 0x10 + place));
        join(the.places[place], the.now[thread]);
        break;
    case 2:
        make_access(order, thread,
                    wm_host_access_word(0x8000 + 8 * the.made[thread], 4, below(random, 2) != 0));
        break;
    default: do_atomic(order, random, thread);
    }
}

Test(host_order, waits_order_as_all_meetings_do)
{
    struct wm_random random;
    wm_random_init(&random, 5, "host order");
    for (int times = 0; times < 200; times++) {
        memset(&the, 0, sizeof the);
        struct wm_host_order *order = wm_host_order_new();
        for (int step = 0; step < STEPS; step++)
            do_step(order, &random);
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t i = 0; i < the.made[t]; i++)
                for (uint32_t u = 0; u < THREADS; u++)
                    if (u != t)
                        cr_assert_eq(the.written[t][i][u], the.reference[t][i][u],
                                     "%d: access %u of thread %u", times, i, t);
        wm_host_order_free(order);
    }
    cr_assert_gt(waits, 10000);
    cr_assert_lt(redundant, waits / 50, "%u of %u", redundant, waits);
}

static void expect_waits(struct wm_host_order *order, uint32_t thread, uint64_t word,
                         uint32_t count, const uint64_t *expected)
{
    uint32_t awaited, found = 0;
    uint64_t accesses;
    if (wm_host_order_before(order, thread, word))
        for (; wm_host_order_next_wait(order, thread, &awaited, &accesses); found++) {
            cr_assert_lt(found, count);
            cr_assert_eq(awaited, expected[2 * found]);
            cr_assert_eq(accesses, expected[2 * found + 1]);
        }
    cr_assert_eq(found, count);
    cr_assert(wm_host_order_after(order, thread, word));
}

// A lock that goes from thread to thread: each waits for the one before it alone.
Test(host_order, what_follows_from_others_is_left_out)
{
    struct wm_host_order *order = wm_host_order_new();
    uint64_t word = wm_host_access_word(0x100, 4, true);
    expect_waits(order, 0, word, 0, NULL);
    wm_host_order_release(order, 0, 7);
    wm_host_order_acquire(order, 1, 7);
    expect_waits(order, 1, word, 1, (const uint64_t[]){0, 1});
    wm_host_order_release(order, 1, 7);
    wm_host_order_acquire(order, 2, 7);
    expect_waits(order, 2, word, 1, (const uint64_t[]){1, 1});
    // One that makes no access in between hands on what it would have waited for.
    wm_host_order_release(order, 2, 7);
    wm_host_order_acquire(order, 3, 7);
    wm_host_order_release(order, 3, 8);
    wm_host_order_acquire(order, 4, 8);
    expect_waits(order, 4, word, 1, (const uint64_t[]){2, 1});
    // A barrier: each waits for all others that it knows nothing of.
    for (uint32_t t = 0; t < 3; t++) {
        expect_waits(order, t, word, 0, NULL);
        wm_host_order_release(order, t, 9);
    }
    wm_host_order_acquire(order, 1, 9);
    expect_waits(order, 1, word, 2, (const uint64_t[]){0, 2, 2, 2});
    expect_waits(order, 1, word, 0, NULL);
    wm_host_order_free(order);
}

// A variable that is none of the atomic ones orders those that have looked for it in a loop.
Test(host_order, a_loop_waits_for_the_store)
{
    struct wm_host_order *order = wm_host_order_new();
    uint64_t load = wm_host_access_word(0x100, 4, false);
    uint64_t store = wm_host_access_word(0x100, 4, true);
    expect_waits(order, 0, store, 0, NULL);
    expect_waits(order, 1, load, 0, NULL);
    expect_waits(order, 0, store, 0, NULL);
    for (int i = 0; i < 4; i++)
        expect_waits(order, 1, load, 0, NULL);
    expect_waits(order, 0, store, 0, NULL);
    expect_waits(order, 1, load, 1, (const uint64_t[]){0, 3});
    expect_waits(order, 1, load, 0, NULL);
    wm_host_order_free(order);
}
