#include "source/cores/reader.h"

#include <string.h>

const struct wm_core_format *const wm_core_formats[] = {&wm_core_champsim, &wm_core_lackey,
                                                        &wm_core_dinero};
const size_t wm_core_format_count = sizeof wm_core_formats / sizeof wm_core_formats[0];

// --- Choosing ---

const struct wm_core_format *wm_core_format_named(const char *name)
{
    for (size_t i = 0; i < wm_core_format_count; i++)
        if (strcmp(wm_core_formats[i]->name, name) == 0)
            return wm_core_formats[i];
    return NULL;
}

static bool ends_in(const char *name, size_t length, const char *ending, size_t ending_length)
{
    return length > ending_length &&
           strncmp(name + length - ending_length, ending, ending_length) == 0;
}

const struct wm_core_format *wm_core_format_of_path(const char *path)
{
    static const char *const compressions[] = {".gz", ".xz", ".zst", ".bz2", ".lz4"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof compressions / sizeof compressions[0]; i++) {
        size_t ending = strlen(compressions[i]);
        if (ends_in(path, length, compressions[i], ending)) {
            length -= ending;
            break;
        }
    }
    for (size_t i = 0; i < wm_core_format_count; i++)
        for (const char *at = wm_core_formats[i]->endings; *at != '\0'; at += strspn(at, " ")) {
            size_t ending = strcspn(at, " ");
            if (ends_in(path, length, at, ending))
                return wm_core_formats[i];
            at += ending;
        }
    return NULL;
}

// --- Lines ---

bool wm_core_hexadecimal(const char **at, uint64_t *number)
{
    static const uint8_t digits[UINT8_MAX + 1] = {
        // one more than each is worth; 0 is no digit
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    };
    const char *text = *at;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    const char *begin = text;
    uint64_t value = 0;
    for (uint8_t digit; (digit = digits[(uint8_t)*text]) != 0; text++) {
        if (value >> 60 != 0)
            return false;
        value = value << 4 | (digit - 1u);
    }
    *at = text;
    *number = value;
    return text != begin;
}

enum wm_status wm_core_bad_line(const char *line, const char *what, struct wm_error *error)
{
    return wm_fail(error, WM_INVALID, "\"%.60s%s\" %s", line, strlen(line) > 60 ? "…" : "", what);
}

// --- Steps of a text ---

// Accesses behind it belong to none of the instructions before.
static enum wm_status begin_thread(struct wm_core_reader *reader, struct wm_error *error)
{
    if (reader->pending.address >= WM_CORE_MOST_THREADS) {
        wm_fail(error, WM_LIMIT, "a trace has the threads 0 to %d", WM_CORE_MOST_THREADS - 1);
        return wm_trace_input_place(reader->input, error);
    }
    reader->thread = (uint32_t)reader->pending.address;
    reader->fetched_bytes = 0;
    reader->part++;
    return WM_OK;
}

static bool is_wanted(const struct wm_core_reader *reader)
{
    enum wm_core_event_kind kind = reader->pending.kind;
    return (reader->only == WM_CORE_ALL_THREADS || reader->only == reader->thread) &&
           !((kind == WM_CORE_FETCH || kind == WM_CORE_COUNTED) && reader->data_only);
}

static bool is_access(const struct wm_core_event *event)
{
    return event->kind == WM_CORE_FETCH || event->kind == WM_CORE_LOAD ||
           event->kind == WM_CORE_STORE || event->kind == WM_CORE_MODIFY ||
           event->kind == WM_CORE_LOCKED;
}

static bool is_size(const struct wm_core_event *event)
{
    uint32_t most = event->kind == WM_CORE_LOCKED ? WM_CORE_LOCKED_BYTES : WM_CORE_MOST_EVENT_BYTES;
    return event->bytes > 0 && event->bytes <= most &&
           event->address + event->bytes - 1 >= event->address;
}

static enum wm_status check_event(const struct wm_core_reader *reader, const char *line,
                                  struct wm_error *error)
{
    const struct wm_core_event *event = &reader->pending;
    if (is_access(event) && !is_size(event))
        return wm_core_bad_line(line, "has a size that no access has", error);
    // In a trace that names no place of code, "@" is a comment of another tool's.
    if (event->place > reader->places.count && reader->places.count > 0)
        return wm_core_bad_line(line, "has a place of code that no line l before it names", error);
    if (event->kind == WM_CORE_COUNTED && event->count > WM_CORE_MOST_SKIPPED)
        return wm_core_bad_line(line, "has more instructions than can be counted", error);
    if ((event->kind == WM_CORE_ISSUES || event->kind == WM_CORE_AWAITS) &&
        (event->address == 0 || event->address > UINT32_MAX))
        return wm_core_bad_line(line, "names a command that no device has", error);
    if (event->kind != WM_CORE_FOLLOWS)
        return WM_OK;
    if (event->address >= WM_CORE_MOST_THREADS)
        return wm_core_bad_line(line, "waits for a thread that no trace has", error);
    if (event->count > UINT32_MAX)
        return wm_core_bad_line(line, "waits for more accesses than can be counted", error);
    if (event->address == reader->thread)
        return wm_core_bad_line(line, "has a thread wait for itself", error);
    return WM_OK;
}

