// The device's queue: order of issue, waiting, and pauses in the middle of a long command.
#include "cuda/device/device_queue.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 200 };

struct bench {
    pthread_mutex_t mutex;
    struct wm_cuda_queue queue;
    int log[COUNT], length;
    atomic_int released;
    atomic_bool stop, running;
    int table; // what pauses protect
    int steps;
    bool watched;
    bool torn; // a command saw the table change between two turns' ends
};

struct step {
    struct wm_cuda_command base;
    struct bench *bench;
    int number;
};

// Side by side: what has begun ends in so many steps.
static bool take_step(void *context)
{
    struct bench *bench = context;
    bench->steps++;
    return true;
}

static bool is_watched(void *context)
{
    return ((struct bench *)context)->watched;
}

static void bench_init(struct bench *bench)
{
    *bench = (struct bench){.mutex = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&bench->released, 0);
    wm_cuda_queue_init(&bench->queue, &bench->mutex,
                       &(struct wm_cuda_queue_owner){
                           .context = bench, .step = take_step, .is_watched = is_watched});
    pthread_mutex_lock(&bench->mutex);
}

static void bench_end(struct bench *bench)
{
    wm_cuda_queue_stop(&bench->queue);
    pthread_mutex_unlock(&bench->mutex);
}

static void release(struct wm_cuda_command *command)
{
    struct step *step = (struct step *)command;
    atomic_fetch_add(&step->bench->released, 1);
    free(step);
}

static uint64_t push(struct bench *bench, int number, bool uses_memory,
                     void (*execute)(struct wm_cuda_command *, void *))
{
    struct step *step = calloc(1, sizeof *step);
    *step = (struct step){
        .base = {.execute = execute, .release = release, .uses_memory = uses_memory},
        .bench = bench,
        .number = number,
    };
    return wm_cuda_queue_push(&bench->queue, &step->base);
}

static void note(struct wm_cuda_command *command, void *owner)
{
    struct bench *bench = owner;
    bench->log[bench->length++] = ((struct step *)command)->number;
}

Test(device_queue, runs_in_order_of_issue_and_releases_each)
{
    struct bench bench;
    bench_init(&bench);
    uint64_t last = 0;
    for (int i = 0; i < COUNT; i++) {
        uint64_t sequence = push(&bench, i, i % 3 != 0, note);
        cr_expect_eq(sequence, last + 1);
        last = sequence;
    }
    wm_cuda_queue_wait(&bench.queue, last);
    cr_expect_eq(bench.length, COUNT);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(bench.log[i], i);
    cr_expect_eq(atomic_load(&bench.released), COUNT);
    bench_end(&bench);
}

Test(device_queue, waits_for_one_command_not_for_those_behind_it)
{
    struct bench bench;
    bench_init(&bench);
    uint64_t first = push(&bench, 1, false, note);
    wm_cuda_queue_wait(&bench.queue, first);
    cr_expect_geq(bench.queue.completed, first);
    wm_cuda_queue_wait(&bench.queue, 0);
    cr_expect(!wm_cuda_queue_is_worker(&bench.queue));
    bench_end(&bench);
}

Test(device_queue, finishes_what_is_queued_when_it_stops)
{
    struct bench bench;
    bench_init(&bench);
    for (int i = 0; i < COUNT; i++)
        push(&bench, i, true, note);
    bench_end(&bench);
    cr_expect_eq(bench.length, COUNT);
}

// Like a kernel that runs until the host says so: turn after turn, the table must stand still
// within a turn.
static void turns(struct wm_cuda_command *command, void *owner)
{
    (void)command;
    struct bench *bench = owner;
    atomic_store(&bench->running, true);
    while (!atomic_load(&bench->stop)) {
        int before = bench->table;
        for (int i = 0; i < 200; i++)
            bench->torn |= *(volatile int *)&bench->table != before;
        wm_cuda_queue_at_safe_point(&bench->queue);
    }
}

