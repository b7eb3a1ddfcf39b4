// One step of learning in a net of one hidden layer, CPU and GPU in turn: the CPU writes inputs and
// weights, the kernel multiplies them and adds up sixteen inputs a block, the CPU adds the blocks'
// sums up and finds how wrong each hidden unit is, and the kernel corrects the weights.
//
//   layer_forward  blocks of 16 by 16: an input a row, a unit a column; a sum of each column
//   layer_adjust   each weight moves by its share of the error and by a part of its last move
//
// The phases of Rodinia's benchmark backprop, with a target for each unit in place of an output
// layer. All numbers are multiples of 2^-12 and less than 2^8: exact in any order.
#include "../managed_memory.h"
#include <math.h>

#define SIDE 16 // inputs of a block; hidden units
#define RATE 0.25f
#define MOMENTUM 0.5f

struct layer {
    float *input, *weight, *change; // a row of SIDE weights an input, and how they moved last
    float *partial;                 // SIDE sums a block
    float *target, *delta;          // of each unit
    unsigned count, blocks;
};

__global__ void layer_forward(struct layer layer)
{
    __shared__ float product[SIDE][SIDE];
    unsigned i = blockIdx.x * SIDE + threadIdx.y;
    product[threadIdx.y][threadIdx.x] =
        i < layer.count ? layer.input[i] * layer.weight[i * SIDE + threadIdx.x] : 0.0f;
    __syncthreads();
    for (unsigned half = SIDE / 2; half > 0; half /= 2) {
        if (threadIdx.y < half)
            product[threadIdx.y][threadIdx.x] += product[threadIdx.y + half][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0)
        layer.partial[blockIdx.x * SIDE + threadIdx.x] = product[0][threadIdx.x];
}

__global__ void layer_adjust(struct layer layer)
{
    unsigned i = blockIdx.x * SIDE + threadIdx.y, place = i * SIDE + threadIdx.x;
    if (i >= layer.count)
        return;
    float move =
        RATE * layer.delta[threadIdx.x] * layer.input[i] + MOMENTUM * layer.change[place];
    layer.weight[place] += move;
    layer.change[place] = move;
}

// How wrong a unit is whose weighted inputs have this sum, in 64ths.
static float delta_of(const struct layer *layer, unsigned unit, double sum)
{
    double output = 1.0 / (1.0 + exp(-sum / sqrt((double)layer->count)));
    return (float)(rint((layer->target[unit] - output) * 64.0) / 64.0);
}

static void find_deltas(struct layer *layer)
{
    for (unsigned unit = 0; unit < SIDE; unit++) {
        double sum = 0.0;
        for (unsigned block = 0; block < layer->blocks; block++)
            sum += layer->partial[block * SIDE + unit];
        layer->delta[unit] = delta_of(layer, unit, sum);
    }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "inputs", 8192, 1, 1 << 24, NULL},
    {"seed", "of the random numbers", 1, 0, 1000000000, NULL},
};

// Multiples of 1 / parts, from -reach / parts to reach / parts.
static float random_part(struct workload_random *random, unsigned reach, unsigned parts)
{
    return ((float)workload_below(random, 2 * reach + 1) - (float)reach) / (float)parts;
}

static void fill_layer(struct layer *layer)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned unit = 0; unit < SIDE; unit++)
        layer->target[unit] = (float)workload_below(&random, 2);
    for (unsigned i = 0; i < layer->count; i++) {
        layer->input[i] = random_part(&random, 15, 16);
        for (unsigned unit = 0; unit < SIDE; unit++) {
            layer->weight[i * SIDE + unit] = random_part(&random, 32, 64);
            layer->change[i * SIDE + unit] = random_part(&random, 512, 2048);
        }
    }
}

static void allocate_layer(struct layer *layer, void *(*allocate)(size_t))
{
    size_t weights = (size_t)layer->count * SIDE;
    layer->input = (float *)allocate(layer->count * sizeof(float));
    layer->weight = (float *)allocate(weights * sizeof(float));
    layer->change = (float *)allocate(weights * sizeof(float));
    layer->partial = (float *)allocate((size_t)layer->blocks * SIDE * sizeof(float));
    layer->target = (float *)allocate(SIDE * sizeof(float));
    layer->delta = (float *)allocate(SIDE * sizeof(float));
}

static void release_layer(const struct layer *layer, void (*release)(void *))
{
    float *all[] = {layer->input,   layer->weight, layer->change,
                    layer->partial, layer->target, layer->delta};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        release(all[i]);
}

// The same step in one loop over weights after another.
static long first_wrong(const struct layer *found)
{
    struct layer layer = *found;
    allocate_layer(&layer, workload_allocate);
    fill_layer(&layer);
    size_t weights = (size_t)layer.count * SIDE;
    for (unsigned unit = 0; unit < SIDE; unit++) {
        double sum = 0.0;
        for (unsigned i = 0; i < layer.count; i++)
            sum += layer.input[i] * layer.weight[i * SIDE + unit];
        layer.delta[unit] = delta_of(&layer, unit, sum);
    }
    for (size_t place = 0; place < weights; place++) {
        float move = RATE * layer.delta[place % SIDE] * layer.input[place / SIDE] +
                     MOMENTUM * layer.change[place];
        layer.weight[place] += move;
        layer.change[place] = move;
    }
    long wrong = first_difference(found->weight, layer.weight, weights);
    if (wrong < 0)
        wrong = first_difference(found->change, layer.change, weights);
    release_layer(&layer, free);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "layer_training", "one step of learning, CPU and GPU in turn",
                   options, OPTIONS);
    struct layer layer;
    layer.count = (unsigned)options[N].value;
    layer.blocks = (layer.count + SIDE - 1) / SIDE;
    allocate_layer(&layer, managed_bytes);

    workload_trace_begin();
    fill_layer(&layer);
    managed_work_begin();
    layer_forward<<<layer.blocks, dim3(SIDE, SIDE)>>>(layer);
    WORKLOAD_CHECK_LAUNCH();
    find_deltas(&layer);
    layer_adjust<<<layer.blocks, dim3(SIDE, SIDE)>>>(layer);
    managed_work_end();

    long wrong = first_wrong(&layer);
    release_layer(&layer, managed_release);
    return workload_verdict("layer_training", wrong);
}
