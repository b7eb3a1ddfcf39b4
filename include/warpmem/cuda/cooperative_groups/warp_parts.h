// What the groups of cooperative_groups.h are made of: sets of lanes, and moves of values of any
// size between them (PTX ISA 9.7.9: shfl.sync, match.sync; 10: %envreg, %lanemask_lt).
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_WARP_PARTS_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_WARP_PARTS_H

#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#ifndef WARPMEM_MEMBER_
#define WARPMEM_MEMBER_ __inline__ __device__ __attribute__((always_inline, nodebug))
#endif

namespace cooperative_groups
{
class thread_block;

namespace warpmem_detail
{

WARPMEM_MEMBER_ unsigned block_rank()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
WARPMEM_MEMBER_ unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

// Of a tile's parent, which is a block or another tile.
template <typename Parent> WARPMEM_MEMBER_ unsigned parent_rank()
{
    return Parent::thread_rank();
}
template <typename Parent> WARPMEM_MEMBER_ unsigned parent_size()
{
    return Parent::size();
}
template <> WARPMEM_MEMBER_ unsigned parent_rank<void>()
{
    return block_rank();
}
template <> WARPMEM_MEMBER_ unsigned parent_size<void>()
{
    return block_size();
}

// ---- Sets of lanes ----

WARPMEM_MEMBER_ unsigned count(unsigned lanes)
{
    return (unsigned)__popc((int)lanes);
}
WARPMEM_MEMBER_ unsigned lanes_before()
{
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
WARPMEM_MEMBER_ unsigned rank_in(unsigned lanes)
{
    return count(lanes & lanes_before());
}
WARPMEM_MEMBER_ unsigned first_of(unsigned number)
{
    return number >= 32 ? 0xffffffffu : (1u << number) - 1;
}
// The lane of that rank.
WARPMEM_MEMBER_ unsigned lane_of(unsigned lanes, unsigned rank)
{
    unsigned lane;
    asm("fns.b32 %0, %1, 0, %2;" : "=r"(lane) : "r"(lanes), "r"((int)rank + 1));
    return lane;
}
// `size` consecutive threads of the block.
WARPMEM_MEMBER_ unsigned aligned_lanes(unsigned size)
{
    return first_of(size) << (block_rank() % 32 / size * size);
}
// `size` lanes of consecutive ranks.
WARPMEM_MEMBER_ unsigned ranked_lanes(unsigned lanes, unsigned size)
{
    unsigned first = rank_in(lanes) / size * size, found = 0;
    for (unsigned rank = 0; lanes != 0; rank++, lanes &= lanes - 1)
        if (rank >= first && rank - first < size)
            found |= lanes & (0u - lanes);
    return found;
}
// The bits of `bits` at the lanes, moved together.
WARPMEM_MEMBER_ unsigned by_rank(unsigned lanes, unsigned bits)
{
    unsigned packed = 0;
    for (unsigned rank = 0; lanes != 0; rank++, lanes &= lanes - 1)
        packed |= (bits & lanes & (0u - lanes)) != 0 ? 1u << rank : 0;
    return packed;
}

// ---- Values between lanes ----

// In words of 4 bytes.
template <typename T> WARPMEM_MEMBER_ T shuffle(unsigned lanes, T value, unsigned source)
{
    enum { WORDS = (sizeof(T) + 3) / 4 };
    int words[WORDS] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < (int)WORDS; i++)
        words[i] = __nvvm_shfl_sync_idx_i32(lanes, words[i], (int)source, 0x1f);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

template <typename T> WARPMEM_MEMBER_ unsigned long long bits_of(T value)
{
    static_assert(sizeof(T) <= 8, "values to match have 8 bytes at most");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <typename T> WARPMEM_MEMBER_ unsigned match_any(unsigned lanes, T value)
{
    return sizeof(T) <= 4 ? __match_any_sync(lanes, (unsigned)bits_of(value))
                          : __match_any_sync(lanes, bits_of(value));
}
template <typename T> WARPMEM_MEMBER_ int match_all(unsigned lanes, T value)
{
    int same;
    if (sizeof(T) <= 4)
        __match_all_sync(lanes, (unsigned)bits_of(value), &same);
    else
        __match_all_sync(lanes, bits_of(value), &same);
    return same != 0;
}

// ---- The grid ----

// The counter through which the blocks of a cooperative launch wait; 0 in other launches.
WARPMEM_MEMBER_ unsigned long long grid_barrier()
{
    unsigned high, low;
    asm volatile("mov.b32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.b32 %0, %%envreg2;" : "=r"(low));
    unsigned long long workspace = (unsigned long long)high << 32 | low;
    return workspace == 0 ? 0 : workspace + 4;
}

// Each block adds one, the first what makes the top bit change when all have come.
WARPMEM_MEMBER_ void wait_for_grid()
{
    unsigned *barrier = (unsigned *)grid_barrier();
    if (barrier == 0)
        __trap();
    __syncthreads();
    if (block_rank() == 0) {
        bool is_first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
        unsigned others = gridDim.x * gridDim.y * gridDim.z - 1;
        __threadfence();
        unsigned before = atomicAdd(barrier, is_first ? 0x80000000u - others : 1u);
        while (((before ^ *(volatile unsigned *)barrier) & 0x80000000u) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

} // namespace warpmem_detail
} // namespace cooperative_groups

#endif

#endif
