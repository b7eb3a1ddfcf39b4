// Random kernels, warps and recordings for the tests of src/trace: what was put in is kept, so that
// what comes out can be compared with it field by field.
#ifndef WM_TESTS_TRACE_SAMPLES_H
#define WM_TESTS_TRACE_SAMPLES_H

#include "base/numbers/random.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"
#include "trace/warp/reader.h"

enum { SAMPLE_INSTRUCTIONS = 48 };

struct sample_kernel {
    uint32_t lanes, slot_count;
    struct wm_recorded_instruction instructions[SAMPLE_INSTRUCTIONS];
    uint32_t slot_before[SAMPLE_INSTRUCTIONS + 1];
};

struct sample_access {
    uint32_t slot;
    struct wm_warp_access access;
    uint64_t addresses[WM_MAX_LANES];
};

// A warp's stream: items, and the accesses of all of them in order.
struct sample_warp {
    struct wm_trace_item *items;
    struct sample_access *accesses;
    uint32_t item_count, access_count;
};

void sample_kernel_make(struct sample_kernel *kernel, uint32_t lanes, struct wm_random *random);
// With `sparse`, items have one instruction and count those skipped before them.
void sample_warp_make(const struct sample_kernel *kernel, uint32_t items, bool sparse,
                      struct wm_random *random, struct sample_warp *warp);
void sample_warp_release(struct sample_warp *warp);
uint32_t sample_item_accesses(const struct sample_kernel *kernel, const struct wm_trace_item *item);
// Feeds items [from, to), whose first access is `*access`; moves it on.
void sample_warp_feed(const struct sample_kernel *kernel, const struct sample_warp *warp,
                      uint32_t from, uint32_t to, uint32_t *access,
                      struct wm_warp_encoder *encoder);
void sample_access_compare(const struct wm_warp_access *got, const struct sample_access *put);

// --- Recordings ---

struct sample_launch {
    struct wm_recorded_launch launch;
    uint32_t warps;
    uint64_t blocks;
    struct sample_warp *streams; // block by block, warp by warp
};

enum { SAMPLE_LAUNCHES = 3, SAMPLE_EVENTS = 40 };
// Hash of the text of a module that is no kernel's own, written before all codes.
#define SAMPLE_CALLED UINT64_C(0x5eed)

struct sample_recording {
    struct wm_recording_header header;
    struct sample_kernel kernels[2];
    struct wm_recorded_code codes[2];
    struct sample_launch launches[SAMPLE_LAUNCHES];
    struct wm_recorded_event events[SAMPLE_EVENTS]; // in order, launches among them
    uint32_t event_count;
};

// `items`: most of a warp's. With few of them blocks are few too, and the file is small.
void sample_recording_make(struct sample_recording *sample, uint32_t lanes, uint32_t items,
                           uint64_t seed);
void sample_recording_release(struct sample_recording *sample);
// Several blocks at a time, a chunk ended now and then. Both by `seed`: what is read does not
// depend on it.
void sample_recording_write(const struct sample_recording *sample, const char *path, uint64_t seed);

// --- Files ---

// A file in memory; its path is valid while it is open.
struct sample_file {
    int descriptor;
    char path[64];
};

void sample_file_open(struct sample_file *file);
// Before it is written anew; a path that is no file's yet is as well.
void sample_file_clear(const char *path);
void sample_file_close(struct sample_file *file);
// Its content; the caller frees it.
uint8_t *sample_file_content(const struct sample_file *file, size_t *length);
void sample_file_set(const struct sample_file *file, const void *data, size_t length);

// A hash of all that can be read of a recording, launch by launch: equal when header, code, events
// and every step of every warp are. `launches[i]` when launch i is whole, else 0. Returns what the
// reader ends with.
struct sample_digest {
    uint64_t tables, events, launches[8];
    uint32_t launch_count;
    bool complete;
};
enum wm_status sample_digest(const char *path, struct sample_digest *digest,
                             struct wm_error *error);
// Of one warp's steps.
uint64_t sample_warp_digest(struct wm_launch_reader *launch, uint64_t block, uint32_t warp);

#endif
