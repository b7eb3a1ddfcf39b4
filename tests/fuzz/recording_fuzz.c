// Arbitrary recordings (recording_input.h), read whole: tables, events, the stream of every warp.
#include "recording_input.h"

#include "trace/launch_scan.h"
#include "trace/recording_names.h"
#include "trace/recording_state.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A loop that goes on for 2^60 turns is no error, but too long: so many steps, so many bytes.
enum { MOST_STEPS = 2000, MOST_BLOCKS = 64 };

static void see_access(const struct wm_warp_access *access)
{
    uint64_t sum = 0;
    assert(access->active != 0 && access->bytes_per_lane != 0 && access->bytes_per_lane <= 256);
    assert(access->lanes == 64 || access->active >> access->lanes == 0);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        sum += access->addresses[__builtin_ctzll(rest)];
    // So that the addresses are read.
    __asm__ volatile("" : : "r"(sum));
}

static void read_warp(struct wm_warp_reader *reader, uint64_t block, uint32_t warp)
{
    struct wm_warp_step step;
    struct wm_error error;
    bool more = true;
    wm_warp_reader_begin(reader, block, warp);
    for (int i = 0; i < MOST_STEPS; i++) {
        enum wm_status status = wm_warp_reader_step(reader, &step, &more, &error);
        assert(status == WM_OK || error.message[0] != '\0');
        if (status != WM_OK || !more)
            return;
        assert(step.pc < reader->launch->code->instruction_count);
        for (uint32_t a = 0; a < step.access_count; a++)
            see_access(&step.accesses[a]);
    }
}

static void read_launch(struct wm_recording *recording)
{
    struct wm_launch_reader launch;
    struct wm_warp_reader reader;
    if (wm_launch_reader_open(recording, &launch, NULL) != WM_OK)
        return;
    if (wm_warp_reader_init(&reader, &launch, NULL) == WM_OK) {
        uint64_t places = launch.streams.place_count;
        for (uint64_t i = 0; i < places && i < MOST_BLOCKS; i++)
            for (uint32_t w = 0; w < launch.streams.warps; w++)
                read_warp(&reader, launch.streams.places[i].block, w);
        wm_warp_reader_release(&reader);
    }
    wm_launch_reader_close(&launch);
}

static void read_threads(const struct wm_recording *recording)
{
    struct wm_recording cores;
    struct wm_recorded_event event;
    struct wm_error error;
    bool more = true;
    if (wm_recording_open_cores(&cores, recording, &error) != WM_OK) {
        assert(error.message[0] != '\0');
        return;
    }
    if (wm_recording_next(&cores, &event, &more, &error) == WM_OK)
        read_launch(&cores);
    wm_recording_close(&cores);
}

static void read_names(const struct wm_recording *recording)
{
    const struct wm_memory_name *found[4];
    struct wm_memory_names names;
    struct wm_error error;
    wm_memory_names_init(&names);
    if (wm_recording_names(recording, &names, &error) != WM_OK)
        assert(error.message[0] != '\0');
    for (size_t i = 0; i < names.count && i < MOST_BLOCKS; i++) {
        const struct wm_memory_name *it = &names.items[i];
        assert(it->bytes != 0 && it->name[0] != '\0' && it->address + it->bytes - 1 >= it->address);
        assert(wm_memory_names_in(&names, it->address, it->bytes, found, 4) > 0);
    }
    wm_memory_names_release(&names);
}

static void read_all(const char *path)
{
    struct wm_recording recording;
    struct wm_recording_state state;
    struct wm_recorded_event event;
    struct wm_error error;
    if (wm_recording_open(&recording, path, &error) != WM_OK) {
        assert(error.message[0] != '\0');
        return;
    }
    for (uint32_t c = 0; c < recording.code_count; c++) {
        char *text = NULL;
        wm_recording_ptx(&recording, recording.codes[c].ptx_hash, &text, NULL);
        free(text);
    }
    if (wm_recording_state(&recording, &state, &error) == WM_OK) {
        char text[640];
        wm_recording_state_text(&state, text, sizeof text);
    }
    wm_recording_rewind(&recording);
    for (bool more = true; more;) {
        if (wm_recording_next(&recording, &event, &more, NULL) != WM_OK)
            break;
        if (more && event.kind == WM_RECORDED_LAUNCH)
            read_launch(&recording);
    }
    read_threads(&recording);
    read_names(&recording);
    wm_recording_close(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = recording_of_input(data, size, path);
    if (descriptor < 0)
        return 0;
    read_all(path);
    close(descriptor);
    return 0;
}