Test(device_queue, a_pause_comes_in_the_middle_of_a_long_command)
{
    struct bench bench;
    bench_init(&bench);
    uint64_t sequence = push(&bench, 0, true, turns);
    for (int i = 1; i <= 500; i++) {
        wm_cuda_queue_pause_begin(&bench.queue);
        bench.table = i;
        wm_cuda_queue_pause_end(&bench.queue);
    }
    cr_expect_lt(bench.queue.completed, sequence, "the command is still running");
    atomic_store(&bench.stop, true);
    wm_cuda_queue_wait(&bench.queue, sequence);
    cr_expect(!bench.torn);
    cr_expect_eq(bench.table, 500);
    bench_end(&bench);
}

static void *change(void *argument)
{
    struct bench *bench = argument;
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&bench->mutex);
        wm_cuda_queue_pause_begin(&bench->queue);
        int seen = bench->table;
        bench->table = seen + 1;
        bench->torn |= bench->table != seen + 1;
        wm_cuda_queue_pause_end(&bench->queue);
        pthread_mutex_unlock(&bench->mutex);
    }
    return NULL;
}

Test(device_queue, many_threads_may_pause_at_once)
{
    struct bench bench;
    pthread_t threads[4];
    bench_init(&bench);
    uint64_t sequence = push(&bench, 0, true, turns);
    pthread_mutex_unlock(&bench.mutex);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, change, &bench);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&bench.mutex);
    atomic_store(&bench.stop, true);
    wm_cuda_queue_wait(&bench.queue, sequence);
    cr_expect(!bench.torn);
    cr_expect_eq(bench.table, 800);
    bench_end(&bench);
}

// A host function may wait for another thread that needs a pause: it must not be waited for.
static void wait_for_table(struct wm_cuda_command *command, void *owner)
{
    (void)command;
    struct bench *bench = owner;
    atomic_store(&bench->running, true);
    while (!atomic_load(&bench->stop))
        usleep(100);
}

Test(device_queue, a_host_function_does_not_hold_a_pause_up)
{
    struct bench bench;
    bench_init(&bench);
    uint64_t sequence = push(&bench, 0, false, wait_for_table);
    pthread_mutex_unlock(&bench.mutex);
    while (!atomic_load(&bench.running))
        usleep(100);
    pthread_mutex_lock(&bench.mutex);
    wm_cuda_queue_pause_begin(&bench.queue);
    bench.table = 1;
    wm_cuda_queue_pause_end(&bench.queue);
    atomic_store(&bench.stop, true);
    wm_cuda_queue_wait(&bench.queue, sequence);
    bench_end(&bench);
}

// Runs `number` commands after itself, the last of which inserts one more.
static void insert(struct wm_cuda_command *command, void *owner)
{
    struct bench *bench = owner;
    struct step *step = (struct step *)command;
    pthread_mutex_lock(&bench->mutex);
    bench->log[bench->length++] = step->number;
    bench->torn |= bench->queue.completed >= command->sequence;
    wm_cuda_queue_insert_begin(&bench->queue, command);
    for (int i = step->number; i-- > 0;)
        cr_expect_eq(push(bench, i, false, insert), command->sequence);
    wm_cuda_queue_insert_end(&bench->queue, command);
    pthread_mutex_unlock(&bench->mutex);
}

// What a command inserts runs before what was issued after it, and completes with it.
Test(device_queue, inserted_commands)
{
    struct bench bench;
    bench_init(&bench);
    uint64_t first = push(&bench, 2, false, insert);
    uint64_t second = push(&bench, 0, false, insert);
    wm_cuda_queue_wait(&bench.queue, first);
    cr_expect_geq(bench.length, 4);
    cr_expect_eq(push(&bench, 1, false, insert), second + 1);
    wm_cuda_queue_wait(&bench.queue, second + 1);
    static const int wanted[] = {2, 1, 0, 0, 0, 1, 0};
    cr_assert_eq(bench.length, 7);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(bench.log[i], wanted[i], "command %d is %d", i, bench.log[i]);
    cr_expect(!bench.torn, "completed too early");
    bench_end(&bench);
    cr_expect_eq(atomic_load(&bench.released), 7);
}

// ---- Side by side ------------------------------------------------------------------------------

