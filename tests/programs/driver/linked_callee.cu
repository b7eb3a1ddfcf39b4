__device__ int offset = 5;

__device__ int twice(int x)
{
    return 2 * x;
}
