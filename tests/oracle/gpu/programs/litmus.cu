// Litmus tests of the memory model: which outcomes of small programs of two or four threads a GPU
// shows, and how often. A row is an outcome of a test in a variant (which loads and stores, with
// which fence between a thread's two accesses), at a scope, by where the threads run and where the
// variables lie.
//
//   warps, blocks        the test's threads are of several warps of a block, or of several blocks
//   host-gpu, gpu-host   the first or the second thread is one of the host, by atomics of the same
//                        order; the variables are in its memory, mapped
//
// Many instances run at once, each in variables that nothing has used before, and after a delay
// that differs by warp and round. In every second round each thread has read its variables before,
// so that L1 may hold them; in every second launch other blocks load and store beside them. "weak"
// says of an outcome that no interleaving of the instructions gives it, "forbidden" that PTX's
// memory model does not allow it (litmus.h): none of these may be seen. The weak outcome has its
// row also where it was never seen.
#include <chrono>
#include <thread>

#include "measure.h"

#include "litmus.h"

enum { BLOCK = 256, LINE_WORDS = 32, PRESSED_WORDS = 1 << 20, MOST_TRIES = 1 << 16 };

template <int ACCESS, int SCOPE> __device__ inline unsigned load(const unsigned *word)
{
    unsigned value = 0;
#define LOAD(instruction) \
    asm volatile(instruction ".global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory")
    if (ACCESS == WEAK)
        LOAD("ld.weak");
    else if (ACCESS == VOLATILE)
        LOAD("ld.volatile");
    else if (ACCESS == RELAXED && SCOPE == CTA)
        LOAD("ld.relaxed.cta");
    else if (ACCESS == RELAXED && SCOPE == GPU)
        LOAD("ld.relaxed.gpu");
    else if (ACCESS == RELAXED)
        LOAD("ld.relaxed.sys");
    else if (SCOPE == CTA)
        LOAD("ld.acquire.cta");
    else if (SCOPE == GPU)
        LOAD("ld.acquire.gpu");
    else
        LOAD("ld.acquire.sys");
#undef LOAD
    return value;
}

template <int ACCESS, int SCOPE> __device__ inline void store(unsigned *word, unsigned value)
{
#define STORE(instruction) \
    asm volatile(instruction ".global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory")
    if (ACCESS == WEAK)
        STORE("st.weak");
    else if (ACCESS == VOLATILE)
        STORE("st.volatile");
    else if (ACCESS == RELAXED && SCOPE == CTA)
        STORE("st.relaxed.cta");
    else if (ACCESS == RELAXED && SCOPE == GPU)
        STORE("st.relaxed.gpu");
    else if (ACCESS == RELAXED)
        STORE("st.relaxed.sys");
    else if (SCOPE == CTA)
        STORE("st.release.cta");
    else if (SCOPE == GPU)
        STORE("st.release.gpu");
    else
        STORE("st.release.sys");
#undef STORE
}

template <int FENCE, int SCOPE> __device__ inline void between(void)
{
#define BETWEEN(instruction) asm volatile(instruction ";" : : : "memory")
    if (FENCE == ACQ_REL && SCOPE == CTA)
        BETWEEN("fence.acq_rel.cta");
    else if (FENCE == ACQ_REL && SCOPE == GPU)
        BETWEEN("fence.acq_rel.gpu");
    else if (FENCE == ACQ_REL)
        BETWEEN("fence.acq_rel.sys");
    else if (FENCE == SC && SCOPE == CTA)
        BETWEEN("fence.sc.cta");
    else if (FENCE == SC && SCOPE == GPU)
        BETWEEN("fence.sc.gpu");
    else if (FENCE == SC)
        BETWEEN("fence.sc.sys");
#undef BETWEEN
}

