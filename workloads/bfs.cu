// Breadth-first search: how many edges away each vertex of a random graph lies from vertex 0. Every
// edge leads to any vertex, so loads scatter over the whole of `distance`, and how much work there
// is shows only as the search goes on.
//
//   topology  each step gives every vertex a thread, and those on the frontier look at their
//             neighbours: no queue, but all of `distance` is read in every step
//   queue     a step's threads take vertices from a queue and append what they find to the next
//   one:
//             only the frontier is read, and atomics on `distance` and on the queue's tail order it
#include "workload.h"

#define UNREACHED 0xffffffffu

// Two threads may find one vertex in one step; both write the same distance.
__global__ void bfs_topology(const unsigned *edge_start, const unsigned *edge, unsigned *distance,
                             unsigned vertices, unsigned step, unsigned *found)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || distance[vertex] != step)
        return;
    for (unsigned k = edge_start[vertex]; k < edge_start[vertex + 1]; k++) {
        unsigned neighbour = edge[k];
        if (distance[neighbour] == UNREACHED) {
            distance[neighbour] = step + 1;
            *found = 1;
        }
    }
}

// atomicCAS lets exactly one thread claim a vertex, so no vertex is queued twice.
__global__ void bfs_queue(const unsigned *edge_start, const unsigned *edge, unsigned *distance,
                          const unsigned *queue, unsigned length, unsigned *next, unsigned step,
                          unsigned *next_length)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    unsigned vertex = queue[i];
    for (unsigned k = edge_start[vertex]; k < edge_start[vertex + 1]; k++) {
        unsigned neighbour = edge[k];
        if (atomicCAS(&distance[neighbour], UNREACHED, step + 1) == UNREACHED)
            next[atomicAdd(next_length, 1u)] = neighbour;
    }
}

enum { N, DEGREE, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "vertices", 1 << 16, 1, 1 << 24, NULL},
    {"degree", "edges that leave a vertex, on average", 8, 1, 64, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random graph", 1, 0, 1000000000, NULL},
    {"variant", "where the frontier is kept", 0, 0, 0, "topology queue"},
};

struct graph {
    unsigned vertices, *edge_start, *edge;
};

static struct graph random_graph(unsigned vertices, unsigned degree, unsigned long long seed)
{
    struct workload_random random = {seed};
    struct graph graph = {vertices, NULL, NULL};
    graph.edge_start = (unsigned *)workload_allocate((vertices + 1) * sizeof(unsigned));
    unsigned edges = 0;
    for (unsigned vertex = 0; vertex < vertices; vertex++) {
        graph.edge_start[vertex] = edges;
        edges += 1 + workload_below(&random, 2 * degree - 1);
    }
    graph.edge_start[vertices] = edges;
    graph.edge = (unsigned *)workload_allocate(edges * sizeof(unsigned));
    for (unsigned k = 0; k < edges; k++)
        graph.edge[k] = workload_below(&random, vertices);
    return graph;
}

static void search_on_host(const struct graph *graph, unsigned *distance)
{
    unsigned *queue = (unsigned *)workload_allocate(graph->vertices * sizeof(unsigned));
    unsigned head = 0, tail = 0;
    memset(distance, 0xff, graph->vertices * sizeof(unsigned));
    distance[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        unsigned vertex = queue[head++];
        for (unsigned k = graph->edge_start[vertex]; k < graph->edge_start[vertex + 1]; k++)
            if (distance[graph->edge[k]] == UNREACHED) {
                distance[graph->edge[k]] = distance[vertex] + 1;
                queue[tail++] = graph->edge[k];
            }
    }
    free(queue);
}

static void search_by_topology(const unsigned *edge_start, const unsigned *edge, unsigned *distance,
                               unsigned vertices, unsigned block)
{
    unsigned found = 1;
    unsigned *device_found = (unsigned *)workload_upload(&found, sizeof(found));
    for (unsigned step = 0; found; step++) {
        WORKLOAD_CHECK(cudaMemset(device_found, 0, sizeof(found)));
        bfs_topology<<<(vertices + block - 1) / block, block>>>(edge_start, edge, distance,
                                                                vertices, step, device_found);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(&found, device_found, sizeof(found), cudaMemcpyDeviceToHost));
    }
    WORKLOAD_CHECK(cudaFree(device_found));
}

static void search_by_queue(const unsigned *edge_start, const unsigned *edge, unsigned *distance,
                            unsigned vertices, unsigned block)
{
    unsigned length = 1, zero = 0, *queue, *next;
    unsigned *device_length = (unsigned *)workload_upload(&zero, sizeof(zero));
    WORKLOAD_CHECK(cudaMalloc((void **)&queue, vertices * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&next, vertices * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMemcpy(queue, &zero, sizeof(zero), cudaMemcpyHostToDevice));
    for (unsigned step = 0; length > 0; step++) {
        WORKLOAD_CHECK(cudaMemset(device_length, 0, sizeof(length)));
        bfs_queue<<<(length + block - 1) / block, block>>>(edge_start, edge, distance, queue,
                                                           length, next, step, device_length);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(&length, device_length, sizeof(length), cudaMemcpyDeviceToHost));
        unsigned *swap = queue;
        queue = next;
        next = swap;
    }
    WORKLOAD_CHECK(cudaFree(device_length));
    WORKLOAD_CHECK(cudaFree(queue));
    WORKLOAD_CHECK(cudaFree(next));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bfs", "breadth-first search of a random graph", options, OPTIONS);
    unsigned vertices = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    struct graph graph = random_graph(vertices, (unsigned)options[DEGREE].value,
                                      (unsigned long long)options[SEED].value);
    size_t bytes = vertices * sizeof(unsigned);
    unsigned *distance = (unsigned *)workload_allocate(bytes);
    unsigned *expected = (unsigned *)workload_allocate(bytes);
    search_on_host(&graph, expected);
    memset(distance, 0xff, bytes);
    distance[0] = 0;

    unsigned *device_start =
        (unsigned *)workload_upload(graph.edge_start, bytes + sizeof(unsigned));
    unsigned *device_edge =
        (unsigned *)workload_upload(graph.edge, graph.edge_start[vertices] * sizeof(unsigned));
    unsigned *device_distance = (unsigned *)workload_upload(distance, bytes);
    if (options[VARIANT].value == 0)
        search_by_topology(device_start, device_edge, device_distance, vertices, block);
    else
        search_by_queue(device_start, device_edge, device_distance, vertices, block);
    WORKLOAD_CHECK(cudaMemcpy(distance, device_distance, bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (unsigned vertex = 0; vertex < vertices && wrong < 0; vertex++)
        if (distance[vertex] != expected[vertex])
            wrong = (long)vertex;
    WORKLOAD_CHECK(cudaFree(device_start));
    WORKLOAD_CHECK(cudaFree(device_edge));
    WORKLOAD_CHECK(cudaFree(device_distance));
    free(graph.edge_start);
    free(graph.edge);
    free(distance);
    free(expected);
    return workload_verdict("bfs", wrong);
}
