// Texts that may be any bytes, as JSON values.
#ifndef WM_STUDY_JSON_TEXT_H
#define WM_STUDY_JSON_TEXT_H

#include <jansson.h>

// JSON is UTF-8; a name from PTX may be any bytes. What jansson refuses is spelled out: each byte
// that is not ASCII becomes U+FFFD. null for NULL; NULL when out of memory.
json_t *wm_json_text(const char *text);

#endif
