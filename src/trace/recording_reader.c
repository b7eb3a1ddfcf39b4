#include "trace/recording_reader.h"

#include <inttypes.h>
#include <stdlib.h>

static enum wm_status broken(const struct wm_recording *recording, const struct wm_section *section,
                             const char *what, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the %s at byte %" PRIu64 " breaks the format", what,
            section->offset);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program again");
}

static uint64_t get_u64(struct wm_cursor *cursor)
{
    const uint8_t *bytes = wm_cursor_take(cursor, 8);
    uint64_t number = 0;
    for (int i = 0; bytes != NULL && i < 8; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

// A text in the recording's arena; "" when it cannot be read.
static const char *get_text(struct wm_recording *recording, struct wm_cursor *cursor)
{
    size_t length;
    const char *text = wm_cursor_text(cursor, &length);
    if (text == NULL)
        return "";
    const char *copy = wm_arena_copy_text(&recording->arena, text, length);
    cursor->bad |= copy == NULL;
    return copy != NULL ? copy : "";
}

// --- Header and code ---

static bool read_header(struct wm_recording *recording, struct wm_cursor *cursor)
{
    struct wm_recording_header *header = &recording->header;
    header->writer = get_text(recording, cursor);
    header->source = get_text(recording, cursor);
    header->machine = get_text(recording, cursor);
    header->machine_yaml = get_text(recording, cursor);
    header->lanes = (uint32_t)wm_cursor_number_to(cursor, WM_MAX_LANES);
    header->memory_only = wm_cursor_number_to(cursor, 1) != 0;
    uint64_t words = wm_cursor_number(cursor);
    if (cursor->bad || words > wm_cursor_left(cursor))
        return false;
    const char **command = WM_ARENA_ARRAY(&recording->arena, const char *, words + 1);
    if (command == NULL)
        return false;
    for (uint64_t i = 0; i < words; i++)
        command[i] = get_text(recording, cursor);
    header->command = command;
    return !cursor->bad && wm_cursor_left(cursor) == 0 &&
           (header->lanes == 1 || header->lanes == 32 || header->lanes == 64);
}

static void read_instruction(struct wm_recording *recording, struct wm_cursor *cursor,
                             const struct wm_recorded_instruction *before,
                             struct wm_recorded_instruction *it)
{
    uint64_t flags = wm_cursor_number_to(cursor, 127);
    it->exists = (flags & 1) != 0;
    it->is_memory = (flags & 2) != 0;
    it->generic = (flags & 4) != 0;
    it->keeps_waits = (flags & 64) != 0;
    it->text = get_text(recording, cursor);
    if ((flags & 32) != 0)
        it->guard = get_text(recording, cursor);
    it->source_file = before->source_file;
    if ((flags & 8) == 0) {
        it->source_file = get_text(recording, cursor);
        if (it->source_file[0] == '\0')
            it->source_file = NULL;
    }
    it->source_line = (uint32_t)(before->source_line + wm_cursor_signed(cursor));
    it->ptx_line = (uint32_t)(before->ptx_line + wm_cursor_signed(cursor));
    it->kind = (enum wm_access_kind)wm_cursor_number_to(cursor, WM_ACCESS_REDUCTION);
    it->space = (enum wm_address_space)wm_cursor_number_to(cursor, WM_SPACE_TEXTURE);
    if ((flags & 16) == 0)
        return;
    it->address = wm_recorded_code_end(before) + wm_cursor_signed(cursor);
    it->bytes = (uint32_t)wm_cursor_number_to(cursor, WM_RECORDED_MOST_CODE_BYTES);
    cursor->bad |= it->bytes == 0 || it->address + it->bytes - 1 < it->address;
}

static bool read_code(struct wm_recording *recording, struct wm_cursor *cursor,
                      struct wm_recorded_code *code)
{
    code->name = get_text(recording, cursor);
    code->module = get_text(recording, cursor);
    code->fingerprint = get_u64(cursor);
    code->ptx_hash = get_u64(cursor);
    code->static_shared_bytes = (uint32_t)wm_cursor_number_to(cursor, UINT32_MAX);
    code->registers_per_thread = (uint32_t)wm_cursor_number_to(cursor, UINT32_MAX);
    code->instruction_count = (uint32_t)wm_cursor_number_to(cursor, UINT32_MAX);
    // Each instruction has several bytes.
    if (cursor->bad || code->instruction_count > wm_cursor_left(cursor))
        return false;
    code->instructions = WM_ARENA_ARRAY(&recording->arena, struct wm_recorded_instruction,
                                        code->instruction_count + UINT64_C(1));
    if (code->instructions == NULL)
        return false;
    const struct wm_recorded_instruction none = {0};
    for (uint32_t pc = 0; pc < code->instruction_count && !cursor->bad; pc++)
        read_instruction(recording, cursor, pc > 0 ? &code->instructions[pc - 1] : &none,
                         &code->instructions[pc]);
    return !cursor->bad && wm_cursor_left(cursor) == 0;
}

// A launch, its frames and its end follow each other with nothing between: who reads one goes from
// its beginning to the first section that is neither.
static bool may_follow(enum wm_section_type before, enum wm_section_type type)
{
    bool in_launch =
        before == WM_SECTION_LAUNCH || before == WM_SECTION_CORES || before == WM_SECTION_FRAME;
    return in_launch == (type == WM_SECTION_FRAME || type == WM_SECTION_LAUNCH_END);
}

// Where the program's CPU threads are. They come once, and their turns behind them.
static bool note_cores(struct wm_recording *recording, enum wm_section_type type, uint64_t index)
{
    if (type == WM_SECTION_CORES) {
        bool first = recording->cores_section == 0 && recording->header.lanes != 1;
        recording->cores_section = index;
        return first;
    }
    if (type == WM_SECTION_TURNS) {
        bool first = recording->turns_section == 0 && recording->cores_section != 0;
        recording->turns_section = index;
        return first;
    }
    return true;
}

// Which version of orders the recording has.
static enum wm_status read_orders(struct wm_recording *recording, uint64_t index,
                                  struct wm_bytes *content, struct wm_error *error)
{
    const struct wm_section *section = &recording->file.list.sections[index];
    WM_TRY(wm_section_read(&recording->file, section, content, error));
    struct wm_cursor cursor = wm_cursor_of(content->data, content->length);
    uint64_t version = wm_cursor_number(&cursor);
    if (cursor.bad || recording->order_section != 0 || version == 0 ||
        (version == WM_ORDER_VERSION && wm_cursor_left(&cursor) != 0))
        return broken(recording, section, "section of the order of launches", error);
    recording->order_section = index;
    if (version == WM_ORDER_VERSION)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED,
            "the recording says in version %" PRIu64
            " what launches wait for, and this warpmem reads version %d",
            version, (int)WM_ORDER_VERSION);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program again with this warpmem");
}

static enum wm_status read_tables(struct wm_recording *recording, struct wm_bytes *content,
                                  struct wm_error *error)
{
    const struct wm_section_list *list = &recording->file.list;
    uint32_t codes = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        codes += list->sections[i].type == WM_SECTION_CODE;
        recording->launch_count += list->sections[i].type == WM_SECTION_LAUNCH;
    }
    recording->codes = WM_ARENA_ARRAY(&recording->arena, struct wm_recorded_code, codes + 1);
    if (recording->codes == NULL)
        return wm_fail_no_memory(error, "the recording's kernels");
    for (uint64_t i = 0; i < list->count; i++) {
        const struct wm_section *section = &list->sections[i];
        bool head = section->type == WM_SECTION_HEADER;
        if (head != (i == 0))
            return broken(recording, section, "header", error);
        if (!head && !may_follow(section[-1].type, section->type))
            return broken(recording, section, "order of sections", error);
        if (!note_cores(recording, section->type, i))
            return broken(recording, section, "section of CPU threads", error);
        if (section->type == WM_SECTION_ORDER)
            WM_TRY(read_orders(recording, i, content, error));
        if (!head && section->type != WM_SECTION_CODE)
            continue;
        WM_TRY(wm_section_read(&recording->file, section, content, error));
        struct wm_cursor cursor = wm_cursor_of(content->data, content->length);
        if (head ? !read_header(recording, &cursor)
                 : !read_code(recording, &cursor, &recording->codes[recording->code_count++]))
            return broken(recording, section, head ? "header" : "code", error);
    }
    return WM_OK;
}

