// The width of UTF-8 text in tables for people: a code point counts as one column.
#ifndef WM_BASE_TEXT_WIDTH_H
#define WM_BASE_TEXT_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

// Whether the byte is not the first of its character.
static inline bool wm_continues_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// Columns of the first `length` bytes.
static inline unsigned wm_text_width(const char *bytes, size_t length)
{
    unsigned width = 0;
    for (size_t i = 0; i < length; i++)
        width += !wm_continues_character(bytes[i]);
    return width;
}

#endif
