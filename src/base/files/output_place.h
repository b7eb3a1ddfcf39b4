// What the name of an output means: a file, which is replaced as a whole, or something that is
// written as it stands (a device, a pipe, a descriptor that the process has open).
#ifndef WM_BASE_OUTPUT_PLACE_H
#define WM_BASE_OUTPUT_PLACE_H

#include "base/error.h"

#include <stdbool.h>

// "-" is standard output, wherever an output is named.
#define WM_OUTPUT_STANDARD "-"

struct wm_output_place {
    int descriptor; // the one that is named: "-", "/dev/stdout", "/dev/fd/3"; else -1
    bool in_place;  // a descriptor, a device, a pipe: nothing is moved there
    bool exists;    // there is something of that name
    unsigned mode;  // permissions of the file that is there
    unsigned owner, group;
    char *target; // owned: the name with the symbolic links of its last part followed, of a
                  // descriptor up to the descriptor's
};

// WM_IO with the operating system's reason, for what can never be written: a folder, a file without
// permission, a name in a folder that is not there or takes no new file. Nothing is opened, so a
// command looks before it begins its work. WM_NO_MEMORY. `place` is to be released in any case.
enum wm_status wm_output_place_find(struct wm_output_place *place, const char *path,
                                    struct wm_error *error);
void wm_output_place_release(struct wm_output_place *place);
// Whether two outputs would be one file, pipe or descriptor, by whatever links and names: then one
// of them is lost or both are mixed. Not so for devices.
bool wm_output_places_are_one(const struct wm_output_place *a, const struct wm_output_place *b);

// Whether the name is of something written in place; false for what cannot be written.
bool wm_output_is_in_place(const char *path);

// The error that every output has: what, the operating system's reason, and what to do about it.
enum wm_status wm_output_refused(const char *path, int reason, struct wm_error *error);
// errno of such an error, the last one of this thread; 0 for an error of another kind.
int wm_output_error_reason(const struct wm_error *error);
// Adds what to do about such a reason, where there is something; `error` is not NULL.
void wm_output_hint(int reason, struct wm_error *error);

#endif
