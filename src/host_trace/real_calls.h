// The C library's own functions behind those of the same names that this library puts in front of
// them (docs/decisions/0020-threads-one-at-a-time.md).
#ifndef WM_HOST_TRACE_REAL_CALLS_H
#define WM_HOST_TRACE_REAL_CALLS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// With `version` where there are several, as of what waits for conditions. Does not come back
// without one.
void *wm_host_real(const char *name, const char *version);

#define REAL_OF(name, version)                        \
    __extension__({                                   \
        static __typeof__(&name) real_call;           \
        if (real_call == NULL)                        \
            real_call = wm_host_real(#name, version); \
        real_call;                                    \
    })
#define REAL(name) REAL_OF(name, NULL)

// By the host's clock that is never set back.
uint64_t real_nanoseconds(void);
// A system call; -1 and errno where it fails.
long real_syscall(long number, long first, long second, long third, long fourth, long fifth,
                  long sixth);

#endif
