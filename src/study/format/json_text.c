#include "study/format/json_text.h"

#include "base/text/text.h"

#include <stdlib.h>

json_t *wm_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    struct wm_text safe;
    wm_text_init(&safe);
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x80)
            wm_text_append(&safe, text, 1);
        else
            wm_text_add(&safe, "\xEF\xBF\xBD");
    value = safe.failed ? NULL : json_string(safe.data);
    wm_text_release(&safe);
    return value;
}

json_t *wm_json_numbers(const struct wm_counter_set *set, const double *values)
{
    json_t *object = json_object();
    for (size_t i = 0; i < set->count; i++)
        if (json_object_set_new(object, set->declarations[i].name, json_real(values[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

json_t *wm_json_place(const char *file, uint32_t line)
{
    json_t *object = json_object();
    if (json_object_set_new(object, "file", wm_json_text(file)) == 0 &&
        json_object_set_new(object, "line", json_integer((json_int_t)line)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *wm_json_places(const struct wm_source_location *places, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        if (json_array_append_new(list, wm_json_place(places[i].file, places[i].line)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

void wm_json_print(json_t *value, unsigned digits, struct wm_text *text)
{
    char *dumped =
        value != NULL ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) : NULL;
    text->failed |= dumped == NULL;
    wm_text_add(text, dumped != NULL ? dumped : "");
    wm_text_add(text, "\n");
    free(dumped);
    json_decref(value);
}
