// Ends with work in the queue and a status of its own, by the way that the argument says.
#include "check.h"

#include <cstring>
#include <unistd.h>

__global__ void spin(int *to, int rounds)
{
    int x = 0;
    for (int r = 0; r < rounds; r++)
        x = x * 3 + r;
    to[threadIdx.x] = x;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    int *device;
    GOOD(cudaMalloc((void **)&device, 1024));
    for (int i = 0; i < 4; i++)
        spin<<<1, 32>>>(device, 1000);
    std::printf("%s", how); // without a newline: the report must not come before it
    if (!std::strcmp(how, "exit"))
        std::exit(7);
    if (!std::strcmp(how, "abort"))
        std::abort();
    if (!std::strcmp(how, "_exit"))
        _exit(9);
    return 3;
}
