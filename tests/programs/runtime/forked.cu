// A process that forks: the child cannot use the device it inherited, and makes no report.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *to)
{
    to[threadIdx.x] = 5;
}

int main()
{
    int *device, host[32] = {0};
    GOOD(cudaMalloc((void **)&device, sizeof host));
    set<<<1, 32>>>(device);
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *pointer;
        EXPECT(cudaMalloc(&pointer, 4), cudaErrorInitializationError);
        EXPECT(cudaDeviceSynchronize(), cudaErrorInitializationError);
        std::exit(failures ? 1 : 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[31] == 5);
    return verdict();
}
