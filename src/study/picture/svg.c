// The picture as an SVG image: text, so that it can be read, searched and changed. Written here, as
// it is some thirty lines; a character of the grid is a cell of so many pixels.
#include "study/format/html_text.h"
#include "study/picture/picture.h"

#include <inttypes.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, MARGIN = 8, BASELINE = 14 };

// Colours by the reader's scheme, also in a page that shows the image; sizes in pixels of the
// image, whose width is that of a paragraph.
static const char style[] =
    "<style>\n"
    "svg{--paper:#ffffff;--panel:#f2f5f9;--ink:#1c2430;--dim:#4d5966;--line:#6b7785}\n"
    "@media(prefers-color-scheme:dark){svg{--paper:#14181d;--panel:#1f262e;--ink:#e8edf2;"
    "--dim:#aab5c0;--line:#8592a0}}\n"
    "text{font:14px system-ui,sans-serif;fill:var(--ink)}\n"
    ".title{font-weight:600}\n"
    ".rate{fill:var(--dim)}\n"
    ".paper{fill:var(--paper)}\n"
    ".box{fill:var(--panel);stroke:var(--line);stroke-width:1.5}\n"
    ".wire{stroke:var(--line);stroke-width:2;fill:none}\n"
    "</style>\n";

// The middle of a character.
static uint32_t middle_x(uint32_t x)
{
    return MARGIN + x * CELL_WIDTH + CELL_WIDTH / 2;
}

static uint32_t middle_y(uint32_t y)
{
    return MARGIN + y * CELL_HEIGHT + CELL_HEIGHT / 2;
}

// No byte of it is markup; XML has no control characters.
static void add_escaped(const char *words, struct wm_text *text)
{
    for (; *words != '\0'; words++) {
        const char *entity = wm_markup_entity(*words);
        if (entity != NULL)
            wm_text_add(text, entity);
        else if ((unsigned char)*words >= ' ')
            wm_text_append(text, words, 1);
    }
}

static void add_words(const char *class, uint32_t x, uint32_t y, const char *words,
                      struct wm_text *text)
{
    wm_text_format(text, "<text class=\"%s\" x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">", class,
                   MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT + BASELINE);
    add_escaped(words, text);
    wm_text_add(text, "</text>\n");
}

static void add_box(const struct wm_picture_box *box, struct wm_text *text)
{
    wm_text_format(text,
                   "<rect class=\"box\" rx=\"4\" x=\"%" PRIu32 "\" y=\"%" PRIu32
                   "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
                   middle_x(box->x), middle_y(box->y), (box->width - 1) * CELL_WIDTH,
                   (box->height - 1) * CELL_HEIGHT);
    for (uint32_t i = 0; i < box->line_count; i++)
        add_words(i == 0 ? "title" : "fact", box->x + 2, box->y + 1 + i, box->lines[i], text);
}

void wm_picture_svg(const struct wm_picture *picture, const char *title, struct wm_text *text)
{
    uint32_t width = 2 * MARGIN + picture->width * CELL_WIDTH;
    uint32_t height = 2 * MARGIN + picture->height * CELL_HEIGHT;
    wm_text_format(text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32
                   "\" height=\"%" PRIu32 "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32
                   "\" role=\"img\">\n<title>",
                   width, height, width, height);
    add_escaped(title, text);
    wm_text_format(text, "</title>\n%s<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
                   style);
    for (uint32_t i = 0; i < picture->wire_count; i++) {
        const struct wm_picture_wire *wire = &picture->wires[i];
        wm_text_format(
            text, "<path class=\"wire\" d=\"M%" PRIu32 " %" PRIu32 "L%" PRIu32 " %" PRIu32 "\"/>\n",
            middle_x(wire->x), middle_y(wire->y), middle_x(wire->to_x), middle_y(wire->to_y));
    }
    for (uint32_t i = 0; i < picture->box_count; i++)
        add_box(&picture->boxes[i], text);
    for (uint32_t i = 0; i < picture->label_count; i++)
        add_words("rate", picture->labels[i].x, picture->labels[i].y, picture->labels[i].text,
                  text);
    wm_text_add(text, "</svg>\n");
}
