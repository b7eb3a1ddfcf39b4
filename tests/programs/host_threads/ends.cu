// ends CASE: how a program that runs by turns may end, and what else its threads may do.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void set(int *at)
{
    *at = 1;
}

__global__ void answer(volatile int *at)
{
    while (at[0] == 0)
        continue;
    at[1] = 7;
}

static int *at;
static std::mutex mutex;

// What a kernel does that was launched last is done, though nothing waits for it.
static void launch_last()
{
    set<<<1, 1>>>(at);
}

static void launch_for_ever()
{
    answer<<<1, 1>>>(at);
}

static void exit_from_thread()
{
    std::thread([] {
        set<<<1, 1>>>(at);
        std::exit(5);
    }).join();
}

// The first thread ends; the program does so with its last.
static void leave_another()
{
    std::thread([] {
        usleep(1000);
        set<<<1, 1>>>(at);
        cudaDeviceSynchronize();
        std::printf("set to %d\n", *at);
    }).detach();
    pthread_exit(nullptr);
}

static void fork_child()
{
    set<<<1, 1>>>(at);
    cudaDeviceSynchronize();
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::thread([] { std::puts("a thread of the child"); }).join();
        std::exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    std::printf("the child ended with %d\n", WEXITSTATUS(status));
}

// Time passes while the kernel polls.
static void sleep_beside()
{
    answer<<<1, 1>>>(at);
    usleep(1000);
    at[0] = 1;
    while (__atomic_load_n(&at[1], __ATOMIC_ACQUIRE) != 7)
        usleep(10);
    std::puts("slept");
}

static void fault()
{
    set<<<1, 1>>>(nullptr);
    std::printf("%d\n", (int)cudaDeviceSynchronize());
}

static void lock(void *)
{
    std::lock_guard<std::mutex> guard(mutex);
}

// Of the thread that has it, and gives it back when the function has returned.
static void wait_in_function()
{
    std::lock_guard<std::mutex> guard(mutex);
    cudaLaunchHostFunc(0, lock, nullptr);
    cudaDeviceSynchronize();
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"last", launch_last}, {"for-ever", launch_for_ever}, {"exit", exit_from_thread},
                 {"leave", leave_another}, {"fork", fork_child}, {"sleep", sleep_beside}, {"fault", fault},
                 {"function", wait_in_function}};
    cudaMallocManaged(&at, 64);
    std::memset(at, 0, 64);
    for (const auto &one : cases)
        if (std::strcmp(one.name, argv[1]) == 0)
            one.run();
    return 0;
}
