// The kernels that bench_interpreter runs; kernels.ptx is nvcc 13.0's output for them
// (nvcc -arch=sm_75 -ptx kernels.cu).
enum { TILE = 16 };

extern "C" __global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
        tile_a[ty][tx] = row < n && t * TILE + tx < n ? a[row * n + t * TILE + tx] : 0;
        tile_b[ty][tx] = column < n && t * TILE + ty < n ? b[(t * TILE + ty) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

extern "C" __global__ void spmv(int rows, const int *first, const int *columns, const float *values,
                                const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = first[row]; j < first[row + 1]; j++)
        sum += values[j] * x[columns[j]];
    y[row] = sum;
}

extern "C" __global__ void bfs(int nodes, const int *first, const int *targets, int *level,
                               int current, int *changed)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != current)
        return;
    for (int j = first[node]; j < first[node + 1]; j++) {
        int target = targets[j];
        if (level[target] < 0) {
            level[target] = current + 1;
            *changed = 1;
        }
    }
}
