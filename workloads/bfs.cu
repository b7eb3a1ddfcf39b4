// Breadth-first search: how many edges away each vertex of a random graph lies from vertex 0. Every
// edge leads to any vertex (but see --spread), so loads scatter over the whole of `distance`, and
// how much work there is shows only as the search goes on.
//
//   topology  each step gives every vertex a thread, and those on the frontier look at their
//             neighbours: no queue, but all of `distance` is read in every step
//   queue     a step's threads take vertices from a queue and append what they find to the next
//             one: only the frontier is read, and atomics on `distance` and on the queue's tail
//             order it
//   blocks    the same, but a vertex's first edge and their number lie together, a colour says who
//             was found, and a block gathers what it finds in shared memory: it claims room in the
//             next queue once, and copies its part there, to wherever that begins
//   masks     no queue: a byte for each vertex says whether it is on the frontier, whether it was
//             found in this step, and whether ever. Two launches a step, each with a thread for
//             every vertex: one goes along the frontier's edges, one makes the next frontier of
//             what that found (Rodinia's benchmark bfs)
//   gather    masks, and a block gathers in shared memory what it finds, 16 KiB of it, before it
//             writes distances and masks; where a vertex's edges begin and how many they are is
//             loaded number by number
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

#define FOUND 1000 // vertices that a block gathers; what more it finds goes to the queue at once

// A colour is looked at before it is changed: most neighbours were found long ago.
__global__ void bfs_blocks(const uint2 *vertices, const unsigned *edge, unsigned *distance,
                           unsigned *colour, const unsigned *queue, unsigned length, unsigned *next,
                           unsigned *next_length)
{
    __shared__ unsigned found[FOUND], count, first;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (i < length) {
        uint2 edges = vertices[queue[i]];
        unsigned away = distance[queue[i]] + 1;
        for (unsigned k = edges.x; k < edges.x + edges.y; k++) {
            unsigned neighbour = edge[k];
            if (colour[neighbour] != 0 || atomicExch(&colour[neighbour], 1u) != 0)
                continue;
            distance[neighbour] = away;
            unsigned place = atomicAdd(&count, 1u);
            if (place < FOUND)
                found[place] = neighbour;
            else
                next[atomicAdd(next_length, 1u)] = neighbour;
        }
    }
    __syncthreads();
    unsigned gathered = count < FOUND ? count : FOUND;
    if (threadIdx.x == 0)
        first = atomicAdd(next_length, gathered);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < gathered; k += blockDim.x)
        next[first + k] = found[k];
}

// What the masks of a vertex say: a byte each.
struct masks {
    unsigned char *frontier, *found, *visited;
};

// Several threads may find one vertex in one step; all write the same.
__global__ void bfs_expand(const uint2 *vertices, const unsigned *edge, unsigned *distance,
                           struct masks masks, unsigned count)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= count || !masks.frontier[vertex])
        return;
    masks.frontier[vertex] = 0;
    for (unsigned k = vertices[vertex].x; k < vertices[vertex].x + vertices[vertex].y; k++) {
        unsigned neighbour = edge[k];
        if (!masks.visited[neighbour]) {
            distance[neighbour] = distance[vertex] + 1;
            masks.found[neighbour] = 1;
        }
    }
}

#define GATHERED 4094 // vertices; with the two words beside them 16 KiB

// Like uint2, but for what the compiler knows of its alignment: each number is a load of its own.
struct edges {
    unsigned first, count;
};

