// Groups of threads that wait for each other and exchange values (CUDA C++ Programming Guide,
// "Cooperative Groups"): blocks, tiles of warps and of several, lanes that happen to be together,
// and grids of cooperative launches.
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#define WARPMEM_MEMBER_ __inline__ __device__ __attribute__((always_inline, nodebug))

#include "cooperative_groups/large_tiles.h"
#include "cooperative_groups/warp_parts.h"

namespace cooperative_groups
{

// ---- Any group ---------------------------------------------------------------------------------

// A block, or lanes of a warp, when the program does not say which at compile time.
class thread_group
{
  public:
    WARPMEM_MEMBER_ unsigned long long size() const
    {
        return is_block ? warpmem_detail::block_size() : warpmem_detail::count(lanes);
    }
    WARPMEM_MEMBER_ unsigned long long num_threads() const
    {
        return size();
    }
    WARPMEM_MEMBER_ unsigned long long thread_rank() const
    {
        return is_block ? warpmem_detail::block_rank() : warpmem_detail::rank_in(lanes);
    }
    WARPMEM_MEMBER_ void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            __syncwarp(lanes);
    }
    WARPMEM_MEMBER_ bool is_valid() const
    {
        return true;
    }

  protected:
    WARPMEM_MEMBER_ thread_group(bool is_block, unsigned lanes) : is_block(is_block), lanes(lanes)
    {
    }
    friend WARPMEM_MEMBER_ thread_group tiled_partition(const thread_group &parent, unsigned size);

    bool is_block;
    unsigned lanes; // of the warp, unless the group is a block
};

// The `size` consecutive threads of the parent that the calling one is among.
WARPMEM_MEMBER_ thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (parent.is_block)
        return thread_group(false, warpmem_detail::aligned_lanes(size));
    return thread_group(false, warpmem_detail::ranked_lanes(parent.lanes, size));
}

// ---- The block and the grid --------------------------------------------------------------------

class thread_block : public thread_group
{
  public:
    WARPMEM_MEMBER_ static void sync()
    {
        __syncthreads();
    }
    WARPMEM_MEMBER_ static unsigned thread_rank()
    {
        return warpmem_detail::block_rank();
    }
    WARPMEM_MEMBER_ static unsigned size()
    {
        return warpmem_detail::block_size();
    }
    WARPMEM_MEMBER_ static unsigned num_threads()
    {
        return size();
    }
    WARPMEM_MEMBER_ static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    WARPMEM_MEMBER_ static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    WARPMEM_MEMBER_ static dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    WARPMEM_MEMBER_ static dim3 group_dim()
    {
        return dim_threads();
    }

  private:
    WARPMEM_MEMBER_ thread_block() : thread_group(true, 0)
    {
    }
    friend WARPMEM_MEMBER_ thread_block this_thread_block();
};

WARPMEM_MEMBER_ thread_block this_thread_block()
{
    return thread_block();
}

template <unsigned MaxBlockSize>
WARPMEM_MEMBER_ thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return this_thread_block();
}

class grid_group
{
  public:
    WARPMEM_MEMBER_ bool is_valid() const
    {
        return warpmem_detail::grid_barrier() != 0;
    }
    // Of a cooperative launch only.
    WARPMEM_MEMBER_ void sync() const
    {
        warpmem_detail::wait_for_grid();
    }
    WARPMEM_MEMBER_ static unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    }
    WARPMEM_MEMBER_ static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    WARPMEM_MEMBER_ static unsigned long long thread_rank()
    {
        return block_rank() * warpmem_detail::block_size() + warpmem_detail::block_rank();
    }
    WARPMEM_MEMBER_ static unsigned long long size()
    {
        return num_blocks() * warpmem_detail::block_size();
    }
    WARPMEM_MEMBER_ static unsigned long long num_threads()
    {
        return size();
    }
    WARPMEM_MEMBER_ static dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    WARPMEM_MEMBER_ static dim3 group_dim()
    {
        return dim_blocks();
    }
    WARPMEM_MEMBER_ static dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
};

WARPMEM_MEMBER_ grid_group this_grid()
{
    return grid_group();
}

// ---- Lanes of a warp ---------------------------------------------------------------------------

// The lanes that execute together where it is made.
class coalesced_group : public thread_group
{
  public:
    WARPMEM_MEMBER_ unsigned size() const
    {
        return warpmem_detail::count(lanes);
    }
    WARPMEM_MEMBER_ unsigned num_threads() const
    {
        return size();
    }
    WARPMEM_MEMBER_ unsigned thread_rank() const
    {
        return warpmem_detail::rank_in(lanes);
    }
    WARPMEM_MEMBER_ unsigned meta_group_size() const
    {
        return groups;
    }
    WARPMEM_MEMBER_ unsigned meta_group_rank() const
    {
        return number;
    }
    WARPMEM_MEMBER_ void sync() const
    {
        __syncwarp(lanes);
    }

