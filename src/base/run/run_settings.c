#include "base/run/run_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, LIST, FLAG, NUMBER, WORD };

static const struct row {
    const char *variable;
    enum kind kind;
    size_t offset;
    uint64_t initial;
    const char *expected;
} rows[] = {
#define WM_RUN_SETTING(kind, field, NAME, initial, expected, documentation) \
    {"WARPMEM_" #NAME, kind, offsetof(struct wm_run_settings, field), initial, expected},
#include "base/run/run_settings.def"
#undef WM_RUN_SETTING
};

#define PREFIX (sizeof "WARPMEM_" - 1) // which names in the object do without

static void *field_of(const struct row *row, const struct wm_run_settings *settings)
{
    return (char *)(uintptr_t)settings + row->offset;
}

static uint64_t number_of(const struct row *row, const struct wm_run_settings *settings)
{
    const void *field = field_of(row, settings);
    if (row->kind == FLAG)
        return *(const bool *)field;
    return row->kind == WORD ? *(const unsigned *)field : *(const uint64_t *)field;
}

static void set_number(const struct row *row, struct wm_run_settings *settings, uint64_t value)
{
    void *field = field_of(row, settings);
    if (row->kind == FLAG)
        *(bool *)field = value != 0;
    else if (row->kind == WORD)
        *(unsigned *)field = (unsigned)value;
    else
        *(uint64_t *)field = value;
}

static bool is_number(const struct row *row)
{
    return row->kind != TEXT && row->kind != LIST;
}

void wm_run_settings_init(struct wm_run_settings *settings)
{
    *settings = (struct wm_run_settings){0};
    wm_arena_init(&settings->arena);
    for (size_t i = 0; i < WM_RUN_SETTINGS; i++)
        if (is_number(&rows[i]))
            set_number(&rows[i], settings, rows[i].initial);
}

void wm_run_settings_release(struct wm_run_settings *settings)
{
    wm_arena_release(&settings->arena);
}

const char *wm_run_setting_variable(enum wm_run_setting setting)
{
    return rows[setting].variable;
}

const char *wm_run_setting_text(const struct wm_run_settings *settings, enum wm_run_setting setting)
{
    return *(const char *const *)field_of(&rows[setting], settings);
}

void wm_run_setting_set_text(struct wm_run_settings *settings, enum wm_run_setting setting,
                             const char *text)
{
    *(const char **)field_of(&rows[setting], settings) = text;
}

// ---- Values ------------------------------------------------------------------------------------

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the run's settings");
}

static enum wm_status add(struct wm_run_settings *settings, struct wm_run_list *list,
                          const char *item, size_t length, struct wm_error *error)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        const char **items = WM_ARENA_ARRAY(&settings->arena, const char *, capacity);
        if (!items)
            return no_memory(error);
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        *list = (struct wm_run_list){items, list->count, capacity};
    }
    const char *copy = wm_arena_copy_text(&settings->arena, item, length);
    if (!copy)
        return no_memory(error);
    list->items[list->count++] = copy;
    return WM_OK;
}

enum wm_status wm_run_settings_add(struct wm_run_settings *settings, struct wm_run_list *list,
                                   const char *item, struct wm_error *error)
{
    return add(settings, list, item, strlen(item), error);
}

// The word of that number, of "walk, clock"; NULL behind the last.
static const char *word_of(const struct row *row, uint64_t number, size_t *length)
{
    for (const char *word = row->expected;; word += *length + 2) {
        *length = strcspn(word, ",");
        if (number-- == 0)
            return word;
        if (!word[*length])
            return NULL;
    }
}

static enum wm_status refuse_word(const struct row *row, const char *value, struct wm_error *error)
{
    size_t first, second;
    const char *other = word_of(row, 1, &second);
    if (other[second]) // there are more than two
        return wm_fail(error, WM_INVALID, "\"%.64s\" is none of %s", value, row->expected);
    (void)word_of(row, 0, &first);
    return wm_fail(error, WM_INVALID, "\"%.64s\" is neither %.*s nor %s", value, (int)first,
                   row->expected, other);
}

static enum wm_status read_word(const struct row *row, const char *value, uint64_t *number,
                                struct wm_error *error)
{
    size_t length;
    const char *word;
    for (*number = 0; (word = word_of(row, *number, &length)) != NULL; ++*number)
        if (strlen(value) == length && strncmp(value, word, length) == 0)
            return WM_OK;
    return refuse_word(row, value, error);
}

static enum wm_status read_number(const struct row *row, const char *value, uint64_t *number,
                                  struct wm_error *error)
{
    char *end;
    if (row->kind != NUMBER)
        return read_word(row, value, number, error);
    errno = 0;
    *number = strtoull(value, &end, 10);
    if (errno == 0 && *end == '\0' && value[0] >= '0' && value[0] <= '9')
        return WM_OK;
    return wm_fail(error, WM_INVALID, "\"%.64s\" is no %s", value, row->expected);
}

