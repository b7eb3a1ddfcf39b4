// What Valgrind's lackey prints with --trace-mem=yes (Valgrind manual, "Lackey: an example tool"):
//
//   I  04016900,3      an instruction of three bytes
//    L 1ffefffe7f,8    a load of eight
//    S 1ffefffe78,8    a store
//    M 0421c7cc,4      a load and a store of the same bytes
//
// Valgrind's own lines ("==1234== …", "--1234-- …") and those of --trace-superblocks ("SB …") may
// stand between.
#include "source/cores/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char expected[] =
    "lackey's lines are \"I  ADDRESS,SIZE\", or \" L\", \" S\" or \" M\" in place of I";

static bool is_valgrinds(const char *line)
{
    return line[0] == '\0' || strncmp(line, "==", 2) == 0 || strncmp(line, "--", 2) == 0 ||
           strncmp(line, "**", 2) == 0 || strncmp(line, "SB ", 3) == 0;
}

static enum wm_core_event_kind kind_of(char letter)
{
    switch (letter) {
    case 'I': return WM_CORE_FETCH;
    case 'L': return WM_CORE_LOAD;
    case 'S': return WM_CORE_STORE;
    case 'M': return WM_CORE_MODIFY;
    default: return WM_CORE_NOTHING;
    }
}

static bool read_size(const char *text, uint32_t *bytes)
{
    char *end;
    errno = 0;
    unsigned long size = strtoul(text, &end, 10);
    *bytes = size <= UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return *text >= '0' && *text <= '9' && errno == 0 && *end == '\0';
}

static enum wm_status read_line(const char *line, struct wm_core_event *event,
                                struct wm_error *error)
{
    if (is_valgrinds(line))
        return WM_OK;
    const char *at = line + strspn(line, " ");
    event->kind = kind_of(*at);
    bool good = event->kind != WM_CORE_NOTHING && at[1] == ' ';
    if (good) {
        at += 1 + strspn(at + 1, " ");
        good = wm_core_hexadecimal(&at, &event->address) && *at == ',' &&
               read_size(at + 1, &event->bytes);
    }
    if (good)
        return WM_OK;
    wm_core_bad_line(line, "is no line of lackey's", error);
    return wm_error_hint(error, "%s", expected);
}

const struct wm_core_format wm_core_lackey = {
    .name = "lackey",
    .endings = ".lackey",
    .summary = "valgrind --tool=lackey --trace-mem=yes",
    .line = read_line,
};
