#include "cuda/image/loaded_image.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>

struct search {
    uint64_t address, readable;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_R) == 0)
            continue;
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (search->address >= start && search->address - start < header->p_memsz) {
            search->readable = header->p_memsz - (search->address - start);
            return 1;
        }
    }
    return 0;
}

// Adjacent readable mappings are one range: a heap block may span them.
static uint64_t search_mappings(uint64_t address)
{
    FILE *file = fopen("/proc/self/maps", "re");
    if (!file)
        return 0;
    char line[512];
    uint64_t end = 0;
    while (fgets(line, sizeof line, file)) {
        uint64_t from, to;
        char readable;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &from, &to, &readable) != 3)
            continue;
        if (readable == 'r' && (end ? from == end : address >= from && address < to))
            end = to;
    }
    fclose(file);
    return end ? end - address : 0;
}

uint64_t wm_cuda_readable_bytes(const void *address)
{
    struct search search = {.address = (uint64_t)(uintptr_t)address};
    if (search.address == 0)
        return 0;
    dl_iterate_phdr(search_object, &search);
    return search.readable ? search.readable : search_mappings(search.address);
}