// A thread's part of an instance. No branch stands between its two accesses.
template <int ACCESS, int FENCE, int SCOPE>
__device__ inline void act(const struct role &role, unsigned *first, unsigned *second,
                           unsigned seen[2])
{
    switch (role.shape) {
    case W: store<ACCESS, SCOPE>(first, role.first_value); break;
    case WW:
        store<ACCESS, SCOPE>(first, role.first_value);
        between<FENCE, SCOPE>();
        store<ACCESS, SCOPE>(second, role.second_value);
        break;
    case WR:
        store<ACCESS, SCOPE>(first, role.first_value);
        between<FENCE, SCOPE>();
        seen[0] = load<ACCESS, SCOPE>(second);
        break;
    case RW:
        seen[0] = load<ACCESS, SCOPE>(first);
        between<FENCE, SCOPE>();
        store<ACCESS, SCOPE>(second, role.second_value);
        break;
    default:
        seen[0] = load<ACCESS, SCOPE>(first);
        between<FENCE, SCOPE>();
        seen[1] = load<ACCESS, SCOPE>(second);
    }
}

// One launch: `instances` of a test in each of its rounds. The blocks that test come first; they
// are all resident, and so the blocks of a group, which has a block of each role, may wait for each
// other.
struct plan {
    struct litmus test;
    int placement, layout;
    unsigned testing, instances, rounds, delay, pressing_turns, seed;
};

// Where a variable of an instance lies, in words; `all` instances there are.
__host__ __device__ inline size_t variable_at(int layout, size_t all, size_t instance, int variable)
{
    if (layout == APART)
        return (instance * VARIABLES + variable) * LINE_WORDS;
    return layout == TOGETHER ? instance * VARIABLES + variable : variable * all + instance;
}

__device__ inline void delay(unsigned turns, unsigned number)
{
    for (unsigned i = 0; i < turns; i++)
        number = measure_mixed(number);
    asm volatile("" : : "r"(number) : "memory");
}

// Waits for the blocks of the group, but not for ever: it only makes their parts coincide.
__device__ inline void meet(unsigned *arrived, unsigned blocks)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        for (int i = 0; i < MOST_TRIES && *(volatile unsigned *)arrived < blocks; i++)
            ;
    }
}

__device__ inline void press(unsigned *pressed, unsigned turns, unsigned seed)
{
    for (unsigned i = 0; i < turns; i++) {
        unsigned at =
            measure_mixed(seed + i * gridDim.x * BLOCK + blockIdx.x * BLOCK + threadIdx.x);
        unsigned value = load<VOLATILE, SYS>(pressed + at % PRESSED_WORDS);
        store<VOLATILE, SYS>(pressed + measure_mixed(at) % PRESSED_WORDS, value + 1);
    }
}

template <int ACCESS, int FENCE, int SCOPE>
__global__ void run_tests(struct plan plan, unsigned *words, unsigned *arrived, unsigned *pressed,
                          unsigned char *registers)
{
    if (blockIdx.x >= plan.testing) {
        press(pressed, plan.pressing_turns, plan.seed);
        return;
    }
    unsigned roles = plan.test.roles, warp = threadIdx.x / WARP;
    bool blocks = plan.placement == BLOCKS;
    unsigned role = (blocks ? blockIdx.x : warp) % roles;
    unsigned group = blocks ? blockIdx.x / roles : blockIdx.x;
    unsigned many = blocks ? BLOCK : BLOCK / roles;
    unsigned own = blocks ? threadIdx.x : warp / roles * WARP + threadIdx.x % WARP;
    struct role part = plan.test.role[role];
    int reads = litmus_reads(&part), number = litmus_register(&plan.test, role);
    size_t all = (size_t)plan.instances * plan.rounds;
    for (unsigned round = 0; round < plan.rounds; round++) {
        // Which lanes and warps meet differs from round to round.
        unsigned turned = (own + role * (7 + 36 * round)) % many;
        size_t instance = (size_t)round * plan.instances + group * many + turned;
        unsigned *first = words + variable_at(plan.layout, all, instance, part.first);
        unsigned *second = words + variable_at(plan.layout, all, instance, part.second);
        if (round % 2) {
            load<WEAK, CTA>(first);
            load<WEAK, CTA>(second);
        }
        if (blocks)
            meet(arrived + round * (size_t)plan.testing + group, roles);
        __syncthreads();
        unsigned random = measure_mixed(plan.seed + round * 65537 + blockIdx.x * 8 + warp);
        delay(random % (plan.delay + 1), random);
        unsigned seen[2] = {0, 0};
        act<ACCESS, FENCE, SCOPE>(part, first, second, seen);
        for (int i = 0; i < reads; i++)
            registers[instance * MOST_REGISTERS + number + i] = (unsigned char)min(seen[i], 3u);
    }
}

