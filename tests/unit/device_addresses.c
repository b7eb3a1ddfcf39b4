// Keeps the device's addresses free in every test program.
//
// Criterion's sandbox maps its arena at a random place between 0x200000000000 and 0x600000000000
// of the parent, and at the same place of each test's own process. Device memory reserves 128 GiB
// and more from WM_DEVICE_BASE, the lowest of those addresses, so that one run in some hundreds
// found it taken, in all tests of that program. Reserved in the parent, the range is passed over
// by the sandbox, and is free in the tests.
#include "exec/memory/device_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static const size_t kept_bytes = (size_t)1 << 44;

__attribute__((constructor)) static void keep_device_addresses(void)
{
    if (getenv("BXFI_MAP")) // set by the sandbox for a test's own process
        return;
    // The addresses alone; where they cannot be had, the test's own message says so.
    mmap((void *)(uintptr_t)WM_DEVICE_BASE, kept_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}
