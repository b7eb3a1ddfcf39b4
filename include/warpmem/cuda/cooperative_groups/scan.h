// Prefixes over the threads of a tile or of coalesced threads (CUDA C++ Programming Guide,
// "Cooperative Groups", "inclusive_scan and exclusive_scan").
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "operators.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

namespace cooperative_groups
{

template <typename Group, typename T, typename Operator>
WARPMEM_MEMBER_ T inclusive_scan(const Group &group, T value, Operator &&combine)
{
    unsigned size = (unsigned)group.size(), rank = (unsigned)group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        T before = group.shfl_up(value, step);
        if (rank >= step)
            value = combine(before, value);
    }
    return value;
}
template <unsigned Size, typename Parent, typename T, typename Operator>
WARPMEM_MEMBER_ T inclusive_scan(const thread_block_tile<Size, Parent, true> &group, T value,
                                 Operator &&combine)
{
    T own = inclusive_scan(tiled_partition<32>(group), value, combine);
    T before = warpmem_detail::combine_before<Size>(own, own, combine);
    return group.thread_rank() < 32 ? own : combine(before, own);
}
template <typename Group, typename T> WARPMEM_MEMBER_ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

// The first thread's is T().
template <typename Group, typename T, typename Operator>
WARPMEM_MEMBER_ T exclusive_scan(const Group &group, T value, Operator &&combine)
{
    T all = inclusive_scan(group, value, combine), before = group.shfl_up(all, 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <unsigned Size, typename Parent, typename T, typename Operator>
WARPMEM_MEMBER_ T exclusive_scan(const thread_block_tile<Size, Parent, true> &group, T value,
                                 Operator &&combine)
{
    auto warp = tiled_partition<32>(group);
    T own = inclusive_scan(warp, value, combine), behind = warp.shfl_up(own, 1);
    T before = warpmem_detail::combine_before<Size>(own, T(), combine);
    if (warp.thread_rank() == 0)
        return before;
    return group.thread_rank() < 32 ? behind : combine(before, behind);
}
template <typename Group, typename T> WARPMEM_MEMBER_ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif

#endif
