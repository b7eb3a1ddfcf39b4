// Reads the traces of Accel-Sim's tracer: a list of launches and copies (kernelslist.g), and the
// trace of one kernel, block by block, warp by warp (kernel-N.traceg). All versions of the text
// form; docs/formats/accelsim.md says what is read and what is assumed.
//
// Thread rules: none of it is shared. Nothing of a file is trusted; errors name file and line.
// Private to source/accelsim/.
#ifndef WM_SOURCE_ACCELSIM_READER_H
#define WM_SOURCE_ACCELSIM_READER_H

#include "source/sass/opcode.h"
#include "source/trace_input.h"

// --- The list ---

enum wm_accelsim_line_kind {
    WM_ACCELSIM_KERNEL,
    WM_ACCELSIM_HOST_WRITE,  // MemcpyHtoD,ADDRESS,BYTES
    WM_ACCELSIM_HOST_READ,   // MemcpyDtoH,ADDRESS,BYTES
    WM_ACCELSIM_DEVICE_COPY, // MemcpyDtoD,TO,FROM,BYTES
    WM_ACCELSIM_DEVICE_FILL, // Memset,ADDRESS,BYTES
};

struct wm_accelsim_line {
    enum wm_accelsim_line_kind kind;
    uint64_t number; // in the list
    char *path;      // owned; of a kernel's trace, relative to where the list was opened from
    uint64_t address, from, bytes;
};

struct wm_accelsim_list {
    struct wm_accelsim_line *lines; // owned
    uint64_t count, room;
};

// A list, or the trace of one kernel, which makes a list of one. Release it in any case.
enum wm_status wm_accelsim_list_read(struct wm_accelsim_list *list, const char *path,
                                     struct wm_error *error);
void wm_accelsim_list_release(struct wm_accelsim_list *list);

// --- A kernel's trace ---

struct wm_accelsim_header {
    char name[4096]; // mangled
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, registers, binary_version;
    uint64_t stream, shared_base, local_base; // bases 0: not known
    uint64_t tracer_version;
    bool line_info; // instructions have their source line
    // How many numbers stand before the line number or pc: block and warp, before version 3.
    uint32_t prefix;
    // In warpmem's own exports only, so that a replay is as before; 0: not there.
    uint64_t local_bytes; // of a thread
    uint32_t carveout;    // as wm_recorded_launch's preferred_carveout
};

struct wm_accelsim_instruction {
    uint64_t pc; // byte offset in its function
    uint32_t mask;
    uint32_t source_line; // 0: not known
    // From the number of destinations to the last source, as the line has it.
    const char *words;
    size_t words_length;
    uint32_t width;         // as the trace says; 0: no memory instruction
    bool has_addresses;     // of the lanes of `mask`
    uint64_t addresses[32]; // by lane
};

// Callbacks of the reader, in the order of the trace. One that fails stops the reading; the reader
// adds file and line to its error.
struct wm_accelsim_callbacks {
    enum wm_status (*header)(void *context, const struct wm_accelsim_header *header,
                             struct wm_error *error);
    enum wm_status (*block_begin)(void *context, uint64_t block, struct wm_error *error);
    // `instructions` follow, then the next warp or the block's end.
    enum wm_status (*warp)(void *context, uint32_t warp, uint64_t instructions,
                           struct wm_error *error);
    enum wm_status (*instruction)(void *context, const struct wm_accelsim_instruction *instruction,
                                  struct wm_error *error);
    enum wm_status (*block_end)(void *context, struct wm_error *error);
    void *context;
};

enum wm_status wm_accelsim_trace_read(const char *path,
                                      const struct wm_accelsim_callbacks *callbacks,
                                      struct wm_error *error);

// --- Words of an instruction ---

struct wm_accelsim_words {
    const char *opcode;
    size_t opcode_length;
    uint32_t destination_count, source_count;
    // Registers, "R4" or, from late version 5 on, "UR4" or "P0".
    const char *registers[32]; // destinations, then sources
    size_t register_lengths[32];
};

// Takes `words` of an instruction apart; they have been checked.
void wm_accelsim_words_read(const char *words, size_t length, struct wm_accelsim_words *read);

#endif
