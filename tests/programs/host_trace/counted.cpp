// counted HOW N: programs of one kind of code each, whose instructions are counted by single steps
// and by what their traces say.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int numbers[4096];
static volatile long result;

static unsigned next(unsigned &state)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void sort(int n)
{
    unsigned state = 1;
    for (int i = 0; i < n; i++)
        numbers[i] = (int)(next(state) % 1000);
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int value = numbers[i], at = i;
            for (; at >= gap && numbers[at - gap] > value; at -= gap)
                numbers[at] = numbers[at - gap];
            numbers[at] = value;
        }
    result = numbers[n / 2];
}

static double matrix[3][24][24];

static void multiply(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[0][i][j] = i + j;
            matrix[1][i][j] = i - j;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += matrix[0][i][k] * matrix[1][k][j];
            matrix[2][i][j] = sum;
        }
    result = (long)matrix[2][1][2];
}

struct shape {
    virtual ~shape() = default;
    virtual int area(int by) const = 0;
};
struct square : shape {
    int side = 3;
    int area(int by) const override { return side * side * by; }
};
struct strip : shape {
    int length = 7;
    int area(int by) const override { return by > 4 ? length : length * by; }
};

__attribute__((noinline)) static long add_areas(const std::vector<shape *> &shapes, int rounds)
{
    long sum = 0;
    for (int i = 0; i < rounds; i++)
        for (const shape *one : shapes)
            sum += one->area(i & 7);
    return sum;
}

static void objects(int n)
{
    square a;
    strip b;
    std::vector<shape *> shapes = {&a, &b, &a};
    result = add_areas(shapes, n);
}

__attribute__((noinline)) static long fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void calls(int n)
{
    result = fibonacci(n % 20);
}

static void cases(int n)
{
    unsigned state = 7;
    long sum = 0;
    for (int i = 0; i < n; i++)
        switch (next(state) % 9) {
        case 0: sum += i; break;
        case 1: sum ^= 5; break;
        case 2: sum -= numbers[i & 63]; break;
        case 3: numbers[i & 63] = (int)sum; break;
        case 5: sum *= 3; break;
        case 6: sum = sum > 100 ? sum / 7 : sum + 1; break;
        case 8: sum += numbers[i & 31] > 4 ? 1 : 2; break;
        default: sum--;
        }
    result = sum;
}

static std::atomic<int> counter;

static void atomics(int n)
{
    for (int i = 0; i < n; i++) {
        counter.fetch_add(i, std::memory_order_relaxed);
        int seen = counter.load(), wanted = seen ^ 5;
        counter.compare_exchange_strong(seen, wanted);
        counter.store(seen + 1, std::memory_order_release);
    }
    result = counter;
}

int main(int, char **arguments)
{
    int n = atoi(arguments[2]);
    static const struct {
        const char *name;
        void (*function)(int n);
    } ways[] = {{"sort", sort},   {"multiply", multiply}, {"objects", objects},
                {"calls", calls}, {"cases", cases},       {"atomics", atomics}};
    for (const auto &way : ways)
        if (strcmp(way.name, arguments[1]) == 0)
            way.function(n);
    return result == 12345;
}
