// Scaled dot-product attention of one head (Vaswani and others, "Attention is all you need", NIPS
// 2017): a row of out for each query is the mean of the values, weighted by the softmax of the
// query's products with all keys. Every query meets every key and every value, so all blocks read
// the same two arrays from the beginning to the end; what differs is how often.
//
//   rows   a block takes four queries: each thread multiplies a key of its own, so that the lanes
//          of a warp read as many rows; the scores stay in shared memory, and each row adds up all
//          values. What the caches do not keep comes once more for every four queries
//   tiled  a block takes eight queries, and 32 keys and values at a time through shared memory,
//          each read along its row. The softmax is made as they come: what has been added up so
//          far shrinks when a larger score is found (Milakov and Gimelshein, "Online normalizer
//          calculation for softmax", 2018)
//
// Threads meet at barriers alone, so the lanes of a warp may be 32 or 64.
#include "workload.h"
#include <math.h>

#define HEAD 64               // numbers of a query, a key and a value
#define VECTORS (HEAD / 4)    // of them in vectors of four
#define SCALE 0.125f          // one over the root of HEAD
#define ROWS 4                // queries of a block of `rows`: HEAD threads each
#define TILE_ROWS 8           // queries of a block of `tiled`: TILE threads each
#define TILE 32               // keys in shared memory at a time
#define COLUMNS (HEAD / TILE) // of a row of out, a thread of `tiled`
#define THREADS 256
#define MOST_KEYS 1792 // of `rows`: a block then has 30 KiB of shared memory

