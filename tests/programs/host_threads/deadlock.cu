// deadlock [polls]: a kernel waits for a flag that no thread sets, as the one that would waits for
// the kernel: by cudaDeviceSynchronize(), or by polling.
#include <cstring>

struct shared {
    volatile int go, done;
};

__global__ void wait_for_host(shared *at)
{
    while (at->go == 0)
        continue;
    at->done = 1;
}

int main(int argc, char **argv)
{
    shared *at;
    cudaMallocManaged(&at, sizeof *at);
    at->go = at->done = 0;
    wait_for_host<<<1, 32>>>(at);
    if (argc > 1 && std::strcmp(argv[1], "polls") == 0)
        while (__atomic_load_n(&at->done, __ATOMIC_ACQUIRE) == 0)
            continue;
    cudaDeviceSynchronize();
    at->go = 1;
    return 0;
}
