/* A program of CUDA 12, as its headers would have compiled it: the layouts and signatures that CUDA
 * 13 changed, called by hand. Linked with libcudart.so.12. */
#include <stdio.h>
#include <string.h>

struct location {
    int type, id; /* 1: a device */
};

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaGetDeviceProperties(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaMallocManaged(void **pointer, size_t size, unsigned flags);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaMemAdvise(const void *pointer, size_t size, int advice, int device);
int cudaMemPrefetchAsync(const void *pointer, size_t size, int device, void *stream);
int cudaMemAdvise_v2(const void *pointer, size_t size, int advice, struct location location);
int cudaMemPrefetchAsync_v2(const void *pointer, size_t size, struct location location,
                            unsigned flags, void *stream);
int cudaThreadSynchronize(void);
int cudaThreadGetLimit(size_t *value, int limit);
int cudaThreadSetLimit(int limit, size_t value);
int cudaThreadGetCacheConfig(int *config);
int cudaThreadSetCacheConfig(int config);
int cudaMalloc(void **pointer, size_t size);
int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                         size_t count, const void *attributes, const size_t *first,
                         size_t attribute_count, size_t *failed, void *stream);
int cudaMemcpy3DBatchAsync(size_t count, const void *copies, size_t *failed,
                           unsigned long long flags, void *stream);
int cudaStreamSynchronize(void *stream);
int cudaThreadExit(void);
int cudaGraphAddNode(void **node, void *graph, void *const *dependencies, size_t count,
                     void *params);
int cudaGraphAddNode_v2(void **node, void *graph, void *const *dependencies, const void *edges,
                        size_t count, void *params);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count);
int cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges,
                                size_t count);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t count);
int cudaGraphRemoveDependencies_v2(void *graph, void *const *from, void *const *to,
                                   const void *edges, size_t count);
int cudaGraphGetEdges(void *graph, void **from, void **to, size_t *count);
int cudaGraphGetEdges_v2(void *graph, void **from, void **to, void *edges, size_t *count);
int cudaGraphNodeGetDependencies(void *node, void **nodes, size_t *count);
int cudaGraphNodeGetDependencies_v2(void *node, void **nodes, void *edges, size_t *count);
int cudaGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count);
int cudaGraphNodeGetDependentNodes_v2(void *node, void **nodes, void *edges, size_t *count);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphicsUnregisterResource(void);
int cudaStreamCreate(void **stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo(void *stream, int *state, unsigned long long *id);
int cudaStreamGetCaptureInfo_v2(void *stream, int *state, unsigned long long *id, void **graph,
                                void *const **nodes, size_t *count);
int cudaStreamGetCaptureInfo_v3(void *stream, int *state, unsigned long long *id, void **graph,
                                void *const **nodes, const void **edges, size_t *count);
int cudaStreamUpdateCaptureDependencies(void *stream, void **nodes, size_t count, unsigned flags);
int cudaStreamUpdateCaptureDependencies_v2(void *stream, void **nodes, const void *edges,
                                           size_t count, unsigned flags);

static int failures;

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
int cudaGetSymbolAddress(void **address, const void *symbol);

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static int word(const char *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Fills `size` bytes and leaves the ones behind alone. */
static void properties(int (*get)(void *, int), size_t size, const char *what)
{
    char block[2048];
    int major = 0, clock = 0, processors = 0;
    memset(block, 0x5a, sizeof block);
    check(get(block, 0) == 0, what);
    cudaDeviceGetAttribute(&major, 75, 0);
    cudaDeviceGetAttribute(&clock, 13, 0);
    cudaDeviceGetAttribute(&processors, 16, 0);
    check(word(block + 360) == major, "major lies at byte 360");
    check(word(block + 348) == clock, "clockRate lies at byte 348");
    check(word(block + 388) == processors, "multiProcessorCount lies at byte 388");
    check(block[size - 1] != 0x5a && block[size] == 0x5a, "the size of the struct");
    check(get(block, 1) == 101, "device 1");
}

/* Edges without data, and with it under another name. */
static void graphs(void)
{
    void *graph, *a, *b, *c, *from[2], *to[2];
    char edges[16];
    int params[64] = {5}; /* cudaGraphNodeTypeEmpty */
    size_t count = 2;
    check(cudaGraphCreate(&graph, 0) == 0, "cudaGraphCreate");
    check(cudaGraphAddNode(&a, graph, 0, 0, params) == 0, "cudaGraphAddNode");
    check(cudaGraphAddNode(&b, graph, &a, 1, params) == 0, "cudaGraphAddNode after another");
    check(cudaGraphAddNode_v2(&c, graph, &b, 0, 1, params) == 0, "cudaGraphAddNode_v2");
    check(cudaGraphGetEdges(graph, from, to, &count) == 0 && count == 2 && from[0] == a &&
              to[0] == b,
          "cudaGraphGetEdges");
    memset(edges, 0x5a, sizeof edges);
    check(cudaGraphGetEdges_v2(graph, from, to, edges, &count) == 0 && edges[0] == 0 &&
              edges[15] == 0,
          "cudaGraphGetEdges_v2");
    check(cudaGraphRemoveDependencies(graph, &a, &b, 1) == 0, "cudaGraphRemoveDependencies");
    check(cudaGraphRemoveDependencies_v2(graph, &b, &c, 0, 1) == 0, "... _v2");
    check(cudaGraphRemoveDependencies(graph, &b, &c, 1) == 1, "an edge that is not there");
    check(cudaGraphAddDependencies(graph, &a, &c, 1) == 0, "cudaGraphAddDependencies");
    check(cudaGraphAddDependencies_v2(graph, &b, &c, 0, 1) == 0, "... _v2");
    count = 2;
    check(cudaGraphNodeGetDependencies(c, from, &count) == 0 && count == 2 && from[1] == b,
          "cudaGraphNodeGetDependencies");
    check(cudaGraphNodeGetDependencies_v2(c, from, edges, &count) == 0 && count == 2, "... _v2");
    check(cudaGraphNodeGetDependentNodes(a, to, &count) == 0 && count == 1 && to[0] == c &&
              to[1] == 0,
          "cudaGraphNodeGetDependentNodes");
    check(cudaGraphNodeGetDependentNodes_v2(b, to, edges, &count) == 0 && count == 1, "... _v2");
    check(cudaGraphDestroy(graph) == 0, "cudaGraphDestroy");
}

static void captures(void)
{
    void *stream, *graph, *a, *b, *ended;
    void *const *nodes;
    const void *edges;
    unsigned long long id = 0, same = 0;
    int state = 0, params[64] = {5};
    size_t count = 0;
    check(cudaStreamCreate(&stream) == 0 && cudaStreamBeginCapture(stream, 0) == 0, "capture");
    check(cudaStreamGetCaptureInfo(stream, &state, &id) == 0 && state == 1 && id != 0, "info");
    check(cudaStreamGetCaptureInfo_v2(stream, &state, &same, &graph, &nodes, &count) == 0 &&
              same == id && count == 0,
          "info_v2");
    check(cudaGraphAddNode(&a, graph, 0, 0, params) == 0, "a node");
    check(cudaGraphAddNode(&b, graph, 0, 0, params) == 0, "another");
    check(cudaStreamUpdateCaptureDependencies(stream, &a, 1, 1) == 0, "depend");
    check(cudaStreamUpdateCaptureDependencies_v2(stream, &b, 0, 1, 0) == 0, "depend_v2");
    check(cudaStreamGetCaptureInfo_v3(stream, &state, &same, &graph, &nodes, &edges, &count) == 0 &&
              count == 2 && nodes[0] == a && nodes[1] == b && edges,
          "info_v3");
    check(cudaStreamEndCapture(stream, &ended) == 0 && ended == graph, "the end");
}

/* Batches say which copy failed. */
static void batches(void)
{
    void *stream, *device;
    char text[8] = "batches", back[8] = "";
    int attributes[6] = {1}, copies[2 * 28] = {0}, config = 9; /* in the stream's order */
    size_t first = 0, failed = 7, limit = 0, bytes[2] = {8, 8};
    check(cudaStreamCreate(&stream) == 0 && cudaMalloc(&device, 8) == 0, "a stream");
    void *to[2] = {device, back};
    const void *from[2] = {text, device};
    check(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, &first, 1, &failed, stream) == 0,
          "cudaMemcpyBatchAsync");
    check(cudaStreamSynchronize(stream) == 0 && strcmp(back, "batches") == 0, "both copies");
    bytes[1] = 9;
    check(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, &first, 1, &failed, stream) == 1 &&
              failed == 1,
          "the second copy");
    check(cudaMemcpy3DBatchAsync(2, copies, &failed, 0, stream) == 1 && failed == 0, "of no type");
    check(cudaThreadSetLimit(0, 2048) == 0 && cudaThreadGetLimit(&limit, 0) == 0 && limit == 2048,
          "limits by their old names");
    check(cudaThreadSetCacheConfig(1) == 0 && cudaThreadGetCacheConfig(&config) == 0 && config == 0,
          "preferences by their old names");
}

