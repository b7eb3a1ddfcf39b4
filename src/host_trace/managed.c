#include "host_trace/managed.h"

#include <link.h>
#include <string.h>

bool wm_host_has_cuda;

enum { MOST_RANGES = 8 };

static struct range {
    uintptr_t begin, end;
} ranges[MOST_RANGES];
static size_t range_count;

static void add_ranges(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum && range_count < MOST_RANGES; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
            ranges[range_count++] = (struct range){begin, begin + part->p_memsz};
    }
}

// The program itself has no name. OpenMP's libraries make threads and have them wait for the
// program; libgomp is refused where it does (thread_calls.c).
static bool is_programs_own(const char *name)
{
    static const char *const names[] = {"libstdc++.so", "libwarpmem-host-trace.so", "libomp.so",
                                        "libgomp.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return name[0] == '\0';
}

static int look_at(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : object->dlpi_name;
    if (strncmp(name, "libcudart.so", 12) == 0 || strncmp(name, "libcuda.so", 10) == 0)
        wm_host_has_cuda = true;
    if (is_programs_own(name))
        add_ranges(object);
    return 0;
}

void wm_host_managed_start(void)
{
    dl_iterate_phdr(look_at, NULL);
}

bool wm_host_is_programs_own(const void *caller)
{
    for (size_t i = 0; i < range_count; i++)
        if ((uintptr_t)caller >= ranges[i].begin && (uintptr_t)caller < ranges[i].end)
            return true;
    return false;
}
