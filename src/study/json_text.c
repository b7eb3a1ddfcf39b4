#include "study/json_text.h"

#include "base/text.h"

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
