// Memory systems whose levels are coherent, for the tests of what drives them.
#ifndef WM_TESTS_COHERENT_MACHINES_H
#define WM_TESTS_COHERENT_MACHINES_H

#include "mem/system/memory.h"

// Levels behind those that have a number.
enum { CPU_L1 = WM_LEVELS_NAMED, CPU_L2, LAST, CPU_LAST };

// `cores` of them, each with an L1 under the shared cache LAST: the smallest CPU.
struct wm_memory_spec coherent_cores(uint32_t cores);
// SMs with L1s under an L2 in slices, cores with L1s and L2s: both under one last-level cache of
// four slices, or, split, each under its own and these before the directory at memory.
struct wm_memory_spec coherent_shared(uint32_t sms, uint32_t cores);
struct wm_memory_spec coherent_split(uint32_t sms, uint32_t cores);
// The shared one, whose SMs have no caches: they access the last-level cache.
struct wm_memory_spec coherent_without_sms_caches(uint32_t sms, uint32_t cores);

// That no memory system is made of it, and that the error and its hint say so.
void expect_spec_refused(const struct wm_memory_spec *spec, const char *message, const char *hint);

#endif
