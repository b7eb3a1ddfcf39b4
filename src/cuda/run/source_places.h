// Where in its source the running program is, by its debugging information.
#ifndef WM_CUDA_RUN_SOURCE_PLACES_H
#define WM_CUDA_RUN_SOURCE_PLACES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

enum { WM_SOURCE_PLACE_BYTES = 256 };

struct wm_source_places {
    Dwfl *dwfl; // owned; NULL: symbols cannot be read
};

void wm_source_places_open(struct wm_source_places *places);
void wm_source_places_close(struct wm_source_places *places);
// Of the call that returns to `frame`, into WM_SOURCE_PLACE_BYTES: "main, app.cu:12"; "main (app)"
// without lines; "app" without symbols, and false.
bool wm_source_place_of(const struct wm_source_places *places, const void *frame, char *place);
// The same; of a call without a line, as a compiler adds them, of the instruction behind it.
void wm_source_place_behind(const struct wm_source_places *places, const void *frame, char *place);

#endif
