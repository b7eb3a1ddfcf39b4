// Elements of a list are linked and unlinked without locks: a compare-and-swap on the word that
// says which element is the first, by a CPU thread and by all threads of a kernel at the same time.
// The list is an array that has at each element's place the place of the next; place 0 is the
// first's, and 0 ends the list.
//
//   link    the kernel's threads link the element of their own number, so that lanes of a warp write
//           words of one line; the CPU thread links the others, one after the other
//   unlink  what the first variant made is taken apart again, the last that was linked first: each
//           thread takes what comes, so that lines go back and forth between CPU and GPU. No element
//           is linked again, so a compare-and-swap cannot take a new list for an old one
#include "../managed_memory.h"

// Links an element before the first.
static __host__ __device__ void link_element(unsigned *list, unsigned element)
{
    unsigned first = system_load(&list[0]), before;
    for (;; first = before) {
        list[element] = first;
        before = system_compare_and_swap(&list[0], first, element);
        if (before == first)
            return;
    }
}

// Unlinks the first element and clears its place; returns it, or 0 if the list is empty.
static __host__ __device__ unsigned unlink_element(unsigned *list)
{
    unsigned first = system_load(&list[0]), before;
    for (; first != 0; first = before) {
        unsigned next = system_load(&list[first]);
        before = system_compare_and_swap(&list[0], first, next);
        if (before == first) {
            system_store(&list[first], 0);
            return first;
        }
    }
    return 0;
}

__global__ void list_link(unsigned *list, unsigned count)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < count)
        link_element(list, thread + 1);
}

__global__ void list_unlink(unsigned *list, unsigned *unlinked, unsigned count)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < count)
        unlinked[thread] = unlink_element(list);
}

enum { LINK, UNLINK };
enum { N, SHARE, BLOCK, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements", 1024, 1, 1 << 22, NULL},
    {"share", "of 100 elements that are the CPU thread's", 50, 0, 100, NULL},
    {"block", "threads of a block", 64, 1, 1024, NULL},
    {"variant", "what is done with the list", 0, 0, 0, "link unlink"},
};

// The elements of a kernel's threads come first, and then those of the CPU thread.
static void link_all(unsigned *list, unsigned count, unsigned kernel_count)
{
    unsigned block = (unsigned)options[BLOCK].value;
    if (kernel_count > 0)
        list_link<<<(kernel_count + block - 1) / block, block>>>(list, kernel_count);
    run_cpu_threads(1, [&](unsigned) {
        for (unsigned i = kernel_count; i < count; i++)
            link_element(list, i + 1);
    });
    WORKLOAD_CHECK_LAUNCH();
}

static void unlink_all(unsigned *list, unsigned *unlinked, unsigned count, unsigned kernel_count)
{
    unsigned block = (unsigned)options[BLOCK].value;
    if (kernel_count > 0)
        list_unlink<<<(kernel_count + block - 1) / block, block>>>(list, unlinked, kernel_count);
    run_cpu_threads(1, [&](unsigned) {
        for (unsigned i = kernel_count; i < count; i++)
            unlinked[i] = unlink_element(list);
    });
    WORKLOAD_CHECK_LAUNCH();
}

// Marks an element; false if there is none of that number, or it was marked before.
static bool mark(std::vector<bool> &seen, unsigned element)
{
    if (element == 0 || element >= seen.size() || seen[element])
        return false;
    seen[element] = true;
    return true;
}

// The list has every element once, or -1: how many are right before the first that is not.
static long first_wrong_link(const unsigned *list, unsigned count)
{
    std::vector<bool> seen(count + 1);
    unsigned element = list[0];
    for (unsigned i = 0; i < count; i++, element = list[element])
        if (!mark(seen, element))
            return (long)i;
    return element == 0 ? -1 : (long)count;
}

// Nothing is linked any more, and every element was unlinked once.
static long first_wrong_unlink(const unsigned *list, const unsigned *unlinked, unsigned count)
{
    std::vector<bool> seen(count + 1);
    for (unsigned i = 0; i < count; i++)
        if (!mark(seen, unlinked[i]) || list[i + 1] != 0)
            return (long)i;
    return list[0] == 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "linked_list", "a list that CPU and GPU link without locks", options,
                   OPTIONS);
    unsigned count = (unsigned)options[N].value;
    unsigned kernel_count = count - count * (unsigned)options[SHARE].value / 100;
    unsigned *list = managed_array<unsigned>(count + 1), *unlinked = managed_array<unsigned>(count);

    workload_trace_begin();
    memset(list, 0, (count + 1) * sizeof(unsigned));
    memset(unlinked, 0, count * sizeof(unsigned));
    if (options[VARIANT].value == UNLINK)
        link_all(list, count, kernel_count);
    managed_work_begin();
    if (options[VARIANT].value == UNLINK)
        unlink_all(list, unlinked, count, kernel_count);
    else
        link_all(list, count, kernel_count);
    managed_work_end();

    long wrong = options[VARIANT].value == UNLINK ? first_wrong_unlink(list, unlinked, count)
                                                  : first_wrong_link(list, count);
    managed_release(list);
    managed_release(unlinked);
    return workload_verdict("linked_list", wrong);
}