struct long_step {
    struct wm_cuda_command base;
    int number, length, began;
};

static void begin_long(struct wm_cuda_command *command, void *owner)
{
    struct bench *bench = owner;
    struct long_step *step = (struct long_step *)command;
    step->began = bench->steps;
    bench->log[bench->length++] = step->number;
}

static bool long_has_ended(struct wm_cuda_command *command, void *owner)
{
    struct bench *bench = owner;
    struct long_step *step = (struct long_step *)command;
    if (bench->steps - step->began < step->length)
        return false;
    bench->log[bench->length++] = -step->number;
    command->end_ps = command->begin_ps + (uint64_t)step->length;
    return true;
}

static uint64_t push_long(struct bench *bench, int number, int length, const uint64_t *behind,
                          size_t count)
{
    struct long_step *step = calloc(1, sizeof *step);
    *step = (struct long_step){
        .base = {.begin = begin_long, .has_ended = long_has_ended, .uses_memory = true},
        .number = number,
        .length = length,
    };
    return wm_cuda_queue_push_behind(&bench->queue, &step->base, behind, count);
}

static void expect_log(const struct bench *bench, const int *wanted, int count)
{
    cr_assert_eq(bench->length, count, "%d entries", bench->length);
    for (int i = 0; i < count; i++)
        cr_expect_eq(bench->log[i], wanted[i], "entry %d is %d", i, bench->log[i]);
}

// Commands begin when those that they are ordered behind have ended, whatever was issued between.
Test(device_queue, side_by_side)
{
    struct bench bench;
    bench_init(&bench);
    wm_cuda_queue_run_side_by_side(&bench.queue);
    uint64_t one = push_long(&bench, 1, 20, NULL, 0);
    uint64_t two = push_long(&bench, 2, 10, &one, 1);
    uint64_t three = push_long(&bench, 3, 15, NULL, 0);
    uint64_t both[] = {two, three};
    uint64_t four = push_long(&bench, 4, 1, both, 2);
    cr_expect_not(wm_cuda_queue_has_completed(&bench.queue, one));
    wm_cuda_queue_wait(&bench.queue, four);
    static const int wanted[] = {1, 3, -3, -1, 2, -2, 4, -4};
    expect_log(&bench, wanted, 8);
    cr_expect_eq(bench.steps, 31);
    cr_expect_eq(bench.queue.time_ps, 31);
    bench_end(&bench);
}

// The device stands still while the host does not wait: what it issues late runs beside what it
// issued early, always at the same step.
Test(device_queue, the_device_waits_for_the_host)
{
    for (int late = 0; late < 3; late++) {
        struct bench bench;
        bench_init(&bench);
        wm_cuda_queue_run_side_by_side(&bench.queue);
        uint64_t one = push_long(&bench, 1, 20, NULL, 0);
        uint64_t two = push_long(&bench, 2, 5, NULL, 0);
        wm_cuda_queue_wait(&bench.queue, two);
        pthread_mutex_unlock(&bench.mutex);
        usleep((useconds_t)(late * 20000));
        pthread_mutex_lock(&bench.mutex);
        cr_expect_eq(bench.steps, 5);
        uint64_t three = push_long(&bench, 3, 10, NULL, 0);
        cr_expect(wm_cuda_queue_query(&bench.queue, two));
        wm_cuda_queue_wait_for_all(&bench.queue, three);
        static const int wanted[] = {1, 2, -2, 3, -3, -1};
        expect_log(&bench, wanted, 6);
        cr_expect(wm_cuda_queue_has_completed(&bench.queue, one));
        bench_end(&bench);
    }
}

// A host that watches memory makes no call: after a while the device goes on by itself.
Test(device_queue, a_watched_device_goes_on)
{
    struct bench bench;
    bench_init(&bench);
    bench.watched = true;
    wm_cuda_queue_run_side_by_side(&bench.queue);
    uint64_t one = push_long(&bench, 1, 3, NULL, 0);
    for (int i = 0; i < 100 && !wm_cuda_queue_has_completed(&bench.queue, one); i++) {
        pthread_mutex_unlock(&bench.mutex);
        usleep(100 * 1000);
        pthread_mutex_lock(&bench.mutex);
    }
    cr_expect(wm_cuda_queue_has_completed(&bench.queue, one));
    bench_end(&bench);
}

