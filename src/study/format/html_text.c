#include "study/format/html_text.h"

#include <stddef.h>

const char *wm_markup_entity(char character)
{
    switch (character) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    default: return NULL;
    }
}

void wm_html_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = wm_markup_entity(*text);
        if (entity != NULL)
            fputs(entity, stream);
        else if ((unsigned char)*text >= 0x20 || *text == '\t' || *text == '\n')
            fputc(*text, stream);
    }
}
