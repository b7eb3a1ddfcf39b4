#include "mem/system/memory_spec_check_parts.h"

#include "base/text/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct wm_spec_number wm_spec_bytes(uint64_t value)
{
    struct wm_spec_number printed;
    wm_units_print(value, WM_QUANTITY_BYTES, printed.text, sizeof printed.text);
    return printed;
}

static uint64_t number_in(const struct wm_spec_field *field)
{
    uint32_t number;
    if (field->bytes == sizeof(uint64_t))
        return *(const uint64_t *)field->at;
    memcpy(&number, field->at, sizeof number);
    return number;
}

// In the quantity that the field's name ends in.
static struct wm_spec_number number_of(const struct wm_spec_field *field, uint64_t number)
{
    const char *last = strrchr(field->member, '_');
    if (last != NULL && strcmp(last, "_bytes") == 0)
        return wm_spec_bytes(number);
    struct wm_spec_number printed;
    snprintf(printed.text, sizeof printed.text, "%" PRIu64, number);
    return printed;
}

static struct wm_spec_number name_of(const struct wm_spec_check *check,
                                     const struct wm_spec_field *field)
{
    struct wm_spec_number printed;
    size_t offset = (size_t)((const char *)field->at - (const char *)check->spec);
    if (check->name_of != NULL &&
        check->name_of(check->context, offset, printed.text, sizeof printed.text))
        return printed;
    bool of_cache = strncmp(field->member, "cache.", 6) == 0; // a level and its caches are one
    snprintf(printed.text, sizeof printed.text, "%s%s%s", field->group ? field->group : "",
             field->group ? "." : "", field->member + (of_cache ? 6 : 0));
    return printed;
}

enum { LONGEST_TEXT = 512 };

static void fill_in(const struct wm_spec_check *check, const char *format, va_list arguments,
                    char text[LONGEST_TEXT])
{
    char raw[LONGEST_TEXT];
    size_t used = 0;
    vsnprintf(raw, sizeof raw, format, arguments);
    for (const char *at = raw; *at != '\0' && used + 1 < LONGEST_TEXT;) {
        if (at[0] != '{') {
            text[used++] = *at++;
            continue;
        }
        const struct wm_spec_field *field = &check->fields[at[1] - '0'];
        bool valued = at[2] == '=';
        int length =
            snprintf(text + used, LONGEST_TEXT - used, "%s%s%s%s", name_of(check, field).text,
                     valued ? " (" : "", valued ? number_of(field, number_in(field)).text : "",
                     valued ? ")" : "");
        used += (size_t)length < LONGEST_TEXT - used ? (size_t)length : LONGEST_TEXT - used - 1;
        at += valued ? 4 : 3;
    }
    text[used] = '\0';
}

void wm_spec_refuse(struct wm_spec_check *check, const struct wm_spec_field *fields, size_t count,
                    const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    memcpy(check->fields, fields, count * sizeof *fields);
    check->field_count = (uint32_t)count;
    va_start(arguments, format);
    fill_in(check, format, arguments, text);
    va_end(arguments);
    wm_fail(check->error, WM_INVALID, "%s", text);
}

enum wm_status wm_spec_cure(const struct wm_spec_check *check, const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    fill_in(check, format, arguments, text);
    va_end(arguments);
    return wm_error_hint(check->error, "%s", text);
}

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

enum wm_status wm_spec_check_range(struct wm_spec_check *check, struct wm_spec_field field,
                                   uint64_t low, uint64_t high, enum wm_spec_steps steps)
{
    uint64_t value = number_in(&field);
    if (value >= low && value <= high && (steps == WM_SPEC_ANY || is_power_of_two(value)))
        return WM_OK;
    wm_spec_refuse(check, &field, 1, "{0=} is out of range");
    return wm_spec_cure(check, "give %s to %s%s", number_of(&field, low).text,
                        number_of(&field, high).text,
                        steps == WM_SPEC_POWERS_OF_TWO ? ", a power of two" : "");
}
