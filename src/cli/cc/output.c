#include "cli/cc/output.h"

#include "base/files/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *wm_cc_output_target(const struct wm_cc_line *line)
{
    if (line->dry_run || line->stop == WM_CC_STOP_SYNTAX)
        return NULL;
    return line->output == NULL && line->stop == WM_CC_STOP_NEVER ? "a.out" : line->output;
}

// --- Dependencies ---

static bool has_word(const struct wm_cc_words *words, const char *prefix)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (strncmp(words->items[i], prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

static char *joined(struct wm_arena *arena, const char *folder, int length, const char *end)
{
    char *text = wm_arena_alloc(arena, (size_t)length + strlen(end) + 1, 1);
    if (text != NULL)
        snprintf(text, (size_t)length + strlen(end) + 1, "%.*s%s", length, folder, end);
    return text;
}

// The output's name with .d in place of its extension, as clang has it.
static char *dependency_file(struct wm_arena *arena, const char *target)
{
    const char *slash = strrchr(target, '/'), *name = slash != NULL ? slash + 1 : target;
    const char *dot = strrchr(name, '.');
    return joined(arena, target, (int)(dot != NULL ? dot - target : (long)strlen(target)), ".d");
}

static enum wm_status name_dependencies(struct wm_cc_line *made, const char *target,
                                        struct wm_arena *arena, struct wm_error *error)
{
    struct wm_cc_words *words = &made->host;
    bool has_dependencies = has_word(words, "-MD") || has_word(words, "-MMD");
    if (made->stop != WM_CC_STOP_OBJECT || !has_dependencies)
        return WM_OK;
    const char **items = WM_ARENA_ARRAY(arena, const char *, words->count + UINT64_C(4));
    const char *file = dependency_file(arena, target);
    if (items == NULL || file == NULL)
        return wm_fail_no_memory(error, "compiling");
    uint32_t count = words->count;
    memcpy(items, words->items, count * sizeof *items);
    if (!has_word(words, "-MF")) {
        items[count++] = "-MF";
        items[count++] = file;
    }
    if (!has_word(words, "-MT") && !has_word(words, "-MQ")) {
        items[count++] = "-MT";
        items[count++] = target;
    }
    words->items = items;
    words->count = count;
    return WM_OK;
}

enum wm_status wm_cc_output_redirect(const struct wm_cc_line *line, const char *folder,
                                     const char *target, struct wm_arena *arena,
                                     struct wm_cc_line *made, struct wm_error *error)
{
    *made = *line;
    made->output = joined(arena, folder, (int)strlen(folder), "/output");
    if (made->output == NULL)
        return wm_fail_no_memory(error, "compiling");
    return name_dependencies(made, target, arena, error);
}

// --- Delivering ---

static enum wm_status copy(int from, const char *made, struct wm_output_file *to,
                           struct wm_error *error)
{
    char buffer[1 << 16];
    ssize_t got;
    while ((got = read(from, buffer, sizeof buffer)) > 0)
        if (!wm_output_write(to, buffer, (size_t)got))
            return WM_OK; // said when it is closed
    return got == 0 ? WM_OK
                    : wm_fail(error, WM_IO, "cannot read \"%s\": %s", made, strerror(errno));
}

enum wm_status wm_cc_output_deliver(const char *made, const char *target, struct wm_error *error)
{
    struct wm_output_file file;
    struct stat status;
    int from = open(made, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return wm_fail(error, WM_IO, "cannot read \"%s\": %s", made, strerror(errno));
    enum wm_status result = wm_output_open(&file, target, WM_OUTPUT_ATOMIC, error);
    if (result == WM_OK) {
        if (!file.place.in_place && fstat(from, &status) == 0)
            fchmod(file.descriptor, status.st_mode & 0777);
        result = copy(from, made, &file, error);
        enum wm_status written = wm_output_close(&file, result == WM_OK, error);
        result = result != WM_OK ? result : written;
    }
    close(from);
    return result;
}
