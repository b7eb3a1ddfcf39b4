// Whole recordings of trace_samples.h: made, written, read into a digest.
#include "trace_samples.h"

#include "base/numbers/hash.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.visible .entry f() { ret; }\n";
static const char called[] = ".version 7.0\n.target sm_70\n.visible .func g() { ret; }\n";

static void add_event(struct sample_recording *sample, struct wm_recorded_event event)
{
    if (event.kind != WM_RECORDED_DEVICE_COPY)
        event.from = 0;
    bool marks = wm_recorded_marks_range(event.kind);
    if (event.kind == WM_RECORDED_FREE || marks)
        event.bytes = 0;
    if (marks)
        event.address = 0;
    sample->events[sample->event_count++] = event;
}

static void make_launch(struct sample_recording *sample, uint32_t number, uint32_t items,
                        struct wm_random *random)
{
    struct sample_launch *launch = &sample->launches[number];
    uint32_t lanes = sample->header.lanes, code = number % 2;
    launch->launch = (struct wm_recorded_launch){
        .number = number,
        .code = code,
        .stream = number,
        .grid = {items < 50 ? 1 : 3 + number, items < 50 ? 1 : 2, 1 + number % 2},
        .block = {lanes - 3 + number, 2, 1},
        .dynamic_shared_bytes = 1000 * number,
        .preferred_carveout = number == 1 ? 51 : 0,
        .local_bytes_per_block = UINT64_C(65536) * number};
    launch->warps = wm_recorded_warps(&launch->launch, lanes);
    launch->blocks = wm_recorded_blocks(&launch->launch);
    uint64_t streams = launch->blocks * launch->warps;
    launch->streams = calloc(streams, sizeof *launch->streams);
    for (uint64_t i = 0; i < streams; i++)
        sample_warp_make(&sample->kernels[code], 1 + (uint32_t)wm_random_below(random, items),
                         sample->header.memory_only, random, &launch->streams[i]);
}

void sample_recording_make(struct sample_recording *sample, uint32_t lanes, uint32_t items,
                           uint64_t seed)
{
    static const char *const command[] = {"./app", "--n", "7", "", NULL};
    struct wm_random random;
    wm_random_init(&random, seed, "sample recording");
    *sample = (struct sample_recording){.header = {.writer = "warpmem test",
                                                   .source = "program",
                                                   .machine = "v100",
                                                   .machine_yaml = "name: v100\n",
                                                   .command = command,
                                                   .lanes = lanes,
                                                   .memory_only = seed % 2 != 0}};
    for (uint32_t i = 0; i < 2; i++) {
        sample_kernel_make(&sample->kernels[i], lanes, &random);
        sample->codes[i] =
            (struct wm_recorded_code){.name = i == 0 ? "_Z1fv" : "_Z1gPi",
                                      .module = "app",
                                      .fingerprint = wm_random_u64(&random),
                                      .ptx_hash = i == 0 ? wm_hash_bytes(ptx, sizeof ptx - 1) : 0,
                                      .static_shared_bytes = 48 * i,
                                      .registers_per_thread = 20 + i,
                                      .instruction_count = SAMPLE_INSTRUCTIONS,
                                      .instructions = sample->kernels[i].instructions};
    }
    for (uint32_t i = 0; i < SAMPLE_LAUNCHES; i++) {
        for (uint32_t kind = 0; kind < WM_RECORDED_ORDER; kind++)
            add_event(sample,
                      (struct wm_recorded_event){.kind = (enum wm_recorded_event_kind)kind,
                                                 .stream = (uint32_t)wm_random_below(&random, 3),
                                                 .address = wm_random_u64(&random) >> 16,
                                                 .from = wm_random_u64(&random) >> 16,
                                                 .bytes = wm_random_u64(&random) >> 40});
        make_launch(sample, i, items, &random);
        add_event(sample, (struct wm_recorded_event){.kind = WM_RECORDED_LAUNCH,
                                                     .stream = sample->launches[i].launch.stream,
                                                     .launch = i});
    }
    add_event(sample, (struct wm_recorded_event){
                          .kind = WM_RECORDED_HOST_READ, .address = 4096, .bytes = 512});
}