// Of an open file.
static enum wm_status read_opened(struct wm_recording *recording, struct wm_error *error)
{
    recording->behind_launch = true;
    wm_arena_init(&recording->arena);
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    if (recording->file.list.count == 0) {
        wm_fail(error, WM_INVALID, "the recording ends before its header is whole");
        status = wm_error_place(error, "%s", recording->file.path);
    } else {
        status = read_tables(recording, &content, error);
    }
    wm_bytes_release(&content);
    if (status != WM_OK)
        wm_recording_close(recording);
    return status;
}

enum wm_status wm_recording_open(struct wm_recording *recording, const char *path,
                                 struct wm_error *error)
{
    *recording = (struct wm_recording){0};
    WM_TRY(wm_section_file_open(&recording->file, path, error));
    return read_opened(recording, error);
}

enum wm_status wm_recording_open_again(struct wm_recording *recording,
                                       const struct wm_recording *opened, struct wm_error *error)
{
    *recording = (struct wm_recording){0};
    WM_TRY(wm_section_file_open_again(&recording->file, &opened->file, error));
    return read_opened(recording, error);
}

static enum wm_status read_turns(struct wm_recording *cores, struct wm_error *error)
{
    const struct wm_section *section = &cores->file.list.sections[cores->turns_section];
    struct wm_bytes content = {0};
    enum wm_status status = wm_section_read(&cores->file, section, &content, error);
    uint8_t *turns = status == WM_OK && content.length > 0
                         ? WM_ARENA_ARRAY(&cores->arena, uint8_t, content.length)
                         : NULL;
    if (turns != NULL) {
        memcpy(turns, content.data, content.length);
        cores->turns = turns;
        cores->turn_count = content.length;
    } else if (status == WM_OK) {
        status = content.length > 0 ? wm_fail_no_memory(error, "a recording's turns")
                                    : broken(cores, section, "section of turns", error);
    }
    wm_bytes_release(&content);
    return status;
}

