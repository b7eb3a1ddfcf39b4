// How hot the parts of a chip become: each step moves a point by the power that it uses, towards its
// four neighbours and towards the air. A block computes several steps of its part at a time: it
// loads a square of 16 by 16 points, of which each step leaves one less on every side that is right,
// so that blocks overlap by twice the steps. Two arrays are read and written in turn.
//
// The kernel of Rodinia's benchmark hotspot; constants are powers of two.
#include "../managed_memory.h"

#define SIDE 16
#define AIR 80.0f

struct chip {
    float *heat[2]; // the points' temperatures, before and after
    float *power;
    unsigned rows, columns;
};

// A point's next temperature; a point at the rim has itself as neighbour.
static __host__ __device__ float step_point(float here, float above, float below, float left,
                                            float right, float power)
{
    float from_neighbours = (above + below - 2.0f * here) * 0.125f + (left + right - 2.0f * here) * 0.0625f;
    return here + 0.5f * (power + from_neighbours + (AIR - here) * 0.03125f);
}

__global__ void hotspot_steps(struct chip chip, unsigned from, unsigned steps)
{
    __shared__ float heat[2][SIDE][SIDE];
    int inner = SIDE - 2 * (int)steps, x = (int)threadIdx.x, y = (int)threadIdx.y;
    int row = (int)blockIdx.y * inner + y - (int)steps;
    int column = (int)blockIdx.x * inner + x - (int)steps;
    bool inside = row >= 0 && row < (int)chip.rows && column >= 0 && column < (int)chip.columns;
    size_t place = inside ? (size_t)row * chip.columns + (size_t)column : 0;
    float power = inside ? chip.power[place] : 0.0f;
    heat[0][y][x] = inside ? chip.heat[from][place] : 0.0f;
    __syncthreads();
    int above = row == 0 ? y : y - 1, below = row == (int)chip.rows - 1 ? y : y + 1;
    int left = column == 0 ? x : x - 1, right = column == (int)chip.columns - 1 ? x : x + 1;
    for (int step = 0; step < (int)steps; step++) {
        float(*now)[SIDE] = heat[step % 2];
        bool right_still = x > step && x < SIDE - 1 - step && y > step && y < SIDE - 1 - step;
        if (inside && right_still)
            heat[(step + 1) % 2][y][x] = step_point(now[y][x], now[above][x], now[below][x],
                                                    now[y][left], now[y][right], power);
        __syncthreads();
    }
    int end = SIDE - (int)steps;
    if (inside && x >= (int)steps && x < end && y >= (int)steps && y < end)
        chip.heat[1 - from][place] = heat[steps % 2][y][x];
}

enum { ROWS, COLUMNS, STEPS, TOGETHER, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"rows", "of the chip", 64, 1, 8192, NULL},
    {"columns", "of the chip", 64, 1, 8192, NULL},
    {"steps", "of time", 8, 1, 100000, NULL},
    {"together", "steps of a launch", 2, 1, SIDE / 2 - 1, NULL},
    {"seed", "of temperatures and powers", 1, 0, 1000000000, NULL},
};

// Returns which of the two arrays has the result.
static unsigned heat_up(struct chip chip)
{
    unsigned from = 0, together = (unsigned)options[TOGETHER].value;
    for (unsigned left = (unsigned)options[STEPS].value; left > 0; from = 1 - from) {
        unsigned steps = left < together ? left : together, inner = SIDE - 2 * steps;
        dim3 blocks((chip.columns + inner - 1) / inner, (chip.rows + inner - 1) / inner);
        hotspot_steps<<<blocks, dim3(SIDE, SIDE)>>>(chip, from, steps);
        left -= steps;
    }
    return from;
}

static void fill_chip(float *heat, float *power, size_t count)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++) {
        heat[i] = 320.0f + (float)workload_below(&random, 256) / 16.0f;
        power[i] = (float)workload_below(&random, 256) / 128.0f;
    }
}

// A step after the other over the whole chip. Kernels may round once where this rounds twice.
static long first_wrong(const struct chip *chip, const float *found)
{
    unsigned rows = chip->rows, columns = chip->columns;
    size_t count = (size_t)rows * columns;
    std::vector<float> heat(count), next(count), power(count);
    fill_chip(heat.data(), power.data(), count);
    for (long step = 0; step < options[STEPS].value; step++) {
        for (unsigned i = 0; i < rows; i++)
            for (unsigned j = 0; j < columns; j++) {
                size_t at = (size_t)i * columns + j;
                next[at] = step_point(heat[at], heat[i > 0 ? at - columns : at],
                                      heat[i + 1 < rows ? at + columns : at],
                                      heat[j > 0 ? at - 1 : at],
                                      heat[j + 1 < columns ? at + 1 : at], power[at]);
            }
        heat.swap(next);
    }
    return workload_first_far(found, heat.data(), count, 1e-2f);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "hotspot", "temperatures of a chip", options, OPTIONS);
    struct chip chip;
    chip.rows = (unsigned)options[ROWS].value;
    chip.columns = (unsigned)options[COLUMNS].value;
    size_t count = (size_t)chip.rows * chip.columns;
    chip.heat[0] = managed_array<float>(count);
    chip.heat[1] = managed_array<float>(count);
    chip.power = managed_array<float>(count);

    workload_trace_begin();
    fill_chip(chip.heat[0], chip.power, count);
    managed_work_begin();
    unsigned result = heat_up(chip);
    managed_work_end();

    long wrong = first_wrong(&chip, chip.heat[result]);
    managed_release(chip.heat[0]);
    managed_release(chip.heat[1]);
    managed_release(chip.power);
    return workload_verdict("hotspot", wrong);
}
