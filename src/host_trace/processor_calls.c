// How many processors there are, and on which of them a thread runs: those of the machine whose
// cores run the program's threads, and the host's in a trace, which has no machine. Where threads
// run is the machine's matter: a thread that is to run on some of them may find out that it is, and
// stays on its core all the same.
#include "host_trace/processor_calls.h"

#include "host_trace/live.h"
#include "host_trace/managed.h"
#include "host_trace/one_processor.h"
#include "host_trace/real_calls.h"
#include "host_trace/turns.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { WORD_BYTES = sizeof(unsigned long) };

// Of the program before it sets any.
static cpu_set_t processors;
// By thread's number: those that the program has set.
static cpu_set_t of_thread[WM_HOST_MOST_THREADS];

void wm_host_processors_start(void)
{
    wm_host_one_processor_note(&processors);
    of_thread[0] = processors;
}

void wm_host_processors_are_cores(uint32_t cores)
{
    CPU_ZERO(&processors);
    for (uint32_t i = 0; i < cores && i < CPU_SETSIZE; i++)
        CPU_SET(i, &processors);
    of_thread[0] = processors;
}

void wm_host_processors_inherit(uint32_t thread, uint32_t creator)
{
    of_thread[thread] = of_thread[creator];
}

// --- Of the program's own calls ---

static size_t bytes_needed(void)
{
    size_t highest = 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        highest = CPU_ISSET(i, &processors) ? i : highest;
    return (highest / (8 * WORD_BYTES) + 1) * WORD_BYTES;
}

// 0, or what is wrong.
static int get(const struct wm_host_slot *slot, size_t size, void *mask)
{
    size_t bytes = size < sizeof processors ? size : sizeof processors;
    if (size < bytes_needed() || size % WORD_BYTES != 0)
        return EINVAL;
    memcpy(mask, &of_thread[wm_host_number(slot)], bytes);
    memset((char *)mask + bytes, 0, size - bytes);
    return 0;
}

static int put(const struct wm_host_slot *slot, size_t size, const void *mask)
{
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    memcpy(&wanted, mask, size < sizeof wanted ? size : sizeof wanted);
    CPU_AND(&wanted, &wanted, &processors);
    if (CPU_COUNT(&wanted) == 0)
        return EINVAL;
    of_thread[wm_host_number(slot)] = wanted;
    return 0;
}

// As system calls' results are.
static int result_of(int reason)
{
    if (reason == 0)
        return 0;
    errno = reason;
    return -1;
}

static const struct wm_host_slot *of_number(pid_t number)
{
    return number == 0 ? wm_host_self() : wm_host_slot_of_system_number(number);
}

EXPORTED int sched_getaffinity(pid_t number, size_t size, cpu_set_t *mask)
{
    const struct wm_host_slot *slot = MANAGED ? of_number(number) : NULL;
    return slot != NULL ? result_of(get(slot, size, mask))
                        : REAL(sched_getaffinity)(number, size, mask);
}

EXPORTED int sched_setaffinity(pid_t number, size_t size, const cpu_set_t *mask)
{
    const struct wm_host_slot *slot = MANAGED ? of_number(number) : NULL;
    return slot != NULL ? result_of(put(slot, size, mask))
                        : REAL(sched_setaffinity)(number, size, mask);
}

EXPORTED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask)
{
    const struct wm_host_slot *slot = MANAGED ? wm_host_slot_of(thread) : NULL;
    return slot != NULL ? get(slot, size, mask) : REAL(pthread_getaffinity_np)(thread, size, mask);
}

EXPORTED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    const struct wm_host_slot *slot = MANAGED ? wm_host_slot_of(thread) : NULL;
    return slot != NULL ? put(slot, size, mask) : REAL(pthread_setaffinity_np)(thread, size, mask);
}

// Without effect, as on which core a thread runs is the machine's matter.
EXPORTED int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size,
                                         const cpu_set_t *mask)
{
    return MANAGED ? 0 : REAL(pthread_attr_setaffinity_np)(attributes, size, mask);
}

static int count(void)
{
    return CPU_COUNT(&processors);
}

EXPORTED int get_nprocs(void)
{
    return MANAGED ? count() : REAL(get_nprocs)();
}

EXPORTED int get_nprocs_conf(void)
{
    return MANAGED ? count() : REAL(get_nprocs_conf)();
}

EXPORTED long sysconf(int name)
{
    bool is_count = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
    return is_count && MANAGED ? count() : REAL(sysconf)(name);
}

EXPORTED int sched_getcpu(void)
{
    return MANAGED && wm_host_is_live() ? (int)wm_host_number(wm_host_self())
                                        : REAL(sched_getcpu)();
}
