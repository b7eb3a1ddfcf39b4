// Searches in a B+ tree of order 256, a block for each key and a thread for each of a node's places:
//
//   find    goes down to the leaf that has a key, and fetches its record
//   ranges  goes down for both ends of a range side by side, and finds how many records there are from one to the other
//
// Nodes are arrays of 257 keys and indices; the places behind a node's keys hold the largest number. Where a block is,
// lies in memory, and all of its threads read it.
//
// As Rodinia's b+tree with a million keys, which are inserted in order, so that each node is left half full when the
// next one is begun: 128 keys a leaf, 128 nodes below each inner one.
#include "../../../../workloads/workload.h"
#include <limits.h>

#define ORDER 256
#define HALF (ORDER / 2)

struct tree_node {
    int location, index[ORDER + 1], key[ORDER + 1];
    bool is_leaf;
    int keys;
};

// Where a block is, where it takes the index from (the same), where it goes next, what it looks for.
__device__ void descend(const tree_node *nodes, long count, const long *at, const long *from, long *next, const int *wanted)
{
    int thread = threadIdx.x, block = blockIdx.x;
    if (nodes[at[block]].key[thread] <= wanted[block] && nodes[at[block]].key[thread + 1] > wanted[block])
        if (nodes[from[block]].index[thread] < count)
            next[block] = nodes[from[block]].index[thread];
}

__global__ void find(long height, const tree_node *nodes, long count, const int *records, long *at, long *next,
                     const int *wanted, int *found)
{
    int thread = threadIdx.x, block = blockIdx.x;
    for (long level = 0; level < height; level++) {
        descend(nodes, count, at, next, next, wanted);
        __syncthreads();
        if (thread == 0)
            at[block] = next[block];
        __syncthreads();
    }
    if (nodes[at[block]].key[thread] == wanted[block])
        found[block] = records[nodes[at[block]].index[thread]];
}

__global__ void ranges(long height, const tree_node *nodes, long count, long *at, long *next, long *last, long *next_last,
                       const int *start, const int *end, int *first, int *length)
{
    int thread = threadIdx.x, block = blockIdx.x;
    for (long level = 0; level < height; level++) {
        descend(nodes, count, at, at, next, start);
        descend(nodes, count, last, last, next_last, end);
        __syncthreads();
        if (thread == 0) {
            at[block] = next[block];
            last[block] = next_last[block];
        }
        __syncthreads();
    }
    if (nodes[at[block]].key[thread] == start[block])
        first[block] = nodes[at[block]].index[thread];
    __syncthreads();
    if (nodes[last[block]].key[thread] == end[block])
        length[block] = nodes[last[block]].index[thread] - first[block] + 1;
}

enum { FIND, RANGES, BOTH };
enum { N, COUNT, RANGE_COUNT, LENGTH, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "keys in the tree, the numbers from 0 on", 1000000, 1, 4000000, NULL},
    {"count", "keys that are looked for", 10000, 1, 65535, NULL},
    {"ranges", "that are looked for", 6000, 1, 65535, NULL},
    {"length", "from a range's first key to its last", 3000, 0, 1000000, NULL},
    {"seed", "of the keys", 1, 0, 1000000000, NULL},
    {"variant", "what is launched", 2, 0, 0, "find ranges both"},
};

struct tree {
    tree_node *nodes;
    long count, height; // levels above the leaves
};

// Nodes of a level above `below` nodes, in the order of their keys; each has keys that its children but the first begin with.
static void fill_inner(tree_node *node, long inner, long below, long first_below, long keys_below)
{
    for (long i = 0; i < inner; i++) {
        long first = i * HALF, children = below - first < HALF ? below - first : HALF;
        node[i].keys = (int)children + 1;
        for (long j = 0; j <= ORDER; j++) {
            node[i].key[j] = j == 0 ? INT_MIN : j < children ? (int)((first + j) * keys_below) : INT_MAX;
            node[i].index[j] = j < children ? (int)(first_below + first + j) : 0;
        }
    }
}

static void fill_leaves(tree_node *node, long leaves, long keys)
{
    for (long i = 0; i < leaves; i++) {
        long first = i * HALF, own = keys - first < HALF ? keys - first : HALF;
        node[i].is_leaf = true;
        node[i].keys = (int)own + 2;
        for (long j = 0; j <= ORDER; j++) {
            node[i].key[j] = j == 0 ? INT_MIN : j <= own ? (int)(first + j - 1) : INT_MAX;
            node[i].index[j] = j > 0 && j <= own ? (int)(first + j - 1) : 0;
        }
    }
}

