// Memory that CPU threads and kernels both use, and words in it that they use at the same time.
// Every program of managed/ and collaborative/ has all its data in managed memory (CUDA C++
// Programming Guide, "Unified Memory Programming"): nothing is copied.
//
// The functions on words have the scope of the system (PTX ISA, "Scope"), on the CPU and in
// kernels. A load acquires and a store releases: what was written before the store is seen after a
// load that returns its value. In kernels this holds for the thread that calls; a block's other
// threads are ordered with it by barriers.
#ifndef WORKLOAD_MANAGED_MEMORY_H
#define WORKLOAD_MANAGED_MEMORY_H

#include "workload.h"
#include <cuda_profiler_api.h>
#include <sched.h>
#include <thread>
#include <vector>

static inline void *managed_bytes(size_t bytes)
{
    void *memory;
    WORKLOAD_CHECK(cudaMallocManaged(&memory, bytes ? bytes : 1));
    return memory;
}

// `count` elements with undefined values.
template <typename T> static T *managed_array(size_t count)
{
    return (T *)managed_bytes(count * sizeof(T));
}

static inline void managed_release(void *memory)
{
    WORKLOAD_CHECK(cudaFree(memory));
}

// A program traces its host (workload_trace_begin()) from where the CPU writes the input to the end
// of the work, and the profiler's range is the work alone: the input is in caches then. The check
// comes after both, and makes the input again from its seed.
static inline void managed_work_begin(void)
{
    WORKLOAD_CHECK(cudaProfilerStart());
}

static inline void managed_work_end(void)
{
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaProfilerStop());
    workload_trace_end();
}

// The place of the first difference, or -1.
template <typename T> static long first_difference(const T *found, const T *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != wanted[i])
            return (long)i;
    return -1;
}

static __host__ __device__ inline unsigned system_load(const unsigned *word)
{
#ifdef __CUDA_ARCH__
    unsigned value = *(const volatile unsigned *)word;
    __threadfence_system();
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

static __host__ __device__ inline void system_store(unsigned *word, unsigned value)
{
#ifdef __CUDA_ARCH__
    __threadfence_system();
    *(volatile unsigned *)word = value;
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

// The read-modify-writes return what was there before. Like a store and a load they release and
// acquire.
static __host__ __device__ inline unsigned system_add(unsigned *word, unsigned value)
{
#ifdef __CUDA_ARCH__
    __threadfence_system();
    unsigned before = atomicAdd_system(word, value);
    __threadfence_system();
    return before;
#else
    return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
#endif
}

static __host__ __device__ inline unsigned system_exchange(unsigned *word, unsigned value)
{
#ifdef __CUDA_ARCH__
    __threadfence_system();
    unsigned before = atomicExch_system(word, value);
    __threadfence_system();
    return before;
#else
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
#endif
}

static __host__ __device__ inline unsigned system_compare_and_swap(unsigned *word,
                                                                   unsigned expected,
                                                                   unsigned value)
{
#ifdef __CUDA_ARCH__
    __threadfence_system();
    unsigned before = atomicCAS_system(word, expected, value);
    __threadfence_system();
    return before;
#else
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
#endif
}

// x86 has no maximum in memory: the CPU repeats a compare-and-swap until the word is at least
// `value`.
static __host__ __device__ inline unsigned system_max(unsigned *word, unsigned value)
{
#ifdef __CUDA_ARCH__
    return atomicMax_system(word, value);
#else
    unsigned before = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (before < value && !__atomic_compare_exchange_n(word, &before, value, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return before;
#endif
}

// An addition that orders nothing else.
static __host__ __device__ inline unsigned system_count(unsigned *word, unsigned value)
{
#ifdef __CUDA_ARCH__
    return atomicAdd_system(word, value);
#else
    return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

// Between two polls: a CPU thread lets others have its core.
static __host__ __device__ inline void system_pause(void)
{
#ifndef __CUDA_ARCH__
    sched_yield();
#endif
}

// Waits until the word is not zero, and returns it.
static __host__ __device__ inline unsigned system_await(const unsigned *word)
{
    unsigned value;
    while ((value = system_load(word)) == 0)
        system_pause();
    return value;
}

// Stops the program (status 2) when neither blocks nor CPU threads are there to do the work.
static inline void workload_check_agents(const char *program, long blocks, long threads)
{
    if (blocks + threads > 0)
        return;
    fprintf(stderr, "%s: --blocks 0 and --threads 0 leave nothing that works; set one of them\n",
            program);
    exit(2);
}

// Stops the program (status 2) when the option's value is no multiple of 32 lanes.
static inline void workload_check_warps(const char *program, const struct workload_option *option)
{
    if (option->value % 32) {
        fprintf(stderr, "%s: --%s takes a multiple of 32, not '%ld'\n", program, option->name,
                option->value);
        exit(2);
    }
}

// Pieces of work that blocks and CPU threads, the agents, take: the first that is done takes the
// next from a common counter; or, where `dealt`, each agent in its turn, so that neighbouring
// pieces are different agents'.
struct shared_work {
    unsigned *next;
    unsigned pieces, agents;
    bool dealt;
};

#define SHARED_WORK_OPTION                                                  \
    {                                                                       \
        "deal", "who takes which piece of the work", 0, 0, 0, "coming turn" \
    }

static inline struct shared_work shared_work(long pieces, long agents, long deal)
{
    struct shared_work work = {managed_array<unsigned>(1), (unsigned)pieces, (unsigned)agents,
                               deal != 0};
    return work;
}

// The next piece of agent `agent`, which has had `turn` pieces so far; `pieces` or more at the end.
static __host__ __device__ inline unsigned take_piece(struct shared_work work, unsigned agent,
                                                      unsigned turn)
{
    return work.dealt ? turn * work.agents + agent : system_add(work.next, 1);
}

// Runs body(0) to body(count - 1) in a CPU thread each, and waits for them.
template <typename Body> static void run_cpu_threads(unsigned count, const Body &body)
{
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < count; thread++)
        threads.emplace_back(body, thread);
    for (std::thread &thread : threads)
        thread.join();
}

#endif
