// Fat binaries written anew with other PTX in place of what they hold (source/program/fatbinary.h
// reads them). Private to source/program/.
#ifndef WM_SOURCE_PROGRAM_FATBINARY_WRITER_H
#define WM_SOURCE_PROGRAM_FATBINARY_WRITER_H

#include "base/text/text.h"
#include "source/program/fatbinary.h"

// Given the text of a PTX image (NUL-terminated, `length` bytes without the NUL), appends the text
// that is to stand in its place. One that is the same to the byte leaves the image as it is.
struct wm_ptx_rewriter {
    enum wm_status (*rewrite)(void *context, const char *text, uint64_t length,
                              struct wm_text *rewritten, struct wm_error *error);
    void *context;
};

struct wm_fatbinary_rewritten {
    uint32_t modules, changed; // PTX images, and those whose text is another now
    uint32_t machine_code;     // images of machine code, the dropped ones too
    uint32_t dropped;          // of these, images that are left out
    bool relocatable;          // a changed one was compiled to be linked with others (-rdc=true)
};

// Appends the container at `data` (at most `available` bytes are readable), or the PTX text that
// stands for one, with its PTX rewritten; adds to *rewritten. An image keeps its place, name,
// options and kind of compression. Machine code goes whose PTX has changed: that of a GPU for which
// a driver, without it, would compile the changed text, the newest that is not newer than the GPU.
// `all_code`: all machine code goes.
//
// WM_INVALID for a container that cannot be read; errors of the rewriter; WM_NO_MEMORY.
enum wm_status wm_fatbinary_rewrite(const uint8_t *data, uint64_t available,
                                    const struct wm_ptx_rewriter *rewriter, bool all_code,
                                    struct wm_text *bytes, struct wm_fatbinary_rewritten *rewritten,
                                    struct wm_error *error);

#endif
