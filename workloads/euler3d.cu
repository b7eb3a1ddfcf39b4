// Flow of a gas through a mesh of cells with four faces, step by step: what crosses a face depends
// on the cells on both its sides, and which cell lies behind a face is in a table, since the mesh
// has no rows. The numbers of all cells for one quantity lie together, so a warp reads its own
// cells' as neighbours, and those of the cells behind the faces from wherever these have their
// place. Kernels:
//
//   step_factor  how far in time each cell may go
//   flux         what crosses the faces, with as much damping as signals are fast; 16 numbers of a
//                thread's own cell wait in shared memory, 16 KiB a block
//   time_step    the new quantities from the old ones and the flux; three of these two, with
//                smaller steps first, are one iteration
//
// Rodinia's benchmark euler3d, with a mesh made here: --spread is how far apart the numbers of
// neighbours may come to lie.
#include "workload.h"
#include <math.h>

#define BLOCK 256
#define FACES 4
#define STAGES 3
#define GAMMA 1.4f
#define DAMPING 0.2f
#define WALL (-1) // instead of a neighbour: nothing gets through
#define FAR (-2)  // the gas far away lies there

enum { DENSITY, MOMENTUM, ENERGY = MOMENTUM + 3, QUANTITIES };
// Beside a cell's quantities what they say of it: pressure, how fast signals are, and the flow of
// momentum, which is symmetric, and of energy.
enum { PRESSURE = QUANTITIES, SPEED, FLOW_XX, FLOW_XY, FLOW_XZ, FLOW_YY, FLOW_YZ, FLOW_ZZ, FLOW_E };
#define KEPT (FLOW_E + 3)

__constant__ float far_cell[KEPT];

struct mesh {
    unsigned cells;
    float *volume, *normal; // normal[(3 * face + axis) * cells + cell], as long as a face is wide
    int *behind;            // behind[face * cells + cell]
};

// Fills in what `cell`, whose numbers are `stride` apart, says from its quantities.
static __host__ __device__ void describe(float *cell, unsigned stride)
{
    float density = cell[DENSITY * stride], energy = cell[ENERGY * stride];
    float x = cell[MOMENTUM * stride], y = cell[(MOMENTUM + 1) * stride];
    float z = cell[(MOMENTUM + 2) * stride];
    float speed_x = x / density, speed_y = y / density, speed_z = z / density;
    float square = speed_x * speed_x + speed_y * speed_y + speed_z * speed_z;
    float pressure = (GAMMA - 1.0f) * (energy - 0.5f * density * square);
    cell[PRESSURE * stride] = pressure;
    cell[SPEED * stride] = sqrtf(square) + sqrtf(GAMMA * pressure / density);
    cell[FLOW_XX * stride] = speed_x * x + pressure;
    cell[FLOW_XY * stride] = speed_x * y;
    cell[FLOW_XZ * stride] = speed_x * z;
    cell[FLOW_YY * stride] = speed_y * y + pressure;
    cell[FLOW_YZ * stride] = speed_y * z;
    cell[FLOW_ZZ * stride] = speed_z * z + pressure;
    cell[FLOW_E * stride] = speed_x * (energy + pressure);
    cell[(FLOW_E + 1) * stride] = speed_y * (energy + pressure);
    cell[(FLOW_E + 2) * stride] = speed_z * (energy + pressure);
}

// What flows through a face into `flux`: half of what both cells let flow.
static __host__ __device__ void flow_through(const float *cell, unsigned stride, float x, float y,
                                             float z, float *flux)
{
    flux[DENSITY] += 0.5f * (x * cell[MOMENTUM * stride] + y * cell[(MOMENTUM + 1) * stride] +
                             z * cell[(MOMENTUM + 2) * stride]);
    flux[MOMENTUM] += 0.5f * (x * cell[FLOW_XX * stride] + y * cell[FLOW_XY * stride] +
                              z * cell[FLOW_XZ * stride]);
    flux[MOMENTUM + 1] += 0.5f * (x * cell[FLOW_XY * stride] + y * cell[FLOW_YY * stride] +
                                  z * cell[FLOW_YZ * stride]);
    flux[MOMENTUM + 2] += 0.5f * (x * cell[FLOW_XZ * stride] + y * cell[FLOW_YZ * stride] +
                                  z * cell[FLOW_ZZ * stride]);
    flux[ENERGY] += 0.5f * (x * cell[FLOW_E * stride] + y * cell[(FLOW_E + 1) * stride] +
                            z * cell[(FLOW_E + 2) * stride]);
}