static __device__ float product(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Of the numbers that a row's threads have, the largest or the sum, for each of them.
static __device__ float of_my_row(float mine, bool largest)
{
    __shared__ float number[ROWS][HEAD];
    unsigned row = threadIdx.x / HEAD, column = threadIdx.x % HEAD;
    number[row][column] = mine;
    __syncthreads();
    for (unsigned distance = HEAD / 2; distance > 0; distance /= 2) {
        if (column < distance) {
            float other = number[row][column + distance];
            mine = largest ? fmaxf(mine, other) : mine + other;
            number[row][column] = mine;
        }
        __syncthreads();
    }
    float result = number[row][0];
    __syncthreads(); // the room is used again
    return result;
}

// The scores of a block's queries: a thread has every THREADS-th key for all of them. Behind the
// last query the last one stands in.
static __device__ void score_keys(const float4 *query, const float4 *key, float *score,
                                  unsigned queries, unsigned keys)
{
    __shared__ float4 mine[ROWS][VECTORS];
    if (threadIdx.x < ROWS * VECTORS) {
        unsigned row = threadIdx.x / VECTORS, vector = threadIdx.x % VECTORS;
        unsigned i = min(blockIdx.x * ROWS + row, queries - 1);
        mine[row][vector] = query[i * VECTORS + vector];
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < keys; k += THREADS) {
        float sum[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (unsigned vector = 0; vector < VECTORS; vector++) {
            float4 part = key[k * VECTORS + vector];
            for (unsigned row = 0; row < ROWS; row++)
                sum[row] += product(mine[row][vector], part);
        }
        for (unsigned row = 0; row < ROWS; row++)
            score[row * keys + k] = SCALE * sum[row];
    }
    __syncthreads();
}

__global__ void attention_rows(const float4 *query, const float4 *key, const float *value,
                               float *out, unsigned queries, unsigned keys)
{
    extern __shared__ float score[]; // a row of `keys` for each query, and later the weights
    score_keys(query, key, score, queries, keys);
    unsigned row = threadIdx.x / HEAD, column = threadIdx.x % HEAD;
    unsigned i = blockIdx.x * ROWS + row;
    float *weight = score + row * keys, largest = -INFINITY, sum = 0.0f, mean = 0.0f;
    for (unsigned k = column; k < keys; k += HEAD)
        largest = fmaxf(largest, weight[k]);
    largest = of_my_row(largest, true);
    for (unsigned k = column; k < keys; k += HEAD)
        sum += weight[k] = expf(weight[k] - largest);
    sum = of_my_row(sum, false);
    for (unsigned k = 0; k < keys; k++)
        mean += weight[k] * value[k * HEAD + column];
    if (i < queries)
        out[i * HEAD + column] = mean / sum;
}

// Rows of keys and queries are one number longer, so that neither a column of keys lies in one bank
// nor two queries do.
struct tiles {
    float query[TILE_ROWS][HEAD + 1], key[TILE][HEAD + 1], value[TILE][HEAD];
    float weight[TILE_ROWS][TILE];
};

// The rows from `first` on; zero behind the last one.
static __device__ void load_tile(struct tiles *tiles, const float *key, const float *value,
                                 unsigned first, unsigned keys)
{
    for (unsigned i = threadIdx.x; i < TILE * HEAD; i += THREADS) {
        unsigned row = i / HEAD, column = i % HEAD;
        bool inside = first + row < keys;
        tiles->key[row][column] = inside ? key[first * HEAD + i] : 0.0f;
        tiles->value[row][column] = inside ? value[first * HEAD + i] : 0.0f;
    }
}

__global__ void attention_tiled(const float *query, const float *key, const float *value,
                                float *out, unsigned queries, unsigned keys)
{
    __shared__ struct tiles tiles;
    unsigned row = threadIdx.x / TILE, lane = threadIdx.x % TILE;
    unsigned i = blockIdx.x * TILE_ROWS + row;
    for (unsigned column = lane; column < HEAD; column += TILE)
        tiles.query[row][column] = query[min(i, queries - 1) * HEAD + column];
    float largest = -INFINITY, sum = 0.0f, mean[COLUMNS] = {0.0f, 0.0f};
    for (unsigned first = 0; first < keys; first += TILE) {
        load_tile(&tiles, key, value, first, keys);
        __syncthreads();
        float score = 0.0f;
        for (unsigned column = 0; column < HEAD; column++)
            score += tiles.query[row][column] * tiles.key[lane][column];
        score = first + lane < keys ? SCALE * score : -INFINITY;
        tiles.weight[row][lane] = score;
        __syncthreads();
        float before = largest;
        for (unsigned k = 0; k < TILE; k++)
            largest = fmaxf(largest, tiles.weight[row][k]);
        __syncthreads(); // all have seen the scores
        tiles.weight[row][lane] = expf(score - largest);
        float shrunk = expf(before - largest);
        __syncthreads();
        sum *= shrunk;
        for (unsigned c = 0; c < COLUMNS; c++)
            mean[c] *= shrunk;
        for (unsigned k = 0; k < TILE; k++) {
            float weight = tiles.weight[row][k];
            sum += weight;
            for (unsigned c = 0; c < COLUMNS; c++)
                mean[c] += weight * tiles.value[k][c * TILE + lane];
        }
        __syncthreads(); // the next tile takes its room
    }
    if (i < queries)
        for (unsigned c = 0; c < COLUMNS; c++)
            out[i * HEAD + c * TILE + lane] = mean[c] / sum;
}

enum { QUERIES, KEYS, SEED, VARIANT, OPTIONS };
enum { BY_ROWS, TILED };
static struct workload_option options[OPTIONS] = {
    {"queries", "rows of the result", 1024, 1, 1 << 20, NULL},
    {"keys", "keys, and values as many", 256, 1, 1 << 16, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "how often keys and values are read", 0, 0, 0, "rows tiled"},
};

// Quarters from -2 to 2. So products with keys are whole sixteenths up to 256, which are exact in
// any order, and neither scores nor the largest of them depend on it.
static float *random_rows(unsigned rows, struct workload_random *random)
{
    float *numbers = (float *)workload_allocate(rows * HEAD * sizeof(float));
    for (size_t i = 0; i < (size_t)rows * HEAD; i++)
        numbers[i] = ((float)workload_below(random, 17) - 8.0f) / 4.0f;
    return numbers;
}

// A row of the result, in double; `weight` has room for all keys.
static void attend_on_host(const float *query, const float *key, const float *value, float *out,
                           unsigned keys, double *weight)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < keys; k++) {
        weight[k] = 0.0;
        for (size_t column = 0; column < HEAD; column++)
            weight[k] += (double)query[column] * key[k * HEAD + column];
        weight[k] *= (double)SCALE;
        largest = fmax(largest, weight[k]);
    }
    for (size_t k = 0; k < keys; k++)
        sum += weight[k] = exp(weight[k] - largest);
    for (size_t column = 0; column < HEAD; column++) {
        double mean = 0.0;
        for (size_t k = 0; k < keys; k++)
            mean += weight[k] * value[k * HEAD + column];
        out[column] = (float)(mean / sum);
    }
}

