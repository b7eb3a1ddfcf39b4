// Calls that no compiler can follow: virtual functions, tables of function pointers, pointers that the
// host passes on, lanes that each call something else; and recursion.
#include "check.h"

enum { COUNT = 256 };

// ---- Virtual functions ----

struct shape {
    int a, b;
    __device__ shape(int a, int b) : a(a), b(b) {}
    __device__ virtual int area() const = 0;
    __device__ virtual int edges() const { return 0; }
};

struct rectangle : shape {
    using shape::shape;
    __device__ int area() const override { return a * b; }
    __device__ int edges() const override { return 4; }
};

struct triangle : shape {
    using shape::shape;
    __device__ int area() const override { return a * b / 2; }
    __device__ int edges() const override { return 3; }
};

struct disc : shape {
    using shape::shape;
    __device__ int area() const override { return 3 * a * a; }
};

__global__ void virtuals(int *to)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    rectangle r(i, 2);
    triangle t(i, 4);
    disc d(i, 0);
    const shape *shapes[] = {&r, &t, &d};
    const shape *mine = shapes[i % 3];
    int sum = mine->area() * 10 + mine->edges();
    for (const shape *each : shapes)
        sum += each->area();
    to[i] = sum;
}

static int virtuals_of(int i)
{
    int areas[] = {i * 2, i * 4 / 2, 3 * i * i}, edges[] = {4, 3, 0};
    return areas[i % 3] * 10 + edges[i % 3] + areas[0] + areas[1] + areas[2];
}

// ---- Pointers ----

typedef int operation(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ __noinline__ int pick(int a, int b) { return (a & 1) ? plus(a, b) : times(a, b); }

__device__ operation *const table[4] = {plus, minus, times, pick};
__constant__ operation *chosen = minus;
__device__ operation *second = times;

__global__ void pointers(int *to, operation *given)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int value = table[i % 4](i, 3) + chosen(i, 1);
    if (i % 5 == 0)
        value = second(value, 2);
    to[i] = given(value, i);
}

static int apply(int which, int a, int b)
{
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    default: return (a & 1) ? a + b : a * b;
    }
}

// ---- Recursion ----

__device__ __noinline__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }

__device__ __noinline__ void quicksort(int *values, int low, int high)
{
    if (low >= high)
        return;
    int pivot = values[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i <= j) {
            int kept = values[i];
            values[i++] = values[j];
            values[j--] = kept;
        }
    }
    quicksort(values, low, j);
    quicksort(values, i, high);
}

__global__ void recursions(int *to)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    to[i] = fib(i % 12) * 100 + ackermann(i % 3, i % 4) * 2 + is_even(i % 20);
}

__global__ void sort_each(int *values, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    quicksort(values + i * count, 0, count - 1);
}

// ---- The stack ----

__device__ __noinline__ int depth(int n)
{
    return n == 0 ? 0 : 1 + depth(n - 1) % 10000;
}

__global__ void deep(int *to, int n)
{
    *to = depth(n);
}

#ifdef __CUDACC_VER_MAJOR__ // clang 14 has no alloca for devices
__device__ __noinline__ int squares(int n)
{
    int *values = (int *)alloca((size_t)n * sizeof(int)), sum = 0;
    for (int i = 0; i < n; i++)
        values[(i * 7) % n] = i * i;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

__global__ void allocating(int *to)
{
    int i = (int)threadIdx.x, n = i % 29 + 1;
    to[i] = squares(n % 7 ? n : n + 1) + squares(3);
}

static int squares_of(int n)
{
    return (n - 1) * n * (2 * n - 1) / 6;
}

static void allocations(int *device, int *host)
{
    allocating<<<1, COUNT>>>(device);
    GOOD(cudaMemcpy(host, device, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
        int n = i % 29 + 1;
        CHECK(host[i] == squares_of(n % 7 ? n : n + 1) + squares_of(3));
    }
}
#else
static void allocations(int *, int *) {}
#endif

static int host_fib(int n) { return n < 2 ? n : host_fib(n - 1) + host_fib(n - 2); }
static int host_ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? host_ackermann(m - 1, 1) : host_ackermann(m - 1, host_ackermann(m, n - 1));
}

int main()
{
    static int host[COUNT];
    int *device;
    operation *given;
    GOOD(cudaMalloc((void **)&device, sizeof host));
    virtuals<<<2, COUNT / 2>>>(device);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        CHECK(host[i] == virtuals_of(i));

    GOOD(cudaMemcpyFromSymbol(&given, second, sizeof given));
    pointers<<<2, COUNT / 2>>>(device, given);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
        int value = apply(i % 4, i, 3) + i - 1;
        CHECK(host[i] == (i % 5 == 0 ? value * 2 : value) * i);
    }

    recursions<<<2, COUNT / 2>>>(device);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        CHECK(host[i] ==
              host_fib(i % 12) * 100 + host_ackermann(i % 3, i % 4) * 2 + (i % 20 % 2 == 0));

    for (int i = 0; i < COUNT; i++)
        host[i] = i * 7919 % 1009;
    GOOD(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    sort_each<<<1, 4>>>(device, COUNT / 4);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 1; i < COUNT; i++)
        CHECK(i % (COUNT / 4) == 0 || host[i - 1] <= host[i]);

    allocations(device, host);
    GOOD(cudaDeviceSetLimit(cudaLimitStackSize, 65536));
    deep<<<1, 1>>>(device, 1600);
    GOOD(cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1600);

    pointers<<<1, 1>>>(device, NULL);
    EXPECT(cudaDeviceSynchronize(), 718); // cudaErrorInvalidPc
    return verdict();
}
