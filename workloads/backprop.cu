// A step of learning in a net: forward through one layer of 16 units, and back from what they
// should have said to its weights. A row of weights belongs to an input, and each row is 17 numbers
// long, the first a bias: no row of 16 begins at a line, and a warp's two rows lie in two lines or
// three. Kernels, in blocks of 16 by 16 threads that take 256 rows:
//
//   forward  products of inputs and weights, summed up by columns through shared memory
//   adjust   each weight moves by its share of the error and by half of what it moved before; how
//            far a column moved is summed up like the products
//
// The layer of Rodinia's benchmark backprop, in which every unit has a target of its own instead of
// a share in an output's error. A block's tile is 16 rows there and 256 here: 16 KiB.
#include "workload.h"
#include <math.h>

#define SIDE 16          // threads along both sides of a block; units of the layer
#define ROWS 256         // inputs of a block
#define PITCH (SIDE + 1) // numbers of a row of weights
#define RATE 0.25f
#define MOMENTUM 0.5f

// Leaves the sums of the columns in the first row.
static __device__ void sum_columns(float (*tile)[SIDE])
{
    __syncthreads();
    for (unsigned half = ROWS / 2; half > 0; half /= 2) {
        for (unsigned row = threadIdx.y; row < half; row += SIDE)
            tile[row][threadIdx.x] += tile[row + half][threadIdx.x];
        __syncthreads();
    }
}

// Input 0 and row 0 of the weights are the bias, which the host adds.
__global__ void backprop_forward(const float *input, const float *weight, float *partial,
                                 unsigned count)
{
    __shared__ float product[ROWS][SIDE];
    unsigned first = blockIdx.x * ROWS + 1;
#pragma unroll 1
    for (unsigned row = threadIdx.y; row < ROWS; row += SIDE) {
        unsigned from = first + row;
        product[row][threadIdx.x] =
            from <= count ? input[from] * weight[from * PITCH + threadIdx.x + 1] : 0.0f;
    }
    sum_columns(product);
    if (threadIdx.y == 0)
        partial[blockIdx.x * SIDE + threadIdx.x] = product[0][threadIdx.x];
}

// `delta` is the error of each unit, and in front of them, unused, that of the bias.
__global__ void backprop_adjust(const float *delta, const float *input, float *weight,
                                float *change, float *moved, unsigned count)
{
    __shared__ float distance[ROWS][SIDE];
    unsigned first = blockIdx.x * ROWS + 1, column = threadIdx.x + 1;
#pragma unroll 1
    for (unsigned row = threadIdx.y; row < ROWS; row += SIDE) {
        unsigned to = first + row, place = to * PITCH + column;
        distance[row][threadIdx.x] = 0.0f;
        if (to > count)
            continue;
        float next = RATE * delta[column] * input[to] + MOMENTUM * change[place];
        weight[place] += next;
        change[place] = next;
        distance[row][threadIdx.x] = fabsf(next);
    }
    sum_columns(distance);
    if (threadIdx.y == 0)
        moved[blockIdx.x * SIDE + threadIdx.x] = distance[0][threadIdx.x];
    if (threadIdx.y == 0 && blockIdx.x == 0) { // the bias, whose input is one
        float next = RATE * delta[column] + MOMENTUM * change[column];
        weight[column] += next;
        change[column] = next;
    }
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "inputs of the layer", 8192, 1, 1 << 20, NULL},
    {"seed", "of the random numbers", 1, 0, 1000000000, NULL},
};

struct layer {
    unsigned count, blocks;
    float *input, *weight, *change, *target;
};

struct results {
    float *partial, *moved, *weight, *change;
};

// Multiples of 1 / parts, from -reach / parts to reach / parts.
static float *random_numbers(struct workload_random *random, size_t count, unsigned reach,
                             unsigned parts)
{
    float *numbers = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        numbers[i] = ((float)workload_below(random, 2 * reach + 1) - (float)reach) / (float)parts;
    return numbers;
}

// Errors of the units from the sums of the blocks, in 64ths.
static void find_deltas(const struct layer *layer, const float *partial, float *delta)
{
    delta[0] = 0.0f;
    for (unsigned j = 0; j < SIDE; j++) {
        double sum = layer->weight[j + 1];
        for (unsigned block = 0; block < layer->blocks; block++)
            sum += partial[block * SIDE + j];
        double said = 1.0 / (1.0 + exp(-sum / sqrt(layer->count)));
        delta[j + 1] = (float)(rint((layer->target[j] - said) * 64.0) / 64.0);
    }
}

