// strides BYTES STRIDE PASSES: loads an int every STRIDE bytes of so many bytes, so often.
#include "marks.h"

#include <stdlib.h>

static int numbers[1 << 14] __attribute__((aligned(4096)));

__attribute__((noinline)) static int pass(volatile int *from, int count, int step)
{
    int sum = 0;
    for (int i = 0; i < count; i += step)
        sum += from[i];
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int count = atoi(argv[1]) / 4, step = atoi(argv[2]) / 4, passes = atoi(argv[3]), sum = 0;
    begin();
    for (int i = 0; i < passes; i++)
        sum += pass(numbers, count, step);
    end();
    return sum != 0;
}
