// Host and kernel with the same memory, in the way that the first argument says: at the same time, or
// one after the other.
#include "check.h"

#include <cstring>

// Looks once, says so, and waits until the host has answered.
__global__ void poll(volatile int *question, volatile int *started)
{
    int first = *question;
    *started = 1;
    while (*question == first) {
    }
}

// Takes pieces of work until none is left, as the host does meanwhile.
__global__ void take(unsigned *next, unsigned *sums, unsigned pieces)
{
    for (;;) {
        unsigned piece;
        asm volatile("atom.add.sys.u32 %0, [%1], 1;" : "=r"(piece) : "l"(next) : "memory");
        if (piece >= pieces)
            return;
        atomicAdd(sums, piece);
    }
}

__global__ void look(volatile int *from, int *to)
{
    *to = *from + 1;
}

__global__ void tell(volatile int *to, int value)
{
    *to = value;
}

__global__ void plain(int *data)
{
    data[threadIdx.x] += (int)threadIdx.x;
}

static void play(int *memory)
{
    volatile int *question = memory, *started = memory + 64;
    *question = *started = 0;
    poll<<<1, 1>>>(memory, memory + 64);
    while (*started == 0) {
    }
    *question = 1;
    GOOD(cudaDeviceSynchronize());
}

static void share(int *memory)
{
    unsigned *next = (unsigned *)memory;
    next[0] = next[64] = 0;
    take<<<2, 32>>>(next, next + 64, 1000);
    unsigned mine = 0, piece;
    while ((piece = __atomic_fetch_add(next, 1u, __ATOMIC_SEQ_CST)) < 1000)
        mine += piece;
    GOOD(cudaDeviceSynchronize());
    CHECK(mine + next[64] == 999 * 1000 / 2);
}

// The host waits before it touches what a kernel had.
static void in_turns(int *memory)
{
    for (int i = 0; i < 4; i++) {
        memory[i] = i;
        plain<<<1, 32>>>(memory);
        GOOD(cudaDeviceSynchronize());
    }
    CHECK(memory[31] == 4 * 31);
}

int main(int count, char **arguments)
{
    static int own[2048];
    const char *how = count > 1 ? arguments[1] : "";
    int *managed, *device;
    GOOD(cudaMallocManaged((void **)&managed, 4096));
    GOOD(cudaMalloc((void **)&device, 4096));
    if (!std::strcmp(how, "poll"))
        play(managed);
    if (!std::strcmp(how, "registered")) {
        GOOD(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
        play(own);
        GOOD(cudaHostUnregister(own));
    }
    if (!std::strcmp(how, "share"))
        share(managed);
    if (!std::strcmp(how, "turns"))
        in_turns(managed);
    if (!std::strcmp(how, "look"))
        look<<<1, 1>>>(managed, managed + 64);
    if (!std::strcmp(how, "tell"))
        tell<<<1, 1>>>(managed, 5);
    if (!std::strcmp(how, "device"))
        look<<<1, 1>>>(device, managed);
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
