// The cheapest ways through a grid from its first row to each cell of the last: a step goes to the
// next row, straight or to a neighbour's column. A block computes several rows of its columns at a
// time in shared memory; each row leaves one column less on both sides that is right, so that
// blocks overlap by twice the rows. The grid is read once, and two rows of sums are read and written
// in turn.
//
// Rodinia's benchmark pathfinder.
#include "../managed_memory.h"

#define BLOCK 256

struct grid {
    const int *cost; // row by row
    int *sum[2];     // of the cheapest way to each column of a row
    unsigned rows, columns;
};

static __host__ __device__ int least_of(int left, int above, int right)
{
    int least = left < above ? left : above;
    return right < least ? right : least;
}

// Rows `row` to row + steps - 1.
__global__ void path_rows(struct grid grid, unsigned from, unsigned row, unsigned steps)
{
    __shared__ int sum[2][BLOCK];
    int x = (int)threadIdx.x, inner = BLOCK - 2 * (int)steps;
    int column = (int)blockIdx.x * inner + x - (int)steps;
    bool inside = column >= 0 && column < (int)grid.columns;
    sum[0][x] = inside ? grid.sum[from][column] : 0;
    __syncthreads();
    int left = column == 0 ? x : x - 1, right = column == (int)grid.columns - 1 ? x : x + 1;
    for (int step = 0; step < (int)steps; step++) {
        const int *now = sum[step % 2];
        if (inside && x > step && x < BLOCK - 1 - step)
            sum[(step + 1) % 2][x] =
                least_of(now[left], now[x], now[right]) +
                grid.cost[(size_t)(row + (unsigned)step) * grid.columns + (unsigned)column];
        __syncthreads();
    }
    if (inside && x >= (int)steps && x < BLOCK - (int)steps)
        grid.sum[1 - from][column] = sum[steps % 2][x];
}

enum { ROWS, COLUMNS, TOGETHER, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the grid", 41, 1, 1 << 20, NULL},
    {"columns", "of the grid", 4000, 1, 1 << 24, NULL},
    {"together", "rows of a launch", 20, 1, BLOCK / 2 - 1, NULL},
    {"seed", "of the costs", 1, 0, 1000000000, NULL},
};

// Returns which of the two rows of sums has the result.
static unsigned find_paths(struct grid grid)
{
    unsigned from = 0, together = (unsigned)options[TOGETHER].value;
    for (unsigned row = 1; row < grid.rows; from = 1 - from) {
        unsigned left = grid.rows - row, steps = left < together ? left : together;
        unsigned inner = BLOCK - 2 * steps;
        path_rows<<<(grid.columns + inner - 1) / inner, BLOCK>>>(grid, from, row, steps);
        row += steps;
    }
    return from;
}

static int random_cost(struct workload_random *random)
{
    return (int)workload_below(random, 10);
}

static long first_wrong(const struct grid *grid, const int *found)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<int> sum(grid->columns), next(grid->columns);
    for (unsigned row = 0; row < grid->rows; row++) {
        for (unsigned j = 0; j < grid->columns; j++)
            next[j] = random_cost(&random) + (row == 0 ? 0
                                                       : least_of(sum[j > 0 ? j - 1 : j], sum[j],
                                                                  sum[j + 1 < grid->columns ? j + 1 : j]));
        sum.swap(next);
    }
    return first_difference(found, sum.data(), grid->columns);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "pathfinder", "cheapest ways through a grid", options, OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, columns = (unsigned)options[COLUMNS].value;
    int *cost = managed_array<int>((size_t)rows * columns);
    struct grid grid = {cost, {managed_array<int>(columns), managed_array<int>(columns)}, rows,
                        columns};

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        cost[i] = random_cost(&random);
    memcpy(grid.sum[0], cost, columns * sizeof(int));
    managed_work_begin();
    unsigned result = find_paths(grid);
    managed_work_end();

    long wrong = first_wrong(&grid, grid.sum[result]);
    managed_release(cost);
    managed_release(grid.sum[0]);
    managed_release(grid.sum[1]);
    return workload_verdict("pathfinder", wrong);
}
