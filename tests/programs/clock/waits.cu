// Warps that wait for each other at mbarriers and at the barrier of their cluster, some of them much
// longer at their work than others. PTX for sm_90, which clang hands on as it is.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int THREADS = 128, HALF = THREADS / 2, ROUNDS = 6, BLOCKS = 5;

static __device__ unsigned shared_address(const void *of)
{
    unsigned address;
    asm("{\n.reg .u64 at;\ncvta.to.shared.u64 at, %1;\ncvt.u32.u64 %0, at;\n}"
        : "=r"(address)
        : "l"(of));
    return address;
}

#define OBJECT(name) shared_address(&(name))
#define DO(operation, object, operand) \
    asm volatile(operation " [%0], %1;" ::"r"(object), "r"(operand) : "memory")
#define MAKE(object, threads) DO("mbarrier.init.shared.b64", object, threads)
#define ARRIVE(object) DO("mbarrier.arrive.shared.b64 _,", object, 1)

static __device__ void wait_parity(unsigned object, int parity)
{
    int over;
    do
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.s32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(object), "r"(parity)
                     : "memory");
    while (!over);
}

static __device__ void wait_state(unsigned object, unsigned long long state)
{
    int over;
    do
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.shared.b64 p, [%1], %2;\n"
                     "selp.s32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(object), "l"(state)
                     : "memory");
    while (!over);
}

// Loads that the warps make in different numbers.
static __device__ int work(const int *from, int times)
{
    int sum = 0;
    for (int i = 0; i < times; i++)
        sum += from[(threadIdx.x * 37 + i * 1021 + sum % 2) % 4096];
    return sum;
}

// Half of the warps fill what the other half reads, in two places by turns.
__global__ void hand_over(const int *from, int *to)
{
    __shared__ int data[2][HALF];
    __shared__ unsigned long long filled[2], emptied[2];
    int i = threadIdx.x % HALF, warp = threadIdx.x / 32, sum = 0;
    if (threadIdx.x < 2) {
        MAKE(OBJECT(filled[threadIdx.x]), HALF);
        MAKE(OBJECT(emptied[threadIdx.x]), HALF);
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        int place = round % 2, parity = round / 2 % 2;
        if (threadIdx.x < HALF) {
            int value = work(from, 1 + (warp + round) % 3);
            if (round >= 2)
                wait_parity(OBJECT(emptied[place]), parity ^ 1);
            data[place][i] = value;
            ARRIVE(OBJECT(filled[place]));
        } else {
            wait_parity(OBJECT(filled[place]), parity);
            sum += data[place][(i + 32) % HALF] + work(from, warp == 3 ? 2 : 0);
            ARRIVE(OBJECT(emptied[place]));
        }
    }
    to[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Copies that arrive by themselves; then the object is made anew, for fewer.
__global__ void copies(const int *from, int *to)
{
    alignas(16) __shared__ int data[THREADS * 4];
    __shared__ unsigned long long come;
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            MAKE(OBJECT(come), THREADS >> round);
        __syncthreads();
        if (threadIdx.x < THREADS >> round) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             shared_address(&data[threadIdx.x * 4])),
                         "l"(from + (blockIdx.x * THREADS + threadIdx.x) * 4 + round * 256)
                         : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(OBJECT(come))
                         : "memory");
        }
        wait_parity(OBJECT(come), 0);
        sum += data[(threadIdx.x * 4 + 64) % (THREADS * 4 >> round)] + work(from, threadIdx.x / 32);
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(OBJECT(come)) : "memory");
    }
    to[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// A phase ends when bytes have come that others bring, thread by thread; one leaves in between.
__global__ void bytes(const int *from, int *to)
{
    __shared__ unsigned long long come;
    int sum = 0;
    if (threadIdx.x == 0)
        MAKE(OBJECT(come), 2);
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x == 0)
            DO("mbarrier.arrive.expect_tx.shared.b64 _,", OBJECT(come), THREADS * 4);
        if (threadIdx.x == 32 && round < 2)
            ARRIVE(OBJECT(come));
        if (threadIdx.x == 32 && round == 2)
            DO("mbarrier.arrive_drop.shared.b64 _,", OBJECT(come), 1);
        sum += work(from, (threadIdx.x / 32 + round) % 4);
        DO("mbarrier.complete_tx.relaxed.cta.shared::cta.b64", OBJECT(come), 4);
        wait_parity(OBJECT(come), round % 2);
        sum += work(from, threadIdx.x / 32 % 2);
        __syncthreads();
    }
    to[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Each quarter of a warp has an object of its own, with the same quarters of the other warps.
__global__ void quarters(const int *from, int *to)
{
    __shared__ unsigned long long met[4];
    int mine = threadIdx.x % 32 / 8, sum = 0;
    if (threadIdx.x < 4)
        MAKE(OBJECT(met[threadIdx.x]), THREADS / 4);
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        unsigned long long state;
        sum += work(from, (threadIdx.x / 32 + round) % 3);
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(OBJECT(met[mine]))
                     : "memory");
        wait_state(OBJECT(met[mine]), state);
    }
    to[blockIdx.x * THREADS + threadIdx.x] = sum;
}

