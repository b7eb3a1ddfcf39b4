// The hundred million references of one stream, made once, through several geometries, against what
// independent simulators counted (cache_counts.h): each variant of a geometry (reads only, with
// stores, the other order) on another build of the access path, by turns over the geometries, so
// that all are met. The benchmark times each build on each (bench/memory --all).
//
// usage: cache_oracle STREAM TURN SETS WAYS [SETS WAYS]...
#include "oracle_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18, VARIANTS = 3, MOST_ROWS = 12, SKIPPED = 77 };

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

// The variants of one geometry, which are VARIANTS.
static size_t find_variants(const char *stream, const char *sets, const char *ways,
                            const struct wm_cache_count_row *rows[VARIANTS])
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0]; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        if (found < VARIANTS && strcmp(stream_names[row->stream], stream) == 0 &&
            row->l2_sets == strtoul(sets, NULL, 10) && row->l2_ways == strtoul(ways, NULL, 10))
            rows[found++] = row;
    }
    return found;
}

static void run_stream(const struct wm_cache_count_row *const rows[], size_t count,
                       struct wm_memory *const memories[])
{
    static uint64_t chunk[CHUNK], reads[CHUNK];
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, rows[0]->stream);
    for (uint64_t left = WM_CACHE_COUNT_REFERENCES; left > 0;) {
        size_t now = left < CHUNK ? (size_t)left : CHUNK;
        wm_reference_stream_fill(&stream, chunk, now);
        for (size_t i = 0; i < now; i++)
            reads[i] = chunk[i] & ~WM_REFERENCE_STORE;
        for (size_t i = 0; i < count; i++)
            wm_memory_access_references(memories[i], &(struct wm_request){0},
                                        rows[i]->writes ? chunk : reads, now);
        left -= now;
    }
}

int main(int argc, char **argv)
{
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
    fprintf(stderr, "skipped: takes minutes without optimisation\n");
    return SKIPPED;
#endif
    const struct wm_cache_count_row *rows[MOST_ROWS];
    struct wm_memory *memories[MOST_ROWS];
    size_t count = 0;
    bool ok = argc > 4 && argc % 2 == 1 && (size_t)(argc - 3) / 2 * VARIANTS <= MOST_ROWS;
    for (int i = 3; ok && i < argc; i += 2) {
        ok = find_variants(argv[1], argv[i], argv[i + 1], rows + count) == VARIANTS;
        count += VARIANTS;
    }
    if (!ok) {
        fprintf(stderr, "usage: cache_oracle STREAM TURN SETS WAYS..., of cache_counts.h\n");
        return 2;
    }
    size_t turn = strtoul(argv[2], NULL, 10);
    for (size_t i = 0; i < count; i++)
        memories[i] = new_memory(rows[i], turn + i / VARIANTS + i % VARIANTS);
    run_stream(rows, count, memories);
    for (size_t i = 0; i < count; i++) {
        ok &= wm_oracle_equal(memories[i], rows[i]);
        wm_memory_free(memories[i]);
    }
    return ok ? 0 : 1;
}
