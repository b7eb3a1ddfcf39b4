// libwarpmem: a described GPU's memory system to drive from your own program. Load a machine, feed
// it accesses from wherever you have them (a simulator, a recording, a generator), and read what
// each cache, DRAM channel and instruction counted. docs/library.md has a whole program.
//
//     cc program.c $(pkg-config --cflags --libs warpmem)
//
// Names. Everything that this library exports begins with "warpmem_". The words for an access
// (enum wm_access_kind, enum wm_cache_hint) come from warpmem/access.h, which plug-ins share; their
// prefix "wm_" is that of warpmem's own sources. The two are kept apart because the functions here
// are a promise and those of the sources are not: the shared library hides every "wm_" symbol, and
// the static library, which cannot hide, has none besides these two prefixes. A program leaves both
// to the library.
//
// Errors. What can fail returns an enum warpmem_status and fills the caller's struct warpmem_error,
// which may be NULL. Nothing has happened then. No argument makes the library crash or exit: NULL
// where a thing is needed, numbers out of range and impossible combinations are WARPMEM_INVALID.
// (A pointer to memory that is not what it says cannot be noticed.)
//
// Threads. A machine may be shared by any number of threads. A memory system is used by one thread
// at a time; two memory systems, even of one machine, by two threads at once.
//
// Determinism. The same machine and the same accesses give the same numbers, to the last one.
//
// Compatibility. Until 1.0 a release may change this header; the soname (libwarpmem.so.0) and
// WARPMEM_VERSION_MAJOR change with it.
#ifndef WARPMEM_WARPMEM_H
#define WARPMEM_WARPMEM_H

#include "warpmem/access.h"
#include "warpmem/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WARPMEM_API __attribute__((visibility("default")))
#else
#define WARPMEM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library that runs, "0.1.0"; WARPMEM_VERSION is that of the header. Static
// text.
WARPMEM_API const char *warpmem_version(void);

// --- Errors ---

enum warpmem_status {
    WARPMEM_OK = 0,
    WARPMEM_INVALID,     // an argument or a file breaks a rule
    WARPMEM_UNSUPPORTED, // well-formed, but not what warpmem or this machine does
    WARPMEM_NOT_FOUND,   // a file, preset, key, component or counter does not exist
    WARPMEM_NO_MEMORY,   // the host's memory is exhausted
    WARPMEM_IO,          // the operating system refused a read
    WARPMEM_LIMIT,       // beyond a limit of the described machine
};

// The caller's own; every call that can fail overwrites it. Texts are cut when they do not fit.
struct warpmem_error {
    enum warpmem_status status;
    char place[256];   // "FILE:LINE:COLUMN", "--set gpu.l1.size=7B", a function of this header
    char message[768]; // what failed: lower case, no full stop
    char excerpt[512]; // the line of the file and a caret below it; may be empty
    char hint[384];    // what to do about it; may be empty
};

// The whole error as people read it, ending in a newline: "error: PLACE: MESSAGE", the excerpt,
// "hint: CURE". Writes at most `size` bytes with the end, and returns `buffer`.
WARPMEM_API const char *warpmem_error_format(const struct warpmem_error *error, char *buffer,
                                             size_t size);

// --- Machines ---

struct warpmem_machine; // read from a file and checked; never changes

struct warpmem_machine_options {
    const char *const *settings; // "gpu.l1.size=48KiB", applied in order; borrowed for the call
    size_t setting_count;
    const char *const *plugins; // shared objects with more entries (docs/plugins.md); borrowed
    size_t plugin_count;
};

// Loads a preset by name ("v100"), or a file when `name` has a slash or ends in ".yaml".
// `options` may be NULL. Presets are looked for in $WARPMEM_MACHINES, else relative to the
// shared library or the program (PREFIX/share/warpmem/machines), else where warpmem was installed.
// `*machine` is the caller's, to be freed; NULL after an error. Any thread.
WARPMEM_API enum warpmem_status warpmem_machine_load(const char *name,
                                                     const struct warpmem_machine_options *options,
                                                     struct warpmem_machine **machine,
                                                     struct warpmem_error *error);