__global__ void euler_step_factor(const float *quantities, const float *volume, float *factor,
                                  unsigned cells)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells)
        return;
    float cell[KEPT];
    for (unsigned k = 0; k < QUANTITIES; k++)
        cell[k] = quantities[k * cells + i];
    describe(cell, 1);
    factor[i] = 0.5f / (sqrtf(volume[i]) * cell[SPEED]);
}

__global__ void euler_flux(const float *quantities, struct mesh mesh, float *fluxes)
{
    __shared__ float kept[KEPT][BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, cells = mesh.cells;
    float *own = &kept[0][threadIdx.x];
    if (i < cells) {
        for (unsigned k = 0; k < QUANTITIES; k++)
            own[k * BLOCK] = quantities[k * cells + i];
        describe(own, BLOCK);
    }
    __syncthreads();
    if (i >= cells)
        return;
    float flux[QUANTITIES] = {0, 0, 0, 0, 0};
#pragma unroll
    for (unsigned face = 0; face < FACES; face++) {
        int behind = mesh.behind[face * cells + i];
        float x = mesh.normal[(3 * face) * cells + i], y = mesh.normal[(3 * face + 1) * cells + i];
        float z = mesh.normal[(3 * face + 2) * cells + i];
        if (behind >= 0) {
            float other[KEPT];
            for (unsigned k = 0; k < QUANTITIES; k++)
                other[k] = quantities[k * cells + (unsigned)behind];
            describe(other, 1);
            float damping =
                0.5f * DAMPING * sqrtf(x * x + y * y + z * z) * (own[SPEED * BLOCK] + other[SPEED]);
            for (unsigned k = 0; k < QUANTITIES; k++)
                flux[k] -= damping * (own[k * BLOCK] - other[k]);
            flow_through(own, BLOCK, x, y, z, flux);
            flow_through(other, 1, x, y, z, flux);
        } else if (behind == WALL) {
            flux[MOMENTUM] += x * own[PRESSURE * BLOCK];
            flux[MOMENTUM + 1] += y * own[PRESSURE * BLOCK];
            flux[MOMENTUM + 2] += z * own[PRESSURE * BLOCK];
        } else {
            flow_through(own, BLOCK, x, y, z, flux);
            flow_through(far_cell, 1, x, y, z, flux);
        }
    }
    for (unsigned k = 0; k < QUANTITIES; k++)
        fluxes[k * cells + i] = flux[k];
}

__global__ void euler_time_step(const float *old, const float *fluxes, const float *factor,
                                float *quantities, unsigned cells, float share)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells)
        return;
    float step = factor[i] * share;
    for (unsigned k = 0; k < QUANTITIES; k++)
        quantities[k * cells + i] = old[k * cells + i] + step * fluxes[k * cells + i];
}

enum { N, SPREAD, STEPS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "cells of the mesh", 8192, 4, 1 << 20, NULL},
    {"spread", "places that a cell's number may lie from its own", 256, 1, 1 << 20, NULL},
    {"steps", "iterations", 1, 1, 1000, NULL},
    {"seed", "of the random mesh", 1, 0, 1000000000, NULL},
};

static float random_share(struct workload_random *random)
{
    return (float)workload_below(random, 1025) / 1024.0f;
}