void sample_recording_release(struct sample_recording *sample)
{
    for (uint32_t l = 0; l < SAMPLE_LAUNCHES; l++) {
        struct sample_launch *launch = &sample->launches[l];
        for (uint64_t i = 0; i < launch->blocks * launch->warps; i++)
            sample_warp_release(&launch->streams[i]);
        free(launch->streams);
    }
}

// --- Writing ---

struct under_way {
    struct wm_recording_block *block; // NULL: none
    uint64_t index;
    uint32_t *items, *accesses; // by warp: fed
};

// A few items of one warp; true when all warps are through.
static bool feed_some(const struct sample_recording *sample, const struct sample_launch *launch,
                      struct under_way *way, struct wm_random *random)
{
    const struct sample_kernel *kernel = &sample->kernels[launch->launch.code];
    bool done = true;
    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct sample_warp *warp = &launch->streams[way->index * launch->warps + w];
        uint32_t left = warp->item_count - way->items[w];
        uint32_t now = (uint32_t)wm_random_below(random, 40);
        now = now < left ? now : left;
        sample_warp_feed(kernel, warp, way->items[w], way->items[w] + now, &way->accesses[w],
                         &way->block->warps[w]);
        way->items[w] += now;
        done &= now == left;
    }
    return done;
}

static void write_launch(const struct sample_recording *sample, uint32_t number,
                         struct wm_recording_writer *writer, struct wm_random *random)
{
    enum { AT_A_TIME = 4 };
    const struct sample_launch *launch = &sample->launches[number];
    struct wm_recorded_launch given = launch->launch;
    given.number = 99;
    wm_recording_launch_begin(writer, &given, sample->kernels[given.code].slot_count);
    cr_assert_eq(given.number, number);
    struct under_way ways[AT_A_TIME] = {0};
    for (uint64_t next = 0, ended = 0; ended < launch->blocks;) {
        struct under_way *way = &ways[wm_random_below(random, AT_A_TIME)];
        if (way->block == NULL && next < launch->blocks) {
            way->index = next++;
            way->block = wm_recording_block_begin(writer, way->index);
            cr_assert_not_null(way->block);
            way->items = calloc(launch->warps, sizeof *way->items);
            way->accesses = calloc(launch->warps, sizeof *way->accesses);
        }
        if (way->block == NULL)
            continue;
        bool done = feed_some(sample, launch, way, random);
        if (!done &&
            (wm_recording_block_is_chunk(writer, way->block) || wm_random_below(random, 3) == 0))
            wm_recording_block_trim(writer, way->block);
        if (!done)
            continue;
        wm_recording_block_end(writer, way->block);
        way->block = NULL;
        free(way->items);
        free(way->accesses);
        ended++;
    }
    wm_recording_launch_end(writer, true);
}

void sample_recording_write(const struct sample_recording *sample, const char *path, uint64_t seed)
{
    struct wm_recording_writer *writer;
    struct wm_error error;
    struct wm_random random;
    wm_random_init(&random, seed, "sample writer");
    sample_file_clear(path);
    cr_assert_eq(wm_recording_writer_new(path, &sample->header, &writer, &error), WM_OK);
    wm_recording_write_ptx(writer, wm_hash_bytes(ptx, sizeof ptx - 1), ptx, sizeof ptx - 1);
    wm_recording_write_ptx(writer, SAMPLE_CALLED, called, sizeof called - 1);
    for (uint32_t i = 0; i < 2; i++)
        cr_assert_eq(wm_recording_write_code(writer, &sample->codes[i]), i);
    for (uint32_t i = 0; i < sample->event_count; i++) {
        const struct wm_recorded_event *event = &sample->events[i];
        if (event->kind == WM_RECORDED_LAUNCH)
            write_launch(sample, (uint32_t)event->launch, writer, &random);
        else
            wm_recording_write_event(writer, event);
    }
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK, "%s", error.message);
}