// The same from the text of a machine file, which errors call `file` ("machine" when NULL).
WARPMEM_API enum warpmem_status warpmem_machine_read(const char *text, size_t length,
                                                     const char *file,
                                                     const struct warpmem_machine_options *options,
                                                     struct warpmem_machine **machine,
                                                     struct warpmem_error *error);

// Gives the machine up. What was built from it stays valid. NULL is allowed. Any thread.
WARPMEM_API void warpmem_machine_free(struct warpmem_machine *machine);

// What a program that feeds accesses has to know. Texts live as long as the machine.
struct warpmem_facts {
    const char *name, *title; // "v100", "NVIDIA V100"
    uint32_t sm_count;
    uint32_t warp_lanes;          // 32 or 64
    uint32_t line_bytes;          // of a line that loads, stores and atomics name
    uint32_t constant_line_bytes; // of a line that constant loads name; 0: nothing serves them
    uint32_t
        instruction_line_bytes; // of a line that instruction fetches name; 0: no cache for them
    uint64_t l1_bytes;          // of each SM, before the first kernel; 0: no L1
    uint64_t l2_bytes;          // all slices; 0: no L2
    uint64_t dram_bytes_per_second;
};
WARPMEM_API enum warpmem_status warpmem_machine_facts(const struct warpmem_machine *machine,
                                                      struct warpmem_facts *facts,
                                                      struct warpmem_error *error);

// The effective description: every key with its value, a machine file that loads to the same
// machine (with the same plug-ins). Lives as long as the machine; NULL for NULL.
WARPMEM_API const char *warpmem_machine_yaml(const struct warpmem_machine *machine);

// --- Memory systems ---

struct warpmem_memory; // the caches and channels of one machine, and what they hold and counted

struct warpmem_memory_options {
    // Count why sectors were missed and who displaced them, reuse distances, sharing and bank
    // conflicts (docs/misses.md): more components, and more counters of each instruction. Costs
    // several times an access, and memory with the lines touched.
    bool explain;
    // Instruction numbers (`pc`) are below this; 0: 65536. At most WARPMEM_MOST_INSTRUCTIONS. Each
    // number that is used takes some 100 bytes (600 when misses are explained).
    uint32_t instructions;
};
#define WARPMEM_MOST_INSTRUCTIONS 16777216

// Builds it, empty. `options` may be NULL. `*memory` is the caller's, to be freed; NULL after an
// error. WARPMEM_UNSUPPORTED for a machine of several GPUs.
WARPMEM_API enum warpmem_status warpmem_memory_new(struct warpmem_machine *machine,
                                                   const struct warpmem_memory_options *options,
                                                   struct warpmem_memory **memory,
                                                   struct warpmem_error *error);

// NULL is allowed.
WARPMEM_API void warpmem_memory_free(struct warpmem_memory *memory);

// --- Feeding accesses ---
//
// Addresses are the device's, in bytes, below WARPMEM_ADDRESS_LIMIT. Every access is served before
// the call returns: there is no time here, only order. Explaining, and the replacement opt, take
// memory with the lines touched. Once it has run out, kernels, draining and all reading of counters
// return WARPMEM_NO_MEMORY.

#define WARPMEM_SECTOR_BYTES 32
#define WARPMEM_ADDRESS_LIMIT (UINT64_C(1) << 62)

enum warpmem_space {
    WARPMEM_GLOBAL,
    WARPMEM_LOCAL,     // addresses as they lie in device memory, lanes interleaved by words
    WARPMEM_SHARED,    // offsets in the block's shared memory: its banks, when misses are explained
    WARPMEM_CONSTANT,  // loads, through the SM's constant cache (or scalar cache) and L2
    WARPMEM_PARAMETER, // kernel parameters: they do not leave the SM
    WARPMEM_TEXTURE,
    WARPMEM_INSTRUCTION, // fetches of code, line by line, through an instruction cache and L2
};

