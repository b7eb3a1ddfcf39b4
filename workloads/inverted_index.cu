// An inverted index of a web page: for every address that it links to the places from where. A
// thread takes a piece of the text and goes through it byte by byte, so the lanes of a warp read 32
// lines, as far apart as pieces are long, and come back to each for its next byte 127 times more.
// Lanes that find a link leave the others' way.
//
//   index_count         how many links each piece has, and how many bytes their addresses are
//   index_emit          once more: every address is copied, and a record of it written, to where
//   the
//                       pieces before it leave off; where that is, the host adds up
//   record_sort_step    the records in the order of their addresses, compared byte by byte
//   record_mark_first   where in them another address begins
//
// Mars's benchmark InvertedIndex.
#include "map_reduce.h"

// Whether `href="` begins at a byte. Zeros follow the text.
static __device__ bool link_begins(const unsigned char *at)
{
    return at[0] == 'h' && at[1] == 'r' && at[2] == 'e' && at[3] == 'f' && at[4] == '=' &&
           at[5] == '"';
}

#define LINK_BYTES 6

static __device__ unsigned address_length(const unsigned char *address)
{
    unsigned length = 0;
    while (address[length] != '"' && address[length] != 0)
        length++;
    return length;
}

// Of each piece all but the last `rest` bytes.
static __device__ void count_links(const unsigned char *text, unsigned size, unsigned piece,
                                   unsigned rest, unsigned pieces, unsigned *links, unsigned *bytes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pieces)
        return;
    unsigned end = (i + 1) * piece - rest;
    end = end < size ? end : size;
    unsigned found = 0, length = 0;
    for (unsigned at = i * piece; at < end; at++)
        if (link_begins(text + at)) {
            found++;
            length += address_length(text + at + LINK_BYTES);
        }
    links[i] = found;
    bytes[i] = length;
}

// `links` and `bytes` are the pieces' sums of those before them.
static __device__ void emit_links(const unsigned char *text, unsigned size, unsigned piece,
                                  unsigned rest, unsigned pieces, const unsigned *links,
                                  const unsigned *bytes, unsigned char *keys,
                                  struct record *records)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pieces)
        return;
    unsigned end = (i + 1) * piece - rest;
    end = end < size ? end : size;
    unsigned record = links[i], key = bytes[i];
    for (unsigned at = i * piece; at < end; at++) {
        if (!link_begins(text + at))
            continue;
        const unsigned char *address = text + at + LINK_BYTES;
        unsigned length = 0;
        for (; address[length] != '"' && address[length] != 0; length++)
            keys[key + length] = address[length];
        records[record].hash = 0;
        records[record].start = key;
        records[record].length = length;
        records[record].value = at;
        record++;
        key += length;
    }
}

__global__ void index_count(const unsigned char *text, unsigned size, unsigned piece,
                            unsigned pieces, unsigned *links, unsigned *bytes)
{
    count_links(text, size, piece, 0, pieces, links, bytes);
}

__global__ void index_emit(const unsigned char *text, unsigned size, unsigned piece,
                           unsigned pieces, const unsigned *links, const unsigned *bytes,
                           unsigned char *keys, struct record *records)
{
    emit_links(text, size, piece, 0, pieces, links, bytes, keys, records);
}

// The first bytes of each piece alone.
__global__ void index_count_begun(const unsigned char *text, unsigned size, unsigned piece,
                                  unsigned part, unsigned pieces, unsigned *links, unsigned *bytes)
{
    count_links(text, size, piece, piece - part, pieces, links, bytes);
}

__global__ void index_emit_begun(const unsigned char *text, unsigned size, unsigned piece,
                                 unsigned part, unsigned pieces, const unsigned *links,
                                 const unsigned *bytes, unsigned char *keys, struct record *records)
{
    emit_links(text, size, piece, piece - part, pieces, links, bytes, keys, records);
}

enum { SIZE, PIECE, PART, OCTAVES, RUN, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"size", "bytes of text", 1 << 19, 512, 1 << 27, NULL},
    {"piece", "bytes that a thread goes through", 512, 16, 1 << 20, NULL},
    {"part", "bytes of a piece that are gone through, the first ones; 0 for all", 0, 0, 1 << 20,
     NULL},
    {"octaves", "of addresses: there are two to this power, but one", 10, 1, 18, NULL},
    {"run", "records after which sorting begins anew, a power of two, or 0 for never", 0, 0,
     1 << 20, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random text", 1, 0, 1000000000, NULL},
};

// Words, one in six of them a link, and zeros at the end. `linked` says for each byte where a link
// begins the address's rank and one, and 0 for the others.
static struct text random_page(unsigned size, unsigned octaves, unsigned *linked,
                               struct workload_random *random)
{
    struct text text = text_new(size);
    memset(linked, 0, size * sizeof(unsigned));
    // The longest address and its tags are shorter than this.
    while (text.size + 256 < size) {
        bool link = workload_below(random, 6) == 0;
        if (link) {
            unsigned rank = text_rank(random, octaves);
            text_add(&text, "<a ");
            linked[text.size] = rank + 1;
            text_add(&text, "href=\"");
            text_add_address(&text, rank);
            text_add(&text, "\">");
        }
        text_add_word(&text, text_rank(random, 14));
        text_add(&text, link ? "</a> " : " ");
    }
    memset(text.bytes + text.size, 0, size - text.size);
    return text;
}

