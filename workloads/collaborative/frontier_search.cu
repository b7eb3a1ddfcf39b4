// Breadth-first search of a graph like a road map, step by step: CPU threads or the kernel's blocks,
// by how long the frontier is. Both live through the whole search. In each step all agents read how
// many vertices the frontier's queue has: fewer than a limit are the CPU threads', more the blocks'.
// Who works reads vertices from the queue, colours their neighbours with atomics and appends those
// that were not coloured before to the next queue. Then all agents meet at a barrier, by atomics of
// the system's scope; the last one makes the next queue the frontier's.
//
// A vertex is a crossing of a grid, of whose roads to the four next crossings some are missing: the
// roads of New York City have 264 thousand crossings and 2.8 roads at each.
#include "../managed_memory.h"

#define UNREACHED 0xffffffffu

struct graph {
    const unsigned *edge_start, *edge; // the edges of vertex v: from edge_start[v] on
    unsigned vertices;
};

// What all agents share.
struct search {
    unsigned *distance, *colour, *queue[2];
    unsigned *tail;   // of the queue that is written
    unsigned *length; // of the frontier
    unsigned *arrived, *passed; // at the barrier, and how often all have left it
    unsigned agents, limit;
};

static __host__ __device__ void visit(struct graph graph, struct search search, unsigned vertex,
                                      unsigned step)
{
    for (unsigned k = graph.edge_start[vertex]; k < graph.edge_start[vertex + 1]; k++) {
        unsigned neighbour = graph.edge[k];
        if (system_max(&search.colour[neighbour], 1) != 0)
            continue;
        search.distance[neighbour] = step + 1;
        search.queue[(step + 1) % 2][system_count(search.tail, 1)] = neighbour;
    }
}

// One thread of each agent calls it at the end of a step.
static __host__ __device__ void meet(struct search search, unsigned step)
{
    if (system_add(search.arrived, 1) == search.agents - 1) {
        system_store(search.arrived, 0);
        system_store(search.length, system_exchange(search.tail, 0));
        system_store(search.passed, step + 1);
    }
    while (system_load(search.passed) == step)
        system_pause();
}

__global__ void frontier_search(struct graph graph, struct search search)
{
    __shared__ unsigned length;
    for (unsigned step = 0;; step++) {
        if (threadIdx.x == 0)
            length = system_load(search.length);
        __syncthreads();
        if (length == 0)
            return;
        // Loads of the queue go past L1, which may have an older step's numbers.
        const volatile unsigned *queue = search.queue[step % 2];
        if (length >= search.limit)
            for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < length;
                 i += gridDim.x * blockDim.x)
                visit(graph, search, queue[i], step);
        __syncthreads();
        if (threadIdx.x == 0)
            meet(search, step);
        __syncthreads();
    }
}

static void search_on_cpu(struct graph graph, struct search search, unsigned thread,
                          unsigned threads)
{
    for (unsigned step = 0, length; (length = system_load(search.length)) != 0; step++) {
        if (length < search.limit)
            for (unsigned i = thread; i < length; i += threads)
                visit(graph, search, search.queue[step % 2][i], step);
        meet(search, step);
    }
}

enum { WIDTH, HEIGHT, MISSING, LIMIT, BLOCKS, BLOCK, THREADS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "of the grid of crossings", 120, 1, 8192, NULL},
    {"height", "of the grid of crossings", 120, 1, 8192, NULL},
    {"missing", "of 100 roads", 30, 0, 100, NULL},
    {"limit", "vertices of a frontier that the kernel takes", 128, 0, 1 << 30, NULL},
    {"blocks", "of the kernel, which all run at a time", 4, 0, 128, NULL},
    {"block", "threads of a block", 64, 1, 1024, NULL},
    {"threads", "of the CPU", 2, 0, 64, NULL},
    {"seed", "of the graph", 1, 0, 1000000000, NULL},
};

