// Forces between particles that lie near each other: space is divided into boxes of a hundred
// particles, and each feels those of its own box and of the 26 around it. A block has a box: it
// keeps its particles in shared memory, and loads those of one neighbouring box after the other.
//
// The kernel of Rodinia's benchmark lavaMD, in single precision.
#include "../managed_memory.h"
#include <math.h>

#define PARTICLES 100 // of a box
#define BLOCK 128
#define NARROW 0.5f // how fast forces fall off

// A particle: where it is, and its charge. A force: its potential first.
struct boxes {
    const float4 *place; // PARTICLES of each box, in units of a box's side; w: the charge
    float4 *force;       // x, y, z; w: the potential
    unsigned side;       // boxes along each of the three axes
};

static __host__ __device__ void add_force(float4 here, float4 there, float4 *force)
{
    float x = here.x - there.x, y = here.y - there.y, z = here.z - there.z;
    float potential = there.w * expf(-NARROW * (x * x + y * y + z * z));
    force->w += potential;
    force->x += 2.0f * potential * x;
    force->y += 2.0f * potential * y;
    force->z += 2.0f * potential * z;
}

// The number of the box next to `box`, or -1 beyond the rim. `next`: 0 to 26.
static __host__ __device__ int neighbour_of(unsigned box, unsigned next, unsigned side)
{
    int x = (int)(box % side) + (int)(next % 3) - 1;
    int y = (int)(box / side % side) + (int)(next / 3 % 3) - 1;
    int z = (int)(box / side / side) + (int)(next / 9) - 1;
    int end = (int)side;
    bool inside = x >= 0 && x < end && y >= 0 && y < end && z >= 0 && z < end;
    return inside ? (z * end + y) * end + x : -1;
}

__global__ void boxes_forces(struct boxes boxes)
{
    __shared__ float4 mine[PARTICLES], theirs[PARTICLES];
    unsigned i = threadIdx.x;
    float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < PARTICLES)
        mine[i] = boxes.place[blockIdx.x * PARTICLES + i];
    for (unsigned next = 0; next < 27; next++) {
        int box = neighbour_of(blockIdx.x, next, boxes.side);
        if (box < 0) // the same for all of the block
            continue;
        __syncthreads();
        if (i < PARTICLES)
            theirs[i] = boxes.place[(unsigned)box * PARTICLES + i];
        __syncthreads();
        for (unsigned k = 0; i < PARTICLES && k < PARTICLES; k++)
            add_force(mine[i], theirs[k], &force);
    }
    if (i < PARTICLES)
        boxes.force[blockIdx.x * PARTICLES + i] = force;
}

enum { SIDE, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"side", "boxes along each axis", 2, 1, 64, NULL},
    {"seed", "of the particles", 1, 0, 1000000000, NULL},
};

static void fill_boxes(float4 *place, unsigned side)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned box = 0; box < side * side * side; box++)
        for (unsigned i = 0; i < PARTICLES; i++) {
            float4 *particle = &place[box * PARTICLES + i];
            particle->x = (float)(box % side) + (float)workload_below(&random, 1024) / 1024.0f;
            particle->y =
                (float)(box / side % side) + (float)workload_below(&random, 1024) / 1024.0f;
            particle->z =
                (float)(box / side / side) + (float)workload_below(&random, 1024) / 1024.0f;
            particle->w = (float)(1 + workload_below(&random, 16)) / 16.0f;
        }
}

static float4 force_at(const struct boxes *boxes, unsigned box, unsigned i)
{
    float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned next = 0; next < 27; next++) {
        int other = neighbour_of(box, next, boxes->side);
        for (unsigned k = 0; other >= 0 && k < PARTICLES; k++)
            add_force(boxes->place[box * PARTICLES + i],
                      boxes->place[(unsigned)other * PARTICLES + k], &force);
    }
    return force;
}

// Sums of up to 2700 numbers, and exponentials that differ in their last places: no further apart
// than a ten thousandth of the potential, to which all numbers were added.
static long first_wrong(const struct boxes *boxes)
{
    for (unsigned box = 0; box < boxes->side * boxes->side * boxes->side; box++)
        for (unsigned i = 0; i < PARTICLES; i++) {
            float4 expected = force_at(boxes, box, i), found = boxes->force[box * PARTICLES + i];
            float wanted[] = {expected.x, expected.y, expected.z, expected.w};
            float numbers[] = {found.x, found.y, found.z, found.w};
            if (workload_first_far(numbers, wanted, 4, 2e-4f * (1.0f + expected.w)) >= 0)
                return (long)(box * PARTICLES + i);
        }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "particle_boxes", "forces of particles near each other", options,
                   OPTIONS);
    unsigned side = (unsigned)options[SIDE].value, count = side * side * side * PARTICLES;
    float4 *place = managed_array<float4>(count);
    struct boxes boxes = {place, managed_array<float4>(count), side};

    workload_trace_begin();
    fill_boxes(place, side);
    memset(boxes.force, 0, count * sizeof(float4));
    managed_work_begin();
    boxes_forces<<<side * side * side, BLOCK>>>(boxes);
    managed_work_end();

    long wrong = first_wrong(&boxes);
    managed_release(place);
    managed_release(boxes.force);
    return workload_verdict("particle_boxes", wrong);
}
