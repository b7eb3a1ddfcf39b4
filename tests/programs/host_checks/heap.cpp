// Host code, without CUDA, that accesses blocks of malloc() and `new` after they were freed, and
// beyond them; and much that is right.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <malloc.h>

__attribute__((noinline)) static int read(const volatile int *value)
{
    return *value;
}

__attribute__((noinline)) static void write(volatile int *value)
{
    *value = 7;
}

static void read_freed()
{
    int *values = (int *)malloc(40);
    write(&values[3]);
    free(values);
    for (int i = 0; i < 3; i++)
        read(&values[3 + i]);
}

static void write_deleted()
{
    int *values = new int[8];
    delete[] values;
    std::thread other([=] { write(&values[7]); });
    other.join();
}

static void go_beyond()
{
    int *values = (int *)calloc(10, sizeof *values), copy[12] = {};
    write(&values[10]);
    read(&values[-1]);
    memcpy(values, copy, sizeof copy); // half within, half beyond
    free(values);
}

static void use_resized()
{
    int *values = (int *)malloc(64), *larger = (int *)realloc(values, 128);
    write(&larger[31]);
    write(values);
    free(larger);
}

__attribute__((noinline)) static int free_twice()
{
    int *volatile block = (int *)malloc(24);
    free(block);
    free(block);
    return block != nullptr;
}

// --- What is right ---

static bool fails(bool wrong, const char *what)
{
    if (wrong)
        printf("wrong: %s\n", what);
    return wrong;
}

// Blocks of random sizes come and go, more of them in all than are kept when they are freed. Each
// holds its number, and nothing else writes there.
static bool churn()
{
    enum { SLOTS = 300, STEPS = 60000 };
    static struct {
        uint32_t *words;
        size_t count;
    } slots[SLOTS];
    uint64_t state = 1;
    bool wrong = false;
    for (uint32_t step = 0; step < STEPS; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto &slot = slots[(state >> 33) % SLOTS];
        size_t count = (state >> 45) % 1500 + 1;
        for (size_t i = 0; i < slot.count; i += 97)
            wrong |= slot.words[i] != (uint32_t)(slot.count + i);
        if (step % 3 != 0 || slot.words == nullptr) {
            free(slot.words);
            slot.words = (uint32_t *)malloc(count * sizeof *slot.words);
        } else {
            slot.words = (uint32_t *)realloc(slot.words, count * sizeof *slot.words);
            for (size_t i = 0; i < slot.count && i < count; i += 97)
                wrong |= slot.words[i] != (uint32_t)(slot.count + i);
        }
        for (size_t i = 0; i < count; i += 97)
            slot.words[i] = (uint32_t)(count + i);
        slot.count = count;
    }
    for (auto &slot : slots)
        free(slot.words);
    return wrong;
}

static bool alignments()
{
    bool wrong = false;
    for (size_t alignment = 8; alignment <= 1 << 16; alignment *= 2) {
        void *block = nullptr;
        wrong |= posix_memalign(&block, alignment, 3) != 0 || (uintptr_t)block % alignment != 0;
        memset(block, 1, 3);
        free(block);
        block = memalign(alignment, alignment);
        wrong |= (uintptr_t)block % alignment != 0;
        free(block);
    }
    void *none = (void *)1;
    wrong |= posix_memalign(&none, 24, 8) != EINVAL || none != (void *)1;
    volatile size_t most = SIZE_MAX;
    errno = 0;
    wrong |= malloc(most) != nullptr || errno != ENOMEM;
    wrong |= calloc(most / 2, 4) != nullptr || reallocarray(nullptr, most / 2, 4) != nullptr;
    void *block = malloc(10);
    wrong |= malloc_usable_size(block) < 10;
    block = realloc(block, 0);
    free(block);
    free(malloc(0));
    return wrong;
}

static bool containers()
{
    std::map<int, std::string> names;
    std::vector<std::unique_ptr<std::string>> texts;
    for (int i = 0; i < 1000; i++) {
        names[i % 70] += std::to_string(i);
        texts.push_back(std::make_unique<std::string>(names[i % 70]));
    }
    return names[69] != "69139209279349419489559629699769839909979" || texts.size() != 1000;
}

// What large blocks had goes back to the system, from which the program takes it again.
static bool mappings()
{
    enum { BLOCKS = 100, BYTES = 1 << 20, MAPPED = 30 * BYTES };
    char *blocks[BLOCKS];
    for (auto &block : blocks)
        block = (char *)malloc(BYTES);
    for (auto &block : blocks)
        free(block);
    char *mapped = (char *)mmap(nullptr, MAPPED, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool wrong = mapped == MAP_FAILED;
    for (size_t at = 0; !wrong && at < MAPPED; at += 512)
        mapped[at] = 1;
    return wrong || munmap(mapped, MAPPED) != 0;
}

static bool children()
{
    int status = 1;
    char *block = (char *)malloc(100);
    pid_t child = fork();
    if (child == 0) {
        free(block);
        block = (char *)malloc(50);
        memset(block, 0, 50);
        _exit(block[49]);
    }
    waitpid(child, &status, 0);
    free(block);
    return status != 0;
}

int main(int count, char **arguments)
{
    std::string what = count > 1 ? arguments[1] : "right";
    bool wrong = false;
    if (what == "freed")
        read_freed();
    else if (what == "deleted")
        write_deleted();
    else if (what == "beyond")
        go_beyond();
    else if (what == "resized")
        use_resized();
    else if (what == "twice")
        free_twice();
    else
        wrong = fails(churn(), "churn") | fails(alignments(), "alignments") |
                fails(containers(), "containers") | fails(mappings(), "mappings") | fails(children(), "children");
    printf("%s: done\n", what.c_str());
    return wrong;
}
