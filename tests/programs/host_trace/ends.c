// ends HOW: a program that is not traced, or ends, in its own way.
#include "marks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int numbers[4];

__attribute__((noinline)) static void touch(int which)
{
    numbers[which]++;
}

static void *touch_beside(void *which)
{
    touch((int)(size_t)which);
    return NULL;
}

static void run_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, touch_beside, (void *)1) == 0)
        pthread_join(thread, NULL);
}

// What the child does is its own.
static void fork_and_touch(void)
{
    pid_t child = fork();
    if (child == 0) {
        touch(2);
        exit(0);
    }
    waitpid(child, NULL, 0);
    touch(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    printf("%p\n", (void *)numbers);
    fflush(stdout);
    if (strcmp(how, "unmarked") == 0)
        return 0;
    if (strcmp(how, "failed") == 0)
        return 7;
    if (strcmp(how, "thread-outside") == 0)
        run_thread();
    begin();
    touch(0);
    if (strcmp(how, "fork") == 0)
        fork_and_touch();
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "many") == 0)
        for (int i = 0; i < 1000000; i++)
            touch(i & 3);
    end();
    touch(3);
    return strcmp(how, "status") == 0 ? 3 : 0;
}
