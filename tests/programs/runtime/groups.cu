// Cooperative groups, by NVIDIA's header (nvcc) and by ours: the same program, the same answers.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace groups = cooperative_groups;

enum { THREADS = 96, WORDS = 64 };

struct wide {
    double a;
    int b;
    short c;
};

__device__ int sum_over(groups::thread_group group, int *scratch, int value)
{
    int rank = (int)group.thread_rank();
    for (int i = (int)group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i)
            value += scratch[rank + i];
        group.sync();
    }
    return value;
}

template <typename Tile> __device__ int describe_tile(const Tile &tile, int value, int *to)
{
    int n = 0, same;
    to[n++] = (int)tile.thread_rank();
    to[n++] = (int)tile.size();
    to[n++] = (int)tile.meta_group_rank();
    to[n++] = (int)tile.meta_group_size();
    to[n++] = tile.shfl(value, 1);
    to[n++] = tile.shfl_up(value, 2);
    to[n++] = tile.shfl_down(value, 1);
    to[n++] = tile.shfl_xor(value, 3);
    to[n++] = tile.any(value % 7 == 0);
    to[n++] = tile.all(value > 0);
    to[n++] = (int)tile.ballot(value % 2);
    to[n++] = (int)tile.match_any(value / 3);
    to[n++] = (int)tile.match_all(value / 1000, same);
    to[n++] = same;
    to[n++] = groups::reduce(tile, value, groups::plus<int>());
    to[n++] = groups::reduce(tile, value, groups::less<int>());
    to[n++] = groups::reduce(tile, value * 37 % 91, groups::greater<int>());
    to[n++] = groups::inclusive_scan(tile, value, groups::plus<int>());
    to[n++] = groups::exclusive_scan(tile, value);
    wide mine = {value * 0.5, value, (short)-value}, next = tile.shfl(mine, 2);
    to[n++] = (int)(next.a * 2) + next.b + next.c;
    return n;
}

template <int SIZE> static void expect_tile(const int *got, int thread, const int *values)
{
    const int *in = values + thread / SIZE * SIZE;
    int rank = thread % SIZE, any = 0, all = 1, ballot = 0, match = 0, sum = 0, least = in[0];
    int most = 0, before = 0, same = 1, n = 0;
    for (int i = 0; i < SIZE; i++) {
        any |= in[i] % 7 == 0;
        all &= in[i] > 0;
        ballot |= in[i] % 2 << i;
        match |= (in[i] / 3 == in[rank] / 3) << i;
        same &= in[i] / 1000 == in[0] / 1000;
        sum += in[i];
        least = in[i] < least ? in[i] : least;
        most = in[i] * 37 % 91 > most ? in[i] * 37 % 91 : most;
        before += i < rank ? in[i] : 0;
    }
    unsigned everyone = SIZE == 32 ? 0xffffffffu : (1u << SIZE) - 1;
    int wanted[] = {rank, SIZE, thread / SIZE, (THREADS + SIZE - 1) / SIZE, in[1],
                    in[rank < 2 ? rank : rank - 2], in[rank + 1 < SIZE ? rank + 1 : rank], in[rank ^ 3],
                    any, all, ballot, match, same ? (int)everyone : 0, same, sum, least, most,
                    before + in[rank], before, in[2] + in[2] - in[2]};
    for (; n < (int)(sizeof wanted / sizeof wanted[0]); n++)
        if (got[n] != wanted[n]) {
            std::printf("tile of %d, thread %d, %d: %d, wanted %d\n", SIZE, thread, n, got[n], wanted[n]);
            failures++;
        }
}

__global__ void tiles(const int *values, int *to)
{
    groups::thread_block block = groups::this_thread_block();
    int value = values[block.thread_rank()];
    int *mine = to + block.thread_rank() * WORDS * 2;
    describe_tile(groups::tiled_partition<32>(block), value, mine);
    describe_tile(groups::tiled_partition<4>(block), value, mine + WORDS);
}