// A command without an order of its own is behind all before it, and all later ones behind it.
Test(device_queue, fences)
{
    struct bench bench;
    bench_init(&bench);
    wm_cuda_queue_run_side_by_side(&bench.queue);
    push_long(&bench, 1, 9, NULL, 0);
    push_long(&bench, 2, 4, NULL, 0);
    push(&bench, 7, false, note);
    uint64_t last = push_long(&bench, 3, 1, NULL, 0);
    wm_cuda_queue_wait(&bench.queue, last);
    static const int wanted[] = {1, 2, -2, -1, 7, 3, -3};
    expect_log(&bench, wanted, 7);
    bench_end(&bench);
}

// ---- Room --------------------------------------------------------------------------------------

enum { FULL = 1024, LATE = 5000, FENCE = 7 };

static void begin_nothing(struct wm_cuda_command *command, void *owner)
{
    (void)command, (void)owner;
}

// Until the other host thread has pushed something.
static bool room_has_ended(struct wm_cuda_command *command, void *owner)
{
    (void)command;
    return ((struct bench *)owner)->table != 0;
}

static void *push_late(void *argument)
{
    struct bench *bench = argument;
    pthread_mutex_lock(&bench->mutex);
    push_long(bench, LATE, 50, NULL, 0);
    bench->table = 1;
    pthread_mutex_unlock(&bench->mutex);
    return NULL;
}

// A thread that waits for room lets others push: what they push then is before its command, too.
Test(device_queue, a_push_that_waits_for_room_is_behind_what_came_meanwhile, .timeout = 60)
{
    struct bench bench;
    pthread_t other;
    bench_init(&bench);
    wm_cuda_queue_run_side_by_side(&bench.queue);
    for (int i = 0; i < FULL; i++) {
        struct step *step = calloc(1, sizeof *step);
        *step = (struct step){.base = {.begin = begin_nothing, .has_ended = room_has_ended}};
        cr_assert(wm_cuda_queue_push_behind(&bench.queue, &step->base, NULL, 0) != 0);
    }
    cr_assert_eq(pthread_create(&other, NULL, push_late, &bench), 0);
    uint64_t fence = push(&bench, FENCE, false, note);
    wm_cuda_queue_wait_for_all(&bench.queue, fence);
    pthread_mutex_unlock(&bench.mutex);
    pthread_join(other, NULL);
    pthread_mutex_lock(&bench.mutex);
    static const int wanted[] = {LATE, -LATE, FENCE};
    expect_log(&bench, wanted, 3);
    bench_end(&bench);
}

// Nor does one that the worker pushes as it releases a command wait: for itself.
static void release_and_push(struct wm_cuda_command *command)
{
    struct bench *bench = ((struct step *)command)->bench;
    push(bench, FENCE, false, note);
    free(command);
}

Test(device_queue, the_worker_does_not_wait_for_room, .timeout = 60)
{
    struct bench bench;
    bench_init(&bench);
    bench.table = 1;
    wm_cuda_queue_run_side_by_side(&bench.queue);
    for (int i = 0; i < FULL + 1; i++) {
        struct step *step = calloc(1, sizeof *step);
        *step = (struct step){.base = {.begin = begin_nothing,
                                       .has_ended = room_has_ended,
                                       .release = i == 0 ? release_and_push : NULL},
                              .bench = &bench};
        cr_assert(wm_cuda_queue_push_behind(&bench.queue, &step->base, NULL, 0) != 0);
    }
    wm_cuda_queue_wait_for_all(&bench.queue, FULL + 2);
    static const int wanted[] = {FENCE};
    expect_log(&bench, wanted, 1);
    bench_end(&bench);
}

// ---- Turns -------------------------------------------------------------------------------------

// A program of one thread: what it waits for comes about within the device's turns, which it hands
// over itself.
static struct bench *of_turns;
static int turns_had;

