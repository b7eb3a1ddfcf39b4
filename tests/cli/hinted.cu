// A table that is read again and again beside a stream whose sectors each thread reads eight times, then no more: L1
// (by default; "large": L2) holds the table, but not what the stream leaves behind. Going around L1
// costs the stream its eight uses. "volatile": the table's load says itself what it wants.
#include <cstdio>
#include <cstring>

const int threads = 256, blocks = 2, steps = 8 * 14 * 4, rows = steps / 8;
const int small_table = 28 << 10, large_table = 96 << 10; // floats: 112 KiB, 384 KiB

__global__ void fill(float *to, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = i % 7;
}

// Each step a warp reads one line of the table, and each lane one float of a sector of its own.
__global__ void turn(const float *table, int table_size, const float *stream, float *out)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = blockDim.x / 32;
    const float *own = stream + (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int stride = gridDim.x * blockDim.x * 8;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        int line = (step * all + warp) * 32 % table_size;
        sum += table[line + lane] * own[step / 8 * stride + step % 8];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void turn_volatile(const volatile float *table, int table_size, const float *stream,
                              float *out)
{
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < 8; step++)
        sum += table[(step * 32 + threadIdx.x) % table_size] * stream[threadIdx.x * 8 + step];
    out[threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const int table_size = strcmp(mode, "large") == 0 ? large_table : small_table;
    const int stream_size = threads * blocks * 8 * rows;
    static float results[threads * blocks];
    float *table, *stream, *out;
    cudaMalloc(&table, large_table * sizeof(float));
    cudaMalloc(&stream, stream_size * sizeof(float));
    cudaMalloc(&out, sizeof results);
    fill<<<2, 256>>>(table, table_size);
    fill<<<2, 256>>>(stream, stream_size);
    if (strcmp(mode, "volatile") == 0)
        turn_volatile<<<1, threads>>>(table, table_size, stream, out);
    else
        turn<<<blocks, threads>>>(table, table_size, stream, out);
    bool failed = cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost) != cudaSuccess;
    double sum = 0;
    for (int i = 0; i < threads * blocks; i++)
        sum += results[i];
    printf("hinted: %s, %.0f\n", failed ? "FAIL" : "PASS", sum);
    return failed;
}
