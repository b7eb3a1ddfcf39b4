#include "study/page/page_json.h"

// Markup stands in strings only, where an escape means the same character.
static int put(const char *text, size_t length, void *stream)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(stream, "\\u%04x", (unsigned)text[i]);
        else
            fputc(text[i], stream);
    return 0;
}

bool wm_page_json(FILE *stream, json_t *value)
{
    bool good = value != NULL &&
                json_dump_callback(value, put, stream,
                                   JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) == 0;
    json_decref(value);
    return good;
}
