// What the boxes of a machine's picture say. Private to study/picture/.
#ifndef WM_STUDY_PICTURE_BOX_WORDS_H
#define WM_STUDY_PICTURE_BOX_WORDS_H

#include "study/picture/picture.h"

enum { WM_NUMBER_BYTES = 32 };

// Rounded for people; return `buffer`.
const char *wm_bytes_text(double bytes, char buffer[WM_NUMBER_BYTES]);
const char *wm_rate_text(double rate, char buffer[WM_NUMBER_BYTES]);
// What the units of a place are called.
const char *wm_unit_word(const struct wm_drawn_machine *drawn, enum wm_level_place place);

// Adds a few words to the last line of a box, or, where they do not fit, to new ones.
void wm_box_add(struct wm_picture_box *box, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// What is added next begins a line.
void wm_box_next_line(struct wm_picture_box *box);
// Sets its height, without an empty last line; returns the row below. May be called again.
uint32_t wm_box_finish(struct wm_picture_box *box);

// Adds what the table says of a component; of the interconnect that a link goes through.
void wm_box_fill(const struct wm_drawn_machine *drawn, struct wm_picture_box *box, uint32_t index);
void wm_box_fill_network(const struct wm_drawn_machine *drawn, struct wm_picture_box *box,
                         const struct wm_memory_link *link);

#endif