static struct wm_cuda_turn have_turn(const struct wm_host_access *accesses, size_t count)
{
    struct wm_cuda_turn turn = {.accesses = accesses, .count = count, .runs = true};
    wm_cuda_queue_turn(&of_turns->queue, &turn);
    turns_had++;
    return turn;
}

static void wait_by_turn(void)
{
    pthread_mutex_lock(&of_turns->mutex);
    (void)have_turn(NULL, 0);
    pthread_mutex_unlock(&of_turns->mutex);
}

// Each takes a step, as the session's cores do.
static void make_accesses(void *context, const struct wm_host_access *accesses, size_t count)
{
    struct bench *bench = context;
    bench->table += (int)accesses[0].address;
    bench->steps += (int)count;
}

// Whether commands wait for the core of the thread that has issued them.
static bool cores_issue;

static bool issued(uint64_t command)
{
    (void)command;
    return cores_issue;
}

static void bench_init_with_turns(struct bench *bench)
{
    static const struct wm_host_threads threads = {
        .wait = wait_by_turn, .yield = wait_by_turn, .issued = issued};
    bench_init(bench);
    bench->queue.owner.access = make_accesses;
    of_turns = bench;
    turns_had = 0;
    cr_assert(wm_cuda_queue_take_turns(&bench->queue, &threads, false));
}

Test(device_queue, the_device_runs_in_its_turns_alone)
{
    struct bench bench;
    bench_init_with_turns(&bench);
    uint64_t one = push_long(&bench, 1, 3, NULL, 0);
    push_long(&bench, 2, 5, NULL, 0);
    pthread_mutex_unlock(&bench.mutex);
    usleep(20000);
    pthread_mutex_lock(&bench.mutex);
    cr_expect_eq(bench.steps, 0);
    cr_expect_not(have_turn(NULL, 0).completed);
    cr_expect_eq(bench.steps, 1);
    wm_cuda_queue_wait(&bench.queue, one);
    cr_expect_eq(turns_had, 3);
    cr_expect_eq(bench.steps, 3);
    cr_expect_not(wm_cuda_queue_query(&bench.queue, one + 1)); // one turn
    cr_expect_eq(bench.steps, 4);
    cr_expect(have_turn(NULL, 0).completed);
    static const int wanted[] = {1, 2, -1, -2};
    expect_log(&bench, wanted, 4);
    bench_end(&bench);
}

Test(device_queue, a_command_waits_for_its_threads_core)
{
    struct bench bench;
    cores_issue = true;
    bench_init_with_turns(&bench);
    uint64_t one = push_long(&bench, 1, 1, NULL, 0), two = push_long(&bench, 2, 1, NULL, 0);
    wm_cuda_queue_let_begin(&bench.queue, two + 1); // there is none
    cr_expect_not(have_turn(NULL, 0).completed);
    wm_cuda_queue_let_begin(&bench.queue, two);
    wm_cuda_queue_let_begin(&bench.queue, two); // once is enough
    wm_cuda_queue_wait(&bench.queue, two);
    static const int second_alone[] = {2, -2};
    expect_log(&bench, second_alone, 2);
    wm_cuda_queue_let_begin(&bench.queue, one);
    wm_cuda_queue_wait(&bench.queue, one);
    static const int both[] = {2, -2, 1, -1};
    expect_log(&bench, both, 4);
    bench_end(&bench);
}

// Accesses take the steps that they take; the device adds one where nothing was under way before.
Test(device_queue, a_turn_begins_with_the_threads_accesses)
{
    struct bench bench;
    const struct wm_host_access accesses[7] = {{.address = 42}};
    bench_init_with_turns(&bench);
    push_long(&bench, 1, 9, NULL, 0);
    (void)have_turn(accesses, 7);
    cr_expect_eq(bench.table, 42);
    cr_expect_eq(bench.steps, 8);
    cr_expect_not(have_turn(accesses, 7).completed);
    cr_expect_eq(bench.steps, 15);
    cr_expect(have_turn(accesses, 1).completed);
    cr_expect_eq(bench.steps, 16);
    bench_end(&bench);
}
