// Tiles of several warps (CUDA C++ Programming Guide, "Cooperative Groups", "Thread Block Tile"):
// 64 to 512 consecutive threads of a block. They wait and exchange values through shared memory of
// our own, so that the memory that a program hands in for them stays unused.
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_LARGE_TILES_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_LARGE_TILES_H

#include "warp_parts.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

namespace cooperative_groups
{

// What programs keep in shared memory for tiles of several warps.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    unsigned long long unused;
};

namespace warpmem_detail
{

// Of each tile that a block may have: 16 of 64 threads, 8 of 128, 4 of 256, 2 of 512.
enum { SMALLEST_TILES = 16, LARGE_TILES = 30, SLOT_WORDS = 2 };
struct large_tiles {
    unsigned barriers[SMALLEST_TILES]; // warps that came; the top bit changes when all have
    unsigned slots[LARGE_TILES][SLOT_WORDS];
};

static __inline__ __device__ __attribute__((always_inline, nodebug)) large_tiles &large_memory()
{
    static __shared__ large_tiles memory;
    return memory;
}

template <typename Parent> WARPMEM_MEMBER_ constexpr bool is_block()
{
    return false;
}
template <> WARPMEM_MEMBER_ constexpr bool is_block<thread_block>()
{
    return true;
}

// All threads of the block, whenever they make tiles: before, none waits in one.
WARPMEM_MEMBER_ void make_barriers()
{
    __syncthreads();
    for (unsigned i = block_rank(); i < SMALLEST_TILES; i += block_size())
        large_memory().barriers[i] = 0;
    __syncthreads();
}

template <unsigned Size> WARPMEM_MEMBER_ unsigned large_tile_number()
{
    return 32 - 2048 / Size + block_rank() / Size;
}

// The first warp adds what makes the top bit change when all others have added one.
WARPMEM_MEMBER_ void wait_by_counting(unsigned *barrier, unsigned warps, bool is_first)
{
    __syncwarp();
    if (block_rank() % 32 == 0) {
        __threadfence_block();
        unsigned before = atomicAdd(barrier, is_first ? 0x80000000u - (warps - 1) : 1u);
        while (((before ^ *(volatile unsigned *)barrier) & 0x80000000u) == 0)
            ;
        __threadfence_block();
    }
    __syncwarp();
}

// By one of the block's barriers 1 to 15, which are enough for every tile of 512 threads, and for
// those of 1,024 but the tiles of 64.
template <unsigned Size> WARPMEM_MEMBER_ void wait_for_warps()
{
    unsigned number = block_rank() / Size;
    if (block_size() <= 512)
        asm volatile("bar.sync %0, %1;" ::"r"(17 - 1024 / Size + number), "n"(Size) : "memory");
    else if (Size > 64)
        asm volatile("bar.sync %0, %1;" ::"r"(17 - 2048 / Size + number), "n"(Size) : "memory");
    else
        wait_by_counting(&large_memory().barriers[number], Size / 32, block_rank() % Size == 0);
}

// The value of one thread, in pieces of a slot.
template <unsigned Size, typename T> WARPMEM_MEMBER_ T spread(T value, unsigned source)
{
    enum { WORDS = (sizeof(T) + 3) / 4 };
    unsigned words[WORDS] = {};
    volatile unsigned *slot = large_memory().slots[large_tile_number<Size>()];
    __builtin_memcpy(words, &value, sizeof(T));
    for (int begin = 0; begin < (int)WORDS; begin += SLOT_WORDS) {
        for (int i = 0; i < SLOT_WORDS && begin + i < (int)WORDS; i++)
            if (block_rank() % Size == source)
                slot[i] = words[begin + i];
        wait_for_warps<Size>();
        for (int i = 0; i < SLOT_WORDS && begin + i < (int)WORDS; i++)
            words[begin + i] = slot[i];
        wait_for_warps<Size>();
    }
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

// What all threads of a warp have, combined over the warps in their order.
template <unsigned Size, typename T, typename Operator>
WARPMEM_MEMBER_ T combine_warps(T value, Operator &&combine)
{
    T all = spread<Size>(value, 0);
    for (unsigned warp = 1; warp < Size / 32; warp++)
        all = combine(all, spread<Size>(value, 32 * warp));
    return all;
}

// What the warps before that of the calling thread have in their last threads, combined; `begin` in
// the first warp.
template <unsigned Size, typename T, typename Operator>
WARPMEM_MEMBER_ T combine_before(T value, T begin, Operator &&combine)
{
    unsigned own = block_rank() % Size / 32;
    T before = begin;
    for (unsigned warp = 0; warp + 1 < Size / 32; warp++) {
        T last = spread<Size>(value, 32 * warp + 31);
        if (warp < own)
            before = warp == 0 ? last : combine(before, last);
    }
    return before;
}

} // namespace warpmem_detail
} // namespace cooperative_groups

#endif

#endif
