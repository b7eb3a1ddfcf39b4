#include "study/page/machine_picture.h"

#include "study/format/html_text.h"
#include "study/picture/picture.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// What it takes to draw: too much for a stack.
struct drawing {
    struct wm_machine machine;
    struct wm_drawn_machine drawn;
    struct wm_picture picture;
};

enum wm_status wm_page_picture_make(const char *description, struct wm_arena *arena,
                                    const char **svg, struct wm_error *error)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    struct wm_text text;
    *svg = NULL;
    if (drawing == NULL)
        return wm_fail_no_memory(error, "a machine's picture");
    wm_text_init(&text);
    bool is_known = wm_machine_read(description, strlen(description), "", NULL, 0,
                                    &drawing->machine, NULL) == WM_OK &&
                    wm_drawn_machine_of(&drawing->machine, &drawing->drawn, NULL) == WM_OK;
    if (is_known) {
        wm_picture_lay_out(&drawing->drawn, &drawing->picture);
        wm_picture_svg(&drawing->picture, "the machine", &text);
        *svg = text.failed ? NULL : wm_arena_copy_text(arena, text.data, text.length);
    }
    wm_text_release(&text);
    free(drawing);
    return is_known && *svg == NULL ? wm_fail_no_memory(error, "a machine's picture") : WM_OK;
}

// As a URL (RFC 2397), so that no style of it is the page's: what could be markup or mean something
// else in a URL by its number.
void wm_page_picture_put(FILE *stream, const char *svg, const char *alternative)
{
    fputs("<img class=picture alt=\"", stream);
    wm_html_text(stream, alternative);
    fputs("\" src=\"data:image/svg+xml,", stream);
    for (const char *at = svg; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x80 && (isalnum(byte) || strchr("-._~/:=,;() ", byte) != NULL))
            fputc(byte, stream);
        else
            fprintf(stream, "%%%02X", byte);
    }
    fputs("\">\n", stream);
}
