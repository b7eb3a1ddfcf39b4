// The hundred million references of one stream through one geometry, against what independent
// simulators counted (cache_counts.h): each variant of it (reads only, with stores, the other
// order) on another build of the access path, by turns over the geometries, so that all are met.
// The benchmark times each build on each (bench/memory --all).
//
// usage: cache_oracle STREAM SETS WAYS TURN
#include "oracle_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18, ROWS = 3, SKIPPED = 77 };

static const char *const stream_names[] = {"mix128", "mix4", "hot"};

static struct wm_memory *new_memory(const struct wm_cache_count_row *row, size_t turn)
{
    struct wm_memory_spec spec = wm_oracle_spec(row);
    struct wm_memory *memory;
    struct wm_error error;
    if (wm_memory_new(&spec, "gpu0", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    memory->paths = paths[turn % count];
    return memory;
}

static size_t find_rows(char **arguments, const struct wm_cache_count_row *rows[ROWS])
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0]; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        if (found < ROWS && strcmp(stream_names[row->stream], arguments[0]) == 0 &&
            row->l2_sets == strtoul(arguments[1], NULL, 10) &&
            row->l2_ways == strtoul(arguments[2], NULL, 10))
            rows[found++] = row;
    }
    return found;
}

int main(int argc, char **argv)
{
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
    fprintf(stderr, "skipped: takes minutes without optimisation\n");
    return SKIPPED;
#endif
    const struct wm_cache_count_row *rows[ROWS];
    struct wm_memory *memories[ROWS];
    if (argc != 5 || find_rows(argv + 1, rows) != ROWS) {
        fprintf(stderr, "usage: cache_oracle STREAM SETS WAYS TURN, of cache_counts.h\n");
        return 2;
    }
    size_t turn = strtoul(argv[4], NULL, 10);
    for (size_t i = 0; i < ROWS; i++)
        memories[i] = new_memory(rows[i], turn + i);
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, rows[0]->stream);
    static uint64_t chunk[CHUNK], reads[CHUNK];
    for (uint64_t left = WM_CACHE_COUNT_REFERENCES; left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        wm_reference_stream_fill(&stream, chunk, count);
        for (size_t i = 0; i < count; i++)
            reads[i] = chunk[i] & ~WM_STREAM_STORE;
        for (size_t i = 0; i < ROWS; i++)
            wm_memory_access_stream(memories[i], 0, rows[i]->writes ? chunk : reads, count);
        left -= count;
    }
    bool ok = true;
    for (size_t i = 0; i < ROWS; i++) {
        ok &= wm_oracle_equal(memories[i], rows[i]);
        wm_memory_free(memories[i]);
    }
    return ok ? 0 : 1;
}
