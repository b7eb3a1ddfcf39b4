// Which slice, and which channel, has an address, as docs/memory-system.md says it. What
// src/mem/interleave is held to, so it calls none of that.
#ifndef WM_TESTS_OBVIOUS_INTERLEAVE_H
#define WM_TESTS_OBVIOUS_INTERLEAVE_H

#include "mem/system/memory_spec.h"

// The place of a block among those that so many parts take in turn.
uint64_t obvious_place(enum wm_interleave_hash kind, uint64_t block, uint32_t parts);

uint32_t obvious_slice(const struct wm_level_spec *level, uint64_t address);
uint32_t obvious_channel(const struct wm_memory_spec *spec, uint64_t address);

#endif
