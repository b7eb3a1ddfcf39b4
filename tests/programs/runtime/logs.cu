// The log of errors of CUDA 13: what is kept, handed out and told to callbacks.
#include "check.h"

#include <cstring>
#include <string>

struct heard {
    int count;
    std::string last;
    bool errors_only;
};

static void hear(void *data, cudaLogLevel level, char *message, size_t length)
{
    struct heard *heard = (struct heard *)data;
    heard->count++;
    heard->errors_only = heard->errors_only && level == cudaLogLevelError;
    heard->last = std::string(message, length);
    int device;
    cudaGetDevice(&device); // the API may be called
}

__global__ void nothing() {}

static std::string dumped(cudaLogIterator *from, size_t room = 25600)
{
    std::string text(room, 'x');
    size_t size = room;
    GOOD(cudaLogsDumpToMemory(from, &text[0], &size, 0));
    CHECK(size < room && text[size] == 0);
    text.resize(size);
    return text;
}

static void fail(int times)
{
    for (int i = 0; i < times; i++)
        EXPECT(cudaSetDevice(7 + i), cudaErrorInvalidDevice);
}

static int lines(const std::string &text)
{
    int count = 0;
    for (char c : text)
        count += c == '\n';
    return count;
}

int main()
{
    cudaLogIterator start = 99, now;
    cudaLogsCallbackHandle handle;
    struct heard heard = {0, "", true};
    char small[8];
    size_t size = sizeof small;
    CHECK(dumped(NULL).empty());
    GOOD(cudaLogsCurrent(&start, 0));
    GOOD(cudaLogsRegisterCallback(hear, &heard, &handle));
    fail(2);
    CHECK(heard.count == 2 && heard.errors_only);
    CHECK(heard.last.find("cudaErrorInvalidDevice") != std::string::npos);
    EXPECT(cudaStreamQuery(0), cudaSuccess);
    CHECK(heard.count == 2);
    GOOD(cudaLogsUnregisterCallback(handle));
    EXPECT(cudaLogsUnregisterCallback(handle), cudaErrorInvalidValue);

    // A refused launch says why, and then what it returned.
    GOOD(cudaLogsCurrent(&now, 0));
    nothing<<<1, 4000>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    std::string why = dumped(&now);
    CHECK(heard.count == 2 && lines(why) == 2);
    CHECK(why.find("4000") < why.find("cudaErrorInvalidConfiguration"));
    CHECK(dumped(&now).empty()); // the iterator went on
    std::string all = dumped(&start);
    CHECK(lines(all) == 4 && all.compare(all.size() - why.size(), why.size(), why) == 0);

    // What does not fit is left out from the front, and that is said.
    now = 0;
    std::string most = dumped(&now, all.size());
    CHECK(lines(most) == 4 && most.find("missing") < most.find('\n'));
    CHECK(most.compare(most.size() - 20, 20, all, all.size() - 20, 20) == 0);
    now = 0;
    EXPECT(cudaLogsDumpToMemory(&now, small, &size, 0), cudaErrorInvalidValue);
    CHECK(size == 0 && now == 0);

    // The oldest are forgotten.
    fail(120);
    std::string many = dumped(NULL);
    CHECK(lines(many) == 101 && many.find("missing") < many.find('\n'));
    GOOD(cudaLogsDumpToFile(NULL, "dumped.txt", 0));
    std::string written(many.size() + 1, ' ');
    FILE *file = std::fopen("dumped.txt", "r");
    CHECK(file && std::fread(&written[0], 1, written.size(), file) == many.size());
    if (file)
        std::fclose(file);
    CHECK(written.compare(0, many.size(), many) == 0);
    EXPECT(cudaLogsDumpToFile(NULL, "no/such/folder", 0), cudaErrorInvalidValue);
    EXPECT(cudaLogsCurrent(NULL, 0), cudaErrorInvalidValue);
    EXPECT(cudaLogsCurrent(&now, 1), cudaErrorInvalidValue);
    EXPECT(cudaLogsRegisterCallback(NULL, NULL, &handle), cudaErrorInvalidValue);
    CHECK(dumped(NULL) == many); // none of which is news
    return verdict();
}
