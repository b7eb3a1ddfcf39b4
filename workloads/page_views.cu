// How many visitors each page of a log had. A line of the log names a page, a visitor and a visit;
// a thread takes a line and goes through it byte by byte, so the lanes of a warp read as many lines
// as the log's are apart, and are done at different times. Twice the same three kernels:
//
//   views_map          a hash of what counts of each line, and a record of it: at first all of the
//                      line, to find those that are there twice; then, of the others, the page
//   record_sort_step   records in the order of their hashes, and of their bytes where those agree
//   record_mark_first  where in them another key begins
//
// and in the end views_count: the first record of each page goes through those after it and
// compares, byte by byte, until there is another page. Few pages have most of the views.
//
// Variants:
//   all  as said
//   map  the first launch of views_map alone
//
// Mars's benchmark PageViewCount.
#include "map_reduce.h"

#define PAGE_ENDS '\t'
#define LINE_ENDS '\n'

// A record of each line, up to the byte `ends`. The hash is that of Fowler, Noll and Vo, FNV-1a.
__global__ void views_map(const unsigned char *log, const unsigned *lines, struct record *records,
                          unsigned count, unsigned char ends)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned hash = 2166136261u, start = lines[i], length = 0;
    for (; log[start + length] != ends; length++)
        hash = (hash ^ log[start + length]) * 16777619u;
    records[i].hash = hash;
    records[i].start = start;
    records[i].length = length;
    records[i].value = i;
}

// The views of a page stand where its first record does.
__global__ void views_count(const unsigned char *log, const struct record *records,
                            const unsigned char *first, unsigned *views, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || !first[i])
        return;
    unsigned next = i + 1;
    while (next < count && record_compare(log, records[i], records[next]) == 0)
        next++;
    views[i] = next - i;
}

enum { ALL, MAP };
enum { N, OCTAVES, VISITORS, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "lines of the log", 4096, 1, 1 << 20, NULL},
    {"octaves", "of pages: there are two to this power, but one", 8, 1, 16, NULL},
    {"visitors", "who look at them", 64, 1, 1 << 12, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random log", 1, 0, 1000000000, NULL},
    {"variant", "what is done of it", 0, 0, 0, "all map"},
};

// The log, where each of its lines starts, and the page that it names.
struct log {
    struct text text;
    unsigned count, *start, *page;
    unsigned *visitors; // of each page: how many different ones
};

static void add_line(struct text *text, unsigned page, unsigned visitor)
{
    char rest[64];
    text_add_address(text, page);
    // An address and a cookie, either of which says who it is.
    snprintf(rest, sizeof(rest), "\t10.%u.%u.7\t%08x\n", visitor >> 8, visitor & 255u,
             visitor * 2654435761u);
    text_add(text, rest);
}

static struct log random_log(unsigned count, unsigned octaves, unsigned visitors,
                             struct workload_random *random)
{
    struct log log = {text_new(count * 128u), count, NULL, NULL, NULL};
    size_t pages = (size_t)1 << octaves;
    log.start = (unsigned *)workload_allocate(count * sizeof(unsigned));
    log.page = (unsigned *)workload_allocate(count * sizeof(unsigned));
    log.visitors = (unsigned *)workload_allocate(pages * sizeof(unsigned));
    unsigned char *came = (unsigned char *)workload_allocate(pages * visitors);
    memset(log.visitors, 0, pages * sizeof(unsigned));
    memset(came, 0, pages * visitors);
    for (unsigned i = 0; i < count; i++) {
        unsigned page = text_rank(random, octaves), visitor = workload_below(random, visitors);
        log.start[i] = log.text.size;
        log.page[i] = page;
        add_line(&log.text, page, visitor);
        log.visitors[page] += !came[(size_t)page * visitors + visitor];
        came[(size_t)page * visitors + visitor] = 1;
    }
    free(came);
    return log;
}

// Records of the lines that start at `start`, sorted, and which of them are first of their kind.
static unsigned char *sorted_records(const unsigned char *device_log, const unsigned *start,
                                     struct record *records, unsigned count, char ends,
                                     unsigned block)
{
    unsigned *device_start = (unsigned *)workload_upload(start, count * sizeof(unsigned));
    views_map<<<(count + block - 1) / block, block>>>(device_log, device_start, records, count,
                                                      (unsigned char)ends);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaFree(device_start));
    records_sort(device_log, records, count, 0, block);
    return records_first(device_log, records, count, block);
}