enum wm_status wm_recording_open_cores(struct wm_recording *cores,
                                       const struct wm_recording *opened, struct wm_error *error)
{
    WM_TRY(wm_recording_open_again(cores, opened, error));
    enum wm_status status = WM_OK;
    if (cores->cores_section == 0) {
        wm_fail(error, WM_INVALID, "the recording has no CPU threads");
        status = wm_error_place(error, "%s", opened->file.path);
    } else if (cores->turns_section != 0) {
        status = read_turns(cores, error);
    }
    if (status != WM_OK) {
        wm_recording_close(cores);
        return status;
    }
    cores->of_cores = true;
    cores->header.lanes = 1;
    return WM_OK;
}

void wm_recording_close(struct wm_recording *recording)
{
    wm_section_file_close(&recording->file);
    wm_arena_release(&recording->arena);
    wm_bytes_release(&recording->events);
    free(recording->order_room.numbers);
    *recording = (struct wm_recording){.file.descriptor = -1};
}

void wm_recording_rewind(struct wm_recording *recording)
{
    recording->next_section = 0;
    recording->launches_met = 0;
    recording->events_left = (struct wm_cursor){0};
    recording->order = (struct wm_recorded_order){0};
    recording->behind_launch = true;
}

enum wm_status wm_recording_ptx(const struct wm_recording *recording, uint64_t hash, char **text,
                                struct wm_error *error)
{
    *text = NULL;
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    for (uint64_t i = 0; i < recording->file.list.count && *text == NULL; i++) {
        const struct wm_section *section = &recording->file.list.sections[i];
        if (section->type != WM_SECTION_PTX)
            continue;
        if ((status = wm_section_read(&recording->file, section, &content, error)) != WM_OK)
            break;
        struct wm_cursor cursor = wm_cursor_of(content.data, content.length);
        if (get_u64(&cursor) != hash || cursor.bad)
            continue;
        if ((*text = strndup((const char *)cursor.at, wm_cursor_left(&cursor))) == NULL)
            status = wm_fail_no_memory(error, "a module's text");
    }
    wm_bytes_release(&content);
    return status;
}