// The root comes first, then level after level.
static struct tree grow(long keys)
{
    long sizes[8], levels = 0, count = 0;
    for (long size = (keys + HALF - 1) / HALF;; size = (size + HALF - 1) / HALF) {
        sizes[levels++] = size;
        count += size;
        if (size == 1)
            break;
    }
    struct tree tree = {(tree_node *)workload_allocate((size_t)count * sizeof(tree_node)), count, levels - 1};
    memset(tree.nodes, 0, (size_t)count * sizeof(tree_node));
    long first = count - sizes[0], keys_below = HALF;
    fill_leaves(tree.nodes + first, sizes[0], keys);
    for (long level = 1; level < levels; level++, keys_below *= HALF) {
        long below = first;
        first -= sizes[level];
        fill_inner(tree.nodes + first, sizes[level], sizes[level - 1], below, keys_below);
    }
    for (long i = 0; i < count; i++)
        tree.nodes[i].location = (int)i;
    return tree;
}

static void *zeros_on_device(size_t bytes)
{
    void *memory;
    WORKLOAD_CHECK(cudaMalloc(&memory, bytes));
    WORKLOAD_CHECK(cudaMemset(memory, 0, bytes));
    return memory;
}

static long compare(const int *device, const int *expected, size_t count)
{
    int *found = (int *)workload_allocate(count * sizeof(int));
    WORKLOAD_CHECK(cudaMemcpy(found, device, count * sizeof(int), cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (size_t i = 0; i < count && wrong < 0; i++)
        if (found[i] != expected[i])
            wrong = (long)i;
    free(found);
    return wrong;
}

static long find_keys(const struct tree *tree, const tree_node *nodes, struct workload_random *random)
{
    size_t count = (size_t)options[COUNT].value, keys = (size_t)options[N].value;
    int *records = (int *)workload_allocate(keys * sizeof(int)), *wanted = (int *)workload_allocate(count * sizeof(int));
    int *expected = (int *)workload_allocate(count * sizeof(int));
    for (size_t i = 0; i < keys; i++)
        records[i] = (int)workload_below(random, 1 << 30);
    for (size_t i = 0; i < count; i++) {
        wanted[i] = (int)workload_below(random, (unsigned)keys);
        expected[i] = records[wanted[i]];
    }
    int *device_records = (int *)workload_upload(records, keys * sizeof(int));
    int *device_wanted = (int *)workload_upload(wanted, count * sizeof(int));
    int *found = (int *)zeros_on_device(count * sizeof(int));
    long *at = (long *)zeros_on_device(count * sizeof(long)), *next = (long *)zeros_on_device(count * sizeof(long));
    find<<<(unsigned)count, ORDER>>>(tree->height, nodes, tree->count, device_records, at, next, device_wanted, found);
    WORKLOAD_CHECK_LAUNCH();
    long wrong = compare(found, expected, count);
    void *all[] = {device_records, device_wanted, found, at, next};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
    free(records);
    free(wanted);
    free(expected);
    return wrong;
}

static long find_ranges(const struct tree *tree, const tree_node *nodes, struct workload_random *random)
{
    size_t count = (size_t)options[RANGE_COUNT].value, bytes = count * sizeof(int);
    long keys = options[N].value, length = options[LENGTH].value < keys ? options[LENGTH].value : keys - 1;
    int *start = (int *)workload_allocate(bytes), *end = (int *)workload_allocate(bytes);
    int *expected = (int *)workload_allocate(bytes);
    for (size_t i = 0; i < count; i++) {
        start[i] = (int)workload_below(random, (unsigned)(keys - length));
        end[i] = start[i] + (int)length;
        expected[i] = (int)length + 1;
    }
    int *device_start = (int *)workload_upload(start, bytes), *device_end = (int *)workload_upload(end, bytes);
    int *first = (int *)zeros_on_device(bytes), *found = (int *)zeros_on_device(bytes);
    long *places[4];
    for (size_t i = 0; i < 4; i++)
        places[i] = (long *)zeros_on_device(count * sizeof(long));
    ranges<<<(unsigned)count, ORDER>>>(tree->height, nodes, tree->count, places[0], places[1], places[2], places[3],
                                       device_start, device_end, first, found);
    WORKLOAD_CHECK_LAUNCH();
    long wrong = compare(first, start, count);
    wrong = wrong < 0 ? compare(found, expected, count) : wrong;
    void *all[] = {device_start, device_end, first, found, places[0], places[1], places[2], places[3]};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
    free(start);
    free(end);
    free(expected);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "btree_search", "searches in a B+ tree", options, OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct tree tree = grow(options[N].value);
    tree_node *nodes = (tree_node *)workload_upload(tree.nodes, (size_t)tree.count * sizeof(tree_node));
    long variant = options[VARIANT].value, wrong = -1;
    if (variant != FIND)
        wrong = find_ranges(&tree, nodes, &random);
    if (variant != RANGES && wrong < 0)
        wrong = find_keys(&tree, nodes, &random);
    WORKLOAD_CHECK(cudaFree(nodes));
    free(tree.nodes);
    return workload_verdict("btree_search", wrong);
}
