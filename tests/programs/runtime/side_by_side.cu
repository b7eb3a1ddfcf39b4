// Work of several streams side by side: which kernels run beside which, what is ordered behind what,
// and whose blocks go first. The first argument is the case; the second how long the host takes
// between two calls, in milliseconds, which changes nothing.
#include "check.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

enum { PATIENCE = 3000, LOG = 4096 };

static int pause_ms;

static void take_time(void)
{
    if (pause_ms > 0)
        usleep((useconds_t)pause_ms * 1000);
}

// Each sets its flag, and sees whether the other's is set before it gives up.
__global__ void meet(volatile int *flags, int mine, int other, int *met)
{
    if (threadIdx.x != 0)
        return;
    flags[mine] = 1;
    __threadfence();
    for (int i = 0; i < PATIENCE && !flags[other]; i++)
        ;
    met[mine] = flags[other];
}

// Waits as long as it takes.
__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

// Blocks of a kernel note in which order they begin.
__global__ void note(int *log, int *length, int kernel, int work)
{
    if (threadIdx.x == 0)
        log[atomicAdd(length, 1)] = kernel;
    volatile int sum = 0;
    for (int i = 0; i < work; i++)
        sum = sum + i;
}

__global__ void copy_value(const int *from, int *to, int work)
{
    volatile int sum = 0;
    for (int i = 0; i < work; i++)
        sum = sum + i;
    *to = *from + 1;
}

static int *zeros(size_t count)
{
    int *made;
    GOOD(cudaMalloc((void **)&made, count * sizeof(int)));
    GOOD(cudaMemset(made, 0, count * sizeof(int)));
    return made;
}

