// A pool that another process imports, and allocations of it. The processes begin before either uses
// its device, and meet through a socket, which carries the pool's descriptor.
#include "check.h"

#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 5000 };
static int other; // the socket

static void send_bytes(const void *bytes, size_t size)
{
    CHECK(write(other, bytes, size) == (ssize_t)size);
}

static void receive_bytes(void *bytes, size_t size)
{
    CHECK(read(other, bytes, size) == (ssize_t)size);
}

static void meet()
{
    char mark = 'm';
    send_bytes(&mark, 1);
    receive_bytes(&mark, 1);
}

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    cmsghdr aligned;
};

static msghdr message(iovec *piece, control *room)
{
    msghdr made;
    std::memset(&made, 0, sizeof made);
    std::memset(room, 0, sizeof *room);
    made.msg_iov = piece;
    made.msg_iovlen = 1;
    made.msg_control = room->bytes;
    made.msg_controllen = sizeof room->bytes;
    return made;
}

static void send_descriptor(int descriptor)
{
    char mark = 'd';
    iovec piece = {&mark, 1};
    control room;
    msghdr sent = message(&piece, &room);
    cmsghdr *header = CMSG_FIRSTHDR(&sent);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    CHECK(sendmsg(other, &sent, 0) == 1);
    close(descriptor);
}

static int receive_descriptor()
{
    char mark;
    iovec piece = {&mark, 1};
    control room;
    msghdr got = message(&piece, &room);
    int descriptor = -1;
    CHECK(recvmsg(other, &got, 0) == 1 && CMSG_FIRSTHDR(&got));
    std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&got)), sizeof descriptor);
    return descriptor;
}

__global__ void put(int *to, int value, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = value + i;
}

static int wrong(const int *device, int value)
{
    static int host[WORDS];
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    int found = 0;
    for (int i = 0; i < WORDS; i++)
        found += host[i] != value + i;
    return found;
}

static void make()
{
    cudaMemPoolProps properties;
    std::memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool;
    cudaMemPoolPtrExportData data;
    int *memory, *plain, descriptor;
    GOOD(cudaMemPoolCreate(&pool, &properties));
    GOOD(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor,
                                            0));
    EXPECT(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)descriptor,
                                                cudaMemHandleTypePosixFileDescriptor, 0),
           cudaErrorNotSupported); // this process made it
    send_descriptor(descriptor);
    GOOD(cudaMallocFromPoolAsync((void **)&memory, WORDS * sizeof(int), pool, 0));
    GOOD(cudaMallocAsync((void **)&plain, 64, 0));
    EXPECT(cudaMemPoolExportPointer(&data, plain), cudaErrorInvalidValue); // of another pool
    cudaGetLastError();
    put<<<1, 128>>>(memory, 10, WORDS);
    GOOD(cudaMemPoolExportPointer(&data, memory));
    GOOD(cudaStreamSynchronize(0));
    send_bytes(&data, sizeof data);
    meet();
    CHECK(wrong(memory, 20) == 0);
    meet();
    GOOD(cudaFreeAsync(memory, 0));
    GOOD(cudaFreeAsync(plain, 0));
    GOOD(cudaStreamSynchronize(0));
    GOOD(cudaMemPoolDestroy(pool));
}

static void use()
{
    cudaMemPool_t pool;
    cudaMemPoolPtrExportData data;
    int *memory, *own, descriptor = receive_descriptor();
    EXPECT(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)0,
                                                cudaMemHandleTypePosixFileDescriptor, 0),
           cudaErrorInvalidValue);
    GOOD(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)descriptor,
                                              cudaMemHandleTypePosixFileDescriptor, 0));
    close(descriptor);
    EXPECT(cudaMallocFromPoolAsync((void **)&own, 64, pool, 0), cudaErrorInvalidValue);
    EXPECT(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
    cudaGetLastError();
    receive_bytes(&data, sizeof data);
    GOOD(cudaMemPoolImportPointer((void **)&memory, pool, &data));
    unsigned long long used = 0;
    GOOD(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == WORDS * sizeof(int));
    CHECK(wrong(memory, 10) == 0);
    put<<<1, 128>>>(memory, 20, WORDS);
    GOOD(cudaStreamSynchronize(0));
    meet();
    GOOD(cudaFreeAsync(memory, 0));
    GOOD(cudaStreamSynchronize(0));
    GOOD(cudaMemPoolDestroy(pool));
    meet();
}

int main()
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pid_t child = fork();
    other = ends[child != 0];
    close(ends[child == 0]);
    if (child == 0) {
        use();
        std::exit(failures ? 1 : 0);
    }
    make();
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return verdict();
}