// Adds an item to a list.
static enum wm_status read_value(const struct row *row, struct wm_run_settings *settings,
                                 const char *value, struct wm_error *error)
{
    void *field = field_of(row, settings);
    uint64_t number;
    if (row->kind == LIST)
        return wm_run_settings_add(settings, field, value, error);
    if (row->kind == TEXT) {
        const char *copy = wm_arena_copy_text(&settings->arena, value, strlen(value));
        *(const char **)field = copy;
        return copy ? WM_OK : no_memory(error);
    }
    WM_TRY(read_number(row, value, &number, error));
    set_number(row, settings, number);
    return WM_OK;
}

// ---- Variables ---------------------------------------------------------------------------------

static enum wm_status read_lines(struct wm_run_settings *settings, struct wm_run_list *list,
                                 const char *value, struct wm_error *error)
{
    list->count = 0;
    for (size_t length; *value; value += length + (value[length] != '\0')) {
        length = strcspn(value, "\n");
        if (length)
            WM_TRY(add(settings, list, value, length, error));
    }
    return WM_OK;
}

enum wm_status wm_run_setting_read(struct wm_run_settings *settings, enum wm_run_setting setting,
                                   const char *value, struct wm_error *error)
{
    const struct row *row = &rows[setting];
    if (!value || !*value)
        return WM_OK;
    enum wm_status status = row->kind == LIST
                                ? read_lines(settings, field_of(row, settings), value, error)
                                : read_value(row, settings, value, error);
    return status == WM_OK ? WM_OK : wm_error_place(error, "%s", row->variable);
}

// ---- The object --------------------------------------------------------------------------------

static void write_line(const struct row *row, const char *value, struct wm_text *text)
{
    wm_text_format(text, "%s=", row->variable + PREFIX);
    for (size_t plain; *value; value += plain + (value[plain] != '\0')) {
        plain = strcspn(value, "\n\\");
        wm_text_append(text, value, plain);
        if (value[plain])
            wm_text_add(text, value[plain] == '\n' ? "\\n" : "\\\\");
    }
    wm_text_add(text, "\n");
}

void wm_run_settings_write(const struct wm_run_settings *settings, struct wm_text *text)
{
    for (const struct row *row = rows; row < rows + WM_RUN_SETTINGS; row++) {
        const void *field = field_of(row, settings);
        const struct wm_run_list *list = field;
        if (is_number(row)) {
            uint64_t number = number_of(row, settings);
            size_t length = 0;
            const char *word = row->kind == NUMBER ? "" : word_of(row, number, &length);
            char value[32];
            if (row->kind == NUMBER)
                snprintf(value, sizeof value, "%" PRIu64, number);
            else
                snprintf(value, sizeof value, "%.*s", (int)length, word);
            if (number != row->initial)
                write_line(row, value, text);
        } else if (row->kind == LIST) {
            for (uint32_t i = 0; i < list->count; i++)
                write_line(row, list->items[i], text);
        } else {
            const char *value = *(const char *const *)field;
            if (value && *value)
                write_line(row, value, text);
        }
    }
}

static const struct row *find_row(const char *name)
{
    for (const struct row *row = rows; row < rows + WM_RUN_SETTINGS; row++)
        if (strcmp(name, row->variable + PREFIX) == 0)
            return row;
    return NULL;
}

// In place: it becomes no longer.
static void unescape(char *value)
{
    char *to = value;
    for (const char *from = value; *from; from++) {
        bool escaped = from[0] == '\\' && from[1];
        from += escaped;
        *to++ = escaped && *from == 'n' ? '\n' : *from;
    }
    *to = '\0';
}

static enum wm_status read_line(struct wm_run_settings *settings, char *line,
                                struct wm_error *error)
{
    char *value = strchr(line, '=');
    if (value)
        *value++ = '\0';
    const struct row *row = value ? find_row(line) : NULL;
    enum wm_status status;
    if (row) {
        unescape(value);
        status = read_value(row, settings, value, error);
    } else {
        status = wm_fail(error, WM_INVALID, "\"%.64s\" is no setting of a run", line);
    }
    if (status == WM_INVALID) {
        wm_error_place(error, "%s, %.64s", WM_RUN_SETTINGS_OBJECT, line);
        wm_error_hint(error, "the command that wrote it is of another build than these libraries: "
                             "see $WARPMEM_CUDA_LIBRARIES");
    }
    return status;
}

enum wm_status wm_run_settings_read(struct wm_run_settings *settings, const char *object,
                                    struct wm_error *error)
{
    char *lines = wm_arena_copy_text(&settings->arena, object, strlen(object));
    if (!lines)
        return no_memory(error);
    for (char *line = lines, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        WM_TRY(read_line(settings, line, error));
    }
    return WM_OK;
}

enum wm_status wm_run_settings_read_environment(struct wm_run_settings *settings,
                                                struct wm_error *error)
{
    const char *object = getenv(WM_RUN_SETTINGS_OBJECT);
    WM_TRY(wm_run_settings_read(settings, object ? object : "", error));
    for (size_t i = 0; i < WM_RUN_SETTINGS; i++)
        WM_TRY(
            wm_run_setting_read(settings, (enum wm_run_setting)i, getenv(rows[i].variable), error));
    return WM_OK;
}
