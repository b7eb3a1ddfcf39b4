#include "host_trace/one_processor.h"

#include "host_trace/real_calls.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MOST_THREADS = 257, // the program's, and the device's worker
    TURNS_A_LOOK = 8,   // at the clock
    STAY_NS = 50000000,
    LEAVE_NS = 1000000,
};

static struct {
    cpu_set_t all, one;
    bool on, stays;
    pthread_t threads[MOST_THREADS];
    uint32_t count;
    uint32_t turns;
    uint64_t since; // nanoseconds
} processor;

static void set(pthread_t thread, const cpu_set_t *processors)
{
    (void)REAL(pthread_setaffinity_np)(thread, sizeof *processors, processors);
}

static void set_all(const cpu_set_t *processors)
{
    for (uint32_t i = 0; i < processor.count; i++)
        set(processor.threads[i], processors);
    processor.since = real_nanoseconds();
}

// On the one that the calling thread is on.
static void stay(void)
{
    int number = REAL(sched_getcpu)();
    processor.stays = number >= 0 && number < CPU_SETSIZE;
    if (!processor.stays)
        return;
    CPU_ZERO(&processor.one);
    CPU_SET((size_t)number, &processor.one);
    set_all(&processor.one);
}

static void leave(void)
{
    processor.stays = false;
    set_all(&processor.all);
}

void wm_host_one_processor_note(cpu_set_t *processors)
{
    CPU_ZERO(&processor.all);
    processor.on = REAL(sched_getaffinity)(0, sizeof processor.all, &processor.all) == 0 &&
                   CPU_COUNT(&processor.all) > 1;
    *processors = processor.all;
}

// A copy of the process is another program.
static void leave_in_child(void)
{
    (void)REAL(sched_setaffinity)(0, sizeof processor.all, &processor.all);
    processor.on = processor.stays = false;
}

void wm_host_one_processor_start(void)
{
    if (!processor.on || processor.stays)
        return;
    pthread_atfork(NULL, NULL, leave_in_child);
    stay();
}

void wm_host_one_processor_add(pthread_t thread)
{
    if (processor.count == MOST_THREADS)
        return;
    processor.threads[processor.count++] = thread;
    if (processor.stays)
        set(thread, &processor.one);
}

void wm_host_one_processor_remove(pthread_t thread)
{
    uint32_t at = 0;
    while (at < processor.count && !pthread_equal(processor.threads[at], thread))
        at++;
    if (at < processor.count)
        processor.threads[at] = processor.threads[--processor.count];
}

void wm_host_one_processor_review(void)
{
    if (!processor.on || ++processor.turns % TURNS_A_LOOK != 0)
        return;
    uint64_t passed = real_nanoseconds() - processor.since;
    if (processor.stays && passed > STAY_NS)
        leave();
    else if (!processor.stays && passed > LEAVE_NS)
        stay();
}

void wm_host_one_processor_leave_out(pthread_t thread)
{
    if (processor.stays)
        set(thread, &processor.all);
}