// The roads to the right and downwards, of each crossing; both are ways.
static void choose_roads(std::vector<unsigned char> &right, std::vector<unsigned char> &down)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned missing = (unsigned)options[MISSING].value;
    for (size_t i = 0; i < right.size(); i++) {
        right[i] = workload_below(&random, 100) >= missing;
        down[i] = workload_below(&random, 100) >= missing;
    }
}

// Writes the edges of each vertex, and returns how many there are.
static unsigned fill_graph(unsigned *edge_start, unsigned *edge, unsigned vertices)
{
    std::vector<unsigned char> right(vertices), down(vertices);
    choose_roads(right, down);
    unsigned width = (unsigned)options[WIDTH].value, edges = 0;
    for (unsigned v = 0; v < vertices; v++) {
        edge_start[v] = edges;
        if (v >= width && down[v - width])
            edge[edges++] = v - width;
        if (v % width > 0 && right[v - 1])
            edge[edges++] = v - 1;
        if (v % width < width - 1 && right[v])
            edge[edges++] = v + 1;
        if (v + width < vertices && down[v])
            edge[edges++] = v + width;
    }
    edge_start[vertices] = edges;
    return edges;
}

static void start_search(struct search *search, unsigned vertices, unsigned start)
{
    memset(search->colour, 0, vertices * sizeof(unsigned));
    for (unsigned v = 0; v < vertices; v++)
        search->distance[v] = UNREACHED;
    search->colour[start] = 1;
    search->distance[start] = 0;
    search->queue[0][0] = start;
    *search->tail = *search->arrived = *search->passed = 0;
    *search->length = 1;
}

static long first_wrong(struct graph graph, const unsigned *distance, unsigned start)
{
    std::vector<unsigned> expected(graph.vertices, UNREACHED), queue(1, start);
    expected[start] = 0;
    for (size_t at = 0; at < queue.size(); at++)
        for (unsigned k = graph.edge_start[queue[at]]; k < graph.edge_start[queue[at] + 1]; k++)
            if (expected[graph.edge[k]] == UNREACHED) {
                expected[graph.edge[k]] = expected[queue[at]] + 1;
                queue.push_back(graph.edge[k]);
            }
    return first_difference(distance, expected.data(), graph.vertices);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "frontier_search",
                   "breadth-first search, of short frontiers by the CPU", options, OPTIONS);
    unsigned blocks = (unsigned)options[BLOCKS].value, threads = (unsigned)options[THREADS].value;
    workload_check_agents("frontier_search", blocks, threads);
    unsigned vertices = (unsigned)(options[WIDTH].value * options[HEIGHT].value);
    unsigned start = vertices / 2 + (unsigned)options[WIDTH].value / 2;
    start = start < vertices ? start : 0;
    unsigned *edge_start = managed_array<unsigned>(vertices + 1);
    unsigned *edge = managed_array<unsigned>(4 * (size_t)vertices);
    unsigned *control = managed_array<unsigned>(4 * 32); // a line of 128 bytes each
    struct graph graph = {edge_start, edge, vertices};
    struct search search = {managed_array<unsigned>(vertices), managed_array<unsigned>(vertices),
                            {managed_array<unsigned>(vertices), managed_array<unsigned>(vertices)},
                            control, control + 32, control + 64, control + 96, blocks + threads,
                            (unsigned)options[LIMIT].value};
    // Where only one side is there, it takes all steps.
    search.limit = threads == 0 ? 0 : blocks == 0 ? UNREACHED : search.limit;

    workload_trace_begin();
    fill_graph(edge_start, edge, vertices);
    start_search(&search, vertices, start);
    managed_work_begin();
    if (blocks > 0)
        frontier_search<<<blocks, (unsigned)options[BLOCK].value>>>(graph, search);
    run_cpu_threads(threads,
                    [&](unsigned thread) { search_on_cpu(graph, search, thread, threads); });
    managed_work_end();

    long wrong = first_wrong(graph, search.distance, start);
    void *all[] = {edge_start,      edge,           control, search.distance, search.colour,
                   search.queue[0], search.queue[1]};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        managed_release(all[i]);
    return workload_verdict("frontier_search", wrong);
}