    template <typename T> WARPMEM_MEMBER_ T shfl(T value, unsigned source) const
    {
        return warpmem_detail::shuffle(lanes, value,
                                       warpmem_detail::lane_of(lanes, source % size()));
    }
    template <typename T> WARPMEM_MEMBER_ T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta);
    }
    template <typename T> WARPMEM_MEMBER_ T shfl_down(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank + delta >= size() ? rank : rank + delta);
    }
    WARPMEM_MEMBER_ int any(int predicate) const
    {
        return __any_sync(lanes, predicate);
    }
    WARPMEM_MEMBER_ int all(int predicate) const
    {
        return __all_sync(lanes, predicate);
    }
    // A bit for each rank.
    WARPMEM_MEMBER_ unsigned ballot(int predicate) const
    {
        return warpmem_detail::by_rank(lanes, __ballot_sync(lanes, predicate));
    }
    template <typename T> WARPMEM_MEMBER_ unsigned match_any(T value) const
    {
        return warpmem_detail::by_rank(lanes, warpmem_detail::match_any(lanes, value));
    }
    template <typename T> WARPMEM_MEMBER_ unsigned match_all(T value, int &predicate) const
    {
        predicate = warpmem_detail::match_all(lanes, value);
        return predicate ? warpmem_detail::by_rank(lanes, lanes) : 0;
    }

  private:
    WARPMEM_MEMBER_ coalesced_group(unsigned lanes, unsigned number, unsigned groups)
        : thread_group(false, lanes), number(number), groups(groups)
    {
    }
    friend WARPMEM_MEMBER_ coalesced_group coalesced_threads();
    friend WARPMEM_MEMBER_ coalesced_group tiled_partition(const coalesced_group &parent,
                                                           unsigned size);
    template <typename Group, typename Label>
    friend WARPMEM_MEMBER_ coalesced_group labeled_partition(const Group &parent, Label label);
    template <unsigned Size, typename Parent, bool Large> friend class thread_block_tile;

    unsigned number, groups; // of a partition: which one, of how many
};

WARPMEM_MEMBER_ coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask(), 0, 1);
}

WARPMEM_MEMBER_ coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    return coalesced_group(warpmem_detail::ranked_lanes(parent.lanes, size),
                           parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

// `Size` consecutive threads of a block, a power of two: up to 32, or of several warps.
template <unsigned Size, typename Parent = void, bool Large = (Size > 32)>
class thread_block_tile : public thread_group
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    // A tile whose type does not name the parent is made from one of any parent.
    template <typename Other>
    WARPMEM_MEMBER_ thread_block_tile(const thread_block_tile<Size, Other, Large> &other)
        : thread_group(other)
    {
    }
    WARPMEM_MEMBER_ static constexpr unsigned size()
    {
        return Size;
    }
    WARPMEM_MEMBER_ static constexpr unsigned num_threads()
    {
        return Size;
    }
    WARPMEM_MEMBER_ static unsigned thread_rank()
    {
        return warpmem_detail::block_rank() % Size;
    }
    WARPMEM_MEMBER_ unsigned meta_group_rank() const
    {
        return warpmem_detail::parent_rank<Parent>() / Size;
    }
    WARPMEM_MEMBER_ unsigned meta_group_size() const
    {
        return (warpmem_detail::parent_size<Parent>() + Size - 1) / Size;
    }
    WARPMEM_MEMBER_ void sync() const
    {
        __syncwarp(lanes);
    }

    template <typename T> WARPMEM_MEMBER_ T shfl(T value, int source) const
    {
        return warpmem_detail::shuffle(lanes, value, first_lane() + (unsigned)source % Size);
    }
    template <typename T> WARPMEM_MEMBER_ T shfl_up(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(rank < delta ? rank : rank - delta));
    }
    template <typename T> WARPMEM_MEMBER_ T shfl_down(T value, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(value, (int)(rank + delta >= Size ? rank : rank + delta));
    }
    template <typename T> WARPMEM_MEMBER_ T shfl_xor(T value, unsigned changed) const
    {
        return shfl(value, (int)(thread_rank() ^ changed));
    }
    WARPMEM_MEMBER_ int any(int predicate) const
    {
        return __any_sync(lanes, predicate);
    }
    WARPMEM_MEMBER_ int all(int predicate) const
    {
        return __all_sync(lanes, predicate);
    }
    WARPMEM_MEMBER_ unsigned ballot(int predicate) const
    {
        return (__ballot_sync(lanes, predicate) & lanes) >> first_lane();
    }
    template <typename T> WARPMEM_MEMBER_ unsigned match_any(T value) const
    {
        return warpmem_detail::match_any(lanes, value) >> first_lane();
    }
    template <typename T> WARPMEM_MEMBER_ unsigned match_all(T value, int &predicate) const
    {
        predicate = warpmem_detail::match_all(lanes, value);
        return predicate ? lanes >> first_lane() : 0;
    }
    WARPMEM_MEMBER_ operator coalesced_group() const
    {
        return coalesced_group(lanes, meta_group_rank(), meta_group_size());
    }

  private:
    WARPMEM_MEMBER_ thread_block_tile() : thread_group(false, warpmem_detail::aligned_lanes(Size))
    {
    }
    WARPMEM_MEMBER_ static unsigned first_lane()
    {
        return warpmem_detail::block_rank() % 32 / Size * Size;
    }
    template <unsigned Wanted, typename From>
    friend WARPMEM_MEMBER_ thread_block_tile<Wanted, From> tiled_partition(const From &parent);
    template <typename Group, typename Label>
    friend WARPMEM_MEMBER_ coalesced_group labeled_partition(const Group &parent, Label label);
};

