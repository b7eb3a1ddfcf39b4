// Numbers that are zero are taken out of an array, in place, and the others keep their order. CPU
// threads and blocks of a kernel take chunks from the beginning on, load all of one, count what
// stays, and wait for the flag of the chunk before: it says how many numbers stay of all chunks up
// to that one, and that these have been loaded. So the flags are a chain that carries a sum through
// CPU threads and blocks.
//
// DS Stream Compaction, as Gomez-Luna and others describe it ("In-Place Data Sliding Algorithms for
// Many-Core Architectures", ICPP 2015).
#include "../managed_memory.h"

#define HELD 8 // numbers that a thread of a block holds

struct array {
    float *numbers;
    unsigned count, chunk;
};

// The chunks, and for each one more than what stays of it and of all before it, or 0 while that is
// not known.
struct progress {
    struct shared_work work;
    unsigned *kept;
};

// How many numbers of the chunks before `chunk` stay; the chunk behind gets the sum with `kept`.
static __host__ __device__ unsigned pass_sum(struct progress progress, unsigned chunk, unsigned kept)
{
    unsigned before = chunk > 0 ? system_await(&progress.kept[chunk - 1]) - 1 : 0;
    system_store(&progress.kept[chunk], before + kept + 1);
    return before;
}

// How many threads of the block with a smaller number stay, where `warps` has a word for each warp.
// All threads of the block call it.
static __device__ unsigned rank_of(bool stays, unsigned *warps)
{
    unsigned lane = threadIdx.x % 32, votes = __ballot_sync(0xffffffffu, stays);
    if (lane == 0)
        warps[threadIdx.x / 32] = (unsigned)__popc(votes);
    __syncthreads();
    unsigned rank = (unsigned)__popc(votes & ((1u << lane) - 1));
    for (unsigned warp = 0; warp < threadIdx.x / 32; warp++)
        rank += warps[warp];
    __syncthreads();
    return rank;
}

__global__ void compaction_remove(struct array array, struct progress progress)
{
    __shared__ unsigned taken, first_place, warps[32];
    float held[HELD];
    for (unsigned turn = 0;; turn++) {
        if (threadIdx.x == 0)
            taken = take_piece(progress.work, blockIdx.x, turn);
        __syncthreads();
        unsigned chunk = taken;
        if (chunk >= progress.work.pieces)
            return;
        unsigned first = chunk * array.chunk + threadIdx.x, stay = 0;
#pragma unroll
        for (unsigned k = 0; k < HELD; k++) {
            unsigned i = first + k * blockDim.x;
            held[k] = i < array.count ? array.numbers[i] : 0.0f;
            stay += (unsigned)__syncthreads_count(held[k] != 0.0f);
        }
        if (threadIdx.x == 0)
            first_place = pass_sum(progress, chunk, stay);
        __syncthreads();
        unsigned place = first_place;
#pragma unroll
        for (unsigned k = 0; k < HELD; k++) {
            bool stays = held[k] != 0.0f;
            unsigned rank = rank_of(stays, warps);
            if (stays)
                array.numbers[place + rank] = held[k];
            place += (unsigned)__syncthreads_count(stays);
        }
    }
}

static void remove_on_cpu(struct array array, struct progress progress, unsigned agent)
{
    std::vector<float> held(array.chunk);
    for (unsigned turn = 0;; turn++) {
        unsigned chunk = take_piece(progress.work, agent, turn);
        if (chunk >= progress.work.pieces)
            return;
        unsigned first = chunk * array.chunk, stay = 0;
        unsigned end = array.count - first < array.chunk ? array.count : first + array.chunk;
        for (unsigned i = first; i < end; i++)
            if (array.numbers[i] != 0.0f)
                held[stay++] = array.numbers[i];
        unsigned place = pass_sum(progress, chunk, stay);
        for (unsigned i = 0; i < stay; i++)
            array.numbers[place + i] = held[i];
    }
}

enum { N, ZEROS, BLOCKS, BLOCK, THREADS, DEAL, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers", 16000, 1, 1 << 28, NULL},
    {"zeros", "of 100 numbers", 50, 0, 100, NULL},
    {"blocks", "of the kernel", 8, 0, 1024, NULL},
    {"block", "threads of a block, a multiple of 32", 128, 32, 1024, NULL},
    {"threads", "of the CPU", 2, 0, 64, NULL},
    SHARED_WORK_OPTION,
    {"seed", "of the random numbers", 1, 0, 1000000000, NULL},
};

static float random_number(struct workload_random *random)
{
    float number = (float)(1 + workload_below(random, 1000));
    return workload_below(random, 100) < (unsigned)options[ZEROS].value ? 0.0f : number;
}

// The place of the first number that is not what stays of the input there, or that of the end if
// another count stays, or -1.
static long first_wrong(const struct array *array, unsigned stay)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned place = 0;
    for (unsigned i = 0; i < array->count; i++) {
        float number = random_number(&random);
        if (number == 0.0f)
            continue;
        if (place >= stay || array->numbers[place] != number)
            return (long)place;
        place++;
    }
    return place == stay ? -1 : (long)place;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "compaction", "zeros are taken out of an array, in place", options,
                   OPTIONS);
    long blocks = options[BLOCKS].value, threads = options[THREADS].value;
    workload_check_agents("compaction", blocks, threads);
    workload_check_warps("compaction", &options[BLOCK]);
    unsigned block = (unsigned)options[BLOCK].value;
    struct array array = {NULL, (unsigned)options[N].value, block * HELD};
    unsigned chunks = (array.count + array.chunk - 1) / array.chunk;
    array.numbers = managed_array<float>(array.count);
    struct progress progress = {shared_work(chunks, blocks + threads, options[DEAL].value),
                                managed_array<unsigned>(chunks)};

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < array.count; i++)
        array.numbers[i] = random_number(&random);
    *progress.work.next = 0;
    memset(progress.kept, 0, chunks * sizeof(unsigned));
    managed_work_begin();
    if (blocks > 0)
        compaction_remove<<<(unsigned)blocks, block>>>(array, progress);
    run_cpu_threads((unsigned)threads, [&](unsigned thread) {
        remove_on_cpu(array, progress, (unsigned)blocks + thread);
    });
    managed_work_end();

    long wrong = first_wrong(&array, progress.kept[chunks - 1] - 1);
    managed_release(array.numbers);
    managed_release(progress.work.next);
    managed_release(progress.kept);
    return workload_verdict("compaction", wrong);
}