// --- Files ---

void sample_file_open(struct sample_file *file)
{
    file->descriptor = memfd_create("recording", MFD_CLOEXEC);
    cr_assert(file->descriptor >= 0);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
    // A descriptor is written where it stands: at the end, once it has been cleared.
    cr_assert_eq(fcntl(file->descriptor, F_SETFL, O_APPEND), 0);
}

void sample_file_clear(const char *path)
{
    if (access(path, F_OK) == 0)
        cr_assert_eq(truncate(path, 0), 0);
}

void sample_file_close(struct sample_file *file)
{
    close(file->descriptor);
}

uint8_t *sample_file_content(const struct sample_file *file, size_t *length)
{
    *length = (size_t)lseek(file->descriptor, 0, SEEK_END);
    uint8_t *content = malloc(*length + 1);
    cr_assert_eq(pread(file->descriptor, content, *length, 0), (ssize_t)*length);
    return content;
}

void sample_file_set(const struct sample_file *file, const void *data, size_t length)
{
    cr_assert_eq(ftruncate(file->descriptor, 0), 0);
    cr_assert_eq(pwrite(file->descriptor, data, length, 0), (ssize_t)length);
}

// --- The digest ---

static void mix(uint64_t *hash, uint64_t number)
{
    *hash = wm_hash_u64(*hash ^ number) + 1;
}

static void mix_text(uint64_t *hash, const char *text)
{
    mix(hash, text != NULL ? wm_hash_bytes(text, strlen(text)) : 0);
}

static void mix_code(uint64_t *hash, const struct wm_recorded_code *code)
{
    mix_text(hash, code->name);
    mix_text(hash, code->module);
    mix(hash, code->fingerprint);
    mix(hash, code->ptx_hash);
    mix(hash, code->static_shared_bytes);
    mix(hash, code->registers_per_thread);
    for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
        const struct wm_recorded_instruction *it = &code->instructions[pc];
        mix_text(hash, it->text);
        mix_text(hash, it->guard);
        mix_text(hash, it->source_file);
        mix(hash, it->source_line);
        mix(hash, it->ptx_line);
        mix(hash, (uint64_t)it->exists | (uint64_t)it->is_memory << 1 | (uint64_t)it->generic << 2 |
                      (uint64_t)it->keeps_waits << 3);
        mix(hash, (uint64_t)it->kind << 8 | it->space);
        mix(hash, it->address);
        mix(hash, it->bytes);
    }
}

static void mix_step(uint64_t *hash, const struct wm_warp_step *step)
{
    mix(hash, step->pc * 2 + step->executed);
    mix(hash, step->active);
    mix(hash, step->skipped);
    mix(hash, step->skipped_lanes);
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct wm_warp_access *access = &step->accesses[i];
        mix(hash, access->kind * 64 + access->space * 8 + access->hint);
        mix(hash, access->bytes_per_lane);
        mix(hash, access->active);
        for (uint32_t lane = 0; lane < access->lanes; lane++)
            if ((access->active >> lane & 1) != 0)
                mix(hash, access->addresses[lane]);
    }
    mix(hash, step->event);
    if (step->event == WM_TRACE_NO_EVENT)
        return;
    mix(hash, step->lanes);
    if (step->event == WM_TRACE_EXIT)
        return;
    mix(hash, (uint64_t)step->threads << 32 | step->barrier);
    mix(hash, (uint64_t)step->waits << 1 | step->others);
}