#define SEND(operation, to, value, object)                                          \
    asm volatile(operation " [%0], %1, [%2];" ::"r"(to), "r"(value), "r"(object) : "memory")

// Each thread stores for one of the next warp, and adds to what all count, by stores and reductions
// that bring their bytes to an object; late ones are waited for.
__global__ void sent(const int *from, int *to)
{
    __shared__ unsigned long long come;
    __shared__ int data[THREADS], count;
    int sum = 0;
    if (threadIdx.x == 0) {
        MAKE(OBJECT(come), 1);
        count = 0;
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x == 0)
            DO("mbarrier.arrive.expect_tx.shared.b64 _,", OBJECT(come), THREADS * 8);
        int value = work(from, (threadIdx.x / 32 + round) % 4);
        SEND("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32",
             OBJECT(data[(threadIdx.x + 32) % THREADS]), value, OBJECT(come));
        SEND("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
             OBJECT(count), 1 + (int)threadIdx.x % 2, OBJECT(come));
        wait_parity(OBJECT(come), round % 2);
        sum += data[threadIdx.x] - work(from, ((threadIdx.x + THREADS - 32) / 32 + round) % 4);
        __syncthreads();
    }
    to[blockIdx.x * THREADS + threadIdx.x] = count == ROUNDS * THREADS / 2 * 3 ? sum : -1;
}

// All threads of the cluster, which is the block, arrive, do something else, and wait; a warp ends
// before the last round.
__global__ void cluster(const int *from, int *to)
{
    __shared__ int data[THREADS];
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        data[threadIdx.x] = work(from, 1 + (threadIdx.x / 32 + round) % 4);
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        sum += work(from, threadIdx.x / 32);
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
        sum += data[threadIdx.x ^ 32];
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
        if (round == ROUNDS - 2 && threadIdx.x >= 96)
            break;
    }
    to[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int main()
{
    int *from, *to, sum = 0;
    cudaMalloc(&from, sizeof(int) * 4096);
    cudaMalloc(&to, sizeof(int) * BLOCKS * THREADS);
    cudaMemset(from, 1, sizeof(int) * 4096);
    static int got[BLOCKS * THREADS];
    void (*kernels[])(const int *, int *) = {hand_over, copies, bytes, quarters, cluster, sent};
    for (auto kernel : kernels) {
        kernel<<<BLOCKS, THREADS>>>(from, to);
        cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
        for (int value : got)
            sum = sum * 31 + value;
    }
    cudaError_t error = cudaGetLastError();
    printf("%s %d\n", cudaGetErrorString(error), sum);
    return error != cudaSuccess;
}