static int get(const int *device, int index)
{
    int value;
    GOOD(cudaMemcpy(&value, device + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// Whether a kernel of the one stream meets one of the other. The second always sees the first.
static int meets(cudaStream_t one, cudaStream_t other)
{
    int *flags = zeros(2), *met = zeros(2);
    meet<<<1, 32, 0, one>>>(flags, 0, 1, met);
    take_time();
    meet<<<1, 32, 0, other>>>(flags, 1, 0, met);
    GOOD(cudaDeviceSynchronize());
    int first = get(met, 0);
    CHECK(get(met, 1) == 1);
    GOOD(cudaFree(flags));
    GOOD(cudaFree(met));
    return first;
}

static cudaStream_t make(unsigned flags, int priority)
{
    cudaStream_t stream;
    GOOD(cudaStreamCreateWithPriority(&stream, flags, priority));
    return stream;
}

// A stream meets other streams; the legacy default stream, only those that do not block.
static void meetings(int serial)
{
    CHECK(!meets(0, 0));
    cudaStream_t a = make(0, 0), b = make(0, 0), free = make(cudaStreamNonBlocking, 0);
    CHECK(meets(a, b) == !serial);
    CHECK(meets(a, free) == !serial);
    CHECK(!meets(a, a));
    CHECK(!meets(a, 0));
    CHECK(!meets(0, b));
    CHECK(meets(0, free) == !serial);
    CHECK(meets(cudaStreamPerThread, a) == !serial);
    CHECK(!meets(cudaStreamPerThread, 0));
    CHECK(!meets(cudaStreamLegacy, a));
    GOOD(cudaStreamDestroy(a));
    CHECK(meets(b, free) == !serial);
}

// Issued in this order a device that runs one kernel at a time would never end.
static void waiting(void)
{
    int *flag = zeros(1);
    cudaStream_t a = make(0, 0), b = make(0, 0);
    wait_for<<<4, 64, 0, a>>>(flag);
    set<<<1, 1, 0, b>>>(flag, 1);
    GOOD(cudaStreamSynchronize(b));
    GOOD(cudaStreamSynchronize(a));
    // The host lets it go on, by a stream that need not wait.
    GOOD(cudaMemset(flag, 0, sizeof(int)));
    cudaStream_t free = make(cudaStreamNonBlocking, 0);
    wait_for<<<1, 32, 0, a>>>(flag);
    CHECK(cudaStreamQuery(a) == cudaErrorNotReady);
    GOOD(cudaMemsetAsync(flag, 1, sizeof(int), free));
    GOOD(cudaStreamSynchronize(free));
    GOOD(cudaStreamSynchronize(a));
    GOOD(cudaStreamQuery(a));
}

// A value goes from stream to stream, each behind an event of the one before.
static void events(void)
{
    enum { STREAMS = 6 };
    int *values = zeros(STREAMS + 1);
    cudaStream_t streams[STREAMS];
    cudaEvent_t events[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make(i % 2 ? cudaStreamNonBlocking : 0, 0);
        GOOD(cudaEventCreate(&events[i]));
    }
    for (int i = 0; i < STREAMS; i++) {
        if (i > 0)
            GOOD(cudaStreamWaitEvent(streams[i], events[i - 1], 0));
        copy_value<<<1, 1, 0, streams[i]>>>(values + i, values + i + 1, 200 * (STREAMS - i));
        GOOD(cudaEventRecord(events[i], streams[i]));
        take_time();
        if (i > 0)
            GOOD(cudaEventDestroy(events[i - 1]));
    }
    GOOD(cudaEventSynchronize(events[STREAMS - 1]));
    for (int i = 0; i <= STREAMS; i++)
        CHECK(get(values, i) == i);
    // What waits for an event is waited for with its stream, though it did nothing since.
    cudaEvent_t last;
    GOOD(cudaEventCreate(&last));
    copy_value<<<1, 1, 0, streams[0]>>>(values + STREAMS, values, 500);
    GOOD(cudaEventRecord(last, streams[0]));
    GOOD(cudaStreamWaitEvent(streams[1], last, 0));
    GOOD(cudaStreamSynchronize(streams[1]));
    GOOD(cudaEventQuery(last));
    CHECK(get(values, 0) == STREAMS + 1);
}

// A kernel that fills the machine several times over, and one of a greater priority, issued later.
// Of its blocks the last begins before the last of the other's.
static int last_place(int first_priority, int second_priority, int *second_first)
{
    int *log = zeros(LOG), *length = zeros(1), host[LOG], count;
    cudaStream_t first = make(cudaStreamNonBlocking, first_priority);
    cudaStream_t second = make(cudaStreamNonBlocking, second_priority);
    note<<<256, 1024, 0, first>>>(log, length, 1, 20);
    take_time();
    note<<<64, 1024, 0, second>>>(log, length, 2, 20);
    GOOD(cudaDeviceSynchronize());
    count = get(length, 0);
    CHECK(count == 320);
    GOOD(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
    int last = 0;
    *second_first = LOG;
    for (int i = 0; i < count; i++) {
        if (host[i] == 2 && *second_first == LOG)
            *second_first = i;
        if (host[i] == 2)
            last = i;
    }
    return last;
}

// What a condition chooses has the priority of the stream that the graph was launched in.
static int last_of_body(int first_priority, int second_priority)
{
    int *log = zeros(LOG), *length = zeros(1), host[LOG], last = 0, number = 2, work = 20;
    cudaStream_t first = make(cudaStreamNonBlocking, first_priority);
    cudaStream_t second = make(cudaStreamNonBlocking, second_priority);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    GOOD(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &condition));
    void *arguments[] = {&log, &length, &number, &work};
    cudaKernelNodeParams kernel;
    std::memset(&kernel, 0, sizeof kernel);
    kernel.func = (void *)note;
    kernel.gridDim = dim3(64);
    kernel.blockDim = dim3(1024);
    kernel.kernelParams = arguments;
    GOOD(cudaGraphAddKernelNode(&node, condition.conditional.phGraph_out[0], NULL, 0, &kernel));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    note<<<256, 1024, 0, first>>>(log, length, 1, 20);
    GOOD(cudaGraphLaunch(exec, second));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 320; i++)
        last = host[i] == 2 ? i : last;
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    return last;
}

static void priorities(void)
{
    CHECK(last_of_body(0, -5) < 200);
    CHECK(last_of_body(0, 0) == 319);
    int first, greater, equal_first, equal;
    greater = last_place(0, -5, &first);
    equal = last_place(0, 0, &equal_first);
    std::printf("greater: %d to %d, equal: %d to %d\n", first, greater, equal_first, equal);
    CHECK(greater < 200);
    CHECK(equal == 319);
    CHECK(last_place(-5, 0, &first) == 319);
}

// Each half of the machine, alone and together: how long by the program's own events.
static void times(void)
{
    int *log = zeros(LOG), *length = zeros(1);
    cudaEvent_t begin, end;
    cudaStream_t a = make(0, 0), b = make(0, 0);
    float alone, together;
    GOOD(cudaEventCreate(&begin));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventRecord(begin, 0));
    note<<<4, 256, 0, a>>>(log, length, 1, 400);
    GOOD(cudaEventRecord(end, 0));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaEventElapsedTime(&alone, begin, end));
    GOOD(cudaEventRecord(begin, 0));
    note<<<4, 256, 0, a>>>(log, length, 1, 400);
    take_time();
    note<<<4, 256, 0, b>>>(log, length, 2, 400);
    GOOD(cudaEventRecord(end, 0));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaEventElapsedTime(&together, begin, end));
    std::printf("together %.3f times as long as one\n", (double)(together / alone));
}

// More launches than a driver holds, of many streams; each adds to its own number.
__global__ void add(int *number)
{
    atomicAdd(number, 1);
}

