#include "machine/entry_value.h"

#include "base/text/nearest.h"

#include <inttypes.h>
#include <string.h>

const void *wm_entry_at(const struct wm_machine_key *key, const struct wm_plugins *plugins,
                        size_t index)
{
    size_t own = 0;
    for (; own <= index; own++)
        if (!key->kind->at(own))
            return key->kind->plugged ? key->kind->plugged(plugins, index - own) : NULL;
    return key->kind->at(index);
}

// What is being read: the parameters of one entry.
struct reading {
    const struct wm_machine_key *key;
    const char *entry;
    const struct wm_parameter *parameters;
    size_t count;
    struct wm_entry_values values;
};

static enum wm_status unknown_parameter(const struct reading *reading, const char *name,
                                        struct wm_error *error)
{
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    for (size_t i = 0; i < reading->count; i++)
        wm_nearest_offer(&nearest, reading->parameters[i].name);
    wm_fail(error, WM_INVALID, "%s: %s has no parameter \"%s\"", reading->key->path, reading->entry,
            name);
    return nearest.best ? wm_error_hint(error, "did you mean %s?", nearest.best)
                        : wm_error_hint(error, "\"warpmem explain %s\" lists its parameters",
                                        reading->entry);
}

static enum wm_status store(struct reading *reading, const char *name, const char *number,
                            struct wm_error *error)
{
    size_t at = 0;
    while (at < reading->count && strcmp(reading->parameters[at].name, name) != 0)
        at++;
    if (at == reading->count)
        return unknown_parameter(reading, name, error);
    const struct wm_parameter *parameter = &reading->parameters[at];
    struct wm_error inner;
    uint64_t value;
    if (reading->values.given >> at & 1)
        return wm_fail(error, WM_INVALID, "%s: %s is given twice", reading->key->path, name);
    if (wm_units_parse(number, WM_QUANTITY_COUNT, &value, &inner) != WM_OK) {
        wm_fail(error, WM_INVALID, "%s: %s: %s", reading->key->path, name, inner.message);
        return wm_error_hint(error, "%s", inner.hint);
    }
    if (value < parameter->minimum || value > parameter->maximum) {
        wm_fail(error, WM_INVALID, "%s: %s=%s is out of range", reading->key->path, name, number);
        return wm_error_hint(error, "legal is %" PRIu64 " to %" PRIu64, parameter->minimum,
                             parameter->maximum);
    }
    reading->values.values[at] = value;
    reading->values.given |= UINT32_C(1) << at;
    return WM_OK;
}

static enum wm_status malformed(const struct reading *reading, const char *text,
                                struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s: \"%s\" does not follow an entry's name", reading->key->path,
            text);
    return wm_error_hint(error, "write parameters like %s(NAME=NUMBER, NAME=NUMBER)",
                         reading->entry);
}

// Copies what lies before `end`, without the blanks around it. False when it is empty or too long.
static bool cut(const char *text, const char *end, char *word, size_t size)
{
    while (text < end && *text == ' ')
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    size_t length = (size_t)(end - text);
    if (length == 0 || length >= size)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return true;
}

static enum wm_status read_list(struct reading *reading, const char *text, struct wm_error *error)
{
    size_t length = strlen(text);
    if (text[0] != '(' || text[length - 1] != ')')
        return malformed(reading, text, error);
    const char *last = text + length - 1;
    for (const char *p = text + 1; p <= last;) {
        size_t part = strcspn(p, ",");
        const char *end = p + part < last ? p + part : last;
        const char *equals = memchr(p, '=', (size_t)(end - p));
        char name[64], number[64];
        if (!equals || !cut(p, equals, name, sizeof name) ||
            !cut(equals + 1, end, number, sizeof number))
            return malformed(reading, text, error);
        WM_TRY(store(reading, name, number, error));
        p = end + 1;
    }
    return WM_OK;
}

enum wm_status wm_entry_read_values(const struct wm_machine_key *key, const void *entry,
                                    const char *text, struct wm_machine *machine,
                                    struct wm_error *error)
{
    struct reading reading = {.key = key, .entry = key->kind->name(entry)};
    if (key->kind->parameters && key->values_offset)
        reading.parameters = key->kind->parameters(entry, &reading.count);
    if (text[0])
        WM_TRY(read_list(&reading, text, error));
    if (key->values_offset)
        memcpy((char *)machine + key->values_offset, &reading.values, sizeof reading.values);
    return WM_OK;
}

void wm_entry_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                    struct wm_text *text)
{
    const void *entry;
    memcpy(&entry, (const char *)machine + key->offset, sizeof entry);
    if (!entry) { // a machine made by hand: what is left out has its default
        wm_text_add(text, key->fallback);
        return;
    }
    wm_text_add(text, key->kind->name(entry));
    if (!key->values_offset || !key->kind->parameters)
        return;
    struct wm_entry_values values;
    memcpy(&values, (const char *)machine + key->values_offset, sizeof values);
    size_t count;
    const struct wm_parameter *parameters = key->kind->parameters(entry, &count);
    const char *before = "(";
    for (size_t i = 0; i < count; i++) {
        if (!(values.given >> i & 1))
            continue;
        wm_text_format(text, "%s%s=%" PRIu64, before, parameters[i].name, values.values[i]);
        before = ", ";
    }
    if (values.given)
        wm_text_add(text, ")");
}
