// Values of keys: from text to the field, and back.
#include "machine/schema.h"

#include "base/text/nearest.h"
#include "machine/entry_value.h"
#include "machine/level_value.h"
#include "machine/row_table.h"

#include <assert.h>
#include <ctype.h>

static void *field_of(const struct wm_machine_key *key, struct wm_machine *machine)
{
    return (char *)machine + key->offset;
}

static void store_unsigned(const struct wm_machine_key *key, struct wm_machine *machine,
                           uint64_t value)
{
    if (key->bytes == sizeof(uint32_t)) {
        uint32_t narrow = (uint32_t)value; // the key's maximum fits: a test checks the table
        memcpy(field_of(key, machine), &narrow, sizeof narrow);
    } else {
        assert(key->bytes == sizeof value);
        memcpy(field_of(key, machine), &value, sizeof value);
    }
}

static uint64_t load_unsigned(const struct wm_machine_key *key, const struct wm_machine *machine)
{
    const char *field = (const char *)machine + key->offset;
    uint64_t wide = 0;
    uint32_t narrow;
    if (key->bytes == sizeof wide) {
        memcpy(&wide, field, sizeof wide);
        return wide;
    }
    memcpy(&narrow, field, sizeof narrow);
    return narrow;
}

static enum wm_status parse_quantity(const struct wm_machine_key *key, const char *text,
                                     struct wm_machine *machine, struct wm_error *error)
{
    uint64_t value;
    struct wm_error inner;
    if (wm_units_parse(text, key->quantity, &value, &inner) != WM_OK) {
        wm_fail(error, WM_INVALID, "%s: %s", key->path, inner.message);
        wm_error_hint(error, "%s", inner.hint);
        return WM_INVALID;
    }
    bool in_range = value >= key->minimum && value <= key->maximum;
    bool is_power = value != 0 && (value & (value - 1)) == 0;
    if (in_range && (is_power || !key->power_of_two)) {
        store_unsigned(key, machine, value);
        return WM_OK;
    }
    struct wm_text range;
    wm_text_init(&range);
    wm_machine_key_range_text(key, &range);
    wm_fail(error, WM_INVALID, "%s: %s is %s", key->path, text,
            in_range ? "not a power of two" : "out of range");
    wm_error_hint(error, "legal is %s", range.failed ? "a smaller range" : range.data);
    wm_text_release(&range);
    return WM_INVALID;
}

static enum wm_status parse_switch(const struct wm_machine_key *key, const char *text,
                                   struct wm_machine *machine, struct wm_error *error)
{
    bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0) {
        wm_fail(error, WM_INVALID, "%s: \"%s\" is neither true nor false", key->path, text);
        wm_error_hint(error, "write true or false");
        return WM_INVALID;
    }
    memcpy(field_of(key, machine), &value, sizeof value);
    return WM_OK;
}

// The name of the choice or entry at `index`, NULL past the last.
static const char *option_name(const struct wm_machine_key *key, const struct wm_plugins *plugins,
                               size_t index)
{
    if (key->type == WM_KEY_CHOICE)
        return key->choices[index].name;
    const void *entry = wm_entry_at(key, plugins, index);
    return entry ? key->kind->name(entry) : NULL;
}

static enum wm_status unknown_word(const struct wm_machine_key *key,
                                   const struct wm_plugins *plugins, const char *text,
                                   struct wm_error *error)
{
    struct wm_nearest nearest;
    char word[64]; // without the parameters of an entry
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "("), text);
    wm_nearest_init(&nearest, word);
    struct wm_text names;
    wm_text_init(&names);
    const char *name;
    for (size_t i = 0; (name = option_name(key, plugins, i)) != NULL; i++) {
        wm_text_format(&names, "%s%s", i ? ", " : "", name);
        wm_nearest_offer(&nearest, name);
    }
    wm_fail(error, WM_INVALID, "%s: there is no \"%s\"", key->path, text);
    if (nearest.best)
        wm_error_hint(error, "did you mean %s? known are %s", nearest.best,
                      names.failed ? "others" : names.data);
    else
        wm_error_hint(error, "known are %s", names.failed ? "others" : names.data);
    wm_text_release(&names);
    return WM_INVALID;
}

