#include "exec/device_runtime/device_output.h"

#include <string.h>

static void lose(struct wm_device_output *output, size_t bytes)
{
    struct wm_text *text = &output->text;
    memmove(text->data, text->data + bytes, text->length - bytes + 1);
    text->length -= bytes;
    output->lost += bytes;
}

// Moving what is left each time that a byte too many comes would take the square of the output's
// length: twice the limit may wait.
void wm_device_output_add(struct wm_device_output *output, const char *text, size_t length)
{
    wm_text_append(&output->text, text, length);
    if (!output->text.failed && output->text.length / 2 > output->limit)
        lose(output, output->text.length - (size_t)output->limit);
}

void wm_device_output_end(struct wm_device_output *output)
{
    struct wm_text *text = &output->text;
    if (text->failed || text->length == 0)
        return;
    if (text->length > output->limit)
        lose(output, text->length - (size_t)output->limit);
    if (output->lost == 0)
        return;
    const char *line = memchr(text->data, '\n', text->length);
    lose(output, line != NULL ? (size_t)(line + 1 - text->data) : text->length);
}

void wm_device_output_release(struct wm_device_output *output)
{
    wm_text_release(&output->text);
    *output = (struct wm_device_output){.limit = output->limit};
}
