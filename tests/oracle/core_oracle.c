// Streams of reference_stream.h as traces of Dinero: written, compressed, imported, and replayed on
// machines of the oracle's geometries, all in one pass. The whole stream, on the first and the last
// of them, must have the counts that independent simulators agreed on (cache_counts.h); a part of
// it, on all, those of the simple caches in simple_caches.h, which the whole holds to the
// simulators' counts too.
//
// usage: core_oracle STREAM REFERENCES|all FOLDER
#include "cache_counts.h"
#include "engine/replay/many_machines.h"
#include "machine/machine.h"
#include "simple_caches.h"
#include "source/cores/core_import.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, ROWS = 6, SKIPPED = 77, LINE_BYTES = 128, L1_SETS = 32, L1_WAYS = 8 };

static const char *const stream_names[] = {"mix128", "mix4", "hot"};

static void stop(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void require(enum wm_status status, const struct wm_error *error)
{
    char buffer[2048];
    if (status != WM_OK)
        stop(wm_error_format(error, buffer, sizeof buffer));
}

// --- The trace ---

// Two hexadecimal words: label and address. Returns how many characters.
static size_t print_line(char *to, uint64_t reference)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t address = reference & ~(UINT64_C(1) << 63);
    size_t length = 0;
    to[length++] = reference >> 63 != 0 ? '1' : '0';
    to[length++] = ' ';
    int shift = 60;
    while (shift > 0 && address >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        to[length++] = digits[address >> shift & 15];
    to[length++] = '\n';
    return length;
}

static void write_trace(const char *path, enum wm_reference_stream_kind kind, uint64_t references)
{
    static uint64_t chunk[CHUNK];
    static char text[CHUNK * 20];
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_write_set_format_raw(archive);
    archive_write_add_filter_zstd(archive);
    archive_write_set_options(archive, "compression-level=1");
    archive_entry_set_filetype(entry, AE_IFREG);
    if (archive_write_open_filename(archive, path) != ARCHIVE_OK ||
        archive_write_header(archive, entry) != ARCHIVE_OK)
        stop("cannot write the trace");
    struct wm_reference_stream stream;
    wm_reference_stream_init(&stream, kind);
    for (uint64_t left = references; left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK, length = 0;
        wm_reference_stream_fill(&stream, chunk, count);
        for (size_t i = 0; i < count; i++)
            length += print_line(text + length, chunk[i]);
        if (archive_write_data(archive, text, length) != (la_ssize_t)length)
            stop("cannot write the trace");
        left -= count;
    }
    archive_entry_free(entry);
    if (archive_write_close(archive) != ARCHIVE_OK)
        stop("cannot write the trace");
    archive_write_free(archive);
}

// --- The machines ---

static void load_machine(const struct wm_cache_count_row *row, struct wm_machine *machine)
{
    char size[64], ways[64], order[64];
    snprintf(size, sizeof size, "gpu.l2.size=%" PRIu32 "KiB", row->l2_sets * row->l2_ways / 8);
    snprintf(ways, sizeof ways, "gpu.l2.ways=%" PRIu32, row->l2_ways);
    snprintf(order, sizeof order, "gpu.l2.demand_before_writeback=%s",
             row->demand_first ? "true" : "false");
    const char *const settings[] = {
        "gpu.sm.count=1",
        "gpu.l1.line=128B",
        "gpu.l1.sector=128B",
        "gpu.l2.line=128B",
        "gpu.l2.sector=128B",
        size,
        ways,
        order,
        "gpu.l2.interleave=256B",
        "gpu.l1.size=32KiB",
        "gpu.l1.ways=8",
    };
    struct wm_error error;
    require(wm_machine_load("cpu-core2", settings, sizeof settings / sizeof settings[0], machine,
                            &error),
            &error);
}

// --- Comparing ---

static uint64_t counter(const struct wm_results *results, const char *kind, const char *name)
{
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_component_result *component = &results->components[i];
        size_t index = wm_counter_index(component->set, name);
        if (strcmp(component->set->kind, kind) == 0 && index < component->set->count)
            return component->values[index];
    }
    stop("a counter is missing");
    return 0;
}

static bool equal(const struct wm_cache_count_row *row, const char *what, uint64_t counted,
                  uint64_t expected)
{
    if (counted != expected)
        fprintf(stderr,
                "%s, %" PRIu32 " sets of %" PRIu32 ", demand %s: %s: counted %" PRIu64
                ", expected %" PRIu64 "\n",
                stream_names[row->stream], row->l2_sets, row->l2_ways,
                row->demand_first ? "first" : "last", what, counted, expected);
    return counted == expected;
}

static bool compare(const struct wm_results *results, uint64_t references,
                    const struct wm_cache_count_row *row)
{
    bool ok = equal(row, "references", counter(results, "l1", "accesses"), references);
#define COMPARE(kind, name, field) \
    ok &= equal(row, kind " " name, counter(results, kind, name), row->field)
    COMPARE("l1", "store_accesses", stores);
    COMPARE("l1", "accesses_missed", l1_misses);
    COMPARE("l1", "store_misses", l1_store_misses);
    COMPARE("l1", "write_backs", l1_write_backs);
    COMPARE("l2", "accesses_missed", l2_misses);
    COMPARE("l2", "writeback_accesses_missed", l2_write_back_misses);
    COMPARE("l2", "write_backs", l2_write_backs);
#undef COMPARE
    return ok && equal(row, "bytes read", counter(results, "dram", "bytes_read"),
                       row->l2_misses * LINE_BYTES);
}