__global__ void count_outcomes(struct plan plan, const unsigned *words,
                               const unsigned char *registers, unsigned long long *counts)
{
    __shared__ unsigned own[OUTCOMES];
    for (unsigned i = threadIdx.x; i < OUTCOMES; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    size_t all = (size_t)plan.instances * plan.rounds;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned outcome = 0;
        for (int k = 0; k < plan.test.registers; k++)
            outcome |= registers[i * MOST_REGISTERS + k] << 2 * k;
        for (int k = 0; k < VARIABLES; k++)
            if (plan.test.last[k])
                outcome |= min(words[variable_at(plan.layout, all, i, k)], 3u) << (8 + 2 * k);
        atomicAdd(&own[outcome], 1);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < OUTCOMES; i += blockDim.x)
        if (own[i])
            atomicAdd(&counts[i], (unsigned long long)own[i]);
}

// With the host: a warp of the GPU has 32 instances of a round, a thread of the host the same ones,
// one after another. Before each round both wait for the other.
struct meeting {
    unsigned ready, unused[LINE_WORDS - 1]; // rounds that the GPU has come to
    unsigned go;                            // rounds that the host has begun
};

template <int ACCESS, int FENCE, int SCOPE>
__global__ void run_with_host(struct plan plan, unsigned *words, struct meeting *meeting,
                              unsigned char *registers)
{
    int role = plan.placement == HOST_FIRST;
    struct role part = plan.test.role[role];
    int reads = litmus_reads(&part), number = litmus_register(&plan.test, role);
    size_t all = (size_t)plan.instances * plan.rounds;
    for (unsigned round = 0; round < plan.rounds; round++) {
        size_t instance = (size_t)round * WARP + threadIdx.x;
        unsigned *first = words + variable_at(plan.layout, all, instance, part.first);
        unsigned *second = words + variable_at(plan.layout, all, instance, part.second);
        if (round % 2) {
            load<WEAK, CTA>(first);
            load<WEAK, CTA>(second);
        }
        if (threadIdx.x == 0) {
            store<RELAXED, SYS>(&meeting->ready, round + 1);
            while (load<RELAXED, SYS>(&meeting->go) <= round)
                ;
        }
        __syncwarp();
        unsigned random = measure_mixed(plan.seed + round);
        delay(random % (plan.delay + 1), random);
        unsigned seen[2] = {0, 0};
        act<ACCESS, FENCE, SCOPE>(part, first, second, seen);
        for (int i = 0; i < reads; i++)
            registers[instance * MOST_REGISTERS + number + i] = (unsigned char)min(seen[i], 3u);
    }
}