static enum wm_status parse_word(const struct wm_machine_key *key, const char *text,
                                 struct wm_machine *machine, struct wm_error *error)
{
    const char *name;
    // An entry's parameters stand in parentheses behind its name.
    size_t length = key->type == WM_KEY_ENTRY ? strcspn(text, "(") : strlen(text);
    for (size_t i = 0; (name = option_name(key, machine->plugins, i)) != NULL; i++) {
        if (strncmp(name, text, length) != 0 || name[length] != '\0')
            continue;
        if (key->type == WM_KEY_CHOICE) {
            memcpy(field_of(key, machine), &key->choices[i].value, sizeof(unsigned));
            return WM_OK;
        }
        const void *entry = wm_entry_at(key, machine->plugins, i);
        memcpy(field_of(key, machine), &entry, sizeof entry);
        return wm_entry_read_values(key, entry, text + length, machine, error);
    }
    return unknown_word(key, machine->plugins, text, error);
}

static enum wm_status wrong_list(const struct wm_machine_key *key, const char *why,
                                 struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s: %s", key->path, why);
    wm_error_hint(error, "write up to %d of them, rising, in brackets: [0KiB, 8KiB, 16KiB]",
                  WM_MAX_CARVEOUTS);
    return WM_INVALID;
}

static enum wm_status parse_list_item(const struct wm_machine_key *key, const char *item,
                                      struct wm_carveouts *list, struct wm_error *error)
{
    struct wm_error inner;
    uint64_t value;
    if (wm_units_parse(item, key->quantity, &value, &inner) != WM_OK) {
        wm_fail(error, WM_INVALID, "%s: %s", key->path, inner.message);
        return wm_error_hint(error, "%s", inner.hint);
    }
    if (value < key->minimum || value > key->maximum)
        return wrong_list(key, "a number is out of range", error);
    if (list->count > 0 && value <= list->bytes[list->count - 1])
        return wrong_list(key, "the numbers do not rise", error);
    if (list->count == WM_MAX_CARVEOUTS)
        return wrong_list(key, "too many numbers", error);
    list->bytes[list->count++] = value;
    return WM_OK;
}

static enum wm_status parse_list(const struct wm_machine_key *key, const char *text,
                                 struct wm_machine *machine, struct wm_error *error)
{
    struct wm_carveouts list = {0};
    size_t length = strlen(text);
    if (length < 2 || text[0] != '[' || text[length - 1] != ']')
        return wrong_list(key, "a list stands in brackets", error);
    const char *at = text + 1, *end = text + length - 1;
    while (at < end && (at += strspn(at, " ")) < end) {
        size_t width = strcspn(at, ","), left = (size_t)(end - at);
        char item[48];
        snprintf(item, sizeof item, "%.*s", (int)(width < left ? width : left), at);
        WM_TRY(parse_list_item(key, item, &list, error));
        at += width + 1;
    }
    memcpy(field_of(key, machine), &list, sizeof list);
    return WM_OK;
}

static void print_list(const struct wm_machine_key *key, const struct wm_machine *machine,
                       struct wm_text *text)
{
    struct wm_carveouts list;
    char buffer[64];
    memcpy(&list, (const char *)machine + key->offset, sizeof list);
    wm_text_add(text, "[");
    for (uint64_t i = 0; i < list.count; i++)
        wm_text_format(text, "%s%s", i ? ", " : "",
                       wm_units_print(list.bytes[i], key->quantity, buffer, sizeof buffer));
    wm_text_add(text, "]");
}

static const char *parse_number(const char *p, uint32_t *number)
{
    *number = 0;
    const char *begin = p;
    for (; isdigit((unsigned char)*p) && p - begin < 3; p++)
        *number = *number * 10 + (uint32_t)(*p - '0');
    return p == begin ? NULL : p;
}

static enum wm_status parse_version(const struct wm_machine_key *key, const char *text,
                                    struct wm_machine *machine, struct wm_error *error)
{
    uint32_t parts[2];
    const char *p = parse_number(text, &parts[0]);
    p = p && *p == '.' ? parse_number(p + 1, &parts[1]) : NULL;
    if (!p || *p || parts[0] < key->minimum || parts[0] > key->maximum || parts[1] > 9) {
        wm_fail(error, WM_INVALID, "%s: \"%s\" is not a version", key->path, text);
        wm_error_hint(error, "write major and minor, like 7.0");
        return WM_INVALID;
    }
    memcpy(field_of(key, machine), parts, sizeof parts);
    return WM_OK;
}

static bool is_name(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_.+", *p))
            return false;
    return isalnum((unsigned char)text[0]);
}