// What the simple caches count in the row's geometry.
static struct wm_cache_count_row count_simply(const struct wm_cache_count_row *row,
                                              uint64_t references)
{
    static uint64_t chunk[CHUNK];
    struct simple_caches caches;
    struct wm_reference_stream stream;
    simple_caches_init(&caches, LINE_BYTES, L1_SETS, L1_WAYS, row->l2_sets, row->l2_ways,
                       row->demand_first);
    wm_reference_stream_init(&stream, row->stream);
    for (uint64_t left = references; left > 0;) {
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        wm_reference_stream_fill(&stream, chunk, count);
        for (size_t i = 0; i < count; i++)
            simple_caches_access(&caches, chunk[i] & ~(UINT64_C(1) << 63), chunk[i] >> 63 != 0);
        left -= count;
    }
    struct wm_cache_count_row counted = *row;
    counted.stores = caches.stores;
    counted.l1_misses = caches.l1.misses;
    counted.l1_store_misses = caches.store_misses;
    counted.l1_write_backs = caches.l1.write_backs;
    counted.l2_misses = caches.l2_demand_misses;
    counted.l2_write_back_misses = caches.l2_arrival_misses;
    counted.l2_write_backs = caches.l2.write_backs;
    simple_caches_release(&caches);
    return counted;
}

// The simple caches themselves, on the whole stream.
static bool compare_simply(const struct wm_cache_count_row *row)
{
    struct wm_cache_count_row counted = count_simply(row, WM_CACHE_COUNT_REFERENCES);
    return equal(row, "simple L1 misses", counted.l1_misses, row->l1_misses) &
           equal(row, "simple L1 write-backs", counted.l1_write_backs, row->l1_write_backs) &
           equal(row, "simple L2 misses", counted.l2_misses, row->l2_misses) &
           equal(row, "simple L2 write-backs", counted.l2_write_backs, row->l2_write_backs) &
           equal(row, "simple arrival misses", counted.l2_write_back_misses,
                 row->l2_write_back_misses);
}

// --- The whole ---

static size_t find_rows(const char *stream, const struct wm_cache_count_row *rows[ROWS])
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0]; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        if (found < ROWS && row->writes && strcmp(stream_names[row->stream], stream) == 0)
            rows[found++] = row;
    }
    return found;
}

static bool replay(const char *path, const struct wm_cache_count_row *const rows[],
                   uint32_t row_count, uint64_t references, bool whole)
{
    static struct wm_machine machines[ROWS];
    struct wm_replay_variant variants[ROWS];
    struct wm_recording recording;
    struct wm_error error;
    for (uint32_t i = 0; i < row_count; i++) {
        load_machine(rows[i], &machines[i]);
        variants[i] = (struct wm_replay_variant){.machine = &machines[i]};
    }
    const struct wm_session_options options = {.memory = true};
    require(wm_recording_open(&recording, path, &error), &error);
    require(wm_replay_many(&recording, variants, row_count, 2, &options, &error), &error);
    wm_recording_close(&recording);
    bool ok = true;
    for (uint32_t i = 0; i < row_count; i++) {
        struct wm_cache_count_row expected = whole ? *rows[i] : count_simply(rows[i], references);
        ok &= compare(variants[i].results, references, &expected);
        wm_results_free(variants[i].results);
    }
    return ok;
}

int main(int argc, char **argv)
{
    const struct wm_cache_count_row *rows[ROWS];
    if (argc != 4 || find_rows(argv[1], rows) != ROWS) {
        fprintf(stderr, "usage: core_oracle mix128|mix4|hot REFERENCES|all FOLDER\n");
        return 2;
    }
    bool whole = strcmp(argv[2], "all") == 0;
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
    if (whole) {
        fprintf(stderr, "skipped: takes minutes without optimisation\n");
        return SKIPPED;
    }
#endif
    uint64_t references = whole ? WM_CACHE_COUNT_REFERENCES : strtoull(argv[2], NULL, 10);
    char trace[4096], recording[4096];
    snprintf(trace, sizeof trace, "%s/core-oracle-%s-%s.din.zst", argv[3], argv[1], argv[2]);
    snprintf(recording, sizeof recording, "%s/core-oracle-%s-%s.wmt", argv[3], argv[1], argv[2]);
    write_trace(trace, rows[0]->stream, references);
    const char *const paths[] = {trace};
    const struct wm_core_import import = {
        .paths = paths, .count = 1, .output = recording, .writer = "core_oracle"};
    struct wm_core_counts counts;
    struct wm_error error;
    require(wm_core_import(&import, &counts, &error), &error);
    bool ok = counts.loads + counts.stores == references;
    if (whole) {
        const struct wm_cache_count_row *const ends[] = {rows[0], rows[ROWS - 1]};
        ok &= replay(recording, ends, 2, references, whole);
        ok &= compare_simply(rows[0]);
    } else {
        ok &= replay(recording, rows, ROWS, references, whole);
    }
    unlink(trace);
    unlink(recording);
    return ok ? 0 : 1;
}