// All vertices on the frontier lie at one distance.
__global__ void bfs_gather(const struct edges *vertices, const unsigned *edge, unsigned *distance,
                           struct masks masks, unsigned count)
{
    __shared__ unsigned gathered[GATHERED], length, away;
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        length = 0;
    __syncthreads();
    if (vertex < count && masks.frontier[vertex]) {
        masks.frontier[vertex] = 0;
        away = distance[vertex] + 1;
        for (unsigned k = vertices[vertex].first;
             k < vertices[vertex].first + vertices[vertex].count; k++) {
            unsigned neighbour = edge[k];
            if (masks.visited[neighbour])
                continue;
            unsigned place = atomicAdd(&length, 1u);
            if (place < GATHERED) {
                gathered[place] = neighbour;
                continue;
            }
            distance[neighbour] = distance[vertex] + 1;
            masks.found[neighbour] = 1;
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < length && k < GATHERED; k += blockDim.x) {
        distance[gathered[k]] = away;
        masks.found[gathered[k]] = 1;
    }
}

__global__ void bfs_advance(struct masks masks, unsigned count, unsigned *found)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= count || !masks.found[vertex])
        return;
    masks.frontier[vertex] = 1;
    masks.visited[vertex] = 1;
    masks.found[vertex] = 0;
    *found = 1;
}

enum { TOPOLOGY, QUEUE, BLOCKS, MASKS, GATHER };
enum { N, DEGREE, SPREAD, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "vertices", 1 << 16, 1, 1 << 24, NULL},
    {"degree", "edges that leave a vertex, on average", 8, 1, 64, NULL},
    {"spread", "vertices from its own that an edge leads to, or 0 for anywhere", 0, 0, 1 << 24,
     NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random graph", 1, 0, 1000000000, NULL},
    {"variant", "where the frontier is kept", 0, 0, 0, "topology queue blocks masks gather"},
};

struct graph {
    unsigned vertices, *edge_start, *edge;
};

static struct graph random_graph(unsigned vertices, unsigned degree, unsigned spread,
                                 unsigned long long seed)
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
    for (unsigned vertex = 0; vertex < vertices; vertex++)
        for (unsigned k = graph.edge_start[vertex]; k < graph.edge_start[vertex + 1]; k++)
            graph.edge[k] = workload_near(&random, vertex, spread, vertices);
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

// What the variants read beside edges and distances: starts of edges, or `vertices`, or those and
// `colour`.
struct device_graph {
    unsigned *edge_start, *edge, *distance, *colour;
    uint2 *vertices;
};

