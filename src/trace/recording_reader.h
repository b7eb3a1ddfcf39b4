// Reads a recording: what it is of, its kernels, then event after event, and the streams of a
// launch's warps chunk by chunk. No length or offset of the file is trusted: a damaged file ends in
// an error that names the file and the place.
//
// Thread rules: one thread at a time, but that several may get, begin and drop chunks of a launch,
// each its own. Memory: the frames that chunks in use lie in, and a few more.
#ifndef WM_TRACE_RECORDING_READER_H
#define WM_TRACE_RECORDING_READER_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "trace/frame/frame.h"
#include "trace/recording.h"
#include "trace/recording_order.h"
#include "trace/section/section_file.h"
#include "trace/warp/decoder.h"

#include <pthread.h>

struct wm_recording {
    struct wm_section_file file;
    struct wm_arena arena;             // owns the texts and tables below
    struct wm_recording_header header; // all of it
    struct wm_recorded_code *codes;    // in order of their numbers
    uint32_t code_count;
    uint64_t launch_count;  // whose beginning was found
    uint64_t order_section; // of the list: what follows may have an order; 0: there is none
    uint64_t cores_section; // of the list: the program's CPU threads; 0: it has none
    uint64_t turns_section; // likewise: in which order they had their turns
    // Of a reader of these threads (wm_recording_open_cores): their launch is the only event.
    bool of_cores;
    const uint8_t *turns; // threads, one after the other
    uint64_t turn_count;  // 0: no order is known
    // Where the reading of events is.
    uint64_t next_section, launches_met;
    struct wm_bytes events; // of the section being read
    struct wm_cursor events_left;
    struct wm_recorded_launch launch;  // the last one read
    struct wm_recorded_order order;    // of the events that are read
    bool behind_launch;                // the next event is the first behind a launch
    struct wm_order_buffer order_room; // owned; its numbers, or the launch's
};

// Reads the header and all kernels' code. Errors as wm_section_file_open, and WM_INVALID.
enum wm_status wm_recording_open(struct wm_recording *recording, const char *path,
                                 struct wm_error *error);
// A second reader of the same file, for another thread or another place in it.
enum wm_status wm_recording_open_again(struct wm_recording *recording,
                                       const struct wm_recording *opened, struct wm_error *error);
// A reader of the CPU threads that the recording has beside its kernels (cores_section): as a
// recording of cores, with one launch. WM_INVALID.
enum wm_status wm_recording_open_cores(struct wm_recording *cores,
                                       const struct wm_recording *opened, struct wm_error *error);
void wm_recording_close(struct wm_recording *recording);

// The next event, in the order of the program; `*more` false at the end. Of a launch,
// recording->launch has the rest.
enum wm_status wm_recording_next(struct wm_recording *recording, struct wm_recorded_event *event,
                                 bool *more, struct wm_error *error);
void wm_recording_rewind(struct wm_recording *recording);

// The text of the module with that hash, NUL-terminated, the caller frees it; NULL in `*text` when
// the recording has none.
enum wm_status wm_recording_ptx(const struct wm_recording *recording, uint64_t hash, char **text,
                                struct wm_error *error);

// Each text of a module that lies in the file before the code of that number, in order.
enum wm_status wm_recording_each_ptx(const struct wm_recording *recording, uint32_t code,
                                     void (*each)(void *context, uint64_t hash, const char *text,
                                                  size_t length),
                                     void *context, struct wm_error *error);

// --- A launch's streams ---

struct wm_recorded_frame {
    uint64_t section;
    struct wm_frame frame; // unpacked while `users` or kept
    uint32_t users;
    bool loading, loaded;
    uint64_t begun; // by warps, of its chunks, since it was loaded: after all it is not kept
    uint64_t used_at;
};

// Where a block's chunk lies.
struct wm_recorded_place {
    uint64_t block, sequence;
    uint32_t frame, chunk;
    bool last;
};

struct wm_recorded_streams {
    struct wm_recording *recording; // borrowed
    struct wm_recorded_launch launch;
    uint32_t slots, warps;
    bool whole;   // false: the program, or the recording, stopped in this launch
    bool stopped; // the program did: at a limit or a failure, whatever its blocks had come to
    struct wm_recorded_frame *frames; // owned
    uint32_t frame_count;
    struct wm_recorded_place *places; // owned; by block, then sequence
    uint64_t place_count;
    uint64_t whole_blocks;    // of which every chunk is there
    pthread_mutex_t mutex;    // around the rest, and what frames say of their use
    pthread_cond_t has_ended; // the loading of a frame
    uint64_t clock;
    uint32_t kept;         // frames that are loaded without a user
    uint32_t most_kept;    // of them, besides those that are loaded ahead
    uint32_t last, ahead;  // the last frame that was used; the next to be loaded ahead
    struct wm_bytes spare; // owned; room that a frame had, for the next that is loaded
};

// The streams of the launch read last (wm_recording_next). WM_INVALID.
enum wm_status wm_recorded_streams_open(struct wm_recording *recording,
                                        struct wm_recorded_streams *streams,
                                        struct wm_error *error);
void wm_recorded_streams_close(struct wm_recorded_streams *streams);

// A chunk in use: its warps' strings and firsts.
struct wm_recorded_chunk {
    struct wm_recorded_frame *frame;
    const struct wm_frame_warp *warps;
    uint32_t begun; // by warps, here
    bool last;
};

bool wm_recorded_chunk_is_there(const struct wm_recorded_streams *streams, uint64_t block,
                                uint64_t sequence);
// Chunk `sequence` of `block`. WM_INVALID when the recording has none. Every chunk got is dropped.
enum wm_status wm_recorded_chunk_get(struct wm_recorded_streams *streams, uint64_t block,
                                     uint64_t sequence, struct wm_recorded_chunk *chunk,
                                     struct wm_error *error);
// Begins to decode what the warp did in it. The chunk outlives that.
void wm_recorded_chunk_begin(struct wm_recorded_chunk *chunk, uint32_t warp,
                             struct wm_warp_decoder *decoder);
void wm_recorded_chunk_drop(struct wm_recorded_streams *streams, struct wm_recorded_chunk *chunk);
// Blocks will be read in as many places of the launch at a time: that many frames are kept that no
// chunk in use lies in, or a few. Before the first chunk is got.
void wm_recorded_streams_keep(struct wm_recorded_streams *streams, uint32_t frames);
// Loads one of the next frames behind those in use, unless they are loaded: for a thread that has
// time while others use chunks. What breaks the format is found when it is used.
void wm_recorded_streams_read_ahead(struct wm_recorded_streams *streams);

#endif
