// Two processes of one run share memory and events. They begin before either uses its device, and
// meet through pipes.
#include "check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 3000, PAGE_WORDS = 1024, ROUNDS = 4, SUM = 2 * ((1 << ROUNDS) - 1) };
static int to_other, from_other; // ends of pipes

static void send(const void *bytes, size_t size)
{
    CHECK(write(to_other, bytes, size) == (ssize_t)size);
}

static void receive(void *bytes, size_t size)
{
    CHECK(read(from_other, bytes, size) == (ssize_t)size);
}

static void meet()
{
    char mark = 'm';
    send(&mark, 1);
    receive(&mark, 1);
    CHECK(mark == 'm');
}

__global__ void put(int *to, int value, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = value + i;
}

__global__ void add(int *to, int value, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        to[i] += value;
}

// Long enough that a wait which does not wait is seen.
__global__ void add_slowly(int *to, int value)
{
    unsigned chain = threadIdx.x;
    for (int i = 0; i < 2000000; i++)
        chain = chain * 1664525 + 1013904223;
    to[threadIdx.x] += chain != 12345 ? value : value + 1;
}

__global__ void watch(volatile int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void twice(int *to)
{
    to[threadIdx.x] *= 2;
}

static void expect_words(const int *device, int first, int count)
{
    static int host[WORDS];
    GOOD(cudaMemcpy(host, device, count * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += host[i] != first + i;
    CHECK(wrong == 0);
}

// The maker's side of memory: what is beside it in its pages stays as it was.
static void make_memory()
{
    int *before, *shared, *after, *again;
    cudaIpcMemHandle_t handle, twice;
    GOOD(cudaMalloc((void **)&before, 40));
    GOOD(cudaMalloc((void **)&shared, WORDS * sizeof(int)));
    GOOD(cudaMalloc((void **)&after, 40));
    put<<<1, 32>>>(before, 1, 10);
    put<<<1, 128>>>(shared, 1000, WORDS);
    put<<<1, 32>>>(after, 2, 10);
    GOOD(cudaIpcGetMemHandle(&handle, shared));
    GOOD(cudaIpcGetMemHandle(&twice, shared));
    CHECK(std::memcmp(&handle, &twice, sizeof handle) == 0);
    expect_words(before, 1, 10);
    expect_words(shared, 1000, WORDS);
    expect_words(after, 2, 10);
    send(&handle, sizeof handle);
    GOOD(cudaIpcGetMemHandle(&twice, after)); // of the same pages
    put<<<1, 32>>>(after, 3, 10);
    GOOD(cudaDeviceSynchronize());
    send(&twice, sizeof twice);
    meet(); // the other one has added
    expect_words(shared, 1007, WORDS);
    expect_words(before, 1, 10);
    expect_words(after, 13, 10);
    put<<<1, 128>>>(shared, 5000, WORDS);
    GOOD(cudaDeviceSynchronize());
    meet();
    meet(); // and has closed
    GOOD(cudaFree(shared));
    GOOD(cudaMalloc((void **)&again, WORDS * sizeof(int)));
    CHECK(again == shared);
    int host[2] = {1, 1};
    GOOD(cudaMemcpy(host, again + PAGE_WORDS, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 0 && host[1] == 0); // as all new memory here
    expect_words(after, 13, 10);
    GOOD(cudaFree(again));
    GOOD(cudaFree(before));
    GOOD(cudaFree(after));
}

static void use_memory()
{
    int *own, *shared, *twice, *after, *later;
    cudaIpcMemHandle_t handle;
    GOOD(cudaMalloc((void **)&own, 100));
    receive(&handle, sizeof handle);
    GOOD(cudaIpcOpenMemHandle((void **)&shared, handle, cudaIpcMemLazyEnablePeerAccess));
    GOOD(cudaIpcOpenMemHandle((void **)&twice, handle, cudaIpcMemLazyEnablePeerAccess));
    CHECK(shared == twice);
    cudaPointerAttributes attributes;
    GOOD(cudaPointerGetAttributes(&attributes, shared + 5));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == shared + 5);
    EXPECT(cudaFree(shared), cudaErrorInvalidValue); // it is not this process's
    EXPECT(cudaFreeAsync(shared, 0), cudaErrorInvalidValue);
    EXPECT(cudaIpcGetMemHandle(&handle, shared), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(own, shared + WORDS - 1, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    cudaGetLastError();
    GOOD(cudaMalloc((void **)&later, 4));
    expect_words(shared, 1000, WORDS);
    receive(&handle, sizeof handle);
    GOOD(cudaIpcOpenMemHandle((void **)&after, handle, cudaIpcMemLazyEnablePeerAccess));
    expect_words(after, 3, 10);
    add<<<1, 128>>>(shared, 7, WORDS);
    add<<<1, 128>>>(after, 10, 10);
    watch<<<1, 1>>>(shared, own);
    GOOD(cudaMemset(later, 0x55, 4));
    GOOD(cudaDeviceSynchronize());
    meet();
    meet();
    expect_words(twice, 5000, WORDS);
    GOOD(cudaIpcCloseMemHandle(twice));
    expect_words(shared, 5000, WORDS); // the handle was opened twice
    GOOD(cudaIpcCloseMemHandle(shared));
    EXPECT(cudaIpcCloseMemHandle(shared), cudaErrorInvalidValue);
    cudaGetLastError();
    GOOD(cudaIpcCloseMemHandle(after));
    meet();
    int host;
    GOOD(cudaMemcpy(&host, later, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 0x55555555);
    GOOD(cudaFree(own));
    GOOD(cudaFree(later));
}

// Each waits for the other's event in its stream, not on the host: a sum that only one order gives.
static void take_turns(int *sum, cudaEvent_t mine, cudaEvent_t others, bool first)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (!first) {
            meet(); // it has issued
            GOOD(cudaStreamWaitEvent(0, others, 0));
        }
        if (first)
            add_slowly<<<1, 32>>>(sum, 1);
        else
            twice<<<1, 32>>>(sum);
        GOOD(cudaEventRecord(mine, 0));
        if (first) {
            meet();
            meet(); // the other one has issued what follows
            GOOD(cudaStreamWaitEvent(0, others, 0));
        } else {
            meet();
        }
    }
}

static void make_events()
{
    int *sum, host[32], before = -1;
    cudaEvent_t mine, others;
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t point;
    GOOD(cudaMalloc((void **)&sum, sizeof host));
    GOOD(cudaMemset(sum, 0, sizeof host));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaIpcGetMemHandle(&memory, sum));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    send(&memory, sizeof memory);
    send(&point, sizeof point);
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenEventHandle(&others, point));
    EXPECT(cudaEventQuery(others), cudaSuccess); // was not recorded
    take_turns(sum, mine, others, true);
    GOOD(cudaEventSynchronize(others));
    GOOD(cudaEventQuery(others));
    GOOD(cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == SUM && host[31] == SUM);
    meet();
    // What is queued behind a wait stays behind it.
    meet();
    GOOD(cudaStreamWaitEvent(0, others, 0));
    GOOD(cudaMemcpyAsync(&before, sum, sizeof before, cudaMemcpyDeviceToHost, 0));
    GOOD(cudaStreamSynchronize(0));
    CHECK(before == SUM + 100);
    meet();
    GOOD(cudaEventDestroy(others));
    GOOD(cudaEventDestroy(mine));
    GOOD(cudaFree(sum));
}

static void use_events()
{
    int *sum;
    cudaEvent_t mine, others;
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t point;
    receive(&memory, sizeof memory);
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenMemHandle((void **)&sum, memory, cudaIpcMemLazyEnablePeerAccess));
    GOOD(cudaIpcOpenEventHandle(&others, point));
    float time;
    EXPECT(cudaEventElapsedTime(&time, others, others), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    send(&point, sizeof point);
    take_turns(sum, mine, others, false);
    meet();
    add_slowly<<<1, 32>>>(sum, 100);
    GOOD(cudaEventRecord(mine, 0));
    meet(); // before the kernel has ended
    meet();
    GOOD(cudaEventDestroy(others));
    GOOD(cudaEventDestroy(mine));
    GOOD(cudaIpcCloseMemHandle(sum));
}

// The other one ends while this one waits for it: that is said, and nothing hangs.
static void outlive()
{
    cudaEvent_t others;
    cudaIpcEventHandle_t point;
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenEventHandle(&others, point));
    meet();
    char mark;
    CHECK(read(from_other, &mark, 1) == 0); // it has ended
    GOOD(cudaEventSynchronize(others));
    GOOD(cudaEventDestroy(others));
    cudaEvent_t gone;
    EXPECT(cudaIpcOpenEventHandle(&gone, point), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void end_early()
{
    int *word;
    cudaEvent_t mine;
    cudaIpcEventHandle_t point;
    GOOD(cudaMalloc((void **)&word, 128));
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    for (int i = 0; i < 20; i++)
        add_slowly<<<1, 32>>>(word, 1);
    GOOD(cudaEventRecord(mine, 0));
    send(&point, sizeof point);
    meet();
    _exit(0);
}

// A wait for another process's event holds up its own stream alone; and while a host asks whether
// such an event has completed its own device goes on, for which the other process may be waiting.
static void wait_beside()
{
    int *sums, host[64];
    cudaEvent_t mine, late;
    cudaStream_t one, other;
    cudaIpcEventHandle_t point;
    GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    GOOD(cudaMalloc((void **)&sums, sizeof host));
    GOOD(cudaMemset(sums, 0, sizeof host));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    send(&point, sizeof point);
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenEventHandle(&late, point));
    meet(); // it is recorded, and does not complete yet
    GOOD(cudaStreamWaitEvent(one, late, 0));
    add_slowly<<<1, 32, 0, one>>>(sums, 1);
    add_slowly<<<1, 32, 0, other>>>(sums + 32, 1);
    GOOD(cudaStreamSynchronize(other));
    EXPECT(cudaStreamQuery(one), cudaErrorNotReady);
    add_slowly<<<1, 32, 0, other>>>(sums + 32, 1);
    GOOD(cudaEventRecord(mine, other));
    meet();
    for (int i = 0; i < 20000 && cudaEventQuery(late) == cudaErrorNotReady; i++)
        usleep(1000);
    EXPECT(cudaEventQuery(late), cudaSuccess);
    GOOD(cudaStreamSynchronize(one));
    GOOD(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1 && host[63] == 2);
    GOOD(cudaEventDestroy(late));
    GOOD(cudaEventDestroy(mine));
    GOOD(cudaFree(sums));
    meet();
}

static int latch[2];

static void hold(void *)
{
    char mark;
    CHECK(read(latch[0], &mark, 1) == 1);
}

static void complete_late()
{
    cudaEvent_t mine, others;
    cudaStream_t stream;
    cudaIpcEventHandle_t point;
    CHECK(pipe(latch) == 0);
    GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenEventHandle(&others, point));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    send(&point, sizeof point);
    GOOD(cudaLaunchHostFunc(stream, hold, nullptr));
    GOOD(cudaEventRecord(mine, stream));
    meet();
    meet(); // the other one's is recorded
    GOOD(cudaEventSynchronize(others));
    CHECK(write(latch[1], "", 1) == 1);
    GOOD(cudaStreamSynchronize(stream));
    meet(); // it need not look at its event any more
    GOOD(cudaEventDestroy(others));
    GOOD(cudaEventDestroy(mine));
}

// One leaves with work behind an event of the other, which completes it when that has ended.
static void leave()
{
    int *sums;
    cudaEvent_t late;
    cudaStream_t stream;
    cudaIpcEventHandle_t point;
    GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GOOD(cudaMalloc((void **)&sums, 32 * sizeof(int)));
    receive(&point, sizeof point);
    GOOD(cudaIpcOpenEventHandle(&late, point));
    GOOD(cudaStreamWaitEvent(stream, late, 0));
    add_slowly<<<1, 32, 0, stream>>>(sums, 1);
    std::exit(failures ? 1 : 0);
}

static void stay(pid_t child)
{
    cudaEvent_t mine;
    cudaStream_t stream;
    cudaIpcEventHandle_t point;
    int status = -1;
    CHECK(pipe(latch) == 0);
    GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GOOD(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    GOOD(cudaIpcGetEventHandle(&point, mine));
    GOOD(cudaLaunchHostFunc(stream, hold, nullptr));
    GOOD(cudaEventRecord(mine, stream));
    send(&point, sizeof point);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(write(latch[1], "", 1) == 1);
    GOOD(cudaStreamSynchronize(stream));
    std::exit(verdict());
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    int there[2], back[2];
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    bool maker = child != 0;
    to_other = maker ? there[1] : back[1];
    from_other = maker ? back[0] : there[0];
    close(maker ? there[0] : there[1]);
    close(maker ? back[1] : back[0]);
    if (!std::strcmp(name, "left"))
        maker ? stay(child) : leave();
    if (!std::strcmp(name, "beside")) {
        maker ? wait_beside() : complete_late();
    } else if (maker) {
        make_memory();
        make_events();
        if (count > 1)
            outlive();
    } else {
        use_memory();
        use_events();
        if (count > 1)
            end_early();
    }
    if (!maker)
        std::exit(failures ? 1 : 0);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return verdict();
}