enum wm_status wm_recording_each_ptx(const struct wm_recording *recording, uint32_t code,
                                     void (*each)(void *context, uint64_t hash, const char *text,
                                                  size_t length),
                                     void *context, struct wm_error *error)
{
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    uint32_t codes = 0;
    for (uint64_t i = 0; i < recording->file.list.count && status == WM_OK && codes <= code; i++) {
        const struct wm_section *section = &recording->file.list.sections[i];
        codes += section->type == WM_SECTION_CODE;
        if (section->type != WM_SECTION_PTX)
            continue;
        status = wm_section_read(&recording->file, section, &content, error);
        struct wm_cursor cursor = wm_cursor_of(content.data, content.length);
        uint64_t hash = status == WM_OK ? get_u64(&cursor) : 0;
        if (status == WM_OK && !cursor.bad)
            each(context, hash, (const char *)cursor.at, wm_cursor_left(&cursor));
    }
    wm_bytes_release(&content);
    return status;
}

// --- Events ---

// The order that stands next, of what is so called. `order` is behind all where it cannot be read.
static enum wm_status read_order(struct wm_recording *recording, const struct wm_section *section,
                                 struct wm_cursor *cursor, struct wm_recorded_order *order,
                                 struct wm_error *error)
{
    bool of_launch = section->type == WM_SECTION_LAUNCH;
    uint64_t next = recording->launches_met - of_launch;
    struct wm_error why;
    wm_error_clear(&why);
    uint64_t index = (uint64_t)(section - recording->file.list.sections);
    if (recording->order_section == 0 || index < recording->order_section) {
        cursor->bad = true;
        return WM_OK;
    }
    wm_order_get(cursor, next, of_launch, &recording->order_room, order, &why);
    if (why.status == WM_OK)
        return WM_OK;
    *order = (struct wm_recorded_order){0};
    if (why.status == WM_NO_MEMORY || !of_launch)
        wm_fail(error, why.status, "events at byte %" PRIu64 ": %s", section->offset, why.message);
    else
        wm_fail(error, why.status, "launch %" PRIu64 ", at byte %" PRIu64 ": %s", next,
                section->offset, why.message);
    wm_error_place(error, "%s", recording->file.path);
    return why.status == WM_INVALID ? wm_error_hint(error, "record the program again") : why.status;
}

static enum wm_status read_launch(struct wm_recording *recording, const struct wm_section *section,
                                  struct wm_error *error)
{
    WM_TRY(wm_section_read(&recording->file, section, &recording->events, error));
    struct wm_cursor cursor = wm_cursor_of(recording->events.data, recording->events.length);
    struct wm_recorded_launch *launch = &recording->launch;
    launch->number = wm_cursor_number(&cursor);
    launch->code = (uint32_t)wm_cursor_number_to(&cursor, UINT32_MAX);
    launch->stream = (uint32_t)wm_cursor_number_to(&cursor, UINT32_MAX);
    for (int axis = 0; axis < 3; axis++)
        launch->grid[axis] = (uint32_t)wm_cursor_number_to(&cursor, INT32_MAX);
    for (int axis = 0; axis < 3; axis++)
        launch->block[axis] = (uint32_t)wm_cursor_number_to(&cursor, 1024);
    launch->dynamic_shared_bytes = (uint32_t)wm_cursor_number_to(&cursor, UINT32_MAX);
    launch->preferred_carveout = (uint32_t)wm_cursor_number_to(&cursor, 101);
    launch->local_bytes_per_block = wm_cursor_number_to(&cursor, UINT64_C(1) << 40);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t rows = (uint64_t)launch->grid[1] * launch->grid[2];
    recording->order = launch->order = (struct wm_recorded_order){0};
    recording->behind_launch = true;
    bool in_order = launch->number == recording->launches_met++;
    if (in_order && wm_cursor_left(&cursor) != 0)
        WM_TRY(read_order(recording, section, &cursor, &launch->order, error));
    bool good = !cursor.bad && wm_cursor_left(&cursor) == 0 && in_order &&
                launch->code < recording->code_count && threads != 0 && threads <= 2048 &&
                wm_recorded_warps(launch, recording->header.lanes) <= 64 && rows != 0 &&
                launch->grid[0] != 0 && rows <= UINT64_C(1) << 32;
    recording->events.length = 0;
    return good ? WM_OK : broken(recording, section, "launch", error);
}

