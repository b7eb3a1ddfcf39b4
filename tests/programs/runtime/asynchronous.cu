// Asynchronous copies and barriers in shared memory, through <cuda/barrier> and <cuda/pipeline>:
// cp.async and mbarrier from sm_80 on. nvcc only.
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>

constexpr int BLOCK = 128, TILES = 8;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Sums of tiles that come through a pipeline of two stages.
__global__ void pipelined(const int *in, int *out)
{
    __shared__ alignas(16) int stages[2][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int *from = in + blockIdx.x * BLOCK * TILES;
    int sum = 0;
    for (int fetched = 0, tile = 0; tile < TILES; tile++) {
        for (; fetched < TILES && fetched < tile + 2; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stages[fetched % 2], from + fetched * BLOCK,
                               cuda::aligned_size_t<16>(sizeof(int) * BLOCK), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        block.sync();
        sum += stages[tile % 2][(threadIdx.x + tile * 32) % BLOCK] * (tile + 1);
        block.sync();
        pipeline.consumer_release();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// A thread's own pipeline, without shared state.
__global__ void own(const int4 *in, int4 *out)
{
    __shared__ int4 place[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(&place[threadIdx.x], in + i, cuda::aligned_size_t<16>(16), pipeline);
    pipeline.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipeline);
    out[i] = place[threadIdx.x];
}

// Two warps produce, two consume, through two barriers; then all meet with split arrival.
__global__ void handed_over(int *out)
{
    __shared__ int data[64];
    __shared__ barrier filled, emptied;
    if (threadIdx.x == 0) {
        init(&filled, BLOCK);
        init(&emptied, BLOCK);
    }
    __syncthreads();
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 10; round++) {
        if (t < 64) {
            data[t] = round * 64 + t;
            barrier::arrival_token token = filled.arrive();
            (void)token;
            emptied.arrive_and_wait();
        } else {
            filled.arrive_and_wait();
            sum += data[(t * 5) % 64];
            emptied.wait(emptied.arrive());
        }
    }
    out[blockIdx.x * BLOCK + t] = sum;
    if (t < 32)
        filled.arrive_and_drop();
    else
        filled.arrive_and_wait();
}

int main()
{
    const int blocks = 6, count = blocks * BLOCK * TILES;
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, count * sizeof(int));
    cudaMallocManaged(&out, count * sizeof(int));
    for (int i = 0; i < count; i++)
        in[i] = i * 2654435761u >> 20;
    pipelined<<<blocks, BLOCK>>>(in, out);
    cudaDeviceSynchronize();
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < BLOCK; t++) {
            int sum = 0;
            for (int tile = 0; tile < TILES; tile++)
                sum += in[(b * TILES + tile) * BLOCK + (t + tile * 32) % BLOCK] * (tile + 1);
            wrong += out[b * BLOCK + t] != sum;
        }
    own<<<blocks, BLOCK>>>((int4 *)in, (int4 *)out);
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * BLOCK * 4; i++)
        wrong += out[i] != in[i];
    handed_over<<<blocks, BLOCK>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * BLOCK; i++) {
        int t = i % BLOCK, sum = 0;
        for (int round = 0; t >= 64 && round < 10; round++)
            sum += round * 64 + t * 5 % 64;
        wrong += out[i] != sum;
    }
    cudaError_t error = cudaGetLastError();
    if (wrong || error != cudaSuccess)
        printf("FAIL: %d wrong (%s)\n", wrong, cudaGetErrorString(error));
    else
        printf("PASS\n");
    return wrong || error != cudaSuccess;
}