// Of several warps.
template <unsigned Size, typename Parent> class thread_block_tile<Size, Parent, true>
{
    static_assert(Size <= 512 && (Size & (Size - 1)) == 0,
                  "a tile of several warps has 64, 128, 256 or 512 threads");

  public:
    template <typename Other>
    WARPMEM_MEMBER_ thread_block_tile(const thread_block_tile<Size, Other, true> &)
    {
    }
    WARPMEM_MEMBER_ static constexpr unsigned size()
    {
        return Size;
    }
    WARPMEM_MEMBER_ static constexpr unsigned num_threads()
    {
        return Size;
    }
    WARPMEM_MEMBER_ static unsigned thread_rank()
    {
        return warpmem_detail::block_rank() % Size;
    }
    WARPMEM_MEMBER_ unsigned meta_group_rank() const
    {
        return warpmem_detail::parent_rank<Parent>() / Size;
    }
    WARPMEM_MEMBER_ unsigned meta_group_size() const
    {
        return (warpmem_detail::parent_size<Parent>() + Size - 1) / Size;
    }
    WARPMEM_MEMBER_ void sync() const
    {
        warpmem_detail::wait_for_warps<Size>();
    }
    template <typename T> WARPMEM_MEMBER_ T shfl(T value, unsigned source) const
    {
        return warpmem_detail::spread<Size>(value, source % Size);
    }
    WARPMEM_MEMBER_ int any(int predicate) const
    {
        return warpmem_detail::combine_warps<Size>(__any_sync(0xffffffffu, predicate),
                                                   [](int a, int b) { return a | b; });
    }
    WARPMEM_MEMBER_ int all(int predicate) const
    {
        return warpmem_detail::combine_warps<Size>(__all_sync(0xffffffffu, predicate),
                                                   [](int a, int b) { return a & b; });
    }

  private:
    WARPMEM_MEMBER_ thread_block_tile()
    {
    }
    template <unsigned Wanted, typename From>
    friend WARPMEM_MEMBER_ thread_block_tile<Wanted, From> tiled_partition(const From &parent);
};

// Tiles of several warps are made by all threads of the block together.
template <unsigned Size, typename Parent>
WARPMEM_MEMBER_ thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    if (Size > 32 && warpmem_detail::is_block<Parent>())
        warpmem_detail::make_barriers();
    return thread_block_tile<Size, Parent>();
}

// The threads of the parent whose label is that of the calling one.
template <typename Group, typename Label>
WARPMEM_MEMBER_ coalesced_group labeled_partition(const Group &parent, Label label)
{
    unsigned same = warpmem_detail::match_any(parent.lanes, label);
    // The first lane of each label stands for it.
    unsigned firsts = __ballot_sync(parent.lanes, warpmem_detail::rank_in(same) == 0);
    unsigned mine = same & (0u - same);
    return coalesced_group(same, warpmem_detail::count(firsts & (mine - 1)),
                           warpmem_detail::count(firsts));
}

template <typename Group>
WARPMEM_MEMBER_ coalesced_group binary_partition(const Group &parent, bool predicate)
{
    return labeled_partition(parent, (int)predicate);
}

// ---- The same as functions ---------------------------------------------------------------------

template <typename Group> WARPMEM_MEMBER_ void sync(const Group &group)
{
    group.sync();
}
template <typename Group> WARPMEM_MEMBER_ unsigned long long thread_rank(const Group &group)
{
    return group.thread_rank();
}
template <typename Group> WARPMEM_MEMBER_ unsigned long long group_size(const Group &group)
{
    return group.size();
}

// ---- One for all -------------------------------------------------------------------------------

// One thread of the group calls the function: here the first. No thread waits for it.
template <typename Group, typename Function, typename... Given>
WARPMEM_MEMBER_ void invoke_one(const Group &group, Function &&function, Given &&...given)
{
    if (group.thread_rank() == 0)
        static_cast<Function &&>(function)(static_cast<Given &&>(given)...);
}

// The same for lanes of a warp, all of which get the result.
template <typename Group, typename Function, typename... Given>
WARPMEM_MEMBER_ auto invoke_one_broadcast(const Group &group, Function &&function, Given &&...given)
    -> decltype(group.shfl(static_cast<Function &&>(function)(static_cast<Given &&>(given)...), 0))
{
    // A value for all: reading none would let the compiler take every thread for the first.
    decltype(group.shfl(static_cast<Function &&>(function)(static_cast<Given &&>(given)...),
                        0)) result{};
    if (group.thread_rank() == 0)
        result = static_cast<Function &&>(function)(static_cast<Given &&>(given)...);
    return group.shfl(result, 0);
}

} // namespace cooperative_groups

#endif

#endif
