// JSON in a page: data for its scripts, in an element that no text can end. Private to study/.
#ifndef WM_STUDY_PAGE_PAGE_JSON_H
#define WM_STUDY_PAGE_PAGE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Writes a value on one line, with the bytes that markup is made of as \u escapes, and drops it.
// False when the value is NULL (which failed constructors give) or memory was short.
bool wm_page_json(FILE *stream, json_t *value);

#endif
