#include "source/accelsim/words.h"

#include <stdio.h>
#include <string.h>

static bool begins(const char *line, const char *with, const char **rest)
{
    size_t length = strlen(with);
    if (strncmp(line, with, length) != 0)
        return false;
    *rest = line + length;
    return true;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\0';
}

// "(x,y,z)"; all of it.
static bool read_dimensions(const char *text, uint64_t most, uint32_t out[3])
{
    char plain[64];
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length < 7 || length >= sizeof plain || text[0] != '(' || text[length - 1] != ')')
        return false;
    for (size_t i = 0; i < length; i++)
        plain[i] = text[i] == ',' || text[i] == '(' ? ' ' : text[i];
    plain[length - 1] = '\0';
    const char *at = plain;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t number;
        if (!wm_accelsim_decimal(&at, most, &number) || number == 0)
            return false;
        out[axis] = (uint32_t)number;
    }
    return is_blank(at);
}

static bool read_u32(const char *text, uint32_t *out)
{
    uint64_t number;
    if (!wm_accelsim_decimal(&text, UINT32_MAX, &number) || !is_blank(text))
        return false;
    *out = (uint32_t)number;
    return true;
}

struct found {
    bool name, grid, block, version;
};

static bool read_name(const char *text, struct wm_accelsim_header *header)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= sizeof header->name)
        return false;
    memcpy(header->name, text, length);
    header->name[length] = '\0';
    return true;
}

// One "-key = value" line; false when its value is wrong. Other keys do not concern memory.
static bool read_key(const char *line, struct wm_accelsim_header *header, struct found *found)
{
    const char *rest;
    if (begins(line, "-kernel name =", &rest))
        return found->name = read_name(rest, header);
    if (begins(line, "-grid dim =", &rest))
        return found->grid = read_dimensions(rest, INT32_MAX, header->grid);
    if (begins(line, "-block dim =", &rest))
        return found->block = read_dimensions(rest, 1024, header->block);
    if (begins(line, "-shmem base_addr =", &rest))
        return wm_accelsim_hex(&rest, UINT64_MAX, &header->shared_base) && is_blank(rest);
    if (begins(line, "-local mem base_addr =", &rest))
        return wm_accelsim_hex(&rest, UINT64_MAX, &header->local_base) && is_blank(rest);
    if (begins(line, "-shmem =", &rest))
        return read_u32(rest, &header->shared_bytes);
    if (begins(line, "-nregs =", &rest))
        return read_u32(rest, &header->registers);
    if (begins(line, "-binary version =", &rest))
        return read_u32(rest, &header->binary_version);
    if (begins(line, "-cuda stream id =", &rest))
        return wm_accelsim_decimal(&rest, UINT64_MAX, &header->stream) && is_blank(rest);
    if (begins(line, "-accelsim tracer version =", &rest))
        return found->version =
                   wm_accelsim_decimal(&rest, 1000, &header->tracer_version) && is_blank(rest);
    if (begins(line, "-enable lineinfo =", &rest)) {
        uint64_t number = 0;
        bool good = wm_accelsim_decimal(&rest, 1, &number) && is_blank(rest);
        header->line_info = number != 0;
        return good;
    }
    if (begins(line, "-warpmem local bytes =", &rest))
        return wm_accelsim_decimal(&rest, UINT64_C(1) << 24, &header->local_bytes) &&
               is_blank(rest);
    if (begins(line, "-warpmem carveout =", &rest))
        return read_u32(rest, &header->carveout) && header->carveout <= 101;
    return true;
}

// The grammar of instructions: words before "PC" other than the line's number are block and warp.
static enum wm_status read_grammar(const char *text, struct wm_accelsim_header *header,
                                   struct wm_error *error)
{
    uint32_t prefix = 0;
    for (;;) {
        size_t length;
        const char *word = wm_accelsim_word(&text, &length);
        if (length == 0)
            return wm_fail(error, WM_INVALID, "the format of the traces has no PC");
        if (length == 2 && memcmp(word, "PC", 2) == 0)
            break;
        bool is_line = memmem(word, length, "line_num", 8) != NULL;
        prefix += !is_line;
    }
    if (prefix > 32)
        return wm_fail(error, WM_INVALID, "the format of the traces has %u words before PC",
                       prefix);
    header->prefix = prefix;
    return WM_OK;
}

static enum wm_status check(const struct wm_accelsim_header *header, const struct found *found,
                            struct wm_error *error)
{
    const char *missing = !found->name    ? "-kernel name"
                          : !found->grid  ? "-grid dim"
                          : !found->block ? "-block dim"
                                          : NULL;
    if (missing != NULL)
        return wm_fail(error, WM_INVALID, "the kernel's header has no \"%s = …\"", missing);
    uint64_t threads = (uint64_t)header->block[0] * header->block[1] * header->block[2];
    if (threads > 1024)
        return wm_fail(error, WM_INVALID, "a block of %llu threads: there are at most 1,024",
                       (unsigned long long)threads);
    return WM_OK;
}

enum wm_status wm_accelsim_header_read(struct wm_trace_input *input,
                                       struct wm_accelsim_header *header, struct wm_error *error)
{
    *header = (struct wm_accelsim_header){0};
    struct found found = {0};
    for (;;) {
        const char *line;
        size_t length;
        WM_TRY(wm_trace_input_line(input, &line, &length, error));
        enum wm_status status = WM_OK;
        const char *rest;
        if (line == NULL)
            status = wm_fail(error, WM_INVALID, "the trace ends within the kernel's header");
        else if (line[0] == '#') {
            header->prefix = found.version && header->tracer_version < 3 ? 4 : 0;
            status = check(header, &found, error);
            if (status == WM_OK && begins(line, "#traces format =", &rest))
                status = read_grammar(rest, header, error);
            if (status == WM_OK)
                return WM_OK;
        } else if (line[0] == '-') {
            if (!read_key(line, header, &found))
                status = wm_fail(error, WM_INVALID, "\"%.80s\" cannot be read", line);
        } else if (!is_blank(line)) {
            wm_fail(error, WM_INVALID, "a kernel's header has lines \"-key = value\", not this");
            status = wm_error_hint(error, "give a kernel-N.traceg of Accel-Sim's tracer, or the "
                                          "kernelslist.g that names them");
        }
        if (status != WM_OK)
            return wm_trace_input_place(input, error);
    }
}
