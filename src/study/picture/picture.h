// The picture of a machine: boxes, wires and labels on a grid of characters, which a terminal shows
// as they are (terminal.c) and a page scaled (svg.c). layout.c makes it.
#ifndef WM_STUDY_PICTURE_PICTURE_H
#define WM_STUDY_PICTURE_PICTURE_H

#include "base/text/text.h"
#include "machine/machine.h"
#include "mem/graph/memory_graph.h"

#include <stdint.h>

enum {
    WM_PICTURE_WIDTH = 80, // most columns
    WM_PICTURE_LINES = 12, // of one box
    WM_PICTURE_LINE_BYTES = 128,
    WM_PICTURE_BOXES = WM_MEMORY_GRAPH_COMPONENTS,
    WM_PICTURE_WIRES = 2 * WM_MEMORY_GRAPH_LINKS,
};

// What is drawn: a machine, the graph of its memory system, and the peak of all its channels.
struct wm_drawn_machine {
    const struct wm_machine *machine; // borrowed
    struct wm_memory_graph graph;
    double memory_bytes_per_second;
};

// Places are of characters: column and row from 0. A box's border counts.
struct wm_picture_box {
    uint32_t x, y, width, height;
    uint32_t line_count; // the first is its title
    char lines[WM_PICTURE_LINES][WM_PICTURE_LINE_BYTES];
};

// A straight line from the middle of one character to that of another, down or to the right.
struct wm_picture_wire {
    uint32_t x, y, to_x, to_y;
};

struct wm_picture_label {
    uint32_t x, y;
    char text[WM_PICTURE_LINE_BYTES];
};

struct wm_picture {
    uint32_t width, height, box_count, wire_count, label_count;
    struct wm_picture_box boxes[WM_PICTURE_BOXES];
    struct wm_picture_wire wires[WM_PICTURE_WIRES];
    struct wm_picture_label labels[WM_PICTURE_WIRES];
};

// Fills `drawn` from a machine, which must outlive it. WM_INVALID when the keys of its DRAM do not
// fit together, which wm_machine_load has checked.
enum wm_status wm_drawn_machine_of(const struct wm_machine *machine, struct wm_drawn_machine *drawn,
                                   struct wm_error *error);

// Where everything of a machine lies (layout.c): units above, memory below, and from one to the
// other what data accesses pass at the left, what units reach beside it at the right.
void wm_picture_lay_out(const struct wm_drawn_machine *drawn, struct wm_picture *picture);

// Appends it in box-drawing characters, with no blanks at line ends.
void wm_picture_print(const struct wm_picture *picture, struct wm_text *text);
// The same as an SVG image, whose colours follow the reader's light or dark scheme. `title` may be
// any bytes.
void wm_picture_svg(const struct wm_picture *picture, const char *title, struct wm_text *text);
// The graph itself as a JSON object, with a newline behind it; out of memory is the text's failure.
void wm_drawn_machine_json(const struct wm_drawn_machine *drawn, struct wm_text *text);

#endif
