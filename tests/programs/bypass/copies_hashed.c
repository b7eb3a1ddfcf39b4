// Loaded before a program: a copy from the device is hashed into the file that COPIES names, which
// says what the host got.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    int (*next)(void *, const void *, size_t, int) = dlsym(RTLD_NEXT, "cudaMemcpy");
    int status = next(to, from, bytes, kind);
    unsigned long long hash = 14695981039346656037ull;
    FILE *file = kind == 2 ? fopen(getenv("COPIES"), "a") : NULL;
    for (size_t i = 0; file && i < bytes; i++)
        hash = (hash ^ ((unsigned char *)to)[i]) * 1099511628211ull;
    if (file) {
        fprintf(file, "%zu %016llx\n", bytes, hash);
        fclose(file);
    }
    return status;
}
