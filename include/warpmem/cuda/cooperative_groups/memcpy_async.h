// Copies by a whole group (CUDA C++ Programming Guide, "Cooperative Groups", memcpy_async). Code
// for compute capability 7.0, which warpmem cc makes, has no asynchronous copies: the group's
// threads copy at once, element by element, and waiting is the group's barrier.
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

namespace cooperative_groups
{

// All threads of the group; `bytes` of them are copied, wholly or but for a last piece.
template <typename Group, typename T>
WARPMEM_MEMBER_ void memcpy_async(const Group &group, T *__restrict__ to,
                                  const T *__restrict__ from, unsigned long bytes)
{
    unsigned long count = bytes / sizeof(T), rest = bytes % sizeof(T), step = group.size();
    for (unsigned long i = group.thread_rank(); i < count; i += step)
        to[i] = from[i];
    for (unsigned long i = group.thread_rank(); i < rest; i += step)
        ((char *)(to + count))[i] = ((const char *)(from + count))[i];
}

// As many elements as both sides have.
template <typename Group, typename T>
WARPMEM_MEMBER_ void memcpy_async(const Group &group, T *__restrict__ to, unsigned long to_count,
                                  const T *__restrict__ from, unsigned long from_count)
{
    memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

// What the group has copied so far is there for all of its threads.
template <typename Group> WARPMEM_MEMBER_ void wait(const Group &group)
{
    group.sync();
}

template <unsigned Stages, typename Group> WARPMEM_MEMBER_ void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#endif

#endif
