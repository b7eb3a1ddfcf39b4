// Dinero's traces, both kinds that Dinero IV reads (its dinfmt.c and xdinfmt.c), line by line:
//
//   0 1ffe3c          classic: 0 read, 1 write, 2 instruction fetch, 3 another read; of the aligned
//                     word of four bytes that the address lies in
//   r 1ffe3c 8        extended: r, w, i, or m for another read; then the size, in hexadecimal too
//
// and warpmem's own:
//
//   t 2               what follows is of thread 2; before the first it is of thread 0
//   u 1ffe3c 4        a locked operation: reads and writes as one
//   f                 a full fence
//   n 1f              so many instructions without an access were executed
//   a 2 1c            what follows waits until thread 2 has made so many accesses
//   l 3 11f0 sort 2a FILE     place 3 of code: offset, object, line and file of the source
//   s 4040 18 NAME    so many bytes from that address on are a variable of that name
//   r 1ffe3c 8 @3     an access that the code at place 3 makes
//   k 5               issues the device's command 5 (import --kernels), as a launch of a kernel
//   e 5               what follows waits until the commands up to 5 have completed
//   d                 gives its turn away: to the device, then to another thread
//
// What else follows on a line is a comment.
#include "source/cores/reader.h"

static const char expected[] =
    "Dinero's lines are \"0 ADDRESS\", \"1 ADDRESS\" or \"2 ADDRESS\" (read, write, fetch), or "
    "\"r ADDRESS SIZE\", \"w …\", \"i …\"; all numbers are hexadecimal";

// What a line's first letter says.
static const struct label {
    enum wm_core_event_kind kind; // WM_CORE_NOTHING: no such label, or none that is followed
    bool sized;                   // extended: the size behind the address
    bool unsupported;             // to write back or drop what caches hold
    bool counts;                  // a number of instructions or accesses comes last
} labels[UINT8_MAX + 1] = {
    ['0'] = {WM_CORE_LOAD, false, false},           ['r'] = {WM_CORE_LOAD, true, false},
    ['1'] = {WM_CORE_STORE, false, false},          ['w'] = {WM_CORE_STORE, true, false},
    ['2'] = {WM_CORE_FETCH, false, false},          ['i'] = {WM_CORE_FETCH, true, false},
    ['3'] = {WM_CORE_LOAD, false, false},           ['m'] = {WM_CORE_LOAD, true, false},
    ['4'] = {WM_CORE_NOTHING, .unsupported = true}, ['c'] = {WM_CORE_NOTHING, .unsupported = true},
    ['v'] = {WM_CORE_NOTHING, .unsupported = true}, ['t'] = {WM_CORE_THREAD, false, false},
    ['u'] = {WM_CORE_LOCKED, true, false},          ['f'] = {WM_CORE_FENCE, false, false},
    ['n'] = {WM_CORE_COUNTED, .counts = true},      ['a'] = {WM_CORE_FOLLOWS, .counts = true},
    ['l'] = {WM_CORE_PLACE, false, false},          ['k'] = {WM_CORE_ISSUES, false, false},
    ['e'] = {WM_CORE_AWAITS, false, false},         ['d'] = {WM_CORE_TURN, false, false},
    ['s'] = {WM_CORE_NAME, false, false},
};

static const char *skip_spaces(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool ends(const char *at)
{
    return *at == '\0' || *at == ' ' || *at == '\t';
}

static bool read_number(const char **at, uint64_t *number)
{
    *at = skip_spaces(*at);
    return wm_core_hexadecimal(at, number) && ends(*at);
}

static enum wm_status bad_line(const char *line, struct wm_error *error)
{
    wm_core_bad_line(line, "is no line of Dinero's", error);
    return wm_error_hint(error, "%s", expected);
}

// "NUMBER OFFSET OBJECT", and where the source is known "LINE FILE".
static bool read_place(const char *at, struct wm_core_place_line *place)
{
    if (!read_number(&at, &place->number) || !read_number(&at, &place->offset))
        return false;
    place->object = at = skip_spaces(at);
    while (!ends(at))
        at++;
    place->object_length = (size_t)(at - place->object);
    if (place->object_length == 0)
        return false;
    if (*skip_spaces(at) == '\0')
        return true;
    if (!read_number(&at, &place->line))
        return false;
    place->file = skip_spaces(at);
    return *place->file != '\0';
}

// "ADDRESS BYTES NAME"; the name goes to the end of the line.
static bool read_name(const char *at, struct wm_core_event *event)
{
    if (!read_number(&at, &event->address) || !read_number(&at, &event->count))
        return false;
    event->name = skip_spaces(at);
    return *event->name != '\0';
}

// "@NUMBER" behind an access; other comments are passed over.
static uint32_t read_place_of(const char *at)
{
    uint64_t number;
    at = skip_spaces(at);
    if (*at++ != '@')
        return 0;
    if (!wm_core_hexadecimal(&at, &number) || !ends(at) || number == 0 || number >= UINT32_MAX)
        return WM_CORE_NO_PLACE;
    return (uint32_t)number;
}

static enum wm_status read_line(const char *line, struct wm_core_event *event,
                                struct wm_error *error)
{
    const char *at = skip_spaces(line);
    if (*at == '\0')
        return WM_OK;
    const struct label *label = &labels[(uint8_t)*at];
    if ((label->kind == WM_CORE_NOTHING && !label->unsupported) || !ends(at + 1))
        return bad_line(line, error);
    if (label->unsupported) {
        wm_fail(error, WM_UNSUPPORTED, "\"%.60s\" has caches write back or drop what they hold",
                line);
        return wm_error_hint(error, "warpmem follows reads, writes and fetches alone: take such "
                                    "lines out of the trace");
    }
    event->kind = label->kind;
    if (label->kind == WM_CORE_FENCE || label->kind == WM_CORE_TURN)
        return WM_OK;
    at = skip_spaces(at + 1);
    if (label->kind == WM_CORE_PLACE)
        return read_place(at, &event->described) ? WM_OK : bad_line(line, error);
    if (label->kind == WM_CORE_NAME)
        return read_name(at, event) ? WM_OK : bad_line(line, error);
    if (label->kind != WM_CORE_COUNTED && !read_number(&at, &event->address))
        return bad_line(line, error);
    if (label->counts && !read_number(&at, &event->count))
        return bad_line(line, error);
    uint64_t bytes = WM_CORE_CLASSIC_BYTES;
    if (label->counts || label->kind == WM_CORE_THREAD || label->kind == WM_CORE_ISSUES ||
        label->kind == WM_CORE_AWAITS)
        return WM_OK;
    if (label->sized) {
        if (!read_number(&at, &bytes))
            return bad_line(line, error);
    } else {
        event->address &= ~(uint64_t)(WM_CORE_CLASSIC_BYTES - 1);
    }
    event->place = read_place_of(at);
    event->bytes = bytes <= UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    return WM_OK;
}

const struct wm_core_format wm_core_dinero = {
    .name = "dinero",
    .endings = ".din .xdin",
    .summary = "Dinero III and IV: classic and extended din",
    .line = read_line,
};
