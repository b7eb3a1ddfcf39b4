// many THREADS: so many threads beside the first, which each count in an array of their own, while
// all count in one word.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

enum { MOST = 8, COUNT = 4096 };

alignas(64) static long arrays[MOST][COUNT];
static std::atomic<int> ended;

static void touch(long *numbers)
{
    for (int i = 0; i < COUNT; i++)
        numbers[i]++;
    ended++;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++)
        threads.emplace_back(touch, arrays[i]);
    for (std::thread &thread : threads)
        thread.join();
    bool good = ended == count;
    for (int i = 0; i < count; i++)
        good = good && arrays[i][0] == 1 && arrays[i][COUNT - 1] == 1;
    std::printf("many: %s\n", good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
