// A program that knows nothing of the marks: from its constructor to its destructor it is traced.
#include <stdio.h>

static int numbers[4];
static volatile int stays = 0; // so that nothing is done before the program starts

__attribute__((noinline)) static void touch(int which)
{
    numbers[which + stays]++;
}

__attribute__((constructor)) static void before(void)
{
    touch(0);
}

__attribute__((destructor)) static void after(void)
{
    touch(2);
}

int main(void)
{
    printf("%p\n", (void *)numbers);
    touch(1);
    return 0;
}
