// A matrix of tiles is transposed in place: tiles lie one after the other, row by row, and each
// moves to where it lies column by column, so that tiles change places along cycles. CPU threads and
// blocks of a kernel take a tile each and follow its cycle: the tile in hand goes to its place, and
// what lay there is in hand. A flag for each place says that a tile is to be written there, and an agent that
// finds it set stops: another follows the rest of the cycle.
//
// What lay at a place is loaded before its flag is looked at: if it was not set then, nothing had
// been written there. PTTWAC, as Gomez-Luna and others describe it ("In-Place Matrix Transposition
// on GPUs", IEEE TPDS 27(3), 2016).
#include "../managed_memory.h"

#define HELD 8 // numbers of a tile that a thread of a block holds

struct matrix {
    double *numbers;
    unsigned rows, columns, tile; // rows and columns of tiles; numbers of a tile
    unsigned *claimed;            // a flag a place
};

// Where the tile of place `i` goes to.
static __host__ __device__ unsigned goal_of(const struct matrix *matrix, unsigned i)
{
    return i % matrix->columns * matrix->rows + i / matrix->columns;
}

static __device__ void load_tile(const struct matrix *matrix, unsigned i, double *held)
{
#pragma unroll
    for (unsigned k = 0; k < HELD; k++)
        if (k * blockDim.x + threadIdx.x < matrix->tile)
            held[k] = matrix->numbers[(size_t)i * matrix->tile + k * blockDim.x + threadIdx.x];
}

static __device__ void store_tile(const struct matrix *matrix, unsigned i, const double *held)
{
#pragma unroll
    for (unsigned k = 0; k < HELD; k++)
        if (k * blockDim.x + threadIdx.x < matrix->tile)
            matrix->numbers[(size_t)i * matrix->tile + k * blockDim.x + threadIdx.x] = held[k];
}

// All threads of the block call it, after they have loaded place `i`, and get the same answer.
static __device__ bool block_claims(const struct matrix *matrix, unsigned i, unsigned *answer)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *answer = system_exchange(&matrix->claimed[i], 1);
    __syncthreads();
    return *answer == 0;
}

static __device__ void follow_cycle(const struct matrix *matrix, unsigned start, unsigned *answer)
{
    double held[HELD], other[HELD];
    load_tile(matrix, start, held);
    __syncthreads();
    if (threadIdx.x == 0)
        *answer = system_load(&matrix->claimed[start]);
    __syncthreads();
    if (*answer != 0)
        return;
    for (unsigned goal = goal_of(matrix, start);; goal = goal_of(matrix, goal)) {
        load_tile(matrix, goal, other);
        if (!block_claims(matrix, goal, answer))
            return;
        store_tile(matrix, goal, held);
#pragma unroll
        for (unsigned k = 0; k < HELD; k++)
            held[k] = other[k];
    }
}

__global__ void transpose_tiles(struct matrix matrix, struct shared_work work)
{
    __shared__ unsigned taken, answer;
    for (unsigned turn = 0;; turn++) {
        if (threadIdx.x == 0)
            taken = take_piece(work, blockIdx.x, turn);
        __syncthreads();
        unsigned start = taken;
        if (start >= work.pieces)
            return;
        if (goal_of(&matrix, start) != start)
            follow_cycle(&matrix, start, &answer);
        __syncthreads();
    }
}

static void follow_on_cpu(const struct matrix *matrix, unsigned start, double *held, double *other)
{
    size_t bytes = matrix->tile * sizeof(double);
    memcpy(held, matrix->numbers + (size_t)start * matrix->tile, bytes);
    if (system_load(&matrix->claimed[start]) != 0)
        return;
    for (unsigned goal = goal_of(matrix, start);; goal = goal_of(matrix, goal)) {
        double *there = matrix->numbers + (size_t)goal * matrix->tile;
        memcpy(other, there, bytes);
        if (system_exchange(&matrix->claimed[goal], 1) != 0)
            return;
        memcpy(there, held, bytes);
        memcpy(held, other, bytes);
    }
}

static void transpose_on_cpu(const struct matrix *matrix, struct shared_work work, unsigned agent)
{
    std::vector<double> held(matrix->tile), other(matrix->tile);
    unsigned start;
    for (unsigned turn = 0; (start = take_piece(work, agent, turn)) < work.pieces; turn++)
        if (goal_of(matrix, start) != start)
            follow_on_cpu(matrix, start, held.data(), other.data());
}

enum { ROWS, COLUMNS, TILE, BLOCKS, BLOCK, THREADS, DEAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the matrix", 23, 1, 16384, NULL},
    {"columns", "of the matrix, in numbers", 1920, 1, 1 << 20, NULL},
    {"tile", "numbers of a row that stay together", 128, 1, 1024, NULL},
    {"blocks", "of the kernel", 8, 0, 1024, NULL},
    {"block", "threads of a block, at least an eighth of the tile", 64, 1, 1024, NULL},
    {"threads", "of the CPU", 2, 0, 64, NULL},
    SHARED_WORK_OPTION,
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "in_place_transpose", "tiles change places along cycles", options,
                   OPTIONS);
    long blocks = options[BLOCKS].value, threads = options[THREADS].value;
    unsigned block = (unsigned)options[BLOCK].value, tile = (unsigned)options[TILE].value;
    workload_check_agents("in_place_transpose", blocks, threads);
    if (block * HELD < tile) {
        fprintf(stderr, "in_place_transpose: a tile of %u needs --block %u or more, not %u\n", tile,
                (tile + HELD - 1) / HELD, block);
        return 2;
    }
    struct matrix matrix = {NULL, (unsigned)options[ROWS].value,
                            ((unsigned)options[COLUMNS].value + tile - 1) / tile, tile, NULL};
    unsigned tiles = matrix.rows * matrix.columns;
    size_t count = (size_t)tiles * tile;
    matrix.numbers = managed_array<double>(count);
    matrix.claimed = managed_array<unsigned>(tiles);
    struct shared_work work = shared_work(tiles, blocks + threads, options[DEAL].value);

    workload_trace_begin();
    for (size_t i = 0; i < count; i++)
        matrix.numbers[i] = (double)i;
    memset(matrix.claimed, 0, tiles * sizeof(unsigned));
    *work.next = 0;
    managed_work_begin();
    if (blocks > 0)
        transpose_tiles<<<(unsigned)blocks, block>>>(matrix, work);
    run_cpu_threads((unsigned)threads, [&](unsigned thread) {
        transpose_on_cpu(&matrix, work, (unsigned)blocks + thread);
    });
    managed_work_end();

    long wrong = -1;
    for (size_t i = 0; i < count && wrong < 0; i++) {
        size_t place = (size_t)goal_of(&matrix, (unsigned)(i / tile)) * tile + i % tile;
        if (matrix.numbers[place] != (double)i)
            wrong = (long)place;
    }
    managed_release(matrix.numbers);
    managed_release(matrix.claimed);
    managed_release(work.next);
    return workload_verdict("in_place_transpose", wrong);
}
