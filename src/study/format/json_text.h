// Texts that may be any bytes, and numbers by name, as JSON values.
#ifndef WM_STUDY_FORMAT_JSON_TEXT_H
#define WM_STUDY_FORMAT_JSON_TEXT_H

#include "base/names/counters.h"
#include "base/names/source_location.h"
#include "base/text/text.h"

#include <jansson.h>

// JSON is UTF-8; a name from PTX may be any bytes. What jansson refuses is spelled out: each byte
// that is not ASCII becomes U+FFFD. null for NULL; NULL when out of memory.
json_t *wm_json_text(const char *text);
// An object of the set's numbers by name; NULL when out of memory.
json_t *wm_json_numbers(const struct wm_counter_set *set, const double *values);
// {"file": …, "line": …}; NULL when out of memory.
json_t *wm_json_place(const char *file, uint32_t line);
// A list of these.
json_t *wm_json_places(const struct wm_source_location *places, uint32_t count);

// Takes over `value`, and appends it indented, with so many digits of a number that is not whole
// and a newline. Out of memory, `value` NULL too, is the text's failure.
void wm_json_print(json_t *value, unsigned digits, struct wm_text *text);

#endif