// Numbers of cells, mixed up, but none far away from its place.
static unsigned *mixed_numbers(unsigned count, struct workload_random *random)
{
    unsigned *numbers = (unsigned *)workload_allocate(count * sizeof(unsigned));
    for (unsigned i = 0; i < count; i++)
        numbers[i] = i;
    for (unsigned i = 0; i < count; i++) {
        unsigned other = workload_near(random, i, (unsigned)options[SPREAD].value, count);
        unsigned number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
    return numbers;
}

// Cells in rows of about as many as there are rows, each with the cells beside, above and below it
// behind its faces. At the lower edge is a wall, and far gas at the others.
static struct mesh random_mesh(struct workload_random *random)
{
    unsigned cells = (unsigned)options[N].value, width = (unsigned)sqrt((double)cells);
    struct mesh mesh = {cells, (float *)workload_allocate(cells * sizeof(float)),
                        (float *)workload_allocate(3 * FACES * cells * sizeof(float)),
                        (int *)workload_allocate(FACES * cells * sizeof(int))};
    static const int across[FACES] = {-1, 1, 0, 0}, along[FACES] = {0, 0, -1, 1};
    unsigned *numbers = mixed_numbers(cells, random);
    for (unsigned place = 0; place < cells; place++) {
        unsigned cell = numbers[place], column = place % width;
        mesh.volume[cell] = 1.0f + 0.5f * random_share(random);
        for (unsigned face = 0; face < FACES; face++) {
            int next = (int)place + across[face] + along[face] * (int)width;
            bool inside = next >= 0 && next < (int)cells && (int)column + across[face] >= 0 &&
                          column + across[face] < width;
            mesh.behind[face * cells + cell] = inside            ? (int)numbers[next]
                                               : along[face] < 0 ? WALL
                                                                 : FAR;
            float *normal = &mesh.normal[3 * face * cells + cell];
            normal[0] = (float)across[face] * (0.75f + 0.5f * random_share(random));
            normal[cells] = (float)along[face] * (0.75f + 0.5f * random_share(random));
            normal[2 * cells] = 0.25f * random_share(random) - 0.125f;
        }
    }
    free(numbers);
    return mesh;
}

// The gas far away flows along x at 0.3 times the speed of sound; near it is a little disturbed.
static float *random_quantities(unsigned cells, float *far_away, struct workload_random *random)
{
    far_away[DENSITY] = GAMMA;
    far_away[MOMENTUM] = 0.3f * GAMMA;
    far_away[MOMENTUM + 1] = far_away[MOMENTUM + 2] = 0.0f;
    far_away[ENERGY] = 1.0f / (GAMMA - 1.0f) + 0.5f * 0.09f * GAMMA;
    describe(far_away, 1);
    float *quantities = (float *)workload_allocate(QUANTITIES * cells * sizeof(float));
    for (unsigned k = 0; k < QUANTITIES; k++)
        for (unsigned i = 0; i < cells; i++)
            quantities[k * cells + i] = far_away[k] + 0.25f * (random_share(random) - 0.5f);
    return quantities;
}

static void flow_on_device(const struct mesh *host, const float *far_away, const float *before,
                           float *after)
{
    unsigned cells = host->cells, blocks = (cells + BLOCK - 1) / BLOCK;
    size_t bytes = cells * sizeof(float);
    struct mesh mesh = {cells, (float *)workload_upload(host->volume, bytes),
                        (float *)workload_upload(host->normal, 3 * FACES * bytes),
                        (int *)workload_upload(host->behind, FACES * bytes)};
    float *quantities = (float *)workload_upload(before, QUANTITIES * bytes);
    float *old, *fluxes, *factor;
    WORKLOAD_CHECK(cudaMalloc((void **)&old, QUANTITIES * bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&fluxes, QUANTITIES * bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&factor, bytes));
    WORKLOAD_CHECK(cudaMemcpyToSymbol(far_cell, far_away, KEPT * sizeof(float)));
    for (long step = 0; step < options[STEPS].value; step++) {
        WORKLOAD_CHECK(cudaMemcpy(old, quantities, QUANTITIES * bytes, cudaMemcpyDeviceToDevice));
        euler_step_factor<<<blocks, BLOCK>>>(quantities, mesh.volume, factor, cells);
        WORKLOAD_CHECK_LAUNCH();
        for (int stage = 0; stage < STAGES; stage++) {
            euler_flux<<<blocks, BLOCK>>>(quantities, mesh, fluxes);
            WORKLOAD_CHECK_LAUNCH();
            euler_time_step<<<blocks, BLOCK>>>(old, fluxes, factor, quantities, cells,
                                               1.0f / (float)(STAGES - stage));
            WORKLOAD_CHECK_LAUNCH();
        }
    }
    WORKLOAD_CHECK(cudaMemcpy(after, quantities, QUANTITIES * bytes, cudaMemcpyDeviceToHost));
    void *all[] = {mesh.volume, mesh.normal, mesh.behind, quantities, old, fluxes, factor};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
}

// What crosses the faces of cell `i` of cells that are described, KEPT numbers each.
static void flux_on_host(const struct mesh *mesh, const float *described, const float *far_away,
                         unsigned i, float *flux)
{
    const float *own = &described[i * KEPT];
    memset(flux, 0, QUANTITIES * sizeof(float));
    for (unsigned face = 0; face < FACES; face++) {
        int behind = mesh->behind[face * mesh->cells + i];
        float normal[3];
        for (unsigned axis = 0; axis < 3; axis++)
            normal[axis] = mesh->normal[(3 * face + axis) * mesh->cells + i];
        if (behind == WALL) {
            for (unsigned axis = 0; axis < 3; axis++)
                flux[MOMENTUM + axis] += normal[axis] * own[PRESSURE];
            continue;
        }
        const float *other = behind == FAR ? far_away : &described[(unsigned)behind * KEPT];
        float width = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        for (unsigned k = 0; k < QUANTITIES && behind != FAR; k++)
            flux[k] -= DAMPING * width * (own[SPEED] + other[SPEED]) / 2 * (own[k] - other[k]);
        flow_through(own, 1, normal[0], normal[1], normal[2], flux);
        flow_through(other, 1, normal[0], normal[1], normal[2], flux);
    }
}

static void flow_on_host(const struct mesh *mesh, const float *far_away, float *quantities)
{
    unsigned cells = mesh->cells;
    float *described = (float *)workload_allocate(KEPT * cells * sizeof(float));
    float *old = (float *)workload_allocate(QUANTITIES * cells * sizeof(float));
    float *factor = (float *)workload_allocate(cells * sizeof(float)), flux[QUANTITIES];
    for (long step = 0; step < options[STEPS].value; step++) {
        memcpy(old, quantities, QUANTITIES * cells * sizeof(float));
        for (int stage = 0; stage < STAGES; stage++) {
            for (unsigned i = 0; i < cells; i++) {
                for (unsigned k = 0; k < QUANTITIES; k++)
                    described[i * KEPT + k] = quantities[k * cells + i];
                describe(&described[i * KEPT], 1);
                if (stage == 0)
                    factor[i] = 0.5f / (sqrtf(mesh->volume[i]) * described[i * KEPT + SPEED]);
            }
            for (unsigned i = 0; i < cells; i++) {
                flux_on_host(mesh, described, far_away, i, flux);
                for (unsigned k = 0; k < QUANTITIES; k++)
                    quantities[k * cells + i] =
                        old[k * cells + i] + factor[i] / (float)(STAGES - stage) * flux[k];
            }
        }
    }
    free(described);
    free(old);
    free(factor);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "euler3d", "flow of a gas through a mesh without rows", options,
                   OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct mesh mesh = random_mesh(&random);
    float far_away[KEPT];
    size_t count = (size_t)QUANTITIES * mesh.cells;
    float *expected = random_quantities(mesh.cells, far_away, &random);
    float *found = (float *)workload_allocate(count * sizeof(float));
    flow_on_device(&mesh, far_away, expected, found);
    flow_on_host(&mesh, far_away, expected);

    // Quantities are of size 1, and a step moves them by a few hundredths.
    long wrong = workload_first_far(found, expected, count, 1e-4f);
    free(mesh.volume);
    free(mesh.normal);
    free(mesh.behind);
    free(expected);
    free(found);
    return workload_verdict("euler3d", wrong);
}