// Kind and stream of an event, and the order before it, if there is one.
static enum wm_status read_kind(struct wm_recording *recording, const struct wm_section *section,
                                struct wm_recorded_event *event, struct wm_error *error)
{
    struct wm_cursor *cursor = &recording->events_left;
    *event = (struct wm_recorded_event){0};
    for (;;) {
        event->kind =
            (enum wm_recorded_event_kind)wm_cursor_number_to(cursor, WM_RECORDED_LAUNCH - 1);
        event->stream = (uint32_t)wm_cursor_number_to(cursor, UINT32_MAX);
        if (cursor->bad || event->kind != WM_RECORDED_ORDER)
            break;
        cursor->bad |= event->begins; // of no event
        WM_TRY(read_order(recording, section, cursor, &recording->order, error));
        event->begins = true;
    }
    event->order = wm_recorded_order_is_plain(&recording->order) ? NULL : &recording->order;
    event->begins |= recording->behind_launch;
    recording->behind_launch = false;
    return WM_OK;
}

static enum wm_status read_event(struct wm_recording *recording, struct wm_recorded_event *event,
                                 struct wm_error *error)
{
    const struct wm_section *section = &recording->file.list.sections[recording->next_section - 1];
    struct wm_cursor *cursor = &recording->events_left;
    WM_TRY(read_kind(recording, section, event, error));
    bool marks = wm_recorded_marks_range(event->kind);
    if (!marks)
        event->address = wm_cursor_number(cursor);
    if (event->kind == WM_RECORDED_DEVICE_COPY)
        event->from = wm_cursor_number(cursor);
    if (!marks && event->kind != WM_RECORDED_FREE)
        event->bytes = wm_cursor_number(cursor);
    return cursor->bad ? broken(recording, section, "events", error) : WM_OK;
}

// Threads are blocks of one warp; what is not of one of them is damaged.
static bool are_threads(const struct wm_recording *cores)
{
    const struct wm_recorded_launch *launch = &cores->launch;
    bool good = launch->grid[1] == 1 && launch->grid[2] == 1 && launch->block[0] == 1 &&
                launch->block[1] == 1 && launch->block[2] == 1 &&
                launch->grid[0] <= WM_RECORDED_MOST_CORES;
    for (uint64_t i = 0; i < cores->turn_count && good; i++)
        good = cores->turns[i] < launch->grid[0];
    return good;
}

static enum wm_status next_of_cores(struct wm_recording *cores, struct wm_recorded_event *event,
                                    bool *more, struct wm_error *error)
{
    const struct wm_section *section = &cores->file.list.sections[cores->cores_section];
    *more = cores->next_section <= cores->cores_section;
    if (!*more)
        return WM_OK;
    cores->next_section = cores->cores_section + 1;
    cores->launches_met = 0;
    WM_TRY(read_launch(cores, section, error));
    *event = (struct wm_recorded_event){.kind = WM_RECORDED_LAUNCH};
    return are_threads(cores) ? WM_OK : broken(cores, section, "section of CPU threads", error);
}

enum wm_status wm_recording_next(struct wm_recording *recording, struct wm_recorded_event *event,
                                 bool *more, struct wm_error *error)
{
    const struct wm_section_list *list = &recording->file.list;
    *more = true;
    if (recording->of_cores)
        return next_of_cores(recording, event, more, error);
    for (;;) {
        if (wm_cursor_left(&recording->events_left) != 0)
            return read_event(recording, event, error);
        if (recording->next_section == list->count)
            break;
        const struct wm_section *section = &list->sections[recording->next_section++];
        if (section->type == WM_SECTION_LAUNCH) {
            WM_TRY(read_launch(recording, section, error));
            *event = (struct wm_recorded_event){.kind = WM_RECORDED_LAUNCH,
                                                .stream = recording->launch.stream,
                                                .launch = recording->launch.number};
            return WM_OK;
        }
        if (section->type != WM_SECTION_EVENTS)
            continue;
        WM_TRY(wm_section_read(&recording->file, section, &recording->events, error));
        recording->events_left = wm_cursor_of(recording->events.data, recording->events.length);
    }
    *more = false;
    return WM_OK;
}
