// Tiles of several warps, by NVIDIA's header (nvcc) and by ours: the same program, the same answers.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace groups = cooperative_groups;

enum { THREADS = 1024, WORDS = 16 };

// NVIDIA's scans take operators that commute.
#ifdef __NVCC__
enum { PRODUCT = 12, ORDERED = 0 };
#else
enum { PRODUCT = 12, ORDERED = 1 };
#endif

// Not commutative: a 2x2 matrix of bytes, multiplied.
struct product {
    __host__ __device__ unsigned operator()(unsigned a, unsigned b) const
    {
        unsigned c = 0;
        for (int row = 0; row < 2; row++)
            for (int column = 0; column < 2; column++) {
                unsigned sum = 0;
                for (int k = 0; k < 2; k++)
                    sum += (a >> (16 * row + 8 * k) & 255) * (b >> (16 * k + 8 * column) & 255);
                c |= (sum & 255) << (16 * row + 8 * column);
            }
        return c;
    }
};

template <typename Tile> __device__ void describe(const Tile &tile, int value, int *to)
{
    int n = 0, rank = (int)tile.thread_rank(), last = (int)tile.size() - 1;
    to[n++] = rank;
    to[n++] = (int)tile.size() + (int)tile.num_threads();
    to[n++] = (int)tile.meta_group_rank();
    to[n++] = (int)tile.meta_group_size();
    to[n++] = tile.shfl(value, last);
    to[n++] = (int)tile.shfl((double)value * 0.5, 33);
    to[n++] = tile.any(value == 700) != 0;
    to[n++] = tile.all(value < 700) != 0;
    to[n++] = groups::reduce(tile, value, groups::plus<int>());
    to[n++] = groups::reduce(tile, value * 37 % 91, groups::greater<int>());
    to[n++] = groups::inclusive_scan(tile, value, groups::plus<int>());
    to[n++] = groups::exclusive_scan(tile, value);
    to[n++] = (int)groups::inclusive_scan(tile, (unsigned)value * 0x01020305u, product());
    auto warp = groups::tiled_partition<32>(tile);
    to[n++] = (int)(warp.meta_group_rank() * 100 + warp.meta_group_size());
    to[n++] = warp.shfl(value, 0);
}

template <int SIZE> __global__ void tiles(const int *values, int *to)
{
    __shared__ groups::block_tile_memory<THREADS> memory;
    groups::thread_block block = groups::this_thread_block(memory);
    auto tile = groups::tiled_partition<SIZE>(block);
    describe(tile, values[threadIdx.x], to + threadIdx.x * WORDS);
}

// Tiles go on without each other, however often they wait, and beside barriers of the block.
__global__ void alone(int *to)
{
    __shared__ groups::block_tile_memory<THREADS> memory;
    __shared__ int turns[THREADS];
    groups::thread_block block = groups::this_thread_block(memory);
    auto half = groups::tiled_partition<256>(block);
    auto tile = groups::tiled_partition<64>(half);
    int rank = (int)block.thread_rank(), next = rank / 64 * 64 + (rank + 1) % 64;
    turns[rank] = rank;
    for (int i = 0; i < 4 + 3 * (rank / 64); i++) {
        tile.sync();
        int taken = turns[next];
        tile.sync();
        turns[rank] = taken;
    }
    block.sync();
    groups::sync(half);
    to[rank] = turns[rank] + 1000 * (int)(tile.meta_group_rank() + 10 * tile.meta_group_size());
}

template <int SIZE> static void check_tiles(const int *values, int threads)
{
    static int got[THREADS][WORDS];
    int *device, *to;
    GOOD(cudaMalloc(&device, THREADS * sizeof(int)));
    GOOD(cudaMalloc(&to, sizeof got));
    GOOD(cudaMemcpy(device, values, THREADS * sizeof(int), cudaMemcpyHostToDevice));
    tiles<SIZE><<<1, threads>>>(device, to);
    GOOD(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    GOOD(cudaFree(device));
    GOOD(cudaFree(to));
    for (int thread = 0; thread < threads; thread++) {
        int rank = thread % SIZE, begin = thread - rank, sum = 0, before = 0, most = 0;
        bool any = false, all = true;
        unsigned multiplied = 0;
        for (int i = 0; i < SIZE; i++) {
            int value = values[begin + i], scaled = value * 37 % 91;
            any |= value == 700;
            all &= value < 700;
            before += i < rank ? value : 0;
            sum += value;
            most = scaled > most ? scaled : most;
            if (i <= rank)
                multiplied = i == 0 ? (unsigned)value * 0x01020305u
                                    : product()(multiplied, (unsigned)value * 0x01020305u);
        }
        const int wanted[] = {rank,
                              2 * SIZE,
                              thread / SIZE,
                              threads / SIZE,
                              values[begin + SIZE - 1],
                              (int)(values[begin + 33] * 0.5),
                              any,
                              all,
                              sum,
                              most,
                              before + values[thread],
                              before,
                              (int)multiplied,
                              rank / 32 * 100 + SIZE / 32,
                              values[thread / 32 * 32]};
        for (int n = 0; n < (int)(sizeof wanted / sizeof wanted[0]); n++)
            if (got[thread][n] != wanted[n] && (n != PRODUCT || ORDERED)) {
                std::printf("tile of %d, thread %d, word %d: %d, not %d\n", SIZE, thread, n,
                            got[thread][n], wanted[n]);
                failures++;
                return;
            }
    }
}

int main(void)
{
    static int values[THREADS], got[THREADS];
    for (int i = 0; i < THREADS; i++)
        values[i] = 1 + i * 31 % 697;
    values[300] = 700;
    for (int threads = 512; threads <= THREADS; threads += 512) {
        check_tiles<64>(values, threads);
        check_tiles<128>(values, threads);
        check_tiles<256>(values, threads);
    }
    check_tiles<512>(values, THREADS);
    int *to;
    GOOD(cudaMalloc(&to, sizeof got));
    for (int threads = 512; threads <= THREADS; threads += 512) {
        alone<<<1, threads>>>(to);
        GOOD(cudaMemcpy(got, to, threads * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < threads; i++) {
            int tile = i / 64, turned = tile * 64 + (i + 4 + 3 * tile) % 64;
            CHECK(got[i] == turned + 1000 * (tile % 4 + 10 * 4));
        }
    }
    return verdict();
}
