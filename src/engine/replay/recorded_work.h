// A launch that a recording has, as a session's work: the warps do again what they did, and wait
// for each other at barriers as the interpreter's do. Private to engine/.
#ifndef WM_ENGINE_REPLAY_RECORDED_WORK_H
#define WM_ENGINE_REPLAY_RECORDED_WORK_H

#include "engine/session/work.h"
#include "trace/recorded_slots.h"
#include "trace/recording_reader.h"
#include "trace/warp/decoder.h"

#include <pthread.h>

struct wm_recorded_block; // engine/replay/recorded_block.h
struct wm_recorded_successors;

// What blocks use one after the other. Of one thread that goes from SM to SM all are the same few,
// which stay in the host's caches.
struct wm_recorded_pool {
    // All are owned by the first list of each.
    _Alignas(64) struct wm_recorded_block *made_blocks, *free_blocks;
    struct wm_recorded_successors *made_successors, *free_successors;
    // Owned; for warps that need theirs during an access alone; NULL before the first block.
    struct wm_decoder_slot *shared_slots;
};

// How far a CPU core is: accesses that its block has made. Each in a line of the host's cache.
struct wm_recorded_progress {
    _Alignas(64) uint64_t made; // by now: the thread that runs the block alone knows
    uint64_t shown;             // before the round of turns that runs: what others wait for
    bool begun, ended;          // a core has it; has run it to its end
};

// What threads of a program that was recorded beside its kernels do with the device's commands.
// Both may be called for several cores at a time.
struct wm_recorded_device {
    void *context;
    void (*issued)(void *context, uint32_t command);
    bool (*has_completed)(void *context, uint32_t command); // with all before it
};

// In the walk threads have the turns that they had.
struct wm_recorded_turn {
    bool given; // `block` runs alone, up to the end of its turn
    bool over;  // which it has come to
    uint64_t block;
};

struct wm_recorded_work {
    struct wm_work work;
    struct wm_recorded_streams streams;
    const struct wm_recorded_code *code;
    struct wm_recorded_slots slots;
    struct wm_code_place *code_places; // owned; by pc; NULL: where the code lies is not known
    uint32_t sm_count, lanes;
    struct wm_recorded_progress *progress; // owned; by block, of CPU cores; NULL: warps of GPUs
    bool keeps_order;                      // the engine has rounds: cores wait for others' accesses
    const struct wm_recorded_device *device; // borrowed; NULL: no command is waited for
    struct wm_recorded_turn turn;
    bool stuck;                     // set: nothing can happen before a command completes
    struct wm_recorded_pool *pools; // owned; of each SM, where several threads run them; else one
    // What stopped it, and when and where that was: the first, whichever thread came upon it.
    pthread_mutex_t stop_mutex;
    enum wm_status status;
    struct wm_error error;
    uint64_t stop_moment;
    uint32_t stop_sm;
};

// The launch that was read last from the recording. WM_INVALID when it is damaged or not whole.
enum wm_status wm_recorded_work_init(struct wm_recorded_work *recorded,
                                     struct wm_recording *recording, uint32_t sm_count,
                                     struct wm_error *error);
void wm_recorded_work_release(struct wm_recorded_work *recorded);

#endif
