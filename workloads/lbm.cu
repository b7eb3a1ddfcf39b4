// Flow through a porous block by the lattice Boltzmann method, with 19 directions (D3Q19): a cell
// holds how much fluid moves to each of its neighbours. In a step a thread reads the 19 numbers of
// its cell, lets them collide, and writes each to the neighbour that it moves to; solid cells send
// back what comes. Everything is read once and written once: there is nothing to share but lines.
//
//   aos  the 20 numbers of a cell (the last says whether it is solid) lie together: each load of a
//        warp is scattered over 20 lines, of which the 19 loads after it want the rest
//   soa  all cells' numbers of one direction lie together: loads coalesce, and so do stores, a cell
//        to the side
#include "workload.h"

#define DIRECTIONS 19
#define NUMBERS 20 // of a cell: the directions, and whether it is solid
#define SOLID DIRECTIONS
#define OMEGA 1.25f // how fast a cell nears its equilibrium: below 2

// The place of a direction among the numbers of a cell, and the neighbour it leads to. The opposite
// of an odd place is the next, so that solid cells exchange pairs.
// clang-format off
#define FOR_EACH_DIRECTION(DO)                      \
    DO(0, 0, 0, 0)                                  \
    DO(1, 1, 0, 0)          DO(2, -1, 0, 0)         \
    DO(3, 0, 1, 0)          DO(4, 0, -1, 0)         \
    DO(5, 0, 0, 1)          DO(6, 0, 0, -1)         \
    DO(7, 1, 1, 0)          DO(8, -1, -1, 0)        \
    DO(9, 1, -1, 0)         DO(10, -1, 1, 0)        \
    DO(11, 1, 0, 1)         DO(12, -1, 0, -1)       \
    DO(13, 1, 0, -1)        DO(14, -1, 0, 1)        \
    DO(15, 0, 1, 1)         DO(16, 0, -1, -1)       \
    DO(17, 0, 1, -1)        DO(18, 0, -1, 1)
// clang-format on

// A third of the fluid rests; the weights fall with the length of the way.
#define WEIGHT(x, y, z)                                      \
    ((x) * (x) + (y) * (y) + (z) * (z) == 0   ? 1.0f / 3.0f  \
     : (x) * (x) + (y) * (y) + (z) * (z) == 1 ? 1.0f / 18.0f \
                                              : 1.0f / 36.0f)

struct extent {
    unsigned width, height, depth;
};

// Where a number of a cell lies.
static __host__ __device__ size_t place(unsigned cell, int number, unsigned cells, bool soa)
{
    return soa ? (size_t)number * cells + cell : (size_t)cell * NUMBERS + (size_t)number;
}

static __device__ void collide(float *f)
{
    float density = 0, u = 0, v = 0, w = 0;
#define ADD(i, x, y, z) \
    density += f[i];    \
    u += (x)*f[i];      \
    v += (y)*f[i];      \
    w += (z)*f[i];
    FOR_EACH_DIRECTION(ADD)
#undef ADD
    u /= density;
    v /= density;
    w /= density;
    float rest = 1.0f - 1.5f * (u * u + v * v + w * w), along;
#define RELAX(i, x, y, z)          \
    along = (x)*u + (y)*v + (z)*w; \
    f[i] +=                        \
        OMEGA * (WEIGHT(x, y, z) * density * (rest + 3.0f * along + 4.5f * along * along) - f[i]);
    FOR_EACH_DIRECTION(RELAX)
#undef RELAX
}

static __device__ void send_back(float *f)
{
    for (int i = 1; i < DIRECTIONS; i += 2) {
        float swap = f[i];
        f[i] = f[i + 1];
        f[i + 1] = swap;
    }
}

// The block of space goes on at the other side in all three directions.
static __device__ void step_cell(const float *in, float *out, struct extent extent, bool soa)
{
    unsigned cells = extent.width * extent.height * extent.depth;
    unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;
    unsigned x = cell % extent.width, y = cell / extent.width % extent.height;
    unsigned z = cell / extent.width / extent.height;
    float f[DIRECTIONS];
#define LOAD(i, dx, dy, dz) f[i] = in[place(cell, i, cells, soa)];
    FOR_EACH_DIRECTION(LOAD)
#undef LOAD
    if (in[place(cell, SOLID, cells, soa)] != 0.0f)
        send_back(f);
    else
        collide(f);
    unsigned near_x[3] = {x == 0 ? extent.width - 1 : x - 1, x, x + 1 == extent.width ? 0 : x + 1};
    unsigned near_y[3] = {y == 0 ? extent.height - 1 : y - 1, y,
                          y + 1 == extent.height ? 0 : y + 1};
    unsigned near_z[3] = {z == 0 ? extent.depth - 1 : z - 1, z, z + 1 == extent.depth ? 0 : z + 1};
#define STORE(i, dx, dy, dz)                                                         \
    out[place((near_z[(dz) + 1] * extent.height + near_y[(dy) + 1]) * extent.width + \
                  near_x[(dx) + 1],                                                  \
              i, cells, soa)] = f[i];
    FOR_EACH_DIRECTION(STORE)
#undef STORE
}

__global__ void lbm_aos(const float *in, float *out, struct extent extent)
{
    step_cell(in, out, extent, false);
}

__global__ void lbm_soa(const float *in, float *out, struct extent extent)
{
    step_cell(in, out, extent, true);
}

enum { WIDTH, HEIGHT, DEPTH, STEPS, SOLID_SHARE, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "cells along x", 32, 1, 512, NULL},
    {"height", "cells along y", 32, 1, 512, NULL},
    {"depth", "cells along z", 16, 1, 512, NULL},
    {"steps", "times each cell is computed", 2, 1, 1000, NULL},
    {"solid", "percent of the cells that are solid", 5, 0, 100, NULL},
    {"block", "threads of a block", 128, 1, 256, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "what lies together: a cell or a direction", 0, 0, 0, "aos soa"},
};

