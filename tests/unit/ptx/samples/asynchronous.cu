// Asynchronous copies and barriers, clusters, grid-wide cooperation.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) clustered(int *data)
{
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = data[threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    data[threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
__global__ void copied(const int4 *data, int4 *out)
{
    __shared__ int4 tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    cg::this_grid().sync();
    auto warp = cg::tiled_partition<8>(cg::this_thread_block());
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
    out[0].x += warp.shfl_xor(tile[0].y, 1) + warp.ballot(threadIdx.x & 1);
}