static enum wm_status mix_streams(struct wm_launch_reader *launch, uint64_t *hash,
                                  struct wm_error *error)
{
    struct wm_warp_reader reader;
    struct wm_warp_step step;
    enum wm_status status = wm_warp_reader_init(&reader, launch, error);
    uint64_t blocks = wm_recorded_blocks(&launch->streams.launch);
    for (uint64_t block = 0; block < blocks && status == WM_OK; block++)
        for (uint32_t warp = 0; warp < launch->streams.warps && status == WM_OK; warp++) {
            wm_warp_reader_begin(&reader, block, warp);
            for (bool more = true; more && status == WM_OK;) {
                status = wm_warp_reader_step(&reader, &step, &more, error);
                if (more && status == WM_OK)
                    mix_step(hash, &step);
            }
            mix(hash, warp);
        }
    wm_warp_reader_release(&reader);
    return status;
}

uint64_t sample_warp_digest(struct wm_launch_reader *launch, uint64_t block, uint32_t warp)
{
    struct wm_warp_reader reader;
    struct wm_warp_step step;
    uint64_t hash = 1;
    bool more = true;
    cr_assert_eq(wm_warp_reader_init(&reader, launch, NULL), WM_OK);
    wm_warp_reader_begin(&reader, block, warp);
    for (;;) {
        cr_assert_eq(wm_warp_reader_step(&reader, &step, &more, NULL), WM_OK);
        if (!more)
            break;
        mix_step(&hash, &step);
    }
    wm_warp_reader_release(&reader);
    return hash;
}

static enum wm_status mix_launch(struct wm_recording *recording, uint64_t *hash,
                                 struct wm_error *error)
{
    const struct wm_recorded_launch *it = &recording->launch;
    struct wm_launch_reader launch;
    *hash = 1;
    mix(hash, recording->codes[it->code].fingerprint);
    mix(hash, it->stream);
    for (int axis = 0; axis < 3; axis++) {
        mix(hash, it->grid[axis]);
        mix(hash, it->block[axis]);
    }
    mix(hash, it->dynamic_shared_bytes);
    mix(hash, it->preferred_carveout);
    mix(hash, it->local_bytes_per_block);
    WM_TRY(wm_launch_reader_open(recording, &launch, error));
    // Of a launch that is cut off all that is there is read, but the hash is of whole ones alone.
    enum wm_status status = WM_OK;
    if (launch.streams.whole)
        status = mix_streams(&launch, hash, error);
    else
        *hash = 0;
    wm_launch_reader_close(&launch);
    return status;
}

enum wm_status sample_digest(const char *path, struct sample_digest *digest, struct wm_error *error)
{
    struct wm_recording recording;
    struct wm_recorded_event event;
    *digest = (struct sample_digest){.tables = 1, .events = 1};
    WM_TRY(wm_recording_open(&recording, path, error));
    const struct wm_recording_header *header = &recording.header;
    mix_text(&digest->tables, header->writer);
    mix_text(&digest->tables, header->source);
    mix_text(&digest->tables, header->machine);
    mix_text(&digest->tables, header->machine_yaml);
    mix(&digest->tables, header->lanes * 2 + header->memory_only);
    for (uint32_t i = 0; header->command[i] != NULL; i++)
        mix_text(&digest->tables, header->command[i]);
    for (uint32_t i = 0; i < recording.code_count; i++)
        mix_code(&digest->tables, &recording.codes[i]);
    char *text = NULL;
    enum wm_status status =
        recording.code_count != 0
            ? wm_recording_ptx(&recording, recording.codes[0].ptx_hash, &text, error)
            : WM_OK;
    mix_text(&digest->tables, text);
    free(text);
    digest->complete = recording.file.complete;
    for (bool more = true; status == WM_OK;) {
        status = wm_recording_next(&recording, &event, &more, error);
        if (status != WM_OK || !more)
            break;
        mix(&digest->events, event.kind);
        mix(&digest->events, event.stream);
        mix(&digest->events, event.address);
        mix(&digest->events, event.from);
        mix(&digest->events, event.bytes);
        mix(&digest->events, event.launch);
        if (event.kind == WM_RECORDED_LAUNCH && digest->launch_count < 8)
            status = mix_launch(&recording, &digest->launches[digest->launch_count++], error);
    }
    wm_recording_close(&recording);
    return status;
}
