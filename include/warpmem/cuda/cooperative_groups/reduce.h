// One value of all threads of a tile or of coalesced threads (CUDA C++ Programming Guide,
// "Cooperative Groups", "Reduce"). The operator need not commute.
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_REDUCE_H

#include "operators.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

namespace cooperative_groups
{

// By halves: after each step a thread has what it and so many behind it had.
template <typename Group, typename T, typename Operator>
WARPMEM_MEMBER_ T reduce(const Group &group, T value, Operator &&combine)
{
    unsigned size = (unsigned)group.size(), rank = (unsigned)group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        T behind = group.shfl_down(value, step);
        if (rank + step < size)
            value = combine(value, behind);
    }
    return group.shfl(value, 0);
}
template <unsigned Size, typename Parent, typename T, typename Operator>
WARPMEM_MEMBER_ T reduce(const thread_block_tile<Size, Parent, true> &group, T value,
                         Operator &&combine)
{
    T of_warp = reduce(tiled_partition<32>(group), value, combine);
    return warpmem_detail::combine_warps<Size>(of_warp, combine);
}

} // namespace cooperative_groups

#endif

#endif