static void many(void)
{
    enum { STREAMS = 40, ROUNDS = 60 };
    int *numbers = zeros(STREAMS);
    cudaStream_t streams[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make(cudaStreamNonBlocking, -(i % 6));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STREAMS; i++)
            add<<<1 + i % 3, 32, 0, streams[i]>>>(numbers + i);
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS; i++)
        CHECK(get(numbers, i) == ROUNDS * 32 * (1 + i % 3));
}

// Blocks with different shared memory and local memory share SMs.
template <int BYTES> __global__ void with_memory(int *out, int seed)
{
    __shared__ int shared[BYTES / 4];
    volatile int local[BYTES / 64];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        shared[i] = seed + i;
    for (int i = 0; i < BYTES / 64; i++)
        local[(i * 7) % (BYTES / 64)] = seed + i;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < BYTES / 64; i++)
        sum += shared[(threadIdx.x + i) % (BYTES / 4)] + local[i];
    atomicAdd(out, sum);
}

static void memories(void)
{
    int *sums = zeros(6);
    cudaStream_t a = make(0, 0), b = make(0, 0), c = make(0, -1);
    for (int together = 0; together < 2; together++) {
        with_memory<1024><<<40, 64, 0, a>>>(sums + 3 * together, 1);
        if (!together)
            GOOD(cudaDeviceSynchronize());
        with_memory<16384><<<24, 128, 0, b>>>(sums + 3 * together + 1, 2);
        if (!together)
            GOOD(cudaDeviceSynchronize());
        with_memory<40960><<<16, 96, 0, c>>>(sums + 3 * together + 2, 3);
        GOOD(cudaDeviceSynchronize());
    }
    for (int i = 0; i < 3; i++)
        CHECK(get(sums, i) == get(sums, 3 + i) && get(sums, i) != 0);
}

// A spin that reads constant memory right behind the clock, beside a kernel that does other things
// there.
__constant__ long long spin_length = 100000;

__global__ void spin(long long *took)
{
    long long begin = clock64(), now, length;
    unsigned long long at = (unsigned long long)&spin_length;
    do
        asm volatile("{ .reg .u64 %%at; cvta.to.const.u64 %%at, %2;\n"
                     "mov.u64 %0, %%clock64; ld.const.u64 %1, [%%at]; }"
                     : "=l"(now), "=l"(length)
                     : "l"(at));
    while (now - begin < length);
    took[0] = now - begin;
}

static void spins(void)
{
    int *values = zeros(2);
    long long *took;
    GOOD(cudaMalloc((void **)&took, sizeof *took));
    cudaStream_t a = make(cudaStreamNonBlocking, 0), b = make(cudaStreamNonBlocking, 0);
    copy_value<<<1, 1, 0, a>>>(values, values + 1, 5000);
    spin<<<1, 32, 0, b>>>(took);
    GOOD(cudaDeviceSynchronize());
    CHECK(get(values, 1) == 1);
}

// Branches of a graph meet, and its end is behind both.
static void graphs(int serial)
{
    int *flags = zeros(2), *met = zeros(2);
    cudaStream_t a = make(0, 0), b = make(0, 0);
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    GOOD(cudaEventCreate(&fork));
    GOOD(cudaEventCreate(&join));
    GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemsetAsync(flags, 0, 2 * sizeof(int), a));
    GOOD(cudaEventRecord(fork, a));
    GOOD(cudaStreamWaitEvent(b, fork, 0));
    meet<<<1, 32, 0, a>>>(flags, 0, 1, met);
    meet<<<1, 32, 0, b>>>(flags, 1, 0, met);
    GOOD(cudaEventRecord(join, b));
    GOOD(cudaStreamWaitEvent(a, join, 0));
    copy_value<<<1, 1, 0, a>>>(met, met, 10); // what the first saw, and 1
    GOOD(cudaStreamEndCapture(a, &graph));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        GOOD(cudaGraphLaunch(exec, a));
        copy_value<<<1, 1, 0, a>>>(met, met, 10);
        GOOD(cudaStreamSynchronize(a));
        CHECK(get(met, 0) == 2 + !serial);
    }
}

// A fault of one ends all, and the program hears of it at its next call that waits.
__global__ void bad(int *nowhere)
{
    *nowhere = 1;
}

static void faults(void)
{
    int *flag = zeros(1);
    cudaStream_t a = make(0, 0), b = make(0, 0);
    wait_for<<<1, 32, 0, a>>>(flag);
    bad<<<1, 1, 0, b>>>((int *)64);
    EXPECT(cudaStreamSynchronize(b), cudaErrorIllegalAddress);
    EXPECT(cudaStreamSynchronize(a), cudaErrorIllegalAddress);
    std::exit(verdict());
}

