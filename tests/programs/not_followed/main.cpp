// What is not followed of an instrumented program: inline assembly, an object and a library that
// were compiled without, and a child.
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

extern "C" int twice(const int *value);
extern "C" int thrice(const int *value);

static volatile int numbers[4] = {1, 2, 3, 4};

static int load(const volatile int *value)
{
    int loaded;
    __asm__ volatile("movl %1, %0" : "=r"(loaded) : "m"(*value));
    __asm__ volatile("" ::: "memory"); // no instruction
    return loaded;
}

int main()
{
    int sum = load(&numbers[1]) + twice((const int *)&numbers[2]) + thrice((const int *)&numbers[3]);
    for (int i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(numbers[i]);
        int status;
        waitpid(child, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
    return 0;
}