static void host_fence(int fence)
{
    if (fence == ACQ_REL)
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    else if (fence == SC)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <int LOADS, int STORES>
static void act_of_host(const struct role &role, int fence, unsigned *first, unsigned *second,
                        unsigned seen[2])
{
    bool stores_first = role.shape == WW || role.shape == WR;
    if (stores_first)
        __atomic_store_n(first, (unsigned)role.first_value, STORES);
    else
        seen[0] = __atomic_load_n(first, LOADS);
    host_fence(fence);
    if (role.shape == WW || role.shape == RW)
        __atomic_store_n(second, (unsigned)role.second_value, STORES);
    else
        seen[stores_first ? 0 : 1] = __atomic_load_n(second, LOADS);
}

// A variant of a test, and its kernels.
struct variant {
    const char *name;
    int access, fence, scope;
    void (*kernel)(struct plan, unsigned *, unsigned *, unsigned *, unsigned char *);
    void (*with_host)(struct plan, unsigned *, struct meeting *, unsigned char *);
};
#define VARIANT(name, access, fence, scope)                          \
    {                                                                \
        name, access, fence, scope, run_tests<access, fence, scope>, \
            run_with_host<access, fence, scope>                      \
    }
#define SCOPED(name, access, fence)                                       \
    VARIANT(name, access, fence, CTA), VARIANT(name, access, fence, GPU), \
        VARIANT(name, access, fence, SYS)
static const struct variant VARIANTS[] = {
    VARIANT("weak", WEAK, NO_FENCE, CTA), // which has no scope
    VARIANT("volatile", VOLATILE, NO_FENCE, SYS),
    SCOPED("relaxed", RELAXED, NO_FENCE),
    SCOPED("release-acquire", ORDERED, NO_FENCE),
    SCOPED("relaxed fence.acq_rel", RELAXED, ACQ_REL),
    SCOPED("relaxed fence.sc", RELAXED, SC),
    SCOPED("weak fence.acq_rel", WEAK, ACQ_REL),
    SCOPED("weak fence.sc", WEAK, SC),
};

enum {
    MILLISECONDS,
    TEST_BLOCKS,
    ROUNDS,
    DELAY,
    PRESSING,
    HOST_ROUNDS,
    HOST_DELAY,
    ONLY,
    LAYOUT,
    OPTIONS
};
static struct workload_option options[OPTIONS] = {
    {"milliseconds", "that a test is launched again, in each variant and place", 24, 0, 100000,
     NULL},
    {"blocks", "that test, 0 for two an SM", 0, 0, 4096, NULL},
    {"rounds", "of a launch", 16, 1, 64, NULL},
    {"delay", "turns of a loop before a round, at most", 24, 0, 100000, NULL},
    {"pressing", "turns of the blocks beside, an SM each; 0 for none", 96, 0, 100000, NULL},
    {"host-rounds", "of 32 instances; 0 for no tests with the host", 400, 0, 4096, NULL},
    {"host-delay", "turns of a loop before a round of these, at most", 100, 0, 100000, NULL},
    {"only", "one test", 0, 0, 0, "all SB MP LB IRIW 2+2W R S CoRR"},
    {"layout", "one layout of the variables", 0, 0, 0, "all apart together packed"},
};

struct bench {
    int sms;
    unsigned *words, *arrived, *pressed;
    unsigned char *registers;
    unsigned long long *counts;
    size_t arrived_bytes;
    unsigned *host_words; // these two in the host's memory, mapped
    struct meeting *meeting;
    bool late; // host and GPU did not meet, and need not be tried again
    unsigned char *host_registers, *copied_registers; // of the host's threads, and of the GPU's
    unsigned seed;
};

static void print_rows(const struct plan *plan, const struct variant *variant,
                       const unsigned long long counts[OUTCOMES])
{
    const struct litmus *test = &plan->test;
    const char *scope =
        variant->access == WEAK && variant->fence == NO_FENCE ? "none" : SCOPES[variant->scope];
    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++) {
        if (counts[outcome] == 0 && outcome != test->weak)
            continue;
        bool forbidden =
            !litmus_has_values(test, outcome) ||
            (outcome == test->weak && litmus_forbids_weak(test, variant->access, variant->fence,
                                                          variant->scope, plan->placement));
        printf("%s,%s,%s,%s,%s,", test->name, variant->name, scope, PLACES[plan->placement],
               LAYS[plan->layout]);
        litmus_print_outcome(test, outcome);
        printf(",%llu,%s,%s\n", counts[outcome], outcome == test->weak ? "yes" : "no",
               forbidden ? "yes" : "no");
        if (forbidden && counts[outcome]) {
            fprintf(stderr, "%s, %s.%s of %s: ", test->name, variant->name, scope,
                    PLACES[plan->placement]);
            expect(false, "a forbidden outcome", outcome);
        }
    }
    fflush(stdout);
}

static double milliseconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