// One access to one line. Zero what you do not know.
struct warpmem_access {
    uint64_t address;      // of the line's first byte: a multiple of line_bytes, or in constant
                           // memory of constant_line_bytes, of code of instruction_line_bytes
    uint32_t sectors;      // bit i: the line's i-th 32 bytes are touched; at least one
    uint32_t full_sectors; // stores: of these, the sectors written whole
    enum wm_access_kind kind;
    enum warpmem_space space; // global, local, constant, texture or instruction
    enum wm_cache_hint hint;
    uint32_t sm;    // below sm_count
    uint32_t warp;  // the SM's number for it: for policies and explanations
    uint32_t pc;    // the instruction's number: for policies, and its counters
    uint64_t block; // a number of its own for each thread block: for explanations
    // Which bytes of each sector, a word a sector of the line and a bit a byte. Read of stores that
    // write sectors in part, for caches with write_fetch: never; of all when misses are explained,
    // for the bytes never used. Borrowed; NULL: unknown.
    const uint32_t *bytes;
};

// A load, store, atomic or reduction: through the SM's L1 as the machine's policies say, L2 and
// DRAM. The instruction counts a request and its sectors. Constant memory, textures and read-only
// loads use the side caches (constant, texture, scalar) that the machine has for them; a scalar
// cache needs the lanes' addresses, which warpmem_memory_warp_access takes. WARPMEM_UNSUPPORTED for
// a line of constant memory when the machine has no constant cache and no scalar cache either.
WARPMEM_API enum warpmem_status warpmem_memory_access(struct warpmem_memory *memory,
                                                      const struct warpmem_access *access,
                                                      struct warpmem_error *error);

// One memory instruction of one warp.
struct warpmem_warp_access {
    enum wm_access_kind kind;
    enum warpmem_space space;
    enum wm_cache_hint hint;
    uint32_t sm, warp, pc; // as of struct warpmem_access
    uint64_t block;
    uint32_t bytes_per_lane; // 1, 2, 4, 8, 16 or 32
    uint64_t active;         // bit i: lane i takes part; at least one
    // By lane, warp_lanes of them; only active ones are read. Borrowed. Each is a multiple of
    // bytes_per_lane, as GPUs demand (in local memory, of 4 at most).
    const uint64_t *addresses;
};

// Groups the lanes' addresses to lines and sectors and serves the requests as warpmem does with a
// program that it runs: in the order of the first lane of each, and where the machine's L1 is
// streaming, those of a load that L1 holds before the others. In constant memory of a machine
// without a cache for it, and in shared memory, there are no requests.
WARPMEM_API enum warpmem_status warpmem_memory_warp_access(struct warpmem_memory *memory,
                                                           const struct warpmem_warp_access *access,
                                                           struct warpmem_error *error);

// Many loads and stores of one SM that each touch one sector: the fastest way in. A reference is a
// byte's address, plus WARPMEM_STREAM_STORE when part of its sector is stored: the 4 bytes from
// there, or those of them that lie in it. Served as one warpmem_memory_access after the other by
// warp 0 with instruction 0, whose counters do not count them. All references are checked before
// the first is served.
#define WARPMEM_STREAM_STORE (UINT64_C(1) << 63)
WARPMEM_API enum warpmem_status warpmem_memory_stream(struct warpmem_memory *memory, uint32_t sm,
                                                      const uint64_t *references, size_t count,
                                                      struct warpmem_error *error);

// A kernel, as far as caches care.
struct warpmem_kernel {
    const char *name; // as bypass lists name it (their KERNEL:pcN); NULL: has none. Copied
    // What decides how an array that L1 and shared memory divide is divided: with 0 threads it
    // stays as it is (at first as the machine's file says).
    uint32_t threads_per_block, registers_per_thread;
    uint64_t shared_bytes_per_block;
    // For explanations: blocks of the grid along x, y and z (0: they count as one row), which
    // accesses number from `first_block` on, x first.
    uint32_t grid[3];
    uint64_t first_block;
};

// A kernel starts: L1 is divided and, where the machine says so, emptied; bypass entries' `kernel`
// is called. WARPMEM_LIMIT when a block does not fit on an SM. `kernel` may be NULL: nothing is
// known of it. Accesses before the first kernel are served as those of such a kernel. Ends the one
// before it.
WARPMEM_API enum warpmem_status warpmem_memory_kernel_begin(struct warpmem_memory *memory,
                                                            const struct warpmem_kernel *kernel,
                                                            struct warpmem_error *error);