// A trace that is read again has the same names.
static enum wm_status add_name(struct wm_core_reader *reader, struct wm_error *error)
{
    const struct wm_core_event *event = &reader->pending;
    size_t length = strlen(event->name);
    if (event->count == 0 || event->address + (event->count - 1) < event->address)
        return wm_fail(error, WM_INVALID, "\"%.60s\" has a size that no memory has", event->name);
    if (length > WM_CORE_MOST_NAME_BYTES)
        return wm_fail(error, WM_LIMIT, "a name of more than %d bytes", WM_CORE_MOST_NAME_BYTES);
    if (reader->only != WM_CORE_ALL_THREADS)
        return WM_OK;
    if (reader->names.count == WM_CORE_MOST_NAMES)
        return wm_fail(error, WM_LIMIT, "more than %d names of memory", WM_CORE_MOST_NAMES);
    return wm_memory_names_add(&reader->names, event->address, event->count, event->name, length)
               ? WM_OK
               : wm_fail_no_memory(error, "a trace's names of memory");
}

// The next event into reader->pending; WM_CORE_NOTHING behind the last.
static enum wm_status next_event(struct wm_core_reader *reader, struct wm_error *error)
{
    const char *line;
    size_t length;
    for (;;) {
        struct wm_core_event *event = &reader->pending;
        *event = (struct wm_core_event){.kind = WM_CORE_NOTHING};
        WM_TRY(wm_trace_input_line(reader->input, &line, &length, error));
        if (line == NULL)
            return WM_OK;
        enum wm_status status = reader->format->line(line, event, error);
        if (status == WM_OK)
            status = check_event(reader, line, error);
        if (status == WM_OK && event->kind == WM_CORE_PLACE && !reader->data_only)
            status = wm_core_places_add(&reader->places, &event->described, error);
        if (status == WM_OK && event->kind == WM_CORE_NAME)
            status = add_name(reader, error);
        if (status != WM_OK)
            return wm_trace_input_place(reader->input, error);
        if (event->kind == WM_CORE_PLACE || event->kind == WM_CORE_NAME)
            continue;
        if (event->kind == WM_CORE_THREAD) {
            WM_TRY(begin_thread(reader, error));
            continue;
        }
        if (event->kind == WM_CORE_MODIFY)
            reader->modify = *event;
        if (event->kind != WM_CORE_NOTHING && is_wanted(reader))
            return WM_OK;
    }
}

// Takes a piece off the pending access.
static void take_access(struct wm_core_reader *reader, struct wm_core_step *step)
{
    struct wm_core_event *event = &reader->pending;
    uint32_t room = WM_CORE_ACCESS_BYTES - (uint32_t)(event->address % WM_CORE_ACCESS_BYTES);
    // Up to the widest they are whole, wherever they lie.
    uint32_t bytes =
        event->bytes <= WM_CORE_ACCESS_BYTES || event->bytes < room ? event->bytes : room;
    step->accesses[step->access_count++] =
        (struct wm_core_access){.address = event->address,
                                .bytes = bytes,
                                .store = event->kind == WM_CORE_STORE,
                                .locked = event->kind == WM_CORE_LOCKED};
    event->address += bytes;
    event->bytes -= bytes;
    if (event->bytes > 0)
        return;
    if (event->kind == WM_CORE_MODIFY) {
        *event = reader->modify;
        event->kind = WM_CORE_STORE;
    } else {
        event->kind = WM_CORE_NOTHING;
    }
}

// An event that is a step of its own, or, of WM_CORE_COUNTED, a part of what the next step has.
static enum wm_status take_apart(struct wm_core_reader *reader, struct wm_core_step *step,
                                 bool *more, struct wm_error *error)
{
    struct wm_core_event *event = &reader->pending;
    if (event->kind == WM_CORE_COUNTED) {
        reader->skipped += event->count;
        event->kind = WM_CORE_NOTHING;
        if (reader->skipped <= WM_CORE_MOST_SKIPPED)
            return WM_OK;
        wm_fail(error, WM_LIMIT, "more than 2^36 instructions between two accesses");
        return wm_trace_input_place(reader->input, error);
    }
    static const enum wm_core_step_kind kinds[] = {
        [WM_CORE_FENCE] = WM_CORE_STEP_FENCE,   [WM_CORE_FOLLOWS] = WM_CORE_STEP_FOLLOWS,
        [WM_CORE_ISSUES] = WM_CORE_STEP_ISSUES, [WM_CORE_AWAITS] = WM_CORE_STEP_AWAITS,
        [WM_CORE_TURN] = WM_CORE_STEP_TURN,
    };
    step->kind = kinds[event->kind];
    if (step->kind == WM_CORE_STEP_FOLLOWS)
        step->awaited = (uint32_t)event->address;
    else
        step->command = (uint32_t)event->address;
    step->awaited_accesses = (uint32_t)event->count;
    event->kind = WM_CORE_NOTHING;
    *more = true;
    return WM_OK;
}