// The host's step, in double precision and from tables: what moves is found from where it comes.
static const int way[DIRECTIONS][3] = {
#define ROW(i, x, y, z) {x, y, z},
    FOR_EACH_DIRECTION(ROW)
#undef ROW
};

static void collide_on_host(const double *f, double *after)
{
    double density = 0, velocity[3] = {0, 0, 0}, square = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        density += f[i];
        for (int axis = 0; axis < 3; axis++)
            velocity[axis] += way[i][axis] * f[i];
    }
    for (int axis = 0; axis < 3; axis++) {
        velocity[axis] /= density;
        square += velocity[axis] * velocity[axis];
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        double along = 0, weight = (double)WEIGHT(way[i][0], way[i][1], way[i][2]);
        for (int axis = 0; axis < 3; axis++)
            along += way[i][axis] * velocity[axis];
        double equilibrium =
            weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
        after[i] = f[i] + (double)OMEGA * (equilibrium - f[i]);
    }
}

static void step_on_host(double *cells, double *after, struct extent extent)
{
    unsigned count = extent.width * extent.height * extent.depth;
    for (unsigned cell = 0; cell < count; cell++) {
        const double *f = cells + (size_t)cell * NUMBERS;
        double *to = after + (size_t)cell * NUMBERS;
        if (f[SOLID] == 0)
            collide_on_host(f, to);
        else
            for (int i = 0; i < DIRECTIONS; i++)
                to[i] = f[i == 0 ? 0 : ((i - 1) ^ 1) + 1];
    }
    int size[3] = {(int)extent.width, (int)extent.height, (int)extent.depth};
    for (int z = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int x = 0; x < size[0]; x++)
                for (int i = 0; i < DIRECTIONS; i++) {
                    int from_x = (x - way[i][0] + size[0]) % size[0];
                    int from_y = (y - way[i][1] + size[1]) % size[1];
                    int from_z = (z - way[i][2] + size[2]) % size[2];
                    size_t from = ((size_t)from_z * extent.height + (size_t)from_y) * extent.width +
                                  (size_t)from_x;
                    size_t to = ((size_t)z * extent.height + (size_t)y) * extent.width + (size_t)x;
                    cells[to * NUMBERS + (size_t)i] = after[from * NUMBERS + (size_t)i];
                }
}

// Fluid at rest, but for up to an eighth more or less in each direction.
static void fill_cells(double *cells, unsigned count)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned cell = 0; cell < count; cell++) {
        double *f = cells + (size_t)cell * NUMBERS;
        for (int i = 0; i < DIRECTIONS; i++) {
            double change = ((double)workload_below(&random, 1025) - 512) / 4096;
            f[i] = (double)((float)(1 + change) * WEIGHT(way[i][0], way[i][1], way[i][2]));
        }
        f[SOLID] = workload_below(&random, 100) < (unsigned)options[SOLID_SHARE].value;
    }
}

static void steps_on_device(float *numbers, size_t bytes, struct extent extent, unsigned count)
{
    unsigned block = (unsigned)options[BLOCK].value;
    // Both say which cells are solid, which no step writes.
    float *in = (float *)workload_upload(numbers, bytes);
    float *out = (float *)workload_upload(numbers, bytes);
    for (long step = 0; step < options[STEPS].value; step++) {
        if (options[VARIANT].value == 0)
            lbm_aos<<<(count + block - 1) / block, block>>>(in, out, extent);
        else
            lbm_soa<<<(count + block - 1) / block, block>>>(in, out, extent);
        WORKLOAD_CHECK_LAUNCH();
        float *swap = in;
        in = out;
        out = swap;
    }
    WORKLOAD_CHECK(cudaMemcpy(numbers, in, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(in));
    WORKLOAD_CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "lbm", "lattice Boltzmann flow in 19 directions", options, OPTIONS);
    struct extent extent = {(unsigned)options[WIDTH].value, (unsigned)options[HEIGHT].value,
                            (unsigned)options[DEPTH].value};
    unsigned count = extent.width * extent.height * extent.depth;
    bool soa = options[VARIANT].value == 1;
    size_t numbers = (size_t)count * NUMBERS, bytes = numbers * sizeof(float);
    double *cells = (double *)workload_allocate(numbers * sizeof(double));
    double *after = (double *)workload_allocate(numbers * sizeof(double));
    float *device = (float *)workload_allocate(bytes), *host = (float *)workload_allocate(bytes);
    fill_cells(cells, count);
    for (unsigned cell = 0; cell < count; cell++)
        for (int i = 0; i < NUMBERS; i++)
            device[place(cell, i, count, soa)] = (float)cells[(size_t)cell * NUMBERS + (size_t)i];

    steps_on_device(device, bytes, extent, count);
    for (long step = 0; step < options[STEPS].value; step++)
        step_on_host(cells, after, extent);

    for (unsigned cell = 0; cell < count; cell++)
        for (int i = 0; i < NUMBERS; i++)
            host[place(cell, i, count, soa)] = (float)cells[(size_t)cell * NUMBERS + (size_t)i];
    // Numbers stay below 1/2 and their sum near 1: a step rounds each a dozen times, by 2^-24 at
    // most, and relaxation spreads older errors without making their sum larger.
    long wrong = workload_first_far(device, host, numbers, 1e-6f * (float)options[STEPS].value);
    free(cells);
    free(after);
    free(device);
    free(host);
    return workload_verdict("lbm", wrong);
}
