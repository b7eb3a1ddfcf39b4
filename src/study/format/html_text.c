#include "study/format/html_text.h"

void wm_html_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default:
            if ((unsigned char)*text >= 0x20 || *text == '\t' || *text == '\n')
                fputc(*text, stream);
        }
}
