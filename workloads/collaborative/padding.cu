// Each row of a matrix gets room at its end, in place: everything moves towards the end of the
// memory. CPU threads and blocks of a kernel take chunks of the matrix from its end on, load all of
// one, and store it only when every chunk behind it has been loaded: the flag of a chunk says so,
// and is set when its own numbers are loaded and the flag of the chunk behind it is set. So the
// flags are a chain that runs through CPU threads and blocks in the order in which they took their
// chunks.
//
// DS Padding, as Gomez-Luna and others describe it ("In-Place Data Sliding Algorithms for Many-Core
// Architectures", ICPP 2015).
#include "../managed_memory.h"

#define HELD 8 // numbers that a thread of a block holds

// The cells behind a row's last number are set to zero with it.
struct matrix {
    float *cells;
    unsigned columns, pad, count, chunk; // count: numbers of the matrix
};

// The chunks, the last of the matrix first, and a flag for each.
struct progress {
    struct shared_work work;
    unsigned *loaded;
};

static __host__ __device__ void store_padded(const struct matrix *matrix, unsigned i, float number)
{
    unsigned row = i / matrix->columns;
    size_t place = (size_t)i + (size_t)row * matrix->pad;
    matrix->cells[place] = number;
    if (i % matrix->columns == matrix->columns - 1)
        for (unsigned k = 1; k <= matrix->pad; k++)
            matrix->cells[place + k] = 0.0f;
}

// When this returns, the numbers of all chunks behind have been loaded.
static __host__ __device__ void pass_flag(struct progress progress, unsigned chunk)
{
    if (chunk > 0)
        system_await(&progress.loaded[chunk - 1]);
    system_store(&progress.loaded[chunk], 1);
}

__global__ void padding_shift(struct matrix matrix, struct progress progress)
{
    __shared__ unsigned taken;
    float held[HELD];
    for (unsigned turn = 0;; turn++) {
        if (threadIdx.x == 0)
            taken = take_piece(progress.work, blockIdx.x, turn);
        __syncthreads();
        unsigned chunk = taken;
        if (chunk >= progress.work.pieces)
            return;
        unsigned first = (progress.work.pieces - 1 - chunk) * matrix.chunk + threadIdx.x;
#pragma unroll
        for (unsigned k = 0; k < HELD; k++)
            if (first + k * blockDim.x < matrix.count)
                held[k] = matrix.cells[first + k * blockDim.x];
        __syncthreads();
        if (threadIdx.x == 0)
            pass_flag(progress, chunk);
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < HELD; k++)
            if (first + k * blockDim.x < matrix.count)
                store_padded(&matrix, first + k * blockDim.x, held[k]);
    }
}

static void shift_on_cpu(struct matrix matrix, struct progress progress, unsigned agent)
{
    std::vector<float> held(matrix.chunk);
    for (unsigned turn = 0;; turn++) {
        unsigned chunk = take_piece(progress.work, agent, turn);
        if (chunk >= progress.work.pieces)
            return;
        unsigned first = (progress.work.pieces - 1 - chunk) * matrix.chunk;
        unsigned end = matrix.count - first < matrix.chunk ? matrix.count : first + matrix.chunk;
        for (unsigned i = first; i < end; i++)
            held[i - first] = matrix.cells[i];
        pass_flag(progress, chunk);
        for (unsigned i = end; i-- > first;)
            store_padded(&matrix, i, held[i - first]);
    }
}

enum { ROWS, COLUMNS, PAD, BLOCKS, BLOCK, THREADS, DEAL, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the matrix", 120, 1, 16384, NULL},
    {"columns", "of the matrix", 131, 1, 16384, NULL},
    {"pad", "cells behind each row", 1, 0, 1024, NULL},
    {"blocks", "of the kernel", 8, 0, 1024, NULL},
    {"block", "threads of a block", 128, 32, 1024, NULL},
    {"threads", "of the CPU", 2, 0, 64, NULL},
    SHARED_WORK_OPTION,
    {"seed", "of the random numbers", 1, 0, 1000000000, NULL},
};

static float random_number(struct workload_random *random)
{
    return (float)(1 + workload_below(random, 1000));
}

// The place of the first cell that is not what the padded matrix has there, or -1.
static long first_wrong(const struct matrix *matrix, unsigned rows)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    size_t place = 0;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = 0; k < matrix->columns + matrix->pad; k++, place++)
            if (matrix->cells[place] != (k < matrix->columns ? random_number(&random) : 0.0f))
                return (long)place;
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "padding", "room behind each row of a matrix, in place", options,
                   OPTIONS);
    long blocks = options[BLOCKS].value, threads = options[THREADS].value;
    workload_check_agents("padding", blocks, threads);
    unsigned rows = (unsigned)options[ROWS].value, block = (unsigned)options[BLOCK].value;
    struct matrix matrix = {NULL, (unsigned)options[COLUMNS].value, (unsigned)options[PAD].value,
                            0, block * HELD};
    matrix.count = rows * matrix.columns;
    unsigned chunks = (matrix.count + matrix.chunk - 1) / matrix.chunk;
    size_t cells = (size_t)rows * (matrix.columns + matrix.pad);
    matrix.cells = managed_array<float>(cells);
    struct progress progress = {shared_work(chunks, blocks + threads, options[DEAL].value),
                                managed_array<unsigned>(chunks)};

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < matrix.count; i++)
        matrix.cells[i] = random_number(&random);
    *progress.work.next = 0;
    memset(progress.loaded, 0, chunks * sizeof(unsigned));
    managed_work_begin();
    if (blocks > 0)
        padding_shift<<<(unsigned)blocks, block>>>(matrix, progress);
    run_cpu_threads((unsigned)threads, [&](unsigned thread) {
        shift_on_cpu(matrix, progress, (unsigned)blocks + thread);
    });
    managed_work_end();

    long wrong = first_wrong(&matrix, rows);
    managed_release(matrix.cells);
    managed_release(progress.work.next);
    managed_release(progress.loaded);
    return workload_verdict("padding", wrong);
}