// What coalesced lanes, parts of them and of blocks say.
__global__ void parts(int *to)
{
    __shared__ int scratch[THREADS];
    groups::thread_block block = groups::this_thread_block();
    int thread = (int)block.thread_rank(), lane = thread % 32, *mine = to + thread * WORDS, n = 0;
    mine[n++] = sum_over(block, scratch, 1) >= 1;
    groups::thread_group eight = groups::tiled_partition(block, 8);
    mine[n++] = (int)eight.size() * 100 + (int)eight.thread_rank();
    mine[n++] = sum_over(eight, scratch + thread / 8 * 8, thread);
    mine[n++] = (int)(groups::this_grid().thread_rank() - blockIdx.x * blockDim.x) * 10 +
                (int)groups::this_grid().size();
    mine[n++] = (int)(block.group_index().x * 1000 + block.thread_index().x + block.dim_threads().x);
    if (lane % 3 == 0) {
        groups::coalesced_group third = groups::coalesced_threads();
        mine[n++] = (int)third.size() * 100 + (int)third.thread_rank();
        mine[n++] = third.shfl(thread, 2);
        mine[n++] = third.shfl_up(thread, 1);
        mine[n++] = third.shfl_down(thread, 2);
        mine[n++] = (int)third.ballot(lane % 2);
        mine[n++] = groups::reduce(third, thread, groups::plus<int>());
        mine[n++] = groups::inclusive_scan(third, lane);
        groups::coalesced_group pair = groups::tiled_partition(third, 2);
        mine[n++] = (int)pair.size() * 100 + (int)pair.thread_rank();
        mine[n++] = groups::reduce(pair, lane, groups::plus<int>());
        groups::coalesced_group labeled = groups::labeled_partition(third, lane % 5);
        mine[n++] = (int)labeled.size() * 100 + (int)labeled.thread_rank();
        mine[n++] = groups::reduce(labeled, lane, groups::greater<int>());
    }
    groups::thread_block_tile<16> sixteen = groups::tiled_partition<16>(block);
    groups::coalesced_group halves = groups::binary_partition(sixteen, lane % 16 < 5);
    mine[20] = (int)halves.size() * 100 + (int)halves.thread_rank();
    mine[21] = halves.all(lane % 16 < 5);
    groups::sync(block);
}

static void expect_parts(const int *got, int thread)
{
    int lane = thread % 32, rank = lane / 3, block_of_8 = thread / 8 * 8, sum8 = 0, n = 0;
    for (int i = 0; i < 8; i++)
        sum8 += block_of_8 + i;
    CHECK(got[n++] == 1);
    CHECK(got[n++] == 800 + thread % 8);
    CHECK(thread % 8 != 0 || got[n] == sum8);
    n++;
    CHECK(got[n++] == thread * 10 + THREADS * 2);
    CHECK(got[n++] % 1000 == thread + THREADS);
    if (lane % 3 == 0) { // eleven lanes: 0, 3, …, 30
        int warp = thread / 32 * 32, size = 0, position = 0, greatest = 0;
        CHECK(got[n++] == 1100 + rank);
        CHECK(got[n++] == warp + 6);
        CHECK(got[n++] == warp + (rank ? lane - 3 : lane));
        CHECK(got[n++] == warp + (rank + 2 < 11 ? lane + 6 : lane));
        CHECK(got[n++] == 0x2aa);
        CHECK(got[n++] == 11 * warp + 3 * 55);
        CHECK(got[n++] == 3 * rank * (rank + 1) / 2);
        CHECK(got[n++] == (rank == 10 ? 100 : 200 + rank % 2));
        CHECK(got[n++] == (rank == 10 ? 30 : 3 * (rank / 2 * 4 + 1)));
        for (int other = 0; other < 32; other += 3)
            if (other % 5 == lane % 5) {
                size++;
                position += other < lane;
                greatest = other;
            }
        CHECK(got[n++] == size * 100 + position);
        CHECK(got[n++] == greatest);
    }
    CHECK(got[20] == (lane % 16 < 5 ? 500 + lane % 16 : 1100 + lane % 16 - 5));
    CHECK(got[21] == (lane % 16 < 5));
}

__global__ void whole(int *numbers, int rounds)
{
    groups::grid_group grid = groups::this_grid();
    for (int i = 0; i < rounds; i++) {
        int blocks = (int)gridDim.x, at = (int)blockIdx.x;
        if (threadIdx.x == 0)
            numbers[(i + 1) % 2 * blocks + at] = numbers[i % 2 * blocks + (at + 1) % blocks] + 1;
        grid.sync();
    }
}

int main()
{
    static int values[THREADS], results[THREADS * WORDS * 2];
    int *in, *out, blocks = 7, rounds = 12;
    for (int i = 0; i < THREADS; i++)
        values[i] = i < 32 ? 5 + i / 9 : 1 + i * 97 % 1009;
    GOOD(cudaMalloc((void **)&in, sizeof values));
    GOOD(cudaMalloc((void **)&out, sizeof results));
    GOOD(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    tiles<<<1, THREADS>>>(in, out);
    GOOD(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        expect_tile<32>(results + i * WORDS * 2, i, values);
        expect_tile<4>(results + i * WORDS * 2 + WORDS, i, values);
    }
    parts<<<2, THREADS>>>(out);
    GOOD(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        expect_parts(results + i * WORDS, i);
    GOOD(cudaMemset(out, 0, sizeof results));
    void *arguments[] = {&out, &rounds};
    GOOD(cudaLaunchCooperativeKernel((const void *)whole, dim3((unsigned)blocks), dim3(64), arguments, 0, 0));
    GOOD(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        CHECK(results[i] == rounds);
    return verdict();
}
