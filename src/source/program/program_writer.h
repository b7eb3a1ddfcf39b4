// Programs and shared libraries written anew with other PTX in place of what is embedded in them.
//
// A container with longer PTX does not fit where the old one lay. So all of them go to the end of
// the file, in a segment of their own behind the others, and what pointed to the old ones, the
// wrappers that a program registers (and the relocations of these, in position-independent code),
// points there. Wrappers are found by what they are, not by a section's name: section headers may
// be missing. Where there are some, those of device code name the new place. The old bytes are
// zeroed, so nothing reads outdated code.
//
// The table of program headers gets an entry in place of one that loaders do not need (PT_NULL,
// PT_NOTE), or, where there is none, moves to the new segment.
//
// libelf, which is there for other reasons, would not make this shorter: it translates tables for
// other machines, but neither finds room for a segment nor moves what pointed to the old places.
#ifndef WM_SOURCE_PROGRAM_PROGRAM_WRITER_H
#define WM_SOURCE_PROGRAM_PROGRAM_WRITER_H

#include "source/program/elf_file.h"
#include "source/program/fatbinary_writer.h"

struct wm_program_rewritten {
    uint32_t wrappers;                   // found in the program
    struct wm_fatbinary_rewritten total; // over all containers
};

// Appends the whole new file to `bytes`, empty before. Code linked across files (-rdc=true) loses
// its linked machine code when PTX of a part has changed. A file in which nothing changes is
// copied.
//
// Errors without a place: WM_INVALID for what is no program or shared library, or has device code
// that cannot be read; WM_UNSUPPORTED for another processor's; WM_NOT_FOUND when it has no wrapper,
// or no PTX; WM_UNSUPPORTED when a wrapper's address is only known when the program is loaded;
// errors of the rewriter; WM_NO_MEMORY.
enum wm_status wm_program_rewrite(const struct wm_elf_file *file,
                                  const struct wm_ptx_rewriter *rewriter, struct wm_text *bytes,
                                  struct wm_program_rewritten *rewritten, struct wm_error *error);

// Writes `bytes` to `path` with the permissions of the file `like`: whole or not at all
// (base/files/output_file.h). WM_IO, WM_NO_MEMORY.
enum wm_status wm_program_write(const struct wm_text *bytes, const char *like, const char *path,
                                struct wm_error *error);

// Both: reads the program at `path_in`, which may be `path_out`. Errors have the place `path_in`,
// or say that `path_out` cannot be written.
enum wm_status wm_program_rewrite_ptx(const char *path_in, const char *path_out,
                                      const struct wm_ptx_rewriter *rewriter,
                                      struct wm_program_rewritten *rewritten,
                                      struct wm_error *error);

#endif