static void attend_on_device(const float *query, const float *key, const float *value, float *out,
                             unsigned queries, unsigned keys)
{
    size_t row = HEAD * sizeof(float);
    float *device_query = (float *)workload_upload(query, queries * row), *device_out;
    float *device_key = (float *)workload_upload(key, keys * row);
    float *device_value = (float *)workload_upload(value, keys * row);
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, queries * row));
    if (options[VARIANT].value == BY_ROWS)
        attention_rows<<<(queries - 1) / ROWS + 1, THREADS, ROWS * keys * sizeof(float)>>>(
            (const float4 *)device_query, (const float4 *)device_key, device_value, device_out,
            queries, keys);
    else
        attention_tiled<<<(queries - 1) / TILE_ROWS + 1, THREADS>>>(
            device_query, device_key, device_value, device_out, queries, keys);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(out, device_out, queries * row, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_query));
    WORKLOAD_CHECK(cudaFree(device_key));
    WORKLOAD_CHECK(cudaFree(device_value));
    WORKLOAD_CHECK(cudaFree(device_out));
}

// With n keys and u = 2^-24, half of the last place of 1: expf is right to two last places, 4 u. A
// sum of n products has n + 1 roundings, and shrinks at most n / 32 + 1 times, each by an
// exponential and a rounding, 5 u. So the weighted sum of values up to 2 and the sum of the weights
// are each off by less than (n + 1) + 4 + 5 (n / 32 + 1) of u, relative to the sum of the weights,
// and their quotient, at most 2, by twice both and two roundings: (4.63 n + 44) u.
static float tolerance(unsigned keys)
{
    return 5.0f * ((float)keys + 9.0f) / (float)(1 << 24);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "attention", "attention of one head", options, OPTIONS);
    unsigned queries = (unsigned)options[QUERIES].value, keys = (unsigned)options[KEYS].value;
    if (options[VARIANT].value == BY_ROWS && keys > MOST_KEYS) {
        fprintf(stderr,
                "attention: the variant rows keeps all scores of a row in shared memory and takes "
                "up to %d keys, not '%u'; tiled takes more\n",
                MOST_KEYS, keys);
        return 2;
    }
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *query = random_rows(queries, &random), *key = random_rows(keys, &random);
    float *value = random_rows(keys, &random);
    float *out = (float *)workload_allocate((size_t)queries * HEAD * sizeof(float));
    attend_on_device(query, key, value, out, queries, keys);

    long wrong = -1;
    double *weight = (double *)workload_allocate(keys * sizeof(double));
    for (size_t i = 0; i < queries && wrong < 0; i++) {
        float row[HEAD];
        attend_on_host(query + i * HEAD, key, value, row, keys, weight);
        wrong = workload_first_far(out + i * HEAD, row, HEAD, tolerance(keys));
        if (wrong >= 0)
            wrong += (long)(i * HEAD);
    }
    free(query);
    free(key);
    free(value);
    free(out);
    free(weight);
    return workload_verdict("attention", wrong);
}