// The character at *p, moved past it; 0 when it is no UTF-8.
static uint32_t decode(const unsigned char **p)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *at = *p;
    unsigned rest = at[0] < 0x80 ? 0 : (at[0] & 0xe0) == 0xc0 ? 1 : (at[0] & 0xf0) == 0xe0 ? 2 : 3;
    if (rest == 3 && (at[0] & 0xf8) != 0xf0)
        return 0;
    uint32_t character = rest ? at[0] & (0x3fU >> rest) : at[0];
    for (unsigned i = 1; i <= rest; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3fU);
    }
    *p = at + rest + 1;
    return character >= smallest[rest] && character <= 0x10ffff ? character : 0;
}

// One line of UTF-8 that YAML takes as it is in a quoted scalar (YAML 1.1, 5.1 and 5.4): neither
// control characters nor line breaks, byte order marks or surrogates.
static bool is_line(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        uint32_t c = decode(&p);
        if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
            (c >= 0xd800 && c < 0xe000) || c == 0xfffe || c == 0xffff)
            return false;
    }
    return text[0] != '\0';
}

static enum wm_status parse_text(const struct wm_machine_key *key, const char *text,
                                 struct wm_machine *machine, struct wm_error *error)
{
    size_t length = strlen(text);
    if (length >= key->bytes) {
        wm_fail(error, WM_INVALID, "%s: %zu bytes are too long", key->path, length);
        wm_error_hint(error, "use at most %zu bytes", key->bytes - 1);
        return WM_INVALID;
    }
    if (key->type == WM_KEY_NAME ? !is_name(text) : !is_line(text)) {
        wm_fail(error, WM_INVALID, "%s: \"%s\" is not %s", key->path, text,
                key->type == WM_KEY_NAME ? "a name" : "one line of text");
        wm_error_hint(error, key->type == WM_KEY_NAME
                                 ? "use letters, digits, \"-\", \"_\", \".\" and \"+\", the "
                                   "first a letter or digit"
                                 : "write it on one line, without control characters");
        return WM_INVALID;
    }
    char *field = field_of(key, machine);
    memset(field, 0, key->bytes);
    memcpy(field, text, length);
    return WM_OK;
}

// As wm_description_value does, but what a row names is relative to the working folder.
static enum wm_status parse_rows(const struct wm_machine_key *key, const char *text,
                                 struct wm_machine *machine, struct wm_error *error)
{
    void *field = field_of(key, machine);
    memset(field, 0, key->bytes);
    return wm_row_table_read(key->rows, text, NULL, field, error);
}

enum wm_status wm_machine_key_parse(const struct wm_machine_key *key, const char *text,
                                    struct wm_machine *machine, struct wm_error *error)
{
    switch (key->type) {
    case WM_KEY_NAME:
    case WM_KEY_TEXT:
    case WM_KEY_SELECTORS: return parse_text(key, text, machine, error);
    case WM_KEY_QUANTITY: return parse_quantity(key, text, machine, error);
    case WM_KEY_SWITCH: return parse_switch(key, text, machine, error);
    case WM_KEY_CHOICE:
    case WM_KEY_ENTRY: return parse_word(key, text, machine, error);
    case WM_KEY_LIST: return parse_list(key, text, machine, error);
    case WM_KEY_VERSION: return parse_version(key, text, machine, error);
    case WM_KEY_ROWS: return parse_rows(key, text, machine, error);
    case WM_KEY_PER:
    case WM_KEY_BELOW:
    case WM_KEY_SERVES: return wm_level_value_read(key, text, machine, error);
    }
    assert(!"a key without a type");
    return WM_INVALID;
}

enum { PRINTED = 64 };

// Counts stay plain: "65536 registers" is how manuals say it.
static const char *print_quantity(uint64_t value, enum wm_quantity quantity, char buffer[PRINTED])
{
    if (quantity != WM_QUANTITY_COUNT)
        return wm_units_print(value, quantity, buffer, PRINTED);
    snprintf(buffer, PRINTED, "%llu", (unsigned long long)value);
    return buffer;
}

static void print_quoted(const char *string, struct wm_text *text)
{
    wm_text_add(text, "\"");
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            wm_text_add(text, "\\");
        wm_text_append(text, string, 1);
    }
    wm_text_add(text, "\"");
}

static void print_word(const struct wm_machine_key *key, const struct wm_machine *machine,
                       struct wm_text *text)
{
    const char *field = (const char *)machine + key->offset;
    unsigned value;
    memcpy(&value, field, sizeof value);
    for (const struct wm_key_choice *choice = key->choices; choice->name; choice++)
        if (choice->value == value)
            wm_text_add(text, choice->name);
}

