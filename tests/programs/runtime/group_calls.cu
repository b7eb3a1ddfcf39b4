// Calls by one thread of a group for all, and copies by whole groups; by NVIDIA's headers (nvcc) and by
// ours: the same program, the same answers.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace groups = cooperative_groups;

enum { THREADS = 96, WORDS = 300 };

__global__ void call(int *counters, int *got)
{
    groups::thread_block block = groups::this_thread_block();
    auto tile = groups::tiled_partition<8>(block);
    groups::invoke_one(block, [&] { atomicAdd(&counters[0], 1); });
    groups::invoke_one(tile, [&](int by) { atomicAdd(&counters[1], by); }, 10);
    int before =
        groups::invoke_one_broadcast(tile, [&](int by) { return atomicAdd(&counters[2], by); }, 100);
    got[block.thread_rank()] = before;
    if (block.thread_rank() % 3 == 0) {
        groups::coalesced_group lanes = groups::coalesced_threads();
        int rank = groups::invoke_one_broadcast(lanes, [&] { return atomicAdd(&counters[3], 1); });
        got[THREADS + block.thread_rank()] = rank;
    }
}

__global__ void copy(const int *from, int *to)
{
    __shared__ int kept[WORDS];
    groups::thread_block block = groups::this_thread_block();
    groups::memcpy_async(block, kept, from, sizeof(int) * WORDS);
    groups::wait(block);
    // Read by other threads than those that copied.
    for (int i = (int)block.thread_rank(); i < WORDS; i += THREADS)
        to[i] = kept[WORDS - 1 - i];
    block.sync();
    auto tile = groups::tiled_partition<32>(block);
    int *mine = kept + tile.meta_group_rank() * 40;
    groups::memcpy_async(tile, mine, 40, from + tile.meta_group_rank() * 40, 33); // the fewer
    groups::wait_prior<0>(tile);
    to[WORDS + block.thread_rank()] = mine[31 - tile.thread_rank()];
}

int main()
{
    int *counters, *got, *from, *to, host[4], results[2 * THREADS], words[WORDS],
        back[WORDS + THREADS];
    GOOD(cudaMalloc((void **)&counters, sizeof host));
    GOOD(cudaMalloc((void **)&got, sizeof results));
    GOOD(cudaMemset(counters, 0, sizeof host));
    call<<<1, THREADS>>>(counters, got);
    GOOD(cudaMemcpy(host, counters, sizeof host, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(results, got, sizeof results, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1 && host[1] == 10 * THREADS / 8 && host[2] == 100 * THREADS / 8);
    CHECK(host[3] == THREADS / 32);
    unsigned seen = 0; // each tile got a value of its own, and all of its threads the same
    for (int i = 0; i < THREADS; i++) {
        CHECK(results[i] == results[i / 8 * 8] && results[i] % 100 == 0);
        seen |= 1u << (results[i] / 100);
    }
    CHECK(seen == (1u << THREADS / 8) - 1);
    for (int i = 0; i < THREADS; i += 3) { // the first third of each warp is lane 0, 1 or 2
        int first = (i / 32 * 32 + 2) / 3 * 3;
        CHECK(results[THREADS + i] == results[THREADS + first] && results[THREADS + i] < 3);
    }
    for (int i = 0; i < WORDS; i++)
        words[i] = i * 13 + 5;
    GOOD(cudaMalloc((void **)&from, sizeof words));
    GOOD(cudaMalloc((void **)&to, sizeof back));
    GOOD(cudaMemcpy(from, words, sizeof words, cudaMemcpyHostToDevice));
    copy<<<1, THREADS>>>(from, to);
    GOOD(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WORDS; i++)
        CHECK(back[i] == words[WORDS - 1 - i]);
    for (int i = 0; i < THREADS; i++)
        CHECK(back[WORDS + i] == words[i / 32 * 40 + 31 - i % 32]);
    return verdict();
}
