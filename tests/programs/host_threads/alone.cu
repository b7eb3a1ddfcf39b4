// alone: one thread and no kernel. Loads, stores, locked operations, a fence, copies, and instructions
// between them.
#include <atomic>
#include <cstdio>
#include <cstring>

enum { COUNT = 2048, STEP = 17 };

static unsigned numbers[COUNT], copied[COUNT];
static std::atomic<unsigned> sum;

int main()
{
    unsigned value = 1;
    for (int i = 0; i < COUNT; i++) {
        value = value * 16807 % 2147483647;
        numbers[i * STEP % COUNT] = value;
    }
    std::memcpy(copied, numbers, sizeof copied);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (int i = 0; i < COUNT; i++)
        if (copied[i] % 5 == 0)
            sum += copied[i];
    for (int i = 0; i < COUNT; i++)
        value = (value ^ copied[(value + (unsigned)i * STEP) % COUNT]) + 1;
    std::printf("alone: %s\n", sum.load() != 0 && value != 0 ? "PASS" : "FAIL");
    return 0;
}
