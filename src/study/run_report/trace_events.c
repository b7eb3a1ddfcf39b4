#include "study/run_report/trace_events.h"

#include "study/format/json_text.h"
#include "study/run_report/report_file.h"

#include <inttypes.h>
#include <jansson.h>

// What the format calls processes: groups of rows.
enum { KERNELS = 1, SMS = 2, MACHINE = 3 };

struct writer {
    FILE *stream;
    const struct wm_results *results;
    double microseconds; // of a cycle
    bool any;            // an event has been written
    bool good;
};

// The beginning of an event of that phase.
static void begin(struct writer *writer, const char *phase, int process)
{
    fprintf(writer->stream, "%s\n{\"ph\":\"%s\",\"pid\":%d", writer->any ? "," : "", phase,
            process);
    writer->any = true;
}

static void put_name(struct writer *writer, const char *key, const char *name)
{
    json_t *value = wm_json_text(name);
    fprintf(writer->stream, "\"%s\":", key);
    if (value == NULL || json_dumpf(value, writer->stream, JSON_ENCODE_ANY) != 0)
        writer->good = false;
    json_decref(value);
}

static void put_time(struct writer *writer, uint64_t cycle)
{
    fprintf(writer->stream, ",\"ts\":%.6f", (double)cycle * writer->microseconds);
}

static void put_span(struct writer *writer, uint64_t from, uint64_t to)
{
    put_time(writer, from);
    fprintf(writer->stream, ",\"dur\":%.6f", (double)(to - from) * writer->microseconds);
}

// --- Names ---

static void name_process(struct writer *writer, int process, const char *name)
{
    begin(writer, "M", process);
    fprintf(writer->stream, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", name);
    begin(writer, "M", process);
    fprintf(writer->stream, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}",
            process);
}

static uint64_t row_of(const struct wm_timeline_block *block, uint32_t places)
{
    return (uint64_t)block->sm * places + block->place;
}

static uint32_t most_units(const struct wm_timeline *timeline)
{
    uint32_t most = 1;
    for (uint64_t i = 0; i < timeline->block_count; i++)
        if (timeline->blocks[i].sm >= most)
            most = timeline->blocks[i].sm + 1;
    return most;
}

// CPU cores are numbered behind the SMs, and have one place.
static void name_unit(const struct writer *writer, const struct wm_timeline_block *block)
{
    uint32_t sms = writer->results->rates.sms, each = sms / writer->results->gpus;
    if (block->sm >= sms) {
        fprintf(writer->stream, "core %" PRIu32, block->sm - sms);
        return;
    }
    if (writer->results->gpus > 1)
        fprintf(writer->stream, "gpu%" PRIu32 " ", block->sm / each);
    fprintf(writer->stream, "SM %" PRIu32 ", place %" PRIu32, block->sm % each, block->place);
}

static void name_rows(struct writer *writer, const struct wm_timeline *timeline, uint32_t places)
{
    uint64_t count = (uint64_t)most_units(timeline) * places;
    bool *named = calloc(count + 1, sizeof *named);
    if (named == NULL)
        writer->good = false;
    for (uint64_t i = 0; named != NULL && i < timeline->block_count; i++) {
        const struct wm_timeline_block *block = &timeline->blocks[i];
        uint64_t row = row_of(block, places);
        if (named[row])
            continue;
        named[row] = true;
        begin(writer, "M", SMS);
        fprintf(writer->stream,
                ",\"tid\":%" PRIu64 ",\"name\":\"thread_name\",\"args\":{\"name\":\"", row);
        name_unit(writer, block);
        fputs("\"}}", writer->stream);
    }
    free(named);
}

// --- Slices ---

// Launches that run side by side lie in rows of their own: each in the first whose last has ended.
static uint64_t load_slice_batch(uint64_t *ends, const struct wm_timeline_launch *launch)
{
    uint64_t row = 0;
    while (ends[row] > launch->begin)
        row++;
    ends[row] = launch->end;
    return row;
}

static void put_launches(struct writer *writer, const struct wm_timeline *timeline)
{
    uint64_t *ends = calloc(timeline->launch_count + 1, sizeof *ends);
    if (ends == NULL)
        writer->good = false;
    for (uint64_t i = 0; ends != NULL && i < timeline->launch_count; i++) {
        const struct wm_timeline_launch *launch = &timeline->launches[i];
        begin(writer, "X", KERNELS);
        fprintf(writer->stream, ",\"tid\":%" PRIu64 ",", load_slice_batch(ends, launch));
        put_name(writer, "name", writer->results->kernels[launch->kernel].signature);
        put_span(writer, launch->begin, launch->end);
        fprintf(writer->stream,
                ",\"args\":{\"launch\":%" PRIu64 ",\"first_cycle\":%" PRIu64 ",\"cycles\":%" PRIu64,
                i, launch->begin, launch->end - launch->begin);
        if (writer->results->gpus > 1)
            fprintf(writer->stream, ",\"gpu\":%" PRIu32,
                    writer->results->kernels[launch->kernel].gpu);
        fputs("}}", writer->stream);
    }
    free(ends);
}