// Blocks with loads on their way when another one, of its own launch or of another's, is stopped.
__global__ void loads_until(const int *from, int *to, int stride, int *nowhere)
{
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += from[(threadIdx.x + i * 7 + blockIdx.x * 977) * stride % (1 << 20)];
        if (nowhere && i == 20 && blockIdx.x == 3)
            *nowhere = sum;
        if (i % 8 == 0)
            __nanosleep(2000);
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The device begins afresh after a fault, whatever was on its way.
static void resets(void)
{
    for (int beside = 0; beside < 2; beside++) {
        int *from = zeros(1 << 20), *to = zeros(16 * 128), *all = zeros(16 * 128);
        cudaStream_t a = 0, b = 0;
        if (beside) {
            a = make(0, 0);
            b = make(0, 0);
            loads_until<<<16, 128, 0, a>>>(from, all, 33, 0);
        }
        loads_until<<<16, 128, 0, b>>>(from, to, 33, (int *)64);
        if (beside)
            loads_until<<<16, 128, 0, a>>>(from, all, 65, 0);
        EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        GOOD(cudaDeviceReset());
        cudaGetLastError();
        for (int i = 0; i < 3; i++) {
            int *numbers = zeros(1 << 20), *sums = zeros(16 * 128);
            GOOD(cudaMemset(numbers, 1, sizeof(int) << 20));
            loads_until<<<16, 128>>>(numbers, sums, 17 + i, 0);
            GOOD(cudaDeviceSynchronize());
            CHECK(get(sums, 16 * 128 - 1) == 64 * 0x01010101);
            GOOD(cudaFree(numbers));
            GOOD(cudaFree(sums));
        }
    }
}

// Loads that ask for the same few lines over and over.
__global__ void asks_again(const volatile int *from, int *to)
{
    int sum = 0;
    for (int i = 0; i < 200; i++)
        for (int line = 0; line < 4; line++)
            sum += from[(line * 32 + threadIdx.x) * 32];
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void patterns(void)
{
    int *from = zeros(1 << 14), *to = zeros(128);
    cudaStream_t a = make(cudaStreamNonBlocking, 0), b = make(cudaStreamNonBlocking, 0);
    asks_again<<<2, 32, 0, a>>>(from, to);
    asks_again<<<2, 32, 0, b>>>(from, to + 64);
    GOOD(cudaDeviceSynchronize());
}

// Two blocks of each of two launches, or one launch of them all.
static void places(int kernels)
{
    int *values = zeros(2);
    cudaStream_t streams[2] = {make(cudaStreamNonBlocking, 0), make(cudaStreamNonBlocking, 0)};
    for (int i = 0; i < kernels; i++)
        copy_value<<<4 / kernels, 32, 0, streams[i]>>>(values, values + 1, 3000);
    GOOD(cudaDeviceSynchronize());
    CHECK(get(values, 1) == 1);
}

// Launches with local memory that overlap, one after another in two streams.
static void local_memories(int launches)
{
    int *sums = zeros(2);
    cudaStream_t streams[2] = {make(0, 0), make(0, 0)};
    for (int i = 0; i < launches; i++)
        with_memory<16384><<<4 + 9 * (i % 2), 64, 0, streams[i % 2]>>>(sums + i % 2, i);
    GOOD(cudaDeviceSynchronize());
    CHECK(get(sums, 0) != 0 && get(sums, 1) != 0);
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    pause_ms = count > 2 ? std::atoi(arguments[2]) : 0;
    if (!std::strcmp(name, "meetings") || !std::strcmp(name, "serial"))
        meetings(name[0] == 's');
    else if (!std::strcmp(name, "graphs") || !std::strcmp(name, "serial_graphs"))
        graphs(name[0] == 's');
    else if (!std::strcmp(name, "waiting"))
        waiting();
    else if (!std::strcmp(name, "events"))
        events();
    else if (!std::strcmp(name, "one"))
        (void)meets(0, 0);
    else if (!std::strcmp(name, "priorities"))
        priorities();
    else if (!std::strcmp(name, "times"))
        times();
    else if (!std::strcmp(name, "many"))
        many();
    else if (!std::strcmp(name, "memories"))
        memories();
    else if (!std::strcmp(name, "spins"))
        spins();
    else if (!std::strcmp(name, "faults"))
        faults();
    else if (!std::strcmp(name, "patterns"))
        patterns();
    else if (!std::strcmp(name, "resets"))
        resets();
    else if (!std::strcmp(name, "one_place") || !std::strcmp(name, "places"))
        places(name[0] == 'p' ? 2 : 1);
    else if (!std::strcmp(name, "local_memories"))
        local_memories(count > 2 ? std::atoi(arguments[2]) : 1);
    return verdict();
}