// Launches and counts for as long as was asked, at least one of each kind.
static void run_on_gpu(struct bench *bench, struct plan *plan, const struct variant *variant)
{
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    WORKLOAD_CHECK(cudaMemset(bench->counts, 0, OUTCOMES * sizeof *bench->counts));
    unsigned turns = (unsigned)options[PRESSING].value, kinds = turns ? 2 : 1;
    unsigned counting = std::min((unsigned)bench->sms, plan->instances * plan->rounds / 4096 + 1);
    for (unsigned launch = 0;
         launch < kinds || milliseconds_since(begin) < options[MILLISECONDS].value; launch++) {
        bool pressing = launch % kinds == 1;
        plan->seed = measure_mixed(bench->seed++);
        plan->pressing_turns = pressing ? turns : 0;
        size_t bytes = (size_t)plan->instances * plan->rounds * VARIABLES * sizeof(unsigned);
        WORKLOAD_CHECK(
            cudaMemset(bench->words, 0, plan->layout == APART ? bytes * LINE_WORDS : bytes));
        WORKLOAD_CHECK(cudaMemset(bench->arrived, 0, bench->arrived_bytes));
        variant->kernel<<<plan->testing + (pressing ? bench->sms : 0), BLOCK>>>(
            *plan, bench->words, bench->arrived, bench->pressed, bench->registers);
        count_outcomes<<<counting, BLOCK>>>(*plan, bench->words, bench->registers, bench->counts);
        WORKLOAD_CHECK_LAUNCH();
    }
    static unsigned long long counts[OUTCOMES];
    WORKLOAD_CHECK(cudaMemcpy(counts, bench->counts, sizeof counts, cudaMemcpyDeviceToHost));
    print_rows(plan, variant, counts);
}

// The host's thread, which begins a round when the GPU is ready, and gives up after some seconds.
static void be_host(struct bench *bench, const struct plan *plan, const struct variant *variant)
{
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    int role = plan->placement == HOST_SECOND;
    const struct role *part = &plan->test.role[role];
    int reads = litmus_reads(part), number = litmus_register(&plan->test, role);
    size_t all = (size_t)plan->instances * plan->rounds;
    struct meeting *meeting = bench->meeting;
    for (unsigned round = 0; round < plan->rounds; round++) {
        while (__atomic_load_n(&meeting->ready, __ATOMIC_RELAXED) <= round) {
            if (milliseconds_since(begin) > 30000) {
                __atomic_store_n(&meeting->go, plan->rounds, __ATOMIC_RELAXED);
                bench->late = true;
                return;
            }
        }
        __atomic_store_n(&meeting->go, round + 1, __ATOMIC_RELAXED);
        volatile unsigned number_of_turns = measure_mixed(plan->seed + 3 * round) % 3000;
        while (number_of_turns > 0)
            number_of_turns = number_of_turns - 1;
        for (size_t i = (size_t)round * WARP; i < (size_t)(round + 1) * WARP; i++) {
            unsigned *first = bench->host_words + variable_at(plan->layout, all, i, part->first);
            unsigned *second = bench->host_words + variable_at(plan->layout, all, i, part->second);
            unsigned seen[2] = {0, 0};
            if (variant->access == ORDERED)
                act_of_host<__ATOMIC_ACQUIRE, __ATOMIC_RELEASE>(*part, variant->fence, first,
                                                                second, seen);
            else
                act_of_host<__ATOMIC_RELAXED, __ATOMIC_RELAXED>(*part, variant->fence, first,
                                                                second, seen);
            for (int k = 0; k < reads; k++)
                bench->host_registers[i * MOST_REGISTERS + number + k] =
                    (unsigned char)std::min(seen[k], 3u);
        }
    }
}

static void run_beside_host(struct bench *bench, struct plan *plan, const struct variant *variant)
{
    static unsigned long long counts[OUTCOMES];
    size_t all = (size_t)plan->instances * plan->rounds, bytes = all * MOST_REGISTERS;
    plan->seed = measure_mixed(bench->seed++);
    memset(bench->host_words, 0, all * VARIABLES * LINE_WORDS * sizeof *bench->host_words);
    memset(bench->host_registers, 0, bytes);
    memset(bench->meeting, 0, sizeof *bench->meeting);
    WORKLOAD_CHECK(cudaMemset(bench->registers, 0, bytes));
    WORKLOAD_CHECK(cudaDeviceSynchronize());
    std::thread host(be_host, bench, plan, variant);
    // Memory that is allocated so has one address for both.
    variant->with_host<<<1, WARP>>>(*plan, bench->host_words, bench->meeting, bench->registers);
    host.join();
    WORKLOAD_CHECK_LAUNCH();
    expect(!bench->late, "the GPU did not come to a round with the host, of rounds", plan->rounds);
    if (bench->late)
        return;
    WORKLOAD_CHECK(
        cudaMemcpy(bench->copied_registers, bench->registers, bytes, cudaMemcpyDeviceToHost));
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < all; i++) {
        unsigned outcome = 0;
        for (size_t k = 0; k < MOST_REGISTERS; k++)
            outcome |= (unsigned)(bench->host_registers[i * MOST_REGISTERS + k] |
                                  bench->copied_registers[i * MOST_REGISTERS + k])
                       << 2 * k;
        counts[outcome]++;
    }
    print_rows(plan, variant, counts);
}

