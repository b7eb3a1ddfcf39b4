// Writes what a session executes to a recording (docs/formats/recording.md): an access sink of the
// interpreter's, alongside the memory system or in its place. One thread at a time.
#ifndef WM_ENGINE_RECORD_RECORDER_H
#define WM_ENGINE_RECORD_RECORDER_H

#include "engine/session/work.h"
#include "trace/launch_order.h"
#include "trace/recording_writer.h"

struct wm_recorder;
struct wm_recorder_block; // a resident block

enum wm_status wm_recorder_new(const char *path, const struct wm_recording_header *header,
                               struct wm_recorder **recorder, struct wm_error *error);
// Begins no more blocks once the file has so many bytes: the session continues without, and the
// recording ends in WM_LIMIT.
void wm_recorder_limit_bytes(struct wm_recorder *recorder, uint64_t most_bytes);
// Writes the end of the recording and frees the recorder. Returns the first failure: then no file
// stays.
enum wm_status wm_recorder_finish(struct wm_recorder *recorder, struct wm_error *error);
void wm_recorder_free(struct wm_recorder *recorder);

// The text of a module, copied, before its first launch; launches find it by the module's name. It
// is written when a kernel of it is launched first.
void wm_recorder_module(struct wm_recorder *recorder, const char *name, const char *text,
                        size_t length);
// Names of the program's memory, which the recording has for reports of replays; nothing in a
// launch that has not ended.
void wm_recorder_names(struct wm_recorder *recorder, const struct wm_memory_names *names);
// Launches and events from here on belong to this stream, a number of the caller's.
void wm_recorder_stream(struct wm_recorder *recorder, uint64_t stream);
// What comes next, until the next call, is of a command of a program with several streams, and what
// that is ordered behind: the recording keeps it for launches and events. What came before the
// first call has ended before all that comes later.
void wm_recorder_command(struct wm_recorder *recorder, const struct wm_order_command *command);
// Launches and events of commands keep their numbers (the commands' `id`), which the program's CPU
// threads name in the same recording. Before the first command.
void wm_recorder_number_commands(struct wm_recorder *recorder);
bool wm_recorder_numbers_commands(const struct wm_recorder *recorder);
// Of the launch that comes next: its stream's priority, and whether it runs alone.
void wm_recorder_next_launch(struct wm_recorder *recorder, int priority, bool alone);
void wm_recorder_event(struct wm_recorder *recorder, enum wm_recorded_event_kind kind,
                       uint64_t address, uint64_t from, uint64_t bytes);

// --- For the session ---

void wm_recorder_launch_begin(struct wm_recorder *recorder, const struct wm_work *work,
                              uint32_t sm_count);
void wm_recorder_launch_end(struct wm_recorder *recorder, bool whole);
// NULL when memory runs out, or the recording has failed: the session continues without.
struct wm_recorder_block *wm_recorder_block_begin(struct wm_recorder *recorder,
                                                  const struct wm_block *block);
void wm_recorder_block_end(struct wm_recorder *recorder, struct wm_recorder_block *block);
// Whose events come next; and that they have all come.
void wm_recorder_warp_begin(struct wm_recorder *recorder, struct wm_recorder_block *block,
                            uint32_t warp);
void wm_recorder_warp_end(struct wm_recorder *recorder);

// The recorder's access sink; its `context` is the recorder.
extern const struct wm_access_sink wm_recorder_sink;

#endif