int main(void)
{
    int version = 0;
    char *pointer, attributes[64];
    check(cudaRuntimeGetVersion(&version) == 0 && version / 1000 == 12, "version 12");
    properties(cudaGetDeviceProperties_v2, 1032, "cudaGetDeviceProperties_v2");
    check(cudaGetDeviceProperties_v2(0, 0) == 1, "no place for the properties");
    properties(cudaGetDeviceProperties, 728, "cudaGetDeviceProperties");
    check(cudaMallocManaged((void **)&pointer, 8192, 1) == 0, "cudaMallocManaged");
    memset(attributes, 0x5a, sizeof attributes);
    check(cudaPointerGetAttributes(attributes, pointer) == 0, "cudaPointerGetAttributes");
    check(word(attributes) == 3 && attributes[24] == 0x5a, "the attributes end after 24 bytes");
    check(cudaMemAdvise(pointer, 8192, 3, -1) == 0, "advice for the host");
    check(cudaMemAdvise(pointer, 8192, 3, 4) == 101, "advice for a device that is not there");
    check(cudaMemAdvise(pointer, 9000, 1, 0) == 1, "advice beyond the allocation");
    check(cudaMemPrefetchAsync(pointer, 8192, 0, 0) == 0, "prefetch");
    check(cudaMemAdvise_v2(pointer, 8192, 3, (struct location){1, 0}) == 0, "advice by location");
    check(cudaMemAdvise_v2(pointer, 8192, 3, (struct location){1, 4}) == 101, "another device");
    check(cudaMemPrefetchAsync_v2(pointer, 8192, (struct location){1, 0}, 0, 0) == 0, "prefetch");
    check(cudaMemPrefetchAsync_v2(pointer, 8192, (struct location){1, 0}, 1, 0) == 1, "flags");
    // A host variable for kernels is taken, and is none of the device's.
    check((__cudaRegisterHostVar(0, "word", (char *)&version, sizeof version),
           cudaGetSymbolAddress((void **)&pointer, &version)) == 13,
          "no symbol of the device");
    check(cudaThreadSynchronize() == 0 && cudaThreadExit() == 0, "the old names");
    check(cudaGraphicsUnregisterResource() == 801, "what is refused");
    graphs();
    captures();
    batches();
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
