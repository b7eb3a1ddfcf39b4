#include "host_trace/real_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void *wm_host_real(const char *name, const char *version)
{
    void *found = version != NULL ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "error: the C library has no %s()\nhint: traced programs need glibc\n",
                name);
        abort();
    }
    return found;
}

uint64_t real_nanoseconds(void)
{
    struct timespec now;
    REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

long real_syscall(long number, long first, long second, long third, long fourth, long fifth,
                  long sixth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    register long r9 __asm__("r9") = sixth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