// Sums of the numbers before each, and of all in the place after the last.
static unsigned sum_before(unsigned *numbers, unsigned count)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned number = numbers[i];
        numbers[i] = sum;
        sum += number;
    }
    return sum;
}

// The index on the device: sorted records, and the bytes of the addresses that they name.
struct index {
    unsigned count;
    unsigned char *keys;
    struct record *records;
};

static struct index build_index(const struct text *text, unsigned piece, unsigned part,
                                unsigned block)
{
    unsigned pieces = (text->capacity + piece - 1) / piece, grid = (pieces + block - 1) / block;
    size_t bytes = pieces * sizeof(unsigned);
    unsigned *links = (unsigned *)workload_allocate(bytes), *device_links;
    unsigned *lengths = (unsigned *)workload_allocate(bytes), *device_lengths;
    unsigned char *device_text = (unsigned char *)workload_upload(text->bytes, text->capacity);
    WORKLOAD_CHECK(cudaMalloc((void **)&device_links, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&device_lengths, bytes));
    if (part == piece)
        index_count<<<grid, block>>>(device_text, text->size, piece, pieces, device_links,
                                     device_lengths);
    else
        index_count_begun<<<grid, block>>>(device_text, text->size, piece, part, pieces,
                                           device_links, device_lengths);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(links, device_links, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(lengths, device_lengths, bytes, cudaMemcpyDeviceToHost));
    struct index index = {sum_before(links, pieces), NULL, NULL};
    unsigned key_bytes = sum_before(lengths, pieces);
    WORKLOAD_CHECK(cudaMemcpy(device_links, links, bytes, cudaMemcpyHostToDevice));
    WORKLOAD_CHECK(cudaMemcpy(device_lengths, lengths, bytes, cudaMemcpyHostToDevice));
    WORKLOAD_CHECK(cudaMalloc((void **)&index.keys, key_bytes + 1));
    WORKLOAD_CHECK(cudaMalloc((void **)&index.records, (index.count + 1) * sizeof(struct record)));
    if (part == piece)
        index_emit<<<grid, block>>>(device_text, text->size, piece, pieces, device_links,
                                    device_lengths, index.keys, index.records);
    else
        index_emit_begun<<<grid, block>>>(device_text, text->size, piece, part, pieces,
                                          device_links, device_lengths, index.keys, index.records);
    WORKLOAD_CHECK_LAUNCH();
    records_sort(index.keys, index.records, index.count, (unsigned)options[RUN].value, block);
    WORKLOAD_CHECK(cudaFree(device_text));
    WORKLOAD_CHECK(cudaFree(device_links));
    WORKLOAD_CHECK(cudaFree(device_lengths));
    free(links);
    free(lengths);
    return index;
}

// The first byte of the page whose link is not where the index should have it, or -1. All links are
// there if there are as many; then all of one address, and no others, must lie between two that are
// first, in the order of their places. Where only runs are sorted, this is so within each.
static long first_wrong_link(const struct index *index, const unsigned *linked, unsigned size,
                             unsigned ranks, unsigned block)
{
    unsigned links = 0;
    for (unsigned at = 0; at < size; at++)
        links += linked[at] != 0;
    if (links != index->count)
        return 0;
    if (links == 0)
        return -1;
    unsigned char *first = records_first(index->keys, index->records, links, block);
    unsigned char *seen = (unsigned char *)workload_allocate(ranks + 1);
    struct record *records = records_download(index->records, links);
    memset(seen, 0, ranks + 1);
    long wrong = -1;
    unsigned run = options[RUN].value > 0 ? (unsigned)options[RUN].value : links;
    for (unsigned i = 0; i < links && wrong < 0; i++) {
        bool begins = i % run == 0;
        if (begins)
            memset(seen, 0, ranks + 1);
        unsigned at = records[i].value, before = i > 0 ? records[i - 1].value : 0;
        unsigned address = at < size ? linked[at] : 0;
        bool is_right =
            begins || first[i] ? !seen[address] : linked[before] == address && before < at;
        if (address == 0 || !is_right)
            wrong = (long)at;
        seen[address] = 1;
    }
    free(first);
    free(seen);
    free(records);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "inverted_index", "finds from where a page links to what", options,
                   OPTIONS);
    unsigned size = (unsigned)options[SIZE].value, octaves = (unsigned)options[OCTAVES].value;
    unsigned block = (unsigned)options[BLOCK].value;
    long run = options[RUN].value;
    if ((run & (run - 1)) != 0) {
        fprintf(stderr, "inverted_index: --run takes a power of two, or 0, not '%ld'\n", run);
        return 2;
    }
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned *linked = (unsigned *)workload_allocate(size * sizeof(unsigned));
    struct text text = random_page(size, octaves, linked, &random);
    unsigned piece = (unsigned)options[PIECE].value, part = (unsigned)options[PART].value;
    part = part == 0 || part > piece ? piece : part;
    for (unsigned at = 0; at < size; at++)
        if (at % piece >= part)
            linked[at] = 0;
    struct index index = build_index(&text, piece, part, block);
    long wrong = first_wrong_link(&index, linked, size, 1u << octaves, block);
    WORKLOAD_CHECK(cudaFree(index.keys));
    WORKLOAD_CHECK(cudaFree(index.records));
    free(text.bytes);
    free(linked);
    return workload_verdict("inverted_index", wrong);
}
