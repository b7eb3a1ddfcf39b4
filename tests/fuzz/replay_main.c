// Replays a fuzz target over every file of the folders named as arguments, so that a corpus (and
// every input that once was a finding) stays a test where there is no libFuzzer.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "error: %s cannot be read\n", path);
        return 1;
    }
    size_t size = 0, capacity = 1 << 16;
    uint8_t *data = malloc(capacity);
    for (size_t got; data && (got = fread(data + size, 1, capacity - size, file)) > 0;) {
        size += got;
        if (size == capacity)
            data = realloc(data, capacity *= 2);
    }
    fclose(file);
    if (!data)
        return 1;
    // An exact allocation, so that the address sanitizer sees a read one byte past the input.
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    int count = 0, wrong = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int found = scandir(argv[i], &entries, NULL, alphasort);
        for (int e = 0; e < found; e++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[e]->d_name);
            if (entries[e]->d_name[0] != '.') {
                wrong += replay(path);
                count++;
            }
            free(entries[e]);
        }
        if (found >= 0)
            free(entries);
    }
    printf("%d inputs replayed\n", count);
    return count == 0 || wrong ? 1 : 0;
}
