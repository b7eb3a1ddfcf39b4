// Where in the source an instruction is. Of functions that were inlined PTX has the place inside
// and that of the call (PTX ISA, ".loc": inlined_at), and of the call again a .loc of its own,
// which says where its function was inlined.
#include "exec/decode/decoder.h"

#include <string.h>

// So many statements before an instruction its caller's .loc is looked for.
enum { FURTHEST = 4096 };

static struct wm_source_location place_of(const struct wm_decoder *decoder, uint32_t file,
                                          uint32_t line)
{
    return (struct wm_source_location){wm_ptx_module_file_name(decoder->module, file), line};
}

// The nearest .loc before statement `*at` that is the place where `loc` was inlined; NULL: none.
static const struct wm_ptx_loc *call_site(const struct wm_ptx_function *function,
                                          const struct wm_ptx_loc *loc, uint32_t *at)
{
    uint32_t first = *at > FURTHEST ? *at - FURTHEST : 0;
    for (uint32_t i = *at; i-- > first;) {
        const struct wm_ptx_statement *statement = &function->statements[i];
        if (statement->kind != WM_PTX_STATEMENT_LOC)
            continue;
        const struct wm_ptx_loc *other = statement->loc;
        if (other != loc && other->file == loc->inlined_file && other->line == loc->inlined_line &&
            other->column == loc->inlined_column) {
            *at = i;
            return other;
        }
    }
    return NULL;
}

// From the instruction's own place outwards; `at` is its statement.
static uint32_t follow_calls(const struct wm_decoder *decoder, const struct wm_ptx_loc *loc,
                             uint32_t at, struct wm_source_location places[WM_MOST_INLINED])
{
    uint32_t count = 0;
    places[count++] = place_of(decoder, loc->file, loc->line);
    while (loc->inlined_file != 0 && count < WM_MOST_INLINED) {
        const struct wm_ptx_loc *call = call_site(decoder->function, loc, &at);
        places[count++] = place_of(decoder, loc->inlined_file, loc->inlined_line);
        if (call == NULL)
            break;
        loc = call;
    }
    return count;
}

// The innermost place in a file of the program's own; where all are in a toolkit's, the outermost.
static const struct wm_source_location *programs_own(const struct wm_source_location *places,
                                                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (places[i].file != NULL && !wm_is_toolkit_file(places[i].file))
            return &places[i];
    return &places[count - 1];
}

void wm_decode_source_location(struct wm_decoder *decoder, const struct wm_ptx_loc *loc,
                               uint32_t statement, struct wm_kernel_instruction *to)
{
    if (loc == NULL)
        return;
    if (loc->inlined_file == 0) {
        struct wm_source_location place = place_of(decoder, loc->file, loc->line);
        to->source_file = place.file;
        to->source_line = place.line;
        return;
    }
    struct wm_source_location found[WM_MOST_INLINED];
    uint32_t count = follow_calls(decoder, loc, statement, found);
    struct wm_source_location *places = wm_decode_allocate(decoder, count * sizeof *places);
    if (places == NULL)
        return;
    memcpy(places, found, count * sizeof *places);
    const struct wm_source_location *own = programs_own(places, count);
    to->source_file = own->file;
    to->source_line = own->line;
    to->inlined = places;
    to->inlined_count = count;
}
