// The electric potential of atoms on a lattice of points, where an atom reaches no further than a
// cutoff: q / r (1 - r^2 / cutoff^2)^2. Atoms are kept in cells of 4 by 4 by 4 with room for eight,
// which is 128 bytes. A block computes the 512 points of one cell; all its threads read the atoms
// of all cells within reach, one atom at a time, and each atom serves four points of a thread. So
// neighbouring blocks read almost the same cells, in the same order.
#include "workload.h"
#include <math.h>

#define CELL 4.0f // side of a cell; a point every half
#define DEPTH 8   // atoms of a cell: those it lacks have no charge
#define SIDE 8    // points along a side of a cell
#define POINTS (SIDE * SIDE * SIDE)
#define THREADS 128
#define POINTS_PER_THREAD (POINTS / THREADS)
#define PLANES (SIDE / POINTS_PER_THREAD) // between two points of a thread, along z

// How many cells of points there are, and how many cells further atoms reach. Cells of atoms go
// that much further on all sides.
struct lattice {
    unsigned width, height, depth, reach;
};

static __host__ __device__ unsigned atom_cell(struct lattice lattice, unsigned x, unsigned y,
                                              unsigned z)
{
    unsigned width = lattice.width + 2 * lattice.reach;
    return (z * (lattice.height + 2 * lattice.reach) + y) * width + x;
}

// What one atom gives to the points of a thread, which lie one above another.
static __device__ void add_atom(float4 atom, float x, float y, float z, float inverse_square,
                                float *potential)
{
    float dx = atom.x - x, dy = atom.y - y, level = dx * dx + dy * dy;
    for (int i = 0; i < POINTS_PER_THREAD; i++) {
        float dz = atom.z - (z + 0.5f * PLANES * (float)i);
        float square = level + dz * dz;
        float fade = fmaxf(0.0f, 1.0f - square * inverse_square);
        potential[i] += atom.w * rsqrtf(square) * fade * fade;
    }
}

// A block a cell. The points of a cell lie together in the result.
__global__ void cutcp(const float4 *atoms, float *result, struct lattice lattice,
                      float inverse_square)
{
    float x = CELL * (float)blockIdx.x + 0.5f * (float)(threadIdx.x % SIDE);
    float y = CELL * (float)blockIdx.y + 0.5f * (float)(threadIdx.x / SIDE % SIDE);
    float z = CELL * (float)blockIdx.z + 0.5f * (float)(threadIdx.x / SIDE / SIDE);
    float potential[POINTS_PER_THREAD] = {0};
    for (unsigned k = 0; k <= 2 * lattice.reach; k++)
        for (unsigned j = 0; j <= 2 * lattice.reach; j++)
            for (unsigned i = 0; i <= 2 * lattice.reach; i++) {
                unsigned cell = atom_cell(lattice, blockIdx.x + i, blockIdx.y + j, blockIdx.z + k);
#pragma unroll
                for (unsigned atom = 0; atom < DEPTH; atom++)
                    add_atom(atoms[cell * DEPTH + atom], x, y, z, inverse_square, potential);
            }
    unsigned block = (blockIdx.z * lattice.height + blockIdx.y) * lattice.width + blockIdx.x;
    for (int i = 0; i < POINTS_PER_THREAD; i++)
        result[block * POINTS + threadIdx.x + THREADS * (unsigned)i] = potential[i];
}

enum { WIDTH, HEIGHT, CELLS_DEEP, REACH, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "cells along x", 6, 1, 64, NULL},
    {"height", "cells along y", 6, 1, 64, NULL},
    {"depth", "cells along z", 4, 1, 64, NULL},
    {"reach", "cells that atoms reach", 1, 1, 4, NULL},
    {"seed", "of the random atoms", 1, 0, 1000000000, NULL},
};

static unsigned cell_count(struct lattice lattice)
{
    return atom_cell(lattice, 0, 0, lattice.depth + 2 * lattice.reach);
}

// Atoms lie at odd multiples of 1/128 from a corner of their cell, so none lies on a point, and
// squares of distances are exact. Four to eight of a cell have a charge.
static float random_coordinate(struct workload_random *random, unsigned cell, unsigned reach)
{
    float inside = (2.0f * (float)workload_below(random, 256) + 1.0f) / 128.0f;
    return CELL * ((float)cell - (float)reach) + inside;
}

