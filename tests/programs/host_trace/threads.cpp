// Threads of C++: a sum under a lock behind a condition, a loop that waits, a future, and a local
// variable that several threads come to make.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static long sum;
static std::mutex mutex;
static std::condition_variable condition;
static bool begun;
static std::atomic<int> ended{0};
static thread_local int own;

static int slow()
{
    std::this_thread::yield();
    return 7;
}

static int made_once()
{
    static int made = slow();
    return made;
}

static void add()
{
    {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [] { return begun; });
    }
    made_once();
    std::vector<int> kept;
    for (int i = 0; i < 500; i++) {
        kept.push_back(i);
        own += kept.back();
        std::lock_guard<std::mutex> lock(mutex);
        sum += own;
    }
    ended++;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(add);
    {
        std::lock_guard<std::mutex> lock(mutex);
        begun = true;
    }
    condition.notify_all();
    while (ended < 4)
        continue;
    auto answer = std::async(std::launch::async, [] { return 42; });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld %d %d\n", sum, answer.get(), made_once());
}
