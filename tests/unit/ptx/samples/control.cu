// Loops, switches (brx.idx), barriers, shared memory, function pointers, recursion.
extern __shared__ int dynamic[];
typedef int (*operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ operation operations[2] = {plus, times};
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void __launch_bounds__(256, 2) control(int *data, int n, int which)
{
    __shared__ int tile[16][17];
    __shared__ float weights[32];
    int x = threadIdx.x, y = threadIdx.y, local[8];
    tile[y][x] = data[y * n + x];
    weights[x & 31] = (float)x;
    dynamic[x] = y;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (data[k] == 42) continue;
        if (data[k] == 43) break;
        local[k & 7] = tile[x][k & 15];
        switch (data[k]) {
        case 0: data[k] = 5 + local[which & 7]; break;
        case 1: data[k] = data[k + 1] * 3; break;
        case 2: data[k] ^= which; break;
        case 3: return;
        case 4: data[k] -= factorial(k); break;
        case 5: data[k] = __syncthreads_count(x > 3); break;
        case 6: data[k] = operations[which](x, y); break;
        case 7: __trap();
        default: data[k]++;
        }
    }
    while (atomicCAS(&data[n], 0, 1) != 0) ;
    data[x] += (int)weights[y] + dynamic[x ^ 1] + local[which & 7];
    atomicExch(&data[n], 0);
}