static float4 *random_atoms(struct lattice lattice)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float4 *atoms = (float4 *)workload_allocate(cell_count(lattice) * DEPTH * sizeof(float4));
    float4 *atom = atoms;
    for (unsigned z = 0; z < lattice.depth + 2 * lattice.reach; z++)
        for (unsigned y = 0; y < lattice.height + 2 * lattice.reach; y++)
            for (unsigned x = 0; x < lattice.width + 2 * lattice.reach; x++) {
                unsigned charged = DEPTH / 2 + workload_below(&random, DEPTH / 2 + 1);
                for (unsigned i = 0; i < DEPTH; i++, atom++) {
                    atom->x = random_coordinate(&random, x, lattice.reach);
                    atom->y = random_coordinate(&random, y, lattice.reach);
                    atom->z = random_coordinate(&random, z, lattice.reach);
                    float charge = ((float)workload_below(&random, 33) - 16.0f) / 16.0f;
                    atom->w = i < charged ? charge : 0.0f;
                }
            }
    return atoms;
}

// Atom by atom: each gives to all points within the cutoff, wherever they are. `sum` is by planes.
static void potential_on_host(const float4 *atoms, struct lattice lattice, float cutoff,
                              double *sum)
{
    int size[3] = {(int)lattice.width * SIDE, (int)lattice.height * SIDE,
                   (int)lattice.depth * SIDE};
    int reach = (int)lattice.reach * SIDE;
    float limit = cutoff * cutoff;
    for (unsigned a = 0; a < cell_count(lattice) * DEPTH; a++) {
        const float4 *atom = &atoms[a];
        if (atom->w == 0.0f)
            continue;
        int x = (int)floorf(2 * atom->x), y = (int)floorf(2 * atom->y),
            z = (int)floorf(2 * atom->z);
        for (int k = z < reach ? 0 : z - reach; k <= z + reach && k < size[2]; k++)
            for (int j = y < reach ? 0 : y - reach; j <= y + reach && j < size[1]; j++)
                for (int i = x < reach ? 0 : x - reach; i <= x + reach && i < size[0]; i++) {
                    float dx = atom->x - 0.5f * (float)i, dy = atom->y - 0.5f * (float)j;
                    float dz = atom->z - 0.5f * (float)k, square = dx * dx + dy * dy + dz * dz;
                    float fade = 1.0f - square / limit;
                    if (fade > 0)
                        sum[(k * size[1] + j) * size[0] + i] +=
                            (double)(atom->w / sqrtf(square) * fade * fade);
                }
    }
}

// From planes to cells, as the device has them.
static void to_cells(const double *sum, float *cells, struct lattice lattice)
{
    for (unsigned z = 0; z < lattice.depth * SIDE; z++)
        for (unsigned y = 0; y < lattice.height * SIDE; y++)
            for (unsigned x = 0; x < lattice.width * SIDE; x++) {
                unsigned cell = (z / SIDE * lattice.height + y / SIDE) * lattice.width + x / SIDE;
                unsigned point = (z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE;
                cells[cell * POINTS + point] = (float)*sum++;
            }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "cutcp", "electric potential with a cutoff", options, OPTIONS);
    struct lattice lattice = {(unsigned)options[WIDTH].value, (unsigned)options[HEIGHT].value,
                              (unsigned)options[CELLS_DEEP].value, (unsigned)options[REACH].value};
    size_t count = (size_t)lattice.width * lattice.height * lattice.depth * POINTS;
    float cutoff = CELL * (float)lattice.reach;
    float4 *atoms = random_atoms(lattice);
    double *sum = (double *)workload_allocate(count * sizeof(double));
    float *expected = (float *)workload_allocate(count * sizeof(float));
    float *result = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        sum[i] = 0;

    float4 *device_atoms =
        (float4 *)workload_upload(atoms, cell_count(lattice) * DEPTH * sizeof(float4));
    float *device_result;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_result, count * sizeof(float)));
    cutcp<<<dim3(lattice.width, lattice.height, lattice.depth), THREADS>>>(
        device_atoms, device_result, lattice, 1.0f / (cutoff * cutoff));
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(
        cudaMemcpy(result, device_result, count * sizeof(float), cudaMemcpyDeviceToHost));

    potential_on_host(atoms, lattice, cutoff, sum);
    to_cells(sum, expected, lattice);
    // An atom's part is below 75 and off by a few units of its 24th bit; a point next to one has
    // the largest sum, and the thousands that reach it round that much more.
    long wrong = workload_first_far(result, expected, count, 1e-3f);
    WORKLOAD_CHECK(cudaFree(device_atoms));
    WORKLOAD_CHECK(cudaFree(device_result));
    free(atoms);
    free(sum);
    free(expected);
    free(result);
    return workload_verdict("cutcp", wrong);
}
