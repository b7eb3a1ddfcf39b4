// How well two sequences match when gaps may be put into both: each cell of a table takes the best
// of its neighbours above, to the left and between them. Squares of 16 by 16 cells are done in
// shared memory, diagonal after diagonal; squares of one diagonal of the table are one launch, so
// that launches have more and more blocks, and then fewer and fewer. The CPU writes the table's rim
// and what pairs of letters score, and follows the best path back.
//
// Rodinia's benchmark nw.
#include "../managed_memory.h"

#define SIDE 16
#define LETTERS 24

struct table {
    int *score;       // (n + 1) by (n + 1) cells, the first row and column are the rim
    const int *match; // n by n: what the pair of letters scores
    unsigned n;       // a multiple of SIDE
    int gap;          // what a gap costs
};

static __host__ __device__ int best_of(int between, int above, int left)
{
    int best = above > left ? above : left;
    return between > best ? between : best;
}

// The squares whose row and column add up to `diagonal`; block 0 has the lowest row of them.
__global__ void align_squares(struct table table, unsigned diagonal)
{
    __shared__ int score[SIDE + 1][SIDE + 1], match[SIDE][SIDE];
    unsigned squares = table.n / SIDE, pitch = table.n + 1, j = threadIdx.x;
    unsigned row = (diagonal < squares ? 0 : diagonal - squares + 1) + blockIdx.x;
    unsigned column = diagonal - row;
    int *corner = table.score + (size_t)row * SIDE * pitch + column * SIDE;
    const int *matches = table.match + (size_t)row * SIDE * table.n + column * SIDE;
    for (unsigned i = 0; i < SIDE; i++)
        match[i][j] = matches[(size_t)i * table.n + j];
    score[0][j + 1] = corner[j + 1];
    score[j + 1][0] = corner[(size_t)(j + 1) * pitch];
    if (j == 0)
        score[0][0] = corner[0];
    __syncthreads();
    for (unsigned step = 0; step < 2 * SIDE - 1; step++) {
        unsigned i = step - j; // wraps round to a large number before the thread's first cell
        if (i < SIDE)
            score[i + 1][j + 1] = best_of(score[i][j] + match[i][j], score[i][j + 1] - table.gap,
                                          score[i + 1][j] - table.gap);
        __syncthreads();
    }
    for (unsigned i = 0; i < SIDE; i++)
        corner[(size_t)(i + 1) * pitch + j + 1] = score[i + 1][j + 1];
}

static void align(struct table table)
{
    unsigned squares = table.n / SIDE;
    for (unsigned diagonal = 0; diagonal < 2 * squares - 1; diagonal++) {
        unsigned count = diagonal < squares ? diagonal + 1 : 2 * squares - 1 - diagonal;
        align_squares<<<count, SIDE>>>(table, diagonal);
    }
    WORKLOAD_CHECK_LAUNCH();
}

// The best path from the last cell to the first: a step of each is 0 between, 1 up, 2 left. Returns
// how many there are.
static unsigned trace_back(struct table table, unsigned char *steps)
{
    unsigned i = table.n, j = table.n, pitch = table.n + 1, count = 0;
    while (i > 0 || j > 0) {
        const int *cell = table.score + (size_t)i * pitch + j;
        unsigned char step = 2;
        if (i > 0 && j > 0 &&
            *cell == cell[-(long)pitch - 1] + table.match[(size_t)(i - 1) * table.n + j - 1])
            step = 0;
        else if (i > 0 && *cell == cell[-(long)pitch] - table.gap)
            step = 1;
        i -= step != 2;
        j -= step != 1;
        steps[count++] = step;
        if (i > table.n || j > table.n) // no neighbour gave the cell its number
            return 0;
    }
    return count;
}

enum { N, GAP, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "letters of both sequences, a multiple of 16", 256, SIDE, 32768, NULL},
    {"gap", "what a gap costs", 10, 0, 1000, NULL},
    {"seed", "of the sequences", 1, 0, 1000000000, NULL},
};

static void fill_table(int *score, int *match, unsigned n)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<unsigned> one(n), other(n);
    for (unsigned i = 0; i < n; i++)
        one[i] = workload_below(&random, LETTERS);
    for (unsigned i = 0; i < n; i++)
        other[i] = workload_below(&random, LETTERS);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) // alike: 4 to 11; unlike: -4 to 3
            match[(size_t)i * n + j] = (int)(one[i] * other[j] % 8) + (one[i] == other[j] ? 4 : -4);
    for (unsigned i = 0; i <= n; i++)
        score[i] = score[(size_t)i * (n + 1)] = -(int)i * (int)options[GAP].value;
}

// Row after row.
static long first_wrong(struct table found, const unsigned char *steps, unsigned count)
{
    unsigned n = found.n, pitch = n + 1;
    std::vector<int> score((size_t)pitch * pitch), match((size_t)n * n);
    fill_table(score.data(), match.data(), n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            int *cell = &score[(size_t)i * pitch + j];
            cell[pitch + 1] = best_of(cell[0] + match[(size_t)i * n + j], cell[1] - found.gap,
                                      cell[pitch] - found.gap);
        }
    long wrong = first_difference(found.score, score.data(), score.size());
    // What the path's steps score adds up to the last cell's number.
    int total = 0;
    unsigned i = n, j = n;
    for (unsigned k = 0; k < count && wrong < 0; k++) {
        if (steps[k] == 0)
            total += match[(size_t)(i - 1) * n + j - 1];
        else
            total -= found.gap;
        i -= steps[k] != 2;
        j -= steps[k] != 1;
    }
    return wrong >= 0 ? wrong : total == score.back() && i == 0 && j == 0 ? -1 : (long)count;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "needleman_wunsch", "how well two sequences match", options, OPTIONS);
    unsigned n = (unsigned)options[N].value;
    if (n % SIDE) {
        fprintf(stderr, "needleman_wunsch: --n takes a multiple of %d, not '%u'\n", SIDE, n);
        return 2;
    }
    int *match = managed_array<int>((size_t)n * n);
    struct table table = {managed_array<int>((size_t)(n + 1) * (n + 1)), match, n,
                          (int)options[GAP].value};
    unsigned char *steps = managed_array<unsigned char>(2 * (size_t)n);

    workload_trace_begin();
    fill_table(table.score, match, n);
    managed_work_begin();
    align(table);
    unsigned count = trace_back(table, steps);
    managed_work_end();

    long wrong = first_wrong(table, steps, count);
    managed_release(match);
    managed_release(table.score);
    managed_release(steps);
    return workload_verdict("needleman_wunsch", wrong);
}