// Of sorted records the starts of those that are first, to the front of `start`; how many.
static unsigned keep_first(const struct record *records, const unsigned char *first,
                           unsigned *start, unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (first[i])
            start[kept++] = records[i].start;
    return kept;
}

// The page that the line at `start` names; lines are in the order of their starts.
static unsigned page_at(const struct log *log, unsigned start)
{
    unsigned low = 0, high = log->count;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (log->start[middle] <= start)
            low = middle;
        else
            high = middle;
    }
    return log->page[low];
}

// The first page with another number of visitors than there were, or -1. What is found of a page is
// taken off, so that one which is found twice or never is wrong too.
static long first_wrong_page(const struct log *log, const struct record *records,
                             const unsigned char *first, const unsigned *views, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (first[i])
            log->visitors[page_at(log, records[i].start)] -= views[i];
    for (size_t page = 0; page < (size_t)1 << options[OCTAVES].value; page++)
        if (log->visitors[page] != 0)
            return (long)page;
    return -1;
}

// The first line of which the device's record is wrong, or -1.
static long map_on_device(const struct log *log, unsigned block)
{
    unsigned char *device_log = (unsigned char *)workload_upload(log->text.bytes, log->text.size);
    unsigned *start = (unsigned *)workload_upload(log->start, log->count * sizeof(unsigned));
    struct record *device_records;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_records, log->count * sizeof(struct record)));
    views_map<<<(log->count + block - 1) / block, block>>>(device_log, start, device_records,
                                                           log->count, LINE_ENDS);
    WORKLOAD_CHECK_LAUNCH();
    struct record *records = records_download(device_records, log->count);
    long wrong = -1;
    for (unsigned i = 0; i < log->count && wrong < 0; i++) {
        unsigned hash = 2166136261u, at = log->start[i];
        for (; log->text.bytes[at] != LINE_ENDS; at++)
            hash = (hash ^ log->text.bytes[at]) * 16777619u;
        if (records[i].hash != hash || records[i].start != log->start[i] ||
            records[i].length != at - log->start[i] || records[i].value != i)
            wrong = (long)i;
    }
    WORKLOAD_CHECK(cudaFree(device_log));
    WORKLOAD_CHECK(cudaFree(start));
    WORKLOAD_CHECK(cudaFree(device_records));
    free(records);
    return wrong;
}

// The first page that the device counts wrongly, or -1.
static long count_on_device(const struct log *log, unsigned block)
{
    unsigned char *device_log = (unsigned char *)workload_upload(log->text.bytes, log->text.size);
    struct record *device_records;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_records, log->count * sizeof(struct record)));
    // Lines that are there once, or one of those that are there several times.
    unsigned char *first =
        sorted_records(device_log, log->start, device_records, log->count, LINE_ENDS, block);
    struct record *records = records_download(device_records, log->count);
    unsigned *start = (unsigned *)workload_allocate(log->count * sizeof(unsigned));
    unsigned count = keep_first(records, first, start, log->count);
    free(first);
    free(records);

    // And the pages in those.
    first = sorted_records(device_log, start, device_records, count, PAGE_ENDS, block);
    records = records_download(device_records, count);
    unsigned char *device_first = (unsigned char *)workload_upload(first, count);
    unsigned *views = (unsigned *)workload_allocate(count * sizeof(unsigned)), *device_views;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_views, count * sizeof(unsigned)));
    views_count<<<(count + block - 1) / block, block>>>(device_log, device_records, device_first,
                                                        device_views, count);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(
        cudaMemcpy(views, device_views, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    long wrong = first_wrong_page(log, records, first, views, count);
    WORKLOAD_CHECK(cudaFree(device_log));
    WORKLOAD_CHECK(cudaFree(device_records));
    WORKLOAD_CHECK(cudaFree(device_first));
    WORKLOAD_CHECK(cudaFree(device_views));
    free(first);
    free(records);
    free(start);
    free(views);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "page_views", "counts the visitors of pages in a log", options,
                   OPTIONS);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct log log = random_log((unsigned)options[N].value, (unsigned)options[OCTAVES].value,
                                (unsigned)options[VISITORS].value, &random);
    unsigned block = (unsigned)options[BLOCK].value;
    long wrong =
        options[VARIANT].value == MAP ? map_on_device(&log, block) : count_on_device(&log, block);
    free(log.text.bytes);
    free(log.start);
    free(log.page);
    free(log.visitors);
    return workload_verdict("page_views", wrong);
}
