// What is allocated after the wish lies in memory that the host was told of (proc(5), smaps: "hg").
#include "base/host/large_pages.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

// Whether the mapping that holds the address was advised.
static bool is_advised(const void *address)
{
    char line[512];
    uint64_t at = (uintptr_t)address, first, end;
    bool here = false, advised = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    cr_assert_neq(maps, NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &first, &end) == 2)
            here = first <= at && at < end;
        advised |= here && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") != NULL;
    }
    fclose(maps);
    return advised;
}

Test(large_pages, hold_what_comes_after)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip("the sanitizer has an allocator of its own");
#endif
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0)
        cr_skip("the host has none");
    wm_prefer_large_pages();
    wm_prefer_large_pages();
    char *pieces[20];
    for (int i = 0; i < 20; i++) {
        pieces[i] = malloc(4 * MIB);
        cr_assert_neq(pieces[i], NULL);
    }
    int advised = 0;
    for (int i = 0; i < 20; i++)
        advised += is_advised(pieces[i] + 2 * MIB);
    cr_expect_geq(advised, 14,
                  "of 20, where a page is cut between two pieces of the heap it is not");
    for (int i = 0; i < 20; i++)
        free(pieces[i]);
}
