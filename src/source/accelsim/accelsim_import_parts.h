// The inside of an import: what the first reading found (files.c), for the second (warps.c turns it
// into streams of warps, accelsim_import.c drives both). Private to source/accelsim/.
#ifndef WM_SOURCE_ACCELSIM_ACCELSIM_IMPORT_PARTS_H
#define WM_SOURCE_ACCELSIM_ACCELSIM_IMPORT_PARTS_H

#include "source/accelsim/accelsim_import.h"
#include "source/accelsim/code.h"

// Shared and local memory are windows of generic addresses of this size.
#define WM_ACCELSIM_WINDOW_BYTES (UINT64_C(1) << 24)

struct wm_accelsim_file {
    const char *path; // the list's
    struct wm_accelsim_header header;
    struct wm_accelsim_code *code; // borrowed
    uint64_t blocks;               // that its trace has
    // Bytes of a thread's local memory that are used, as offsets; low > high: none.
    uint64_t local_low, local_high;
};

struct wm_accelsim_files {
    struct wm_accelsim_import *import; // borrowed
    struct wm_accelsim_list list;
    struct wm_accelsim_file **files; // owned; by line of the list, those of one path are one
    struct wm_accelsim_code **codes; // owned
    uint64_t code_count, code_room;
};

// Reads all traces of the list. Release it in any case.
enum wm_status wm_accelsim_files_read(struct wm_accelsim_files *files,
                                      struct wm_accelsim_import *import, struct wm_error *error);
void wm_accelsim_files_release(struct wm_accelsim_files *files);

// Where one lane's access goes; the address within its space in `*offset`. Local: a thread's own.
enum wm_address_space wm_accelsim_space(const struct wm_accelsim_header *header,
                                        const struct wm_sass_opcode *opcode, uint64_t address,
                                        uint64_t *offset);
static inline uint32_t wm_accelsim_bytes(const struct wm_sass_opcode *opcode, uint32_t width)
{
    return opcode->bytes != 0 ? opcode->bytes : width;
}

// --- The second reading ---

struct wm_accelsim_warps;
enum wm_status wm_accelsim_warps_new(struct wm_accelsim_import *import,
                                     struct wm_recording_writer *writer,
                                     struct wm_accelsim_warps **warps, struct wm_error *error);
void wm_accelsim_warps_free(struct wm_accelsim_warps *warps);
// One launch: reads the file again and writes its blocks.
enum wm_status wm_accelsim_warps_launch(struct wm_accelsim_warps *warps,
                                        const struct wm_accelsim_file *file, uint32_t stream,
                                        struct wm_error *error);

#endif
