// Breadth-first search of a random graph with a byte for each vertex that says whether it is on the
// frontier, whether it was found in this step, and whether ever. Two launches a step, each with a
// thread for every vertex: one goes along the frontier's edges, one makes the next frontier of what
// that found. The CPU clears a word before each step and reads it afterwards: is there a next one?
//
// The loop of Rodinia's benchmark bfs; workloads/bfs.cu has other ways.
#include "../managed_memory.h"

struct graph {
    const unsigned *edge_start, *edge; // the edges of vertex v: from edge_start[v] on
    unsigned vertices;
};

struct search {
    unsigned char *frontier, *found, *visited;
    int *distance; // -1: not reached
    int *more;     // the next frontier has vertices
};

// Several threads may find one vertex in one step; all write the same.
__global__ void mask_expand(struct graph graph, struct search search)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= graph.vertices || !search.frontier[vertex])
        return;
    search.frontier[vertex] = 0;
    for (unsigned k = graph.edge_start[vertex]; k < graph.edge_start[vertex + 1]; k++) {
        unsigned neighbour = graph.edge[k];
        if (!search.visited[neighbour]) {
            search.distance[neighbour] = search.distance[vertex] + 1;
            search.found[neighbour] = 1;
        }
    }
}

__global__ void mask_advance(struct graph graph, struct search search)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= graph.vertices || !search.found[vertex])
        return;
    search.found[vertex] = 0;
    search.frontier[vertex] = 1;
    search.visited[vertex] = 1;
    *search.more = 1;
}

enum { N, DEGREE, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "vertices", 8192, 1, 1 << 24, NULL},
    {"degree", "edges of a vertex, on average", 6, 0, 64, NULL},
    {"block", "threads of a block", 512, 1, 1024, NULL},
    {"seed", "of the graph", 1, 0, 1000000000, NULL},
};

// Each vertex has from none to twice the average of edges, to anywhere. Without `edge` they are
// counted.
static size_t fill_graph(unsigned *edge_start, unsigned *edge, unsigned vertices)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    size_t edges = 0;
    for (unsigned v = 0; v < vertices; v++) {
        if (edge)
            edge_start[v] = (unsigned)edges;
        unsigned degree = workload_below(&random, 2 * (unsigned)options[DEGREE].value + 1);
        for (unsigned k = 0; k < degree; k++, edges++) {
            unsigned to = workload_below(&random, vertices);
            if (edge)
                edge[edges] = to;
        }
    }
    if (edge)
        edge_start[vertices] = (unsigned)edges;
    return edges;
}

static void start_search(struct search search, unsigned vertices)
{
    memset(search.frontier, 0, vertices);
    memset(search.found, 0, vertices);
    memset(search.visited, 0, vertices);
    for (unsigned v = 0; v < vertices; v++)
        search.distance[v] = -1;
    search.frontier[0] = search.visited[0] = 1;
    search.distance[0] = 0;
}

static long first_wrong(struct graph graph, const int *distance)
{
    std::vector<int> expected(graph.vertices, -1);
    std::vector<unsigned> queue(1, 0u);
    expected[0] = 0;
    for (size_t at = 0; at < queue.size(); at++)
        for (unsigned k = graph.edge_start[queue[at]]; k < graph.edge_start[queue[at] + 1]; k++)
            if (expected[graph.edge[k]] < 0) {
                expected[graph.edge[k]] = expected[queue[at]] + 1;
                queue.push_back(graph.edge[k]);
            }
    return first_difference(distance, expected.data(), graph.vertices);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "mask_search", "breadth-first search that the CPU steps", options,
                   OPTIONS);
    unsigned vertices = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    unsigned *edge_start = managed_array<unsigned>(vertices + 1);
    unsigned *edge = managed_array<unsigned>(fill_graph(NULL, NULL, vertices));
    struct graph graph = {edge_start, edge, vertices};
    struct search search = {managed_array<unsigned char>(vertices),
                            managed_array<unsigned char>(vertices),
                            managed_array<unsigned char>(vertices), managed_array<int>(vertices),
                            managed_array<int>(1)};

    workload_trace_begin();
    fill_graph(edge_start, edge, vertices);
    start_search(search, vertices);
    managed_work_begin();
    unsigned blocks = (vertices + block - 1) / block;
    do {
        *search.more = 0;
        mask_expand<<<blocks, block>>>(graph, search);
        mask_advance<<<blocks, block>>>(graph, search);
        WORKLOAD_CHECK_LAUNCH();
    } while (*search.more);
    managed_work_end();

    long wrong = first_wrong(graph, search.distance);
    void *all[] = {edge_start,     edge,            search.frontier, search.found,
                   search.visited, search.distance, search.more};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        managed_release(all[i]);
    return workload_verdict("mask_search", wrong);
}
