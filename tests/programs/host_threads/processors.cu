// Which processors a program finds, whose threads are the machine's CPU cores: these. The
// system has all threads on one of its own.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>

// Whether the system's list of processors that the thread may run on is one number.
static bool has_one()
{
    char line[256];
    bool one = false;
    std::FILE *status = std::fopen("/proc/thread-self/status", "r");
    while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
        if (std::strncmp(line, "Cpus_allowed_list:", 18) == 0)
            one = std::strpbrk(line, ",-") == nullptr;
    if (status != nullptr)
        std::fclose(status);
    return one;
}

// Now and then, for a moment, threads may leave it.
static bool is_on_one()
{
    for (int i = 0; i < 100000; i++) {
        if (has_one())
            return true;
        sched_yield();
    }
    return false;
}

static int of_program()
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

static void look(const char *who)
{
    cpu_set_t mask;
    bool found = pthread_getaffinity_np(pthread_self(), sizeof mask, &mask) == 0;
    std::printf("%s: on processor %d, may run on %d and %d, and stays on %s\n", who, sched_getcpu(),
                of_program(), found ? CPU_COUNT(&mask) : 0, is_on_one() ? "one" : "several");
}

static void choose(int processor)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    int result = sched_setaffinity(0, sizeof mask, &mask) == 0 ? 0 : errno;
    std::printf("to run on %d: %s\n", processor, result == 0 ? "done" : std::strerror(result));
}

int main()
{
    unsigned long bits;
    std::printf("%u threads, %ld of %ld processors, %d of %d\n",
                std::thread::hardware_concurrency(), sysconf(_SC_NPROCESSORS_ONLN),
                sysconf(_SC_NPROCESSORS_CONF), get_nprocs(), get_nprocs_conf());
    std::printf("in 4 bytes: %s\n",
                sched_getaffinity(0, 4, reinterpret_cast<cpu_set_t *>(&bits)) != 0
                    ? std::strerror(errno)
                    : "done");
    std::printf("of no thread: %s\n", sched_getaffinity(0x3fffff, sizeof bits,
                                                        reinterpret_cast<cpu_set_t *>(&bits)) != 0
                                          ? std::strerror(errno)
                                          : "done");
    std::printf("by the system call: %s\n",
                syscall(SYS_sched_getaffinity, 0, sizeof bits, &bits) < 0 ? std::strerror(errno)
                                                                         : "done");
    look("first");
    choose(3);
    choose(1000);
    std::thread(look, "second, made by it").join();
    return 0;
}
