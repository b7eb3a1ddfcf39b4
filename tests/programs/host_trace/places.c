// places N: accesses to all kinds of memory: the stack, blocks of the heap, mapped ones, arguments.
#include "marks.h"

#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int sum(const int *numbers, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += numbers[i];
    return total;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0, local[64] = {n}, total = 0;
    begin();
    for (int i = 0; i < 8; i++) {
        int *small = malloc(40), *large = calloc(1 << 20, sizeof *large);
        if (small == NULL || large == NULL)
            return 2;
        memset(small, n, 40);
        total += sum(small, 10) + sum(large, n) + sum(local, 64);
        if (i & 1)
            free(small);
        free(large);
    }
    for (const char *at = argv[1]; argc > 1 && *at; at++)
        total += *at;
    end();
    return total == -1;
}