static void run_variant(struct bench *bench, const struct litmus *test,
                        const struct variant *variant)
{
    struct plan plan = {};
    plan.test = *test;
    unsigned blocks = options[TEST_BLOCKS].value ? (unsigned)options[TEST_BLOCKS].value
                                                 : 2 * (unsigned)bench->sms;
    plan.testing = std::max(blocks / test->roles, 1u) * test->roles;
    for (int layout = APART; layout < LAYOUTS; layout++) {
        if (!measure_selects(&options[LAYOUT], LAYS[layout]))
            continue;
        plan.layout = layout;
        plan.instances = plan.testing * BLOCK / test->roles;
        plan.rounds = (unsigned)options[ROUNDS].value;
        plan.delay = (unsigned)options[DELAY].value;
        for (int placement = WARPS; placement <= BLOCKS; placement++) {
            plan.placement = placement;
            run_on_gpu(bench, &plan, variant);
        }
        plan.instances = WARP;
        plan.rounds = (unsigned)options[HOST_ROUNDS].value;
        plan.delay = (unsigned)options[HOST_DELAY].value;
        for (int placement = HOST_FIRST; placement <= HOST_SECOND; placement++) {
            plan.placement = placement;
            if (test->with_host && plan.rounds > 0 && !bench->late)
                run_beside_host(bench, &plan, variant);
        }
    }
}

static struct bench bench_new(void)
{
    struct bench bench = {};
    bench.sms = measure_sms();
    size_t blocks = options[TEST_BLOCKS].value ? (size_t)options[TEST_BLOCKS].value + MOST_ROLES
                                               : 2 * (size_t)bench.sms + MOST_ROLES;
    size_t all = blocks * BLOCK / 2 * options[ROUNDS].value;
    size_t of_host = std::max(WARP * options[HOST_ROUNDS].value, 1l);
    bench.arrived_bytes = blocks * options[ROUNDS].value * sizeof *bench.arrived;
    WORKLOAD_CHECK(
        cudaMalloc((void **)&bench.words, all * VARIABLES * LINE_WORDS * sizeof *bench.words));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.arrived, bench.arrived_bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.pressed, PRESSED_WORDS * sizeof *bench.pressed));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.registers, std::max(all, of_host) * MOST_REGISTERS));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.counts, OUTCOMES * sizeof *bench.counts));
    WORKLOAD_CHECK(cudaMemset(bench.pressed, 0, PRESSED_WORDS * sizeof *bench.pressed));
    WORKLOAD_CHECK(cudaMemset(bench.registers, 0, std::max(all, of_host) * MOST_REGISTERS));
    WORKLOAD_CHECK(cudaHostAlloc((void **)&bench.host_words,
                                 of_host * VARIABLES * LINE_WORDS * sizeof *bench.host_words,
                                 cudaHostAllocMapped));
    bench.host_registers = (unsigned char *)workload_allocate(of_host * MOST_REGISTERS);
    bench.copied_registers = (unsigned char *)workload_allocate(of_host * MOST_REGISTERS);
    WORKLOAD_CHECK(
        cudaHostAlloc((void **)&bench.meeting, sizeof *bench.meeting, cudaHostAllocMapped));
    return bench;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "litmus", "which outcomes of small parallel programs are seen",
                   options, OPTIONS);
    struct bench bench = bench_new();
    printf("test,variant,scope,placement,layout,outcome,count,weak,forbidden\n");
    for (const struct litmus &test : TESTS)
        if (measure_selects(&options[ONLY], test.name))
            for (const struct variant &variant : VARIANTS)
                run_variant(&bench, &test, &variant);
    return measure_verdict("litmus");
}
