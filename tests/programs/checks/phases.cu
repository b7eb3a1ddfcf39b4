// What mbarriers and a cluster's barrier order, and what they do not; the lines that the test looks for
// are marked. PTX for sm_90, which clang hands on as it is.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int THREADS = 128, ROUNDS = 6;

#define OBJECT(name) shared_address(name)

static __device__ unsigned shared_address(const void *of)
{
    unsigned address;
    asm("{\n.reg .u64 at;\ncvta.to.shared.u64 at, %1;\ncvt.u32.u64 %0, at;\n}"
        : "=r"(address)
        : "l"(of));
    return address;
}

static __device__ void make(unsigned object, int threads)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object), "r"(threads) : "memory");
}

static __device__ unsigned long long arrive(unsigned object)
{
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(object) : "memory");
    return state;
}

static __device__ bool is_over(unsigned object, unsigned long long state)
{
    int over;
    asm volatile("{\n.reg .pred p;\n"
                 "mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
                 "selp.s32 %0, 1, 0, p;\n}"
                 : "=r"(over)
                 : "r"(object), "l"(state)
                 : "memory");
    return over;
}

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

// Half of the warps fill what the other half reads, round after round, in two places by turns.
template <bool EMPTIED> __global__ void hand_over(int *to)
{
    __shared__ int data[2][THREADS / 2];
    __shared__ unsigned long long filled[2], emptied[2];
    int i = threadIdx.x % (THREADS / 2), sum = 0;
    if (threadIdx.x < 2) {
        make(OBJECT(&filled[threadIdx.x]), THREADS / 2);
        make(OBJECT(&emptied[threadIdx.x]), THREADS / 2);
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        int place = round % 2, parity = round / 2 % 2;
        if (!EMPTIED && round == 2) {
            if (threadIdx.x < THREADS / 2)
                data[place][i] = -i; // LINE: fill too soon
            break;
        }
        if (threadIdx.x < THREADS / 2) {
            if (round >= 2)
                wait_parity(OBJECT(&emptied[place]), parity ^ 1);
            data[place][i] = round * i;
            arrive(OBJECT(&filled[place]));
        } else {
            wait_parity(OBJECT(&filled[place]), parity);
            sum += data[place][(i + 32) % (THREADS / 2)]; // LINE: empty
            arrive(OBJECT(&emptied[place]));
        }
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(OBJECT(&filled[threadIdx.x])) : "memory");
        make(OBJECT(&filled[threadIdx.x]), 1);
    }
    to[threadIdx.x] = sum;
}

// All arrive, and test until the phase is over: or read at once, or what was written behind it.
template <int HOW> __global__ void all_meet(int *to)
{
    __shared__ int data[THREADS], more[THREADS];
    __shared__ unsigned long long met;
    if (threadIdx.x == 0)
        make(OBJECT(&met), THREADS);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1; // LINE: before
    unsigned long long state = arrive(OBJECT(&met));
    more[threadIdx.x] = threadIdx.x + 1; // LINE: behind
    if (HOW != 1)
        while (!is_over(OBJECT(&met), state)) {
        }
    to[threadIdx.x] = data[(threadIdx.x + 32) % THREADS]; // LINE: read
    if (HOW == 2)
        to[threadIdx.x] += more[(threadIdx.x + 32) % THREADS]; // LINE: read behind
}

// A thread's arrival counts for it alone: the object of another phase orders nothing.
__global__ void another(int *to)
{
    __shared__ int data[THREADS];
    __shared__ unsigned long long mine[THREADS / 32];
    if (threadIdx.x % 32 == 0)
        make(OBJECT(&mine[threadIdx.x / 32]), 32);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1; // LINE: own
    unsigned long long state = arrive(OBJECT(&mine[threadIdx.x / 32]));
    while (!is_over(OBJECT(&mine[threadIdx.x / 32]), state)) {
    }
    to[threadIdx.x] = data[(threadIdx.x + 32) % THREADS]; // LINE: other
}

// Stores bring their bytes to the object: who has waited for them reads what they wrote.
template <bool WAITS> __global__ void sent(int *to)
{
    __shared__ int data[THREADS];
    __shared__ unsigned long long come;
    int sum = 0;
    if (threadIdx.x == 0)
        make(OBJECT(&come), 1);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(OBJECT(&come)),
                         "r"(THREADS * 4)
                         : "memory");
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" // LINE: sent
                     ::"r"(OBJECT(&data[(threadIdx.x + 32) % THREADS])),
                     "r"(threadIdx.x + round), "r"(OBJECT(&come))
                     : "memory");
        if (WAITS)
            wait_parity(OBJECT(&come), round % 2);
        sum += data[threadIdx.x]; // LINE: received
        __syncthreads();
    }
    to[threadIdx.x] = sum;
}

// More lanes of a warp than a phase takes.
__global__ void by_sixteen(int *to)
{
    __shared__ int data[THREADS];
    __shared__ unsigned long long met;
    if (threadIdx.x == 0)
        make(OBJECT(&met), 16);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1;
    if (threadIdx.x < 32)
        arrive(OBJECT(&met));
    else if (threadIdx.x < 64)
        while (is_over(OBJECT(&met), 0) && data[threadIdx.x - 32] == 0) {
        }
    to[threadIdx.x] = data[threadIdx.x];
}

template <int HOW> __global__ void cluster(int *to)
{
    __shared__ int data[THREADS], more[THREADS];
    int sum = 0;
    if (threadIdx.x >= 96 && HOW == 0) {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return; // its arrival has been counted
    }
    for (int round = 0; round < 3; round++) {
        data[threadIdx.x] = threadIdx.x + round; // LINE: shared
        if (HOW == 1)
            asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        else
            asm volatile("barrier.cluster.arrive;" ::: "memory");
        more[threadIdx.x] = threadIdx.x + round; // LINE: shared behind
        asm volatile("barrier.cluster.wait;" ::: "memory");
        sum += data[(threadIdx.x + 32) % 96]; // LINE: cluster read
        if (HOW == 2)
            sum += more[(threadIdx.x + 32) % 96]; // LINE: cluster read behind
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    }
    to[threadIdx.x] = sum;
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    int *to;
    cudaMalloc(&to, THREADS * sizeof *to);
    if (!std::strcmp(how, "good")) {
        hand_over<true><<<2, THREADS>>>(to);
        all_meet<0><<<2, THREADS>>>(to);
        by_sixteen<<<1, THREADS>>>(to);
        sent<true><<<2, THREADS>>>(to);
        cluster<0><<<2, THREADS>>>(to);
    }
    if (!std::strcmp(how, "not emptied"))
        hand_over<false><<<1, THREADS>>>(to);
    if (!std::strcmp(how, "no test"))
        all_meet<1><<<1, THREADS>>>(to);
    if (!std::strcmp(how, "sent"))
        sent<false><<<1, THREADS>>>(to);
    if (!std::strcmp(how, "behind"))
        all_meet<2><<<1, THREADS>>>(to);
    if (!std::strcmp(how, "another"))
        another<<<1, THREADS>>>(to);
    if (!std::strcmp(how, "relaxed"))
        cluster<1><<<1, 96>>>(to);
    if (!std::strcmp(how, "cluster behind"))
        cluster<2><<<1, 96>>>(to);
    cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
