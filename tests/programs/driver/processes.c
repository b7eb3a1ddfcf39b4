// Physical memory that another process imports by its descriptor, and maps; and events by handles.
#include "driver_api.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TOOLKIT
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;
typedef struct {
    char reserved[64];
} CUipcEventHandle;
CUresult cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
CUresult cuMemAddressFree(CUdeviceptr, size_t), cuMemRelease(CUmemGenericAllocationHandle);
CUresult cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                     unsigned long long);
CUresult cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
CUresult cuMemUnmap(CUdeviceptr, size_t);
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult cuMemExportToShareableHandle(void *, CUmemGenericAllocationHandle, int,
                                      unsigned long long);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *, void *, int);
CUresult cuIpcGetEventHandle(CUipcEventHandle *, CUevent);
CUresult cuIpcOpenEventHandle(CUevent *, CUipcEventHandle);
#endif

enum { GRAIN = 1 << 21, WORDS = 2 * GRAIN / 4 };

static int to_other, from_other;

static void send_bytes(const void *bytes, size_t size)
{
    CHECK(write(to_other, bytes, size) == (ssize_t)size);
}

static void receive_bytes(void *bytes, size_t size)
{
    CHECK(read(from_other, bytes, size) == (ssize_t)size);
}

static void start(void)
{
    CUcontext context;
    GOOD(cuInit(0));
    GOOD(cuDevicePrimaryCtxRetain(&context, 0));
    GOOD(cuCtxSetCurrent(context));
}

static CUdeviceptr map(CUmemGenericAllocationHandle handle)
{
    CUmemAccessDesc access = {.location = {.type = 1, .id = 0}, .flags = 3};
    CUdeviceptr at;
    GOOD(cuMemAddressReserve(&at, 2 * GRAIN, 0, 0, 0));
    GOOD(cuMemMap(at, 2 * GRAIN, 0, handle, 0));
    GOOD(cuMemSetAccess(at, 2 * GRAIN, &access, 1));
    return at;
}

static void unmap(CUdeviceptr at, CUmemGenericAllocationHandle handle)
{
    GOOD(cuMemUnmap(at, 2 * GRAIN));
    GOOD(cuMemAddressFree(at, 2 * GRAIN));
    GOOD(cuMemRelease(handle));
}

static unsigned word(CUdeviceptr at, size_t index)
{
    unsigned value = 0;
    GOOD(cuMemcpyDtoH(&value, at + 4 * index, sizeof value));
    return value;
}

static void make(void)
{
    CUmemAllocationProp shareable = {.type = 1, .requestedHandleTypes = 1, .location = {.type = 1}};
    CUmemGenericAllocationHandle plain, handle;
    CUevent event;
    CUipcEventHandle point;
    int descriptor;
    char mark;
    start();
    shareable.requestedHandleTypes = 0;
    GOOD(cuMemCreate(&plain, GRAIN, &shareable, 0));
    shareable.requestedHandleTypes = 1;
    GOOD(cuMemCreate(&handle, 2 * GRAIN, &shareable, 0));
    CUdeviceptr at = map(handle);
    GOOD(cuMemsetD32(at, 11, WORDS));
    GOOD(cuMemExportToShareableHandle(&descriptor, handle, 1, 0));
    GOOD(cuEventCreate(&event, 2 | 4)); // without times, for other processes
    GOOD(cuIpcGetEventHandle(&point, event));
    GOOD(cuEventRecord(event, NULL));
    send_bytes(&descriptor, sizeof descriptor);
    send_bytes(&point, sizeof point);
    receive_bytes(&mark, 1);
    CHECK(word(at, 0) == 22 && word(at, WORDS - 1) == 22);
    // The other process has it still when this one has given it back.
    close(descriptor);
    unmap(at, handle);
    GOOD(cuMemRelease(plain));
    send_bytes(&mark, 1);
    receive_bytes(&mark, 1);
    GOOD(cuEventDestroy(event));
}

static void use(pid_t maker)
{
    CUmemGenericAllocationHandle handle, again;
    CUevent event;
    CUipcEventHandle point;
    int theirs;
    char mark = 'm', path[64];
    start();
    receive_bytes(&theirs, sizeof theirs);
    receive_bytes(&point, sizeof point);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)maker, theirs);
    int descriptor = open(path, O_RDWR);
    CHECK(descriptor >= 0);
    GOOD(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)descriptor, 1));
    GOOD(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)descriptor, 1));
    CHECK(handle == again);
    GOOD(cuMemRelease(again));
    close(descriptor);
    GOOD(cuIpcOpenEventHandle(&event, point));
    GOOD(cuStreamWaitEvent(NULL, event, 0));
    GOOD(cuEventSynchronize(event));
    CUdeviceptr at = map(handle);
    CHECK(word(at, 0) == 11 && word(at, WORDS - 1) == 11);
    GOOD(cuMemsetD32(at, 22, WORDS));
    GOOD(cuCtxSynchronize());
    send_bytes(&mark, 1);
    receive_bytes(&mark, 1);
    CHECK(word(at, 0) == 22 && word(at, WORDS - 1) == 22);
    unmap(at, handle);
    GOOD(cuEventDestroy(event));
    send_bytes(&mark, 1);
}

int main(void)
{
    int there[2], back[2], status = -1;
    pid_t maker = getpid();
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    to_other = child ? there[1] : back[1];
    from_other = child ? back[0] : there[0];
    if (child == 0) {
        use(maker);
        exit(failures ? 1 : 0);
    }
    make();
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return verdict();
}
