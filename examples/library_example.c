// Drives a V100's memory system from a program of one's own (docs/library.md): the same number of
// loads, once with a stride and once anywhere, and what they found in L1. Build it with:
//     cc -o library_example library_example.c $(pkg-config --cflags --libs warpmem)
#include <warpmem/warpmem.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 32, ELEMENT_BYTES = 4, ARRAY_BYTES = 1 << 17, WARPS = 4096 };

static struct warpmem_error error;

static void require(enum warpmem_status status)
{
    char text[sizeof error + 64];
    if (status == WARPMEM_OK)
        return;
    fputs(warpmem_error_format(&error, text, sizeof text), stderr);
    exit(1);
}

static uint64_t random_word(void) // xorshift64: the same on every run
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// WARPS loads of whole warps by SM 0; `stride` in elements, 0 for random ones.
static void run(struct warpmem_machine *machine, const char *title, uint64_t stride)
{
    struct warpmem_memory *memory;
    uint64_t addresses[LANES], hits, misses, dram;
    require(warpmem_memory_new(machine, NULL, &memory, &error));
    // Blocks without shared memory leave the whole array of a V100's SM to L1.
    const struct warpmem_kernel kernel = {.name = "pattern", .threads_per_block = 256};
    require(warpmem_memory_kernel_begin(memory, &kernel, &error));
    struct warpmem_warp_access load = {
        .bytes_per_lane = ELEMENT_BYTES, .active = UINT32_MAX, .addresses = addresses};
    for (uint64_t warp = 0; warp < WARPS; warp++) {
        for (uint64_t lane = 0; lane < LANES; lane++) {
            uint64_t element = stride ? (warp * LANES + lane) * stride : random_word();
            addresses[lane] = element * ELEMENT_BYTES % ARRAY_BYTES;
        }
        require(warpmem_memory_warp_access(memory, &load, &error));
    }
    require(warpmem_memory_value(memory, "l1", "hits", &hits, &error));
    require(warpmem_memory_value(memory, "l1", "misses", &misses, &error));
    require(warpmem_memory_value(memory, "dram", "bytes_read", &dram, &error));
    printf("%-8s  %6" PRIu64 " sectors, %5.1f %% found in L1, %6" PRIu64 " KiB from DRAM\n", title,
           hits + misses, 100.0 * (double)hits / (double)(hits + misses), dram / 1024);
    warpmem_memory_free(memory);
}

int main(void)
{
    struct warpmem_machine *machine;
    require(warpmem_machine_load("v100", NULL, &machine, &error));
    run(machine, "stride 1", 1);
    run(machine, "stride 8", 8);
    run(machine, "random", 0);
    warpmem_machine_free(machine);
    return 0;
}
