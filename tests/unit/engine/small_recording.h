// Small recordings, in a file of their own: of one kernel of a few instructions and of warps of 32
// lanes, which the test feeds.
#ifndef WM_TESTS_SMALL_RECORDING_H
#define WM_TESTS_SMALL_RECORDING_H

#include "trace/recording_writer.h"

enum { LANES = 32, SMALL_PATH = 32 };

// A kernel has as many of them, from the first on, as it needs. What is loaded is waited for before
// it is added or stored.
enum { LOAD, ADD, OTHER_LOAD, STORE, SMALL_INSTRUCTIONS };
extern struct wm_recorded_instruction small_instructions[SMALL_INSTRUCTIONS];

// An empty file; the test unlinks it. Recordings take its place.
void small_recording_file(char path[SMALL_PATH]);
// A recording that has the kernel's code.
struct wm_recording_writer *small_recording_begin(const char *path,
                                                  struct wm_recorded_instruction *instructions,
                                                  uint32_t count);
void small_launch_begin(struct wm_recording_writer *writer, uint32_t blocks, uint32_t warps,
                        uint32_t slots);
struct wm_recording_block *small_block_begin(struct wm_recording_writer *writer, uint64_t index);
void small_recording_finish(struct wm_recording_writer *writer);

// All lanes access a word each, as the instruction does that is at `pc`.
void small_access(struct wm_warp_encoder *warp, uint32_t slot, uint32_t pc,
                  const struct wm_recorded_instruction *instruction, const uint64_t *addresses);
// They load one word after the other, from `base` on in global memory.
void small_load(struct wm_warp_encoder *warp, uint32_t slot, uint32_t pc, uint64_t base);
// All lanes execute so many instructions, an access each of those of memory; `last`: and exit.
void small_item(struct wm_warp_encoder *warp, uint32_t first_pc, uint32_t count, bool last);

#endif
