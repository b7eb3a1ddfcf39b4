// What is behind the handles of warpmem/warpmem.h. Private to library/.
//
//   error.c     statuses and texts
//   machine.c   machines
//   memory.c    building memory systems, kernels, the host
//   accesses.c      accesses
//   counters.c  reading
#ifndef WM_LIBRARY_HANDLES_H
#define WM_LIBRARY_HANDLES_H

#include "base/text/text.h"
#include "engine/access/front_end.h"
#include "engine/session/eviction_priorities.h"
#include "machine/plugins.h"
#include "warpmem/warpmem.h"

#include <stdatomic.h>

// Shared by its handle and by every memory system built from it.
struct warpmem_machine {
    atomic_size_t owners;
    struct wm_machine machine;
    struct wm_plugins plugins;
    struct wm_text yaml;
};

// A kind of component: those that stand at these places of the list.
struct wm_library_kind {
    size_t first, count; // the first of them; they need not be neighbours
};

struct warpmem_memory {
    struct warpmem_machine *machine; // one of its owners
    struct wm_memory *memory;
    bool explain;
    uint64_t l1_bytes;
    uint32_t instructions;
    struct wm_instruction_counter_set counted; // names of what follows
    struct wm_instruction_counter_set missed;  // and of what is explained
    // By pc, `instructions` of each.
    struct wm_instruction_counters *counters_by_pc;
    struct wm_instruction_misses *explained; // NULL unless misses are explained
    struct wm_access_patterns *patterns;     // likewise
    uint64_t kernels;                        // begun so far
    uint8_t *spaces, *listed;
    // What the machine's bypass list says of eviction priorities; one more, for accesses of no
    // instruction. NULL where the list has none.
    struct wm_eviction_priorities priorities;
    struct wm_sm_counters sm_counters; // of all SMs; never read, as nothing is executed here
    struct wm_shared_counters *shared; // by SM; NULL unless misses are explained
    struct wm_front_end front_end;
    struct wm_component_counters *components; // the memory system's, then shared memories
    size_t component_count;
    struct wm_library_kind *kinds; // component_count at most
    size_t kind_count;
};

// Keeps and gives up one ownership.
struct warpmem_machine *wm_library_machine_keep(struct warpmem_machine *machine);

// Finds the components' kinds; `memory->kinds` has room.
void wm_library_find_kinds(struct warpmem_memory *memory);

// WARPMEM_NO_MEMORY when memory has run out on the way, so that counts are incomplete.
enum warpmem_status wm_library_check_memory(const struct warpmem_memory *memory,
                                            const char *function, struct warpmem_error *error);

// Hands an error of warpmem's own to the caller's struct, which may be NULL; an error without a
// place gets `function`. Returns its status.
enum warpmem_status wm_library_report(const struct wm_error *from, const char *function,
                                      struct warpmem_error *error);
// The same of a wrong argument.
enum warpmem_status wm_library_refuse(const char *function, enum warpmem_status status,
                                      struct warpmem_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same of an argument that is missing: "memory is NULL".
enum warpmem_status wm_library_refuse_null(const char *function, struct warpmem_error *error,
                                           const char *argument);
// Adds a hint to what was just refused; returns its status.
enum warpmem_status wm_library_hint(enum warpmem_status status, struct warpmem_error *error,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));
// Clears the caller's struct; returns WARPMEM_OK.
enum warpmem_status wm_library_good(struct warpmem_error *error);

#endif
