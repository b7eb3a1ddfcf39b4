// One layer of a net forth and back, whose block takes 16 inputs for 16 units:
//
//   forward  weights times inputs into shared memory and back over the weights, then sums of each unit's 16
//            products, step by step in memory, one number a block and unit
//   adjust   each weight by its unit's error, its input and how it changed before; what is added is
//            computed once for the weight and once more for what is kept of it
//
// As in Rodinia's backprop; rows of weights have 17 numbers, of which the first is the bias's.
#include "../../../../workloads/workload.h"

#define SIDE 16
#define PITCH (SIDE + 1)
#define RATE 0.5f
#define MOMENTUM 0.25f

__global__ void layer_forward(const float *input, float *weights, float *partial)
{
    __shared__ float numbers[SIDE], products[SIDE][SIDE];
    unsigned by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    unsigned from = SIDE * by + ty + 1, place = PITCH * from + tx + 1;
    if (tx == 0)
        numbers[ty] = input[from];
    __syncthreads();
    products[ty][tx] = weights[place];
    __syncthreads();
    products[ty][tx] = products[ty][tx] * numbers[ty];
    __syncthreads();
#pragma unroll 1
    for (unsigned group = 2; group <= SIDE; group *= 2) {
        if (ty % group == 0)
            products[ty][tx] = products[ty][tx] + products[ty + group / 2][tx];
        __syncthreads();
    }
    weights[place] = products[ty][tx];
    __syncthreads();
    if (tx == 0)
        partial[by * SIDE + ty] = products[tx][ty];
}

// `delta` and `input` may lie where `weights` or `change` do, for all that the compiler knows: they are read again.
__global__ void layer_adjust(float *delta, float *input, float *weights, float *change)
{
    unsigned by = blockIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y;
    unsigned from = SIDE * by + ty + 1, place = PITCH * from + tx;
    weights[place] += RATE * delta[tx] * input[from] + MOMENTUM * change[place];
    change[place] = RATE * delta[tx] * input[from] + MOMENTUM * change[place];
    __syncthreads();
    if (ty == 0 && by == 0) {
        weights[tx] += RATE * delta[tx] + MOMENTUM * change[tx];
        change[tx] = RATE * delta[tx] + MOMENTUM * change[tx];
    }
}

enum { FORWARD, ADJUST, BOTH };
enum { N, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "inputs of the layer, a multiple of 16", 65536, 16, 1 << 19, NULL},
    {"seed", "of the random numbers", 1, 0, 1000000000, NULL},
    {"variant", "kernels that are launched", 2, 0, 0, "forward adjust both"},
};

struct layer {
    unsigned count;
    float *input, *weights, *change, *delta, *partial;
};

// Multiples of 1 / parts, from -1 to 1.
static float *random_numbers(struct workload_random *random, size_t count, unsigned parts)
{
    float *numbers = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        numbers[i] = ((float)workload_below(random, 2 * parts + 1) - (float)parts) / (float)parts;
    return numbers;
}

static void forward_on_host(struct layer *layer)
{
    memset(layer->partial, 0, layer->count * sizeof(float));
    for (unsigned i = 1; i <= layer->count; i++)
        for (unsigned j = 0; j < SIDE; j++)
            layer->partial[(i - 1) / SIDE * SIDE + j] += layer->weights[i * PITCH + j + 1] * layer->input[i];
}

static void adjust_on_host(struct layer *layer)
{
    for (unsigned i = 0; i <= layer->count; i++)
        for (unsigned j = 1; j < PITCH; j++) {
            unsigned place = i * PITCH + j;
            float next = RATE * layer->delta[j] * (i ? layer->input[i] : 1) + MOMENTUM * layer->change[place];
            layer->weights[place] += next;
            layer->change[place] = next;
        }
}

static long compare(const float *device, const float *expected, size_t count)
{
    float *found = (float *)workload_allocate(count * sizeof(float));
    WORKLOAD_CHECK(cudaMemcpy(found, device, count * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = workload_first_far(found, expected, count, 0.0f);
    free(found);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "backprop_layer", "a layer of a net, forth and back", options, OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct layer layer = {(unsigned)options[N].value / SIDE * SIDE, NULL, NULL, NULL, NULL, NULL};
    size_t weights = (size_t)(layer.count + 1) * PITCH;
    // All are multiples of 2^-4 and products of 2^-9: exact in any order.
    layer.input = random_numbers(&random, layer.count + 1, 16);
    layer.weights = random_numbers(&random, weights, 16);
    layer.change = random_numbers(&random, weights, 16);
    layer.delta = random_numbers(&random, PITCH, 16);
    layer.partial = (float *)workload_allocate(layer.count * sizeof(float));
    struct layer device = layer;
    device.input = (float *)workload_upload(layer.input, (layer.count + 1) * sizeof(float));
    device.weights = (float *)workload_upload(layer.weights, weights * sizeof(float));
    device.change = (float *)workload_upload(layer.change, weights * sizeof(float));
    device.delta = (float *)workload_upload(layer.delta, PITCH * sizeof(float));
    WORKLOAD_CHECK(cudaMalloc((void **)&device.partial, layer.count * sizeof(float)));

    dim3 block(SIDE, SIDE), grid(1, layer.count / SIDE);
    long variant = options[VARIANT].value, wrong = -1;
    if (variant != ADJUST) {
        layer_forward<<<grid, block>>>(device.input, device.weights, device.partial);
        WORKLOAD_CHECK_LAUNCH();
        forward_on_host(&layer);
        wrong = compare(device.partial, layer.partial, layer.count);
        // The products lie where the weights did: the host has those yet.
        WORKLOAD_CHECK(cudaMemcpy(device.weights, layer.weights, weights * sizeof(float), cudaMemcpyHostToDevice));
    }
    if (variant != FORWARD && wrong < 0) {
        layer_adjust<<<grid, block>>>(device.delta, device.input, device.weights, device.change);
        WORKLOAD_CHECK_LAUNCH();
        adjust_on_host(&layer);
        wrong = compare(device.weights, layer.weights, weights);
        wrong = wrong < 0 ? compare(device.change, layer.change, weights) : wrong;
    }
    float *host[] = {layer.input, layer.weights, layer.change, layer.delta, layer.partial};
    float *there[] = {device.input, device.weights, device.change, device.delta, device.partial};
    for (size_t i = 0; i < sizeof(host) / sizeof(*host); i++) {
        free(host[i]);
        WORKLOAD_CHECK(cudaFree(there[i]));
    }
    return workload_verdict("backprop_layer", wrong);
}