static void search_by_queue(struct device_graph graph, unsigned vertices, unsigned block)
{
    unsigned length = 1, zero = 0, *queue, *next;
    unsigned *device_length = (unsigned *)workload_upload(&zero, sizeof(zero));
    WORKLOAD_CHECK(cudaMalloc((void **)&queue, vertices * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&next, vertices * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMemcpy(queue, &zero, sizeof(zero), cudaMemcpyHostToDevice));
    for (unsigned step = 0; length > 0; step++) {
        WORKLOAD_CHECK(cudaMemset(device_length, 0, sizeof(length)));
        unsigned grid = (length + block - 1) / block;
        if (graph.vertices)
            bfs_blocks<<<grid, block>>>(graph.vertices, graph.edge, graph.distance, graph.colour,
                                        queue, length, next, device_length);
        else
            bfs_queue<<<grid, block>>>(graph.edge_start, graph.edge, graph.distance, queue, length,
                                       next, step, device_length);
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

// A vertex's first edge and how many it has, side by side, on the device.
static uint2 *upload_vertices(const struct graph *graph)
{
    uint2 *vertices = (uint2 *)workload_allocate(graph->vertices * sizeof(uint2));
    for (unsigned i = 0; i < graph->vertices; i++) {
        vertices[i].x = graph->edge_start[i];
        vertices[i].y = graph->edge_start[i + 1] - graph->edge_start[i];
    }
    uint2 *device = (uint2 *)workload_upload(vertices, graph->vertices * sizeof(uint2));
    free(vertices);
    return device;
}

// All vertices but the first are uncoloured.
static void search_in_blocks(const struct graph *graph, struct device_graph device, unsigned block)
{
    unsigned count = graph->vertices;
    unsigned *colour = (unsigned *)workload_allocate(count * sizeof(unsigned));
    for (unsigned i = 0; i < count; i++)
        colour[i] = i == 0;
    device.vertices = upload_vertices(graph);
    device.colour = (unsigned *)workload_upload(colour, count * sizeof(unsigned));
    search_by_queue(device, count, block);
    WORKLOAD_CHECK(cudaFree(device.vertices));
    WORKLOAD_CHECK(cudaFree(device.colour));
    free(colour);
}

static void search_by_masks(const struct graph *graph, struct device_graph device, unsigned block)
{
    unsigned count = graph->vertices, grid = (count + block - 1) / block, found = 1;
    unsigned char *mask = (unsigned char *)workload_allocate(count);
    memset(mask, 0, count);
    struct masks masks;
    masks.found = (unsigned char *)workload_upload(mask, count);
    mask[0] = 1; // the first vertex is the first frontier, and visited
    masks.frontier = (unsigned char *)workload_upload(mask, count);
    masks.visited = (unsigned char *)workload_upload(mask, count);
    unsigned *device_found = (unsigned *)workload_upload(&found, sizeof(found));
    device.vertices = upload_vertices(graph);
    while (found) {
        WORKLOAD_CHECK(cudaMemset(device_found, 0, sizeof(found)));
        if (options[VARIANT].value == GATHER)
            bfs_gather<<<grid, block>>>((const struct edges *)device.vertices, device.edge,
                                        device.distance, masks, count);
        else
            bfs_expand<<<grid, block>>>(device.vertices, device.edge, device.distance, masks,
                                        count);
        WORKLOAD_CHECK_LAUNCH();
        bfs_advance<<<grid, block>>>(masks, count, device_found);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(&found, device_found, sizeof(found), cudaMemcpyDeviceToHost));
    }
    WORKLOAD_CHECK(cudaFree(masks.found));
    WORKLOAD_CHECK(cudaFree(masks.frontier));
    WORKLOAD_CHECK(cudaFree(masks.visited));
    WORKLOAD_CHECK(cudaFree(device_found));
    WORKLOAD_CHECK(cudaFree(device.vertices));
    free(mask);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bfs", "breadth-first search of a random graph", options, OPTIONS);
    unsigned vertices = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    struct graph graph =
        random_graph(vertices, (unsigned)options[DEGREE].value, (unsigned)options[SPREAD].value,
                     (unsigned long long)options[SEED].value);
    size_t bytes = vertices * sizeof(unsigned);
    unsigned *distance = (unsigned *)workload_allocate(bytes);
    unsigned *expected = (unsigned *)workload_allocate(bytes);
    search_on_host(&graph, expected);
    memset(distance, 0xff, bytes);
    distance[0] = 0;

    struct device_graph device = {NULL, NULL, NULL, NULL, NULL};
    device.edge_start = (unsigned *)workload_upload(graph.edge_start, bytes + sizeof(unsigned));
    device.edge =
        (unsigned *)workload_upload(graph.edge, graph.edge_start[vertices] * sizeof(unsigned));
    device.distance = (unsigned *)workload_upload(distance, bytes);
    if (options[VARIANT].value == TOPOLOGY)
        search_by_topology(device.edge_start, device.edge, device.distance, vertices, block);
    else if (options[VARIANT].value == QUEUE)
        search_by_queue(device, vertices, block);
    else if (options[VARIANT].value == BLOCKS)
        search_in_blocks(&graph, device, block);
    else
        search_by_masks(&graph, device, block);
    WORKLOAD_CHECK(cudaMemcpy(distance, device.distance, bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (unsigned vertex = 0; vertex < vertices && wrong < 0; vertex++)
        if (distance[vertex] != expected[vertex])
            wrong = (long)vertex;
    WORKLOAD_CHECK(cudaFree(device.edge_start));
    WORKLOAD_CHECK(cudaFree(device.edge));
    WORKLOAD_CHECK(cudaFree(device.distance));
    free(graph.edge_start);
    free(graph.edge);
    free(distance);
    free(expected);
    return workload_verdict("bfs", wrong);
}
