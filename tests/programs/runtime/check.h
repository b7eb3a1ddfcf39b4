// Checks of the programs here: each says what it wanted, and the program's exit status counts them.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static int failures;

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                         \
        }                                                                       \
    } while (0)

#define EXPECT(call, wanted)                                                                    \
    do {                                                                                        \
        int got_ = (int)(call);                                                                 \
        if (got_ != (int)(wanted)) {                                                            \
            std::printf("%s:%d: %s gave %d (%s), wanted %d\n", __FILE__, __LINE__, #call, got_, \
                        cudaGetErrorName((cudaError_t)got_), (int)(wanted));                    \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

#define GOOD(call) EXPECT(call, cudaSuccess)

static inline int verdict(void)
{
    std::printf(failures ? "FAIL: %d\n" : "PASS\n", failures);
    return failures ? 1 : 0;
}

#endif
