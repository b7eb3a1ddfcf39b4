// The picture in characters: a cell of the canvas is a character of a text, or has lines to some
// of its four neighbours.
#include "base/text/text_width.h"
#include "study/picture/picture.h"

#include <stdlib.h>
#include <string.h>

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, CHARACTER_BYTES = 4 };

struct cell {
    uint8_t lines;
    char character[CHARACTER_BYTES + 1]; // empty: none
};

// By the neighbours that there are lines to.
static const char *const shapes[16] = {
    " ", "╵", "╷", "│", "╴", "┘", "┐", "┤", "╶", "└", "┌", "├", "─", "┴", "┬", "┼",
};

static struct cell *at(const struct wm_picture *picture, struct cell *cells, uint32_t x, uint32_t y)
{
    return &cells[(size_t)y * picture->width + x];
}

static void draw_wire(const struct wm_picture *picture, struct cell *cells, uint32_t x, uint32_t y,
                      uint32_t to_x, uint32_t to_y)
{
    for (uint32_t i = y; i < to_y; i++) {
        at(picture, cells, x, i)->lines |= DOWN;
        at(picture, cells, x, i + 1)->lines |= UP;
    }
    for (uint32_t i = x; i < to_x; i++) {
        at(picture, cells, i, y)->lines |= RIGHT;
        at(picture, cells, i + 1, y)->lines |= LEFT;
    }
}

// What does not fit is left out.
static void draw_text(const struct wm_picture *picture, struct cell *cells, uint32_t x, uint32_t y,
                      uint32_t most, const char *text)
{
    for (uint32_t i = 0; *text != '\0' && i < most && x + i < picture->width; i++) {
        struct cell *cell = at(picture, cells, x + i, y);
        size_t length = 1;
        while (wm_continues_character(text[length]) && length < CHARACTER_BYTES)
            length++;
        memcpy(cell->character, text, length);
        cell->character[length] = '\0';
        text += length;
    }
}

static void draw_box(const struct wm_picture *picture, struct cell *cells,
                     const struct wm_picture_box *box)
{
    uint32_t right = box->x + box->width - 1, bottom = box->y + box->height - 1;
    draw_wire(picture, cells, box->x, box->y, right, box->y);
    draw_wire(picture, cells, box->x, bottom, right, bottom);
    draw_wire(picture, cells, box->x, box->y, box->x, bottom);
    draw_wire(picture, cells, right, box->y, right, bottom);
    for (uint32_t i = 0; i < box->line_count; i++)
        draw_text(picture, cells, box->x + 2, box->y + 1 + i, box->width - 4, box->lines[i]);
}

static const char *spelled(const struct cell *cell)
{
    return cell->character[0] != '\0' ? cell->character : shapes[cell->lines];
}

void wm_picture_print(const struct wm_picture *picture, struct wm_text *text)
{
    struct cell *cells = calloc((size_t)picture->width * picture->height, sizeof *cells);
    text->failed |= cells == NULL;
    if (cells == NULL)
        return;
    for (uint32_t i = 0; i < picture->box_count; i++)
        draw_box(picture, cells, &picture->boxes[i]);
    for (uint32_t i = 0; i < picture->wire_count; i++) {
        const struct wm_picture_wire *wire = &picture->wires[i];
        draw_wire(picture, cells, wire->x, wire->y, wire->to_x, wire->to_y);
    }
    for (uint32_t i = 0; i < picture->label_count; i++) {
        const struct wm_picture_label *label = &picture->labels[i];
        draw_text(picture, cells, label->x, label->y, picture->width, label->text);
    }
    for (uint32_t y = 0; y < picture->height; y++) {
        uint32_t end = picture->width;
        while (end > 0 && strcmp(spelled(at(picture, cells, end - 1, y)), " ") == 0)
            end--;
        for (uint32_t x = 0; x < end; x++)
            wm_text_add(text, spelled(at(picture, cells, x, y)));
        wm_text_add(text, "\n");
    }
    free(cells);
}
