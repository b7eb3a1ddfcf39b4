// Accesses by lines that the test finds by their marks.
#include "marks.h"

#include <atomic>
#include <cstring>
#include <numeric>

alignas(16) static int numbers[100];
alignas(16) static int copies[100];
static std::atomic<long> total;

__attribute__((noinline)) static int *behind(int *at)
{
    __asm__ volatile("" : "+r"(at) : : "memory");
    return at;
}

int main()
{
    if (warpmem_trace_begin)
        warpmem_trace_begin();
    for (int i = 0; i < 100; i++)
        numbers[i] = i; // stores
    int sum = 0, *at = behind(numbers);
    for (int i = 0; i < 100; i++)
        sum += at[i]; // adds
    std::memset(behind(copies), sum, sizeof copies); // fills
    sum = std::accumulate(at, behind(at + 100), 0); // summed
    for (int i = 0; i < 100; i++)
        total.fetch_add(sum), total++; // updates
    long zero = 0;
    total.compare_exchange_strong(zero, 1); // compares
    if (warpmem_trace_end)
        warpmem_trace_end();
    return 0;
}