// A kernel has ended: what is explained of it (how its SMs shared lines) is counted now. Ending
// none is no error. Draining ends a kernel too.
WARPMEM_API enum warpmem_status warpmem_memory_kernel_end(struct warpmem_memory *memory,
                                                          struct warpmem_error *error);
// An SM's L1 now, in bytes; 0 without L1 and for NULL.
WARPMEM_API uint64_t warpmem_memory_l1_bytes(const struct warpmem_memory *memory);

// The host writes device memory (a copy to it): cached copies are dropped. The host's own bytes are
// not counted.
WARPMEM_API enum warpmem_status warpmem_memory_host_write(struct warpmem_memory *memory,
                                                          uint64_t address, uint64_t size_bytes,
                                                          struct warpmem_error *error);
// The host reads device memory: dirty sectors in it are written back first.
WARPMEM_API enum warpmem_status warpmem_memory_host_read(struct warpmem_memory *memory,
                                                         uint64_t address, uint64_t size_bytes,
                                                         struct warpmem_error *error);
// Writes all dirty sectors back, as at a program's end. Without it, what stays dirty in L2 never
// reached DRAM.
WARPMEM_API enum warpmem_status warpmem_memory_drain(struct warpmem_memory *memory,
                                                     struct warpmem_error *error);

// --- Reading counters ---
//
// They can be read at any time between two calls. Texts live as long as the memory system.

struct warpmem_counter {
    const char *name;     // "read_hits": stable, the key in warpmem's JSON and CSV
    const char *unit;     // "sectors"
    const char *sentence; // what exactly is counted
    uint64_t value;
};

// A component, or all components of one kind.
struct warpmem_component {
    const char *path;     // "gpu0.sm[3].l1"; of a kind: the kind's name
    const char *kind;     // "l1", "l2", "dram", …
    const char *title;    // of the kind, for people: "L1 data cache"
    size_t counter_count; // the same for all of a kind
    size_t components;    // of a kind: how many there are; else 1
};

// Components in a fixed order (SM by SM, slice by slice, channel by channel); 0 for NULL.
WARPMEM_API size_t warpmem_memory_component_count(const struct warpmem_memory *memory);
WARPMEM_API enum warpmem_status warpmem_memory_component(const struct warpmem_memory *memory,
                                                         size_t index,
                                                         struct warpmem_component *component,
                                                         struct warpmem_error *error);
WARPMEM_API enum warpmem_status warpmem_memory_counter(const struct warpmem_memory *memory,
                                                       size_t component, size_t index,
                                                       struct warpmem_counter *counter,
                                                       struct warpmem_error *error);

// Kinds in the order of their first components, with their counters added up.
WARPMEM_API size_t warpmem_memory_kind_count(const struct warpmem_memory *memory);
WARPMEM_API enum warpmem_status warpmem_memory_kind(const struct warpmem_memory *memory,
                                                    size_t index,
                                                    struct warpmem_component *component,
                                                    struct warpmem_error *error);
WARPMEM_API enum warpmem_status warpmem_memory_kind_counter(const struct warpmem_memory *memory,
                                                            size_t kind, size_t index,
                                                            struct warpmem_counter *counter,
                                                            struct warpmem_error *error);

// One counter by name. `component` is a path, or a kind, which gives the sum over its components.
// WARPMEM_NOT_FOUND, with what was probably meant in the hint.
WARPMEM_API enum warpmem_status warpmem_memory_value(const struct warpmem_memory *memory,
                                                     const char *component, const char *counter,
                                                     uint64_t *value, struct warpmem_error *error);

// What one instruction caused all along the way, over all kernels: take differences between
// kernels that number their instructions alike. Counter `index` of instruction `pc`.
WARPMEM_API size_t warpmem_memory_instruction_counter_count(const struct warpmem_memory *memory);
WARPMEM_API enum warpmem_status warpmem_memory_instruction_counter(
    const struct warpmem_memory *memory, uint32_t pc, size_t index, struct warpmem_counter *counter,
    struct warpmem_error *error);

#ifdef __cplusplus
}
#endif

#endif
