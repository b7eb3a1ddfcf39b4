// A recording on disk: a head, then sections one after the other, each with its own length and
// checksum, and an index at the end (docs/formats/recording.md). It is written as a stream, so that
// what ends the writer's process leaves all sections before the last one readable.
//
// Thread rules: one file is used by one thread at a time, but wm_section_read, which may be called
// by several. Private to trace/.
#ifndef WM_TRACE_SECTION_SECTION_FILE_H
#define WM_TRACE_SECTION_SECTION_FILE_H

#include "base/files/output_file.h"
#include "trace/section/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_RECORDING_VERSION = 1 };

enum wm_section_type {
    WM_SECTION_HEADER = 1, // what was recorded, with what
    WM_SECTION_PTX,        // text of one module
    WM_SECTION_CODE,       // one kernel: its instructions
    WM_SECTION_EVENTS,     // what happened between launches
    WM_SECTION_LAUNCH,     // a launch begins
    WM_SECTION_FRAME,      // streams of warps
    WM_SECTION_LAUNCH_END, // a launch is complete
    WM_SECTION_INDEX,      // where the sections are; the last one
    WM_SECTION_ORDER,      // what follows may say what it is ordered behind
    WM_SECTION_CORES,      // the program's CPU threads begin, as a launch does
    WM_SECTION_TURNS,      // in which order they had their turns
    WM_SECTION_NAMES,      // of parts of the program's memory
    WM_SECTION_TYPES,
};

enum {
    WM_SECTION_HEAD_BYTES = 16,
    WM_SECTION_HEADER_BYTES = 40,
    WM_SECTION_TAIL_BYTES = 16,
    WM_SECTION_MOST_BYTES = 1 << 28, // of one section before compression
};

// Where a section is.
struct wm_section {
    enum wm_section_type type;
    uint64_t offset;       // of its header in the file
    uint64_t stored_bytes; // of its content, as it lies there
    uint64_t bytes;        // of its content
};

struct wm_section_list {
    struct wm_section *sections; // owned
    uint64_t count, capacity;
};
// False when memory runs out.
bool wm_section_list_append(struct wm_section_list *list, const struct wm_section *section);

struct wm_section_writer;

// WM_IO; WM_NO_MEMORY. `way`: whether the file is at its place from the beginning, or when it is
// finished. `level` is zstd's, -100 to 19.
enum wm_status wm_section_writer_new(const char *path, enum wm_output_mode way, int level,
                                     struct wm_section_writer **writer, struct wm_error *error);
// Compresses, and hands it to the system at once.
enum wm_status wm_section_write(struct wm_section_writer *writer, enum wm_section_type type,
                                const struct wm_bytes *content, struct wm_error *error);
// Writes the index and closes the file.
enum wm_status wm_section_writer_finish(struct wm_section_writer *writer, struct wm_error *error);
// Without finishing: no file stays.
void wm_section_writer_free(struct wm_section_writer *writer);
uint64_t wm_section_writer_bytes(const struct wm_section_writer *writer);

struct wm_section_file {
    int descriptor;
    uint64_t file_bytes;
    char path[4096];
    struct wm_section_list list; // without the index
    bool complete;               // false: there is no valid index; the list is what was found
    uint64_t readable_bytes;     // where the sections that were found end
};

// Finds the sections by the index, or one by one where it is missing. WM_NOT_FOUND, WM_IO;
// WM_INVALID for what is no recording; WM_UNSUPPORTED for another version.
enum wm_status wm_section_file_open(struct wm_section_file *file, const char *path,
                                    struct wm_error *error);
// A second reader of an open file, which may have no name any more; each is closed by itself.
enum wm_status wm_section_file_open_again(struct wm_section_file *file,
                                          const struct wm_section_file *opened,
                                          struct wm_error *error);
void wm_section_file_close(struct wm_section_file *file);
// Writes a section of another file as it is stored there. WM_INVALID when it is damaged; WM_IO.
enum wm_status wm_section_copy(struct wm_section_writer *writer, const struct wm_section_file *file,
                               const struct wm_section *section, struct wm_error *error);
// The content of a section as it is stored; `stored` is reused. WM_INVALID when it is damaged.
enum wm_status wm_section_read_stored(const struct wm_section_file *file,
                                      const struct wm_section *section, struct wm_bytes *stored,
                                      struct wm_error *error);
// The content of one section; `content` is reused. WM_INVALID when it is damaged.
enum wm_status wm_section_read(const struct wm_section_file *file, const struct wm_section *section,
                               struct wm_bytes *content, struct wm_error *error);

#endif
