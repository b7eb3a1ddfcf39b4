// Host code that accesses managed and pinned memory that has been freed, and beyond its end.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

__global__ void set(int *values)
{
    values[threadIdx.x] = (int)threadIdx.x;
}

static int *managed()
{
    int *values;
    cudaMallocManaged(&values, 32 * sizeof *values);
    set<<<1, 32>>>(values);
    cudaDeviceSynchronize();
    return values;
}

__attribute__((noinline)) static int read(const volatile int *value)
{
    return *value;
}

__attribute__((noinline)) static void write(volatile int *value)
{
    *value = 7;
}

__attribute__((noinline)) static void add(std::atomic<int> *value)
{
    value->fetch_add(1);
}

static int read_freed()
{
    int *values = managed();
    cudaFree(values);
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += read(&values[i]);
    return sum;
}

static void write_pinned()
{
    int *values;
    cudaMallocHost(&values, 64);
    write(&values[15]);
    cudaFreeHost(values);
    std::thread other([=] { write(&values[15]); });
    other.join();
}

static void go_beyond()
{
    int *values = managed(), copy[40];
    add((std::atomic<int> *)&values[32]);
    memcpy(copy, values, 33 * sizeof *values);
    write(&copy[39]);
    cudaFree(values);
}

// What is right.
static int keep_within()
{
    int *values = managed(), copy[32];
    write(&values[31]);
    memcpy(copy, values, sizeof copy);
    int sum = read(&copy[31]);
    cudaFree(values);
    return sum;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "within";
    if (strcmp(what, "freed") == 0)
        read_freed();
    else if (strcmp(what, "pinned") == 0)
        write_pinned();
    else if (strcmp(what, "beyond") == 0)
        go_beyond();
    else if (keep_within() != 7)
        return 1;
    printf("%s: done\n", what);
    return 0;
}