void wm_machine_key_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                          struct wm_text *text)
{
    const char *field = (const char *)machine + key->offset;
    char buffer[PRINTED];
    uint32_t version[2];
    switch (key->type) {
    case WM_KEY_NAME: wm_text_add(text, field); break;
    case WM_KEY_TEXT:
    case WM_KEY_SELECTORS: print_quoted(field, text); break;
    case WM_KEY_QUANTITY:
        wm_text_add(text, print_quantity(load_unsigned(key, machine), key->quantity, buffer));
        break;
    case WM_KEY_SWITCH: wm_text_add(text, *(const bool *)field ? "true" : "false"); break;
    case WM_KEY_CHOICE: print_word(key, machine, text); break;
    case WM_KEY_ENTRY: wm_entry_print(key, machine, text); break;
    case WM_KEY_LIST: print_list(key, machine, text); break;
    case WM_KEY_ROWS: wm_row_table_print(key->rows, field, text); break;
    case WM_KEY_PER:
    case WM_KEY_BELOW:
    case WM_KEY_SERVES: wm_level_value_print(key, machine, text); break;
    case WM_KEY_VERSION:
        memcpy(version, field, sizeof version);
        wm_text_format(text, "%u.%u", version[0], version[1]);
        break;
    }
}

void wm_machine_key_type_text(const struct wm_machine_key *key, struct wm_text *text)
{
    static const char *const quantities[] = {
        [WM_QUANTITY_COUNT] = "count",         [WM_QUANTITY_BYTES] = "bytes",
        [WM_QUANTITY_HERTZ] = "frequency",     [WM_QUANTITY_SECONDS] = "time",
        [WM_QUANTITY_JOULES] = "energy",       [WM_QUANTITY_BANDWIDTH] = "bytes a second",
        [WM_QUANTITY_CYCLES] = "clock cycles", [WM_QUANTITY_WATTS] = "power",
        [WM_QUANTITY_AREA] = "area",           [WM_QUANTITY_LENGTH] = "length",
    };
    static const char *const types[] = {
        [WM_KEY_NAME] = "name",   [WM_KEY_TEXT] = "text",           [WM_KEY_SWITCH] = "switch",
        [WM_KEY_CHOICE] = "word", [WM_KEY_ENTRY] = "word",          [WM_KEY_VERSION] = "version",
        [WM_KEY_LIST] = "list",   [WM_KEY_SELECTORS] = "selectors", [WM_KEY_ROWS] = "rows",
        [WM_KEY_PER] = "units",   [WM_KEY_BELOW] = "level",         [WM_KEY_SERVES] = "list",
    };
    wm_text_add(text, key->type == WM_KEY_QUANTITY ? quantities[key->quantity] : types[key->type]);
}

void wm_machine_key_range_text(const struct wm_machine_key *key, struct wm_text *text)
{
    char low[PRINTED], high[PRINTED];
    const char *name;
    switch (key->type) {
    case WM_KEY_NAME:
    case WM_KEY_TEXT: wm_text_format(text, "at most %zu bytes", key->bytes - 1); break;
    case WM_KEY_SELECTORS:
        wm_text_format(text, "at most %zu bytes, or @FILE with one a line", key->bytes - 1);
        break;
    case WM_KEY_QUANTITY:
        wm_text_format(text, "%s to %s%s", print_quantity(key->minimum, key->quantity, low),
                       print_quantity(key->maximum, key->quantity, high),
                       key->power_of_two ? ", a power of two" : "");
        break;
    case WM_KEY_LIST:
        wm_text_format(text, "up to %d, rising, each %s to %s", WM_MAX_CARVEOUTS,
                       print_quantity(key->minimum, key->quantity, low),
                       print_quantity(key->maximum, key->quantity, high));
        break;
    case WM_KEY_SWITCH: wm_text_add(text, "true, false"); break;
    case WM_KEY_ROWS:
        wm_text_format(text, "none, a table's name, a file, or a list of up to %u rows",
                       key->rows->most_rows);
        break;
    case WM_KEY_CHOICE:
    case WM_KEY_ENTRY:
        for (size_t i = 0; (name = option_name(key, NULL, i)) != NULL; i++)
            wm_text_format(text, "%s%s", i ? ", " : "", name);
        break;
    case WM_KEY_VERSION:
        wm_text_format(text, "%u.0 to %u.9", (unsigned)key->minimum, (unsigned)key->maximum);
        break;
    case WM_KEY_PER:
    case WM_KEY_BELOW:
    case WM_KEY_SERVES: wm_level_value_range_text(key, text); break;
    }
}