static void learn_on_device(const struct layer *layer, struct results *results)
{
    size_t weights = (layer->count + 1) * PITCH * sizeof(float);
    size_t sums = layer->blocks * SIDE * sizeof(float);
    float *input = (float *)workload_upload(layer->input, (layer->count + 1) * sizeof(float));
    float *weight = (float *)workload_upload(layer->weight, weights);
    float *change = (float *)workload_upload(layer->change, weights), *partial, *moved;
    WORKLOAD_CHECK(cudaMalloc((void **)&partial, sums));
    WORKLOAD_CHECK(cudaMalloc((void **)&moved, sums));
    dim3 block(SIDE, SIDE);
    backprop_forward<<<layer->blocks, block>>>(input, weight, partial, layer->count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(results->partial, partial, sums, cudaMemcpyDeviceToHost));
    float delta[PITCH];
    find_deltas(layer, results->partial, delta);
    float *device_delta = (float *)workload_upload(delta, sizeof(delta));
    backprop_adjust<<<layer->blocks, block>>>(device_delta, input, weight, change, moved,
                                              layer->count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(results->moved, moved, sums, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(results->weight, weight, weights, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(results->change, change, weights, cudaMemcpyDeviceToHost));
    float *all[] = {input, weight, change, partial, moved, device_delta};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
}

static void learn_on_host(const struct layer *layer, struct results *results)
{
    memset(results->partial, 0, layer->blocks * SIDE * sizeof(float));
    memset(results->moved, 0, layer->blocks * SIDE * sizeof(float));
    for (unsigned i = 1; i <= layer->count; i++)
        for (unsigned j = 0; j < SIDE; j++)
            results->partial[(i - 1) / ROWS * SIDE + j] +=
                layer->input[i] * layer->weight[i * PITCH + j + 1];
    float delta[PITCH];
    find_deltas(layer, results->partial, delta);
    for (unsigned i = 0; i <= layer->count; i++)
        for (unsigned j = 0; j < PITCH; j++) {
            unsigned place = i * PITCH + j;
            results->weight[place] = layer->weight[place];
            results->change[place] = layer->change[place];
            if (j == 0)
                continue;
            float next =
                RATE * delta[j] * (i == 0 ? 1 : layer->input[i]) + MOMENTUM * layer->change[place];
            results->weight[place] += next;
            results->change[place] = next;
            if (i > 0)
                results->moved[(i - 1) / ROWS * SIDE + j - 1] += fabsf(next);
        }
}

static struct results allocate_results(const struct layer *layer)
{
    size_t weights = (layer->count + 1) * PITCH * sizeof(float);
    size_t sums = layer->blocks * SIDE * sizeof(float);
    struct results results = {(float *)workload_allocate(sums), (float *)workload_allocate(sums),
                              (float *)workload_allocate(weights),
                              (float *)workload_allocate(weights)};
    return results;
}

static void free_results(struct results results)
{
    free(results.partial);
    free(results.moved);
    free(results.weight);
    free(results.change);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "backprop", "one step of learning in one layer of a net", options,
                   OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct layer layer;
    layer.count = (unsigned)options[N].value;
    layer.blocks = (layer.count + ROWS - 1) / ROWS;
    // All numbers are multiples of 2^-12 and sums of a block below 2^8: exact in any order.
    layer.input = random_numbers(&random, layer.count + 1, 15, 16);
    layer.weight = random_numbers(&random, (layer.count + 1) * PITCH, 32, 64);
    layer.change = random_numbers(&random, (layer.count + 1) * PITCH, 512, 2048);
    layer.target = random_numbers(&random, SIDE, 1, 1);
    struct results found = allocate_results(&layer), expected = allocate_results(&layer);

    learn_on_device(&layer, &found);
    learn_on_host(&layer, &expected);

    size_t sums = layer.blocks * SIDE, weights = (layer.count + 1) * PITCH;
    long wrong = workload_first_far(found.partial, expected.partial, sums, 0.0f);
    if (wrong < 0)
        wrong = workload_first_far(found.weight, expected.weight, weights, 0.0f);
    if (wrong < 0)
        wrong = workload_first_far(found.change, expected.change, weights, 0.0f);
    if (wrong < 0)
        wrong = workload_first_far(found.moved, expected.moved, sums, 0.0f);
    free_results(found);
    free_results(expected);
    free(layer.input);
    free(layer.weight);
    free(layer.change);
    free(layer.target);
    return workload_verdict("backprop", wrong);
}