// Whether the pending access is of another kind than those of the step.
static bool differs(const struct wm_core_step *step, const struct wm_core_event *event)
{
    return step->access_count > 0 && (step->accesses[0].store != (event->kind == WM_CORE_STORE) ||
                                      step->accesses[0].locked != (event->kind == WM_CORE_LOCKED));
}

static bool is_apart(const struct wm_core_event *event)
{
    return event->kind != WM_CORE_NOTHING && !is_access(event);
}

// `*more` set: a step has begun.
static enum wm_status add_to_text_step(struct wm_core_reader *reader, struct wm_core_step *step,
                                       bool *more, struct wm_error *error)
{
    for (;;) {
        if (reader->pending.kind == WM_CORE_NOTHING)
            WM_TRY(next_event(reader, error));
        const struct wm_core_event *event = &reader->pending;
        if (event->kind == WM_CORE_NOTHING || (*more && reader->part != reader->step_part))
            return WM_OK;
        reader->step_thread = reader->thread;
        reader->step_part = reader->part;
        if (is_apart(event)) {
            if (*more)
                return WM_OK;
            WM_TRY(take_apart(reader, step, more, error));
            if (*more)
                return WM_OK;
            continue;
        }
        if (event->kind == WM_CORE_FETCH) {
            if (*more)
                return WM_OK;
            reader->fetched = step->address = event->address;
            reader->fetched_bytes = step->bytes = event->bytes;
            reader->pending.kind = WM_CORE_NOTHING;
            *more = true;
            continue;
        }
        if (!*more && reader->fetched_bytes > 0) {
            step->address = reader->fetched;
            step->bytes = reader->fetched_bytes;
            step->continues = true;
        }
        *more = true;
        if (step->access_count == WM_CORE_STEP_ACCESSES ||
            (step->bytes == 0 && step->access_count == 1) || differs(step, event))
            return WM_OK;
        if (step->bytes == 0 && wm_core_place_of(&reader->places, event->place) != NULL)
            step->place = event->place;
        take_access(reader, step);
    }
}

static enum wm_status next_text_step(struct wm_core_reader *reader, struct wm_core_step *step,
                                     bool *more, struct wm_error *error)
{
    *more = false;
    WM_TRY(add_to_text_step(reader, step, more, error));
    step->skipped = reader->skipped;
    reader->skipped = 0;
    if (!*more && step->skipped > 0) {
        step->kind = WM_CORE_STEP_ENDS;
        *more = true;
    }
    return WM_OK;
}

// --- Steps ---

void wm_core_reader_init(struct wm_core_reader *reader, const struct wm_core_format *format,
                         struct wm_trace_input *input, bool data_only)
{
    *reader = (struct wm_core_reader){
        .format = format, .input = input, .data_only = data_only, .only = WM_CORE_ALL_THREADS};
    wm_core_places_init(&reader->places);
    wm_memory_names_init(&reader->names);
}

void wm_core_reader_release(struct wm_core_reader *reader)
{
    wm_trace_input_close(reader->input);
    reader->input = NULL;
    wm_core_places_release(&reader->places);
    wm_memory_names_release(&reader->names);
}

static enum wm_status next_binary_step(struct wm_core_reader *reader, struct wm_core_step *step,
                                       bool *more, struct wm_error *error)
{
    struct wm_core_record *record = &reader->record;
    bool fresh = false;
    while (!fresh && reader->accesses_taken == record->access_count) {
        reader->accesses_taken = 0;
        WM_TRY(reader->format->record(reader, record, more, error));
        if (!*more)
            return WM_OK;
        fresh = !reader->data_only || record->access_count > 0;
    }
    uint32_t most = reader->data_only ? 1 : WM_CORE_STEP_ACCESSES;
    const struct wm_core_access *next = &record->accesses[reader->accesses_taken];
    uint32_t left = record->access_count - reader->accesses_taken, count = 0;
    while (count < left && count < most && next[count].store == next[0].store)
        count++;
    *more = true;
    step->address = record->address;
    step->bytes = record->bytes;
    step->continues = reader->accesses_taken > 0;
    if (reader->data_only)
        *step = (struct wm_core_step){.bytes = 0};
    step->access_count = count;
    memcpy(step->accesses, next, count * sizeof step->accesses[0]);
    reader->accesses_taken += count;
    return WM_OK;
}

enum wm_status wm_core_reader_next(struct wm_core_reader *reader, struct wm_core_step *step,
                                   bool *more, struct wm_error *error)
{
    *step = (struct wm_core_step){.bytes = 0};
    return reader->format->record != NULL ? next_binary_step(reader, step, more, error)
                                          : next_text_step(reader, step, more, error);
}