static void put_blocks(struct writer *writer, const struct wm_timeline *timeline, uint32_t places)
{
    for (uint64_t i = 0; i < timeline->block_count; i++) {
        const struct wm_timeline_block *block = &timeline->blocks[i];
        begin(writer, "X", SMS);
        fprintf(writer->stream, ",\"tid\":%" PRIu64 ",\"name\":\"block %" PRIu64 "\"",
                row_of(block, places), block->index);
        put_span(writer, block->begin, block->end);
        const uint32_t *grid = timeline->launches[block->launch].grid;
        fprintf(writer->stream,
                ",\"args\":{\"launch\":%" PRIu32 ",\"index\":%" PRIu64 ",\"block\":[%" PRIu64
                ",%" PRIu64 ",%" PRIu64 "],\"cycles\":%" PRIu64 "}}",
                block->launch, block->index, block->index % grid[0],
                block->index / grid[0] % grid[1], block->index / grid[0] / grid[1],
                block->end - block->begin);
    }
}

// --- Counters ---

// Values of one or two series; the second one's name may be NULL.
static void put_counter(struct writer *writer, const char *name, uint64_t cycle, const char *first,
                        double value, const char *second, double other)
{
    begin(writer, "C", MACHINE);
    fprintf(writer->stream, ",\"name\":\"%s\"", name);
    put_time(writer, cycle);
    fprintf(writer->stream, ",\"args\":{\"%s\":%.6g", first, value);
    if (second != NULL)
        fprintf(writer->stream, ",\"%s\":%.6g", second, other);
    fputs("}}", writer->stream);
}

static void put_rates(struct writer *writer, uint64_t cycle, const struct wm_sample *sample)
{
    double cycles = (double)(sample->end - sample->begin), flit = writer->results->rates.flit_bytes;
    double gigabytes = (double)writer->results->clock_hz / cycles / 1e9;
    put_counter(writer, "IPC", cycle, "warp instructions",
                (double)sample->warp_instructions / cycles, NULL, 0);
    put_counter(writer, "L2 replies a cycle", cycle, "replies", (double)sample->replies / cycles,
                NULL, 0);
    put_counter(writer, "interconnect GB/s", cycle, "from SMs",
                (double)sample->flits_from_sms * flit * gigabytes, "to SMs",
                (double)sample->flits_to_sms * flit * gigabytes);
    put_counter(writer, "DRAM GB/s", cycle, "read", (double)sample->dram_bytes_read * gigabytes,
                "written", (double)sample->dram_bytes_written * gigabytes);
}

// A counter keeps its value until its next event: rates stand where their sample begins, and fall
// to nothing where the last one ends.
static void put_samples(struct writer *writer, const struct wm_timeline *timeline)
{
    static const struct wm_sample nothing = {.end = 1};
    for (uint64_t i = 0; i < timeline->sample_count; i++) {
        const struct wm_sample *sample = &timeline->samples[i];
        put_rates(writer, sample->begin, sample);
        put_counter(writer, "resident warps", sample->end, "warps", (double)sample->resident_warps,
                    NULL, 0);
    }
    if (timeline->sample_count != 0)
        put_rates(writer, timeline->samples[timeline->sample_count - 1].end, &nothing);
}

static uint32_t most_places(const struct wm_timeline *timeline)
{
    uint32_t most = 1;
    for (uint64_t i = 0; i < timeline->block_count; i++)
        if (timeline->blocks[i].place >= most)
            most = timeline->blocks[i].place + 1;
    return most;
}

enum wm_status wm_report_timeline(const struct wm_results *results, const char *path,
                                  struct wm_error *error)
{
    const struct wm_timeline *timeline = results->timeline;
    struct wm_report_file file;
    if (timeline == NULL)
        return wm_fail(error, WM_INVALID, "the run kept no timeline");
    WM_TRY(wm_report_file_open(&file, path, error));
    struct writer writer = {.stream = file.stream,
                            .results = results,
                            .microseconds = 1e6 / (double)results->clock_hz,
                            .good = true};
    uint32_t places = most_places(timeline);
    fprintf(file.stream,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock_hz\":%" PRIu64
            ",\"sample_cycles\":%" PRIu64 ",",
            results->clock_hz, timeline->sample_cycles);
    put_name(&writer, "machine", results->machine_name);
    fputs("},\"traceEvents\":[", file.stream);
    name_process(&writer, KERNELS, "kernels");
    name_process(&writer, SMS, "SMs");
    name_process(&writer, MACHINE, "machine");
    name_rows(&writer, timeline, places);
    put_launches(&writer, timeline);
    put_blocks(&writer, timeline, places);
    put_samples(&writer, timeline);
    fputs("\n]}\n", file.stream);
    return wm_report_file_close(&file, writer.good, error);
}
