// The shortest ways between all nodes of a graph by Floyd and Warshall: a launch a node k, in which
// a thread looks whether the way from its y to its x is shorter through k. It reads D[y][x],
// D[y][k] and D[k][x]: a row of its own, one number for all lanes of a row, and row k, which all
// rows of blocks read at once. Where the way is shorter, the thread writes its length and k.
//
// In launch k nothing of row k and of column k is written, since no way gets shorter through one of
// its own ends; so it does not matter which thread comes first.
//
// The pattern is that of the AMD APP SDK's sample FloydWarshall.
#include "workload.h"

__global__ void floyd_warshall_pass(unsigned *distance, unsigned *through, unsigned nodes,
                                    unsigned k)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nodes || y >= nodes)
        return;
    unsigned direct = distance[y * nodes + x];
    unsigned indirect = distance[y * nodes + k] + distance[k * nodes + x];
    if (indirect < direct) {
        distance[y * nodes + x] = indirect;
        through[y * nodes + x] = k;
    }
}

enum { NODES, BLOCK_X, BLOCK_Y, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "nodes of the graph, each with an edge to each", 128, 1, 4096, NULL},
    {"block-x", "threads of a block along a row", 16, 1, 32, NULL},
    {"block-y", "and down a column", 16, 1, 32, NULL},
    {"seed", "of the random edges", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

#define LONGEST_EDGE 1000

// Lengths of all ways, in rows by the node that they start at, and a node that each goes through,
// or where it starts if it is an edge.
struct ways {
    unsigned nodes, *distance, *through;
};

static struct ways ways_new(unsigned nodes)
{
    size_t bytes = (size_t)nodes * nodes * sizeof(unsigned);
    struct ways ways = {nodes, (unsigned *)workload_allocate(bytes),
                        (unsigned *)workload_allocate(bytes)};
    return ways;
}

// All ways are edges. Short ones are few, so that many ways go through other nodes.
static struct ways random_edges(unsigned nodes, struct workload_random *random)
{
    struct ways ways = ways_new(nodes);
    for (unsigned y = 0; y < nodes; y++) {
        for (unsigned x = 0; x < nodes; x++) {
            ways.distance[y * nodes + x] = x == y ? 0 : 1 + workload_below(random, LONGEST_EDGE);
            ways.through[y * nodes + x] = y;
        }
    }
    return ways;
}

static struct ways ways_copy(const struct ways *from)
{
    struct ways ways = ways_new(from->nodes);
    size_t bytes = (size_t)from->nodes * from->nodes * sizeof(unsigned);
    memcpy(ways.distance, from->distance, bytes);
    memcpy(ways.through, from->through, bytes);
    return ways;
}

static void ways_free(struct ways *ways)
{
    free(ways->distance);
    free(ways->through);
}

WORKLOAD_SERIAL static void shorten_serially(unsigned *distance, unsigned *through, unsigned nodes)
{
    for (unsigned k = 0; k < nodes; k++) {
        for (unsigned y = 0; y < nodes; y++) {
            for (unsigned x = 0; x < nodes; x++) {
                unsigned indirect = distance[y * nodes + k] + distance[k * nodes + x];
                if (indirect < distance[y * nodes + x]) {
                    distance[y * nodes + x] = indirect;
                    through[y * nodes + x] = k;
                }
            }
        }
    }
}

static void shorten_on_device(struct ways *ways)
{
    unsigned nodes = ways->nodes;
    size_t bytes = (size_t)nodes * nodes * sizeof(unsigned);
    unsigned *distance = (unsigned *)workload_upload(ways->distance, bytes);
    unsigned *through = (unsigned *)workload_upload(ways->through, bytes);
    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid((nodes + block.x - 1) / block.x, (nodes + block.y - 1) / block.y);
    for (unsigned k = 0; k < nodes; k++) {
        floyd_warshall_pass<<<grid, block>>>(distance, through, nodes, k);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaMemcpy(ways->distance, distance, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(ways->through, through, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(distance));
    WORKLOAD_CHECK(cudaFree(through));
}

// The length of a way, edge by edge. A way through k consists of two that only go through nodes
// below k, so this comes to an end; if the nodes do not fall, 0, which no way has.
static unsigned length_of(const struct ways *ways, const struct ways *edges, unsigned from,
                          unsigned to, unsigned below)
{
    unsigned place = from * ways->nodes + to, k = ways->through[place];
    if (k == from)
        return edges->distance[place];
    if (k >= below)
        return 0;
    return length_of(ways, edges, from, k, k) + length_of(ways, edges, k, to, k);
}

// The place of the first way that is not as long as its edges together or that its last edge could
// make shorter, or -1.
static long first_wrong_way(const struct ways *ways, const struct ways *edges)
{
    unsigned nodes = ways->nodes;
    for (unsigned y = 0; y < nodes; y++) {
        for (unsigned x = 0; x < nodes; x++) {
            unsigned found = ways->distance[y * nodes + x], shortest = found;
            for (unsigned k = 0; k < nodes; k++) {
                unsigned other = ways->distance[y * nodes + k] + edges->distance[k * nodes + x];
                shortest = other < shortest ? other : shortest;
            }
            if (found != shortest || found != length_of(ways, edges, y, x, nodes))
                return (long)(y * nodes + x);
        }
    }
    return -1;
}

static long first_difference(const struct ways *found, const struct ways *wanted)
{
    for (size_t i = 0; i < (size_t)found->nodes * found->nodes; i++)
        if (found->distance[i] != wanted->distance[i] || found->through[i] != wanted->through[i])
            return (long)i;
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "floyd_warshall", "shortest ways between all nodes of a graph",
                   options, OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct ways edges = random_edges((unsigned)options[NODES].value, &random);
    struct ways expected = ways_copy(&edges), found = ways_copy(&edges);
    workload_trace_begin();
    shorten_serially(expected.distance, expected.through, expected.nodes);
    workload_trace_end();
    long wrong = first_wrong_way(&expected, &edges);
    if (wrong < 0 && !options[SERIAL].value) {
        shorten_on_device(&found);
        wrong = first_difference(&found, &expected);
    }
    ways_free(&edges);
    ways_free(&expected);
    ways_free(&found);
    return workload_verdict("floyd_warshall", wrong);
}
