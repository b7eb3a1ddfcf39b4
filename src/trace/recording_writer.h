// Writes a recording as a stream: memory in use depends on the blocks that are under way, not on
// the length of the run. One thread at a time. The first failure is kept, later calls do nothing,
// and wm_recording_writer_finish returns it.
#ifndef WM_TRACE_RECORDING_WRITER_H
#define WM_TRACE_RECORDING_WRITER_H

#include "base/error.h"
#include "trace/recording.h"
#include "trace/warp/encoder.h"

struct wm_recording_writer;
struct wm_memory_names; // base/names/memory_names.h
struct wm_section_file; // trace/section/section_file.h

// A block under way. `warps` of the launch; the caller feeds them.
struct wm_recording_block {
    struct wm_warp_encoder *warps;
    uint64_t index, sequence;
    struct wm_recording_block *next; // the writer's
};

// A recording that is at its place when it is finished. WM_IO, WM_NO_MEMORY. Texts are borrowed for
// each call alone.
enum wm_status wm_recording_writer_new(const char *path, const struct wm_recording_header *header,
                                       struct wm_recording_writer **writer, struct wm_error *error);
// One that is there from the beginning (WM_OUTPUT_INCREMENTAL): of a program that may be killed.
enum wm_status wm_recording_writer_grow(const char *path, const struct wm_recording_header *header,
                                        struct wm_recording_writer **writer,
                                        struct wm_error *error);
// The first failure so far, or WM_OK.
enum wm_status wm_recording_writer_status(const struct wm_recording_writer *writer,
                                          struct wm_error *error);
// Bytes that have gone to the file.
uint64_t wm_recording_writer_bytes(const struct wm_recording_writer *writer);
void wm_recording_write_ptx(struct wm_recording_writer *writer, uint64_t hash, const char *text,
                            size_t length);
// Returns its number.
uint32_t wm_recording_write_code(struct wm_recording_writer *writer,
                                 const struct wm_recorded_code *code);
// Launches and events from here on have their order: one without an order is behind all before it.
// Not within a launch. The first with an order does it, too.
void wm_recording_begin_orders(struct wm_recording_writer *writer);
void wm_recording_write_event(struct wm_recording_writer *writer,
                              const struct wm_recorded_event *event);

// A launch, then its blocks in any order, several under way at a time. `slots`: memory instructions
// of its code. `number` of `launch` is set.
void wm_recording_launch_begin(struct wm_recording_writer *writer,
                               struct wm_recorded_launch *launch, uint32_t slots);
// The same of the program's CPU threads, a block each, of one warp of one lane: behind all kernels
// and events, which are not written any more. And, behind its end, the threads in the order of
// their turns; of at least one.
void wm_recording_cores_begin(struct wm_recording_writer *writer, struct wm_recorded_launch *launch,
                              uint32_t slots);
void wm_recording_write_turns(struct wm_recording_writer *writer, const uint8_t *threads,
                              size_t count);
// Names of the program's memory (trace/recording_names.h); nothing where there are none, and
// in a launch that has not ended.
void wm_recording_write_names(struct wm_recording_writer *writer,
                              const struct wm_memory_names *names);
// All that another recording has, which is complete, in place of a beginning of one's own: behind
// wm_recording_writer_new with its header. Errors are the writer's.
void wm_recording_write_copy(struct wm_recording_writer *writer,
                             const struct wm_section_file *from);
// NULL when the writer has failed.
struct wm_recording_block *wm_recording_block_begin(struct wm_recording_writer *writer,
                                                    uint64_t index);
// Whether the block has gathered enough for a chunk; the same of one whose encoders hold so many
// bytes and steps together; and, between two items of all its warps, that it goes to the file.
bool wm_recording_block_is_chunk(const struct wm_recording_writer *writer,
                                 const struct wm_recording_block *block);
bool wm_recording_is_chunk(size_t bytes, uint64_t steps);
void wm_recording_block_trim(struct wm_recording_writer *writer, struct wm_recording_block *block);
void wm_recording_block_end(struct wm_recording_writer *writer, struct wm_recording_block *block);
// A chunk as it is, of a recording that is read: its warps' strings and firsts, borrowed.
void wm_recording_write_chunk(struct wm_recording_writer *writer, uint64_t block, uint64_t sequence,
                              bool last, const struct wm_warp_encoder *warps);
// `whole`: false when the program stopped in the launch.
void wm_recording_launch_end(struct wm_recording_writer *writer, bool whole);

// Writes the index, closes the file, frees the writer.
enum wm_status wm_recording_writer_finish(struct wm_recording_writer *writer,
                                          struct wm_error *error);
// Without finishing: no file stays.
void wm_recording_writer_free(struct wm_recording_writer *writer);

#endif
