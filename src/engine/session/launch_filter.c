#include "engine/session/launch_filter.h"

#include "base/names/demangle.h"
#include "base/text/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct wm_kernel_pattern {
    const char *glob; // NULL: the expression
    regex_t expression;
    bool compiled;
};

// --- Reading ---

bool wm_launch_filter_wanted(const struct wm_launch_filter_words *words)
{
    return words->kernel_count != 0 || words->launches != NULL || words->skip != NULL ||
           words->count != NULL;
}

static enum wm_status read_pattern(struct wm_launch_filter *filter, const char *text,
                                   struct wm_error *error)
{
    static const char prefix[] = "regex:";
    struct wm_kernel_pattern *pattern = &filter->patterns[filter->pattern_count++];
    if (text[0] == '\0') {
        wm_fail(error, WM_INVALID, "--kernel: the pattern is empty");
        return wm_error_hint(error, "name a kernel, as --kernel 'reduce*'");
    }
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        pattern->glob = wm_arena_copy_text(&filter->arena, text, strlen(text));
        return pattern->glob != NULL ? WM_OK : wm_fail_no_memory(error, "the names of kernels");
    }
    const char *expression = text + sizeof prefix - 1;
    int code = regcomp(&pattern->expression, expression, REG_EXTENDED | REG_NOSUB);
    pattern->compiled = code == 0;
    if (code == 0)
        return WM_OK;
    char reason[128];
    regerror(code, &pattern->expression, reason, sizeof reason);
    wm_fail(error, WM_INVALID, "--kernel: \"%.200s\" is no regular expression: %s", expression,
            reason);
    return wm_error_hint(error, "POSIX extended ones are understood, as regex:^(reduce|scan)_");
}

static enum wm_status read_count(const char *text, const char *option, uint64_t least,
                                 uint64_t *number, struct wm_error *error)
{
    char *end;
    if (text == NULL)
        return WM_OK;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *number = value;
    if (text[0] >= '0' && text[0] <= '9' && errno == 0 && *end == '\0' && value >= least)
        return WM_OK;
    return wm_fail(error, WM_INVALID, "%s: \"%.64s\" is no number of launches", option, text);
}

// The options as they were given, for reports.
static const char *describe(struct wm_launch_filter *filter,
                            const struct wm_launch_filter_words *words)
{
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t i = 0; i < words->kernel_count; i++)
        wm_text_format(&text, " --kernel %s", words->kernels[i]);
    if (words->launches != NULL)
        wm_text_format(&text, " --launches %s", words->launches);
    if (words->skip != NULL)
        wm_text_format(&text, " --launch-skip %s", words->skip);
    if (words->count != NULL)
        wm_text_format(&text, " --launch-count %s", words->count);
    const char *copy = "";
    if (text.failed)
        copy = NULL;
    else if (text.data != NULL)
        copy = wm_arena_copy_text(&filter->arena, text.data + 1, text.length - 1);
    wm_text_release(&text);
    return copy;
}

enum wm_status wm_launch_filter_init(struct wm_launch_filter *filter,
                                     const struct wm_launch_filter_words *words,
                                     struct wm_error *error)
{
    *filter = (struct wm_launch_filter){.most = UINT64_MAX};
    wm_arena_init(&filter->arena);
    filter->patterns =
        WM_ARENA_ARRAY(&filter->arena, struct wm_kernel_pattern, words->kernel_count);
    filter->text = describe(filter, words);
    if (filter->patterns == NULL || filter->text == NULL)
        return wm_fail_no_memory(error, "a choice of launches");
    for (uint32_t i = 0; i < words->kernel_count; i++)
        WM_TRY(read_pattern(filter, words->kernels[i], error));
    WM_TRY(wm_ranges_read(words->launches, "--launches", &filter->arena, &filter->launches, error));
    WM_TRY(read_count(words->skip, "--launch-skip", 0, &filter->skip, error));
    return read_count(words->count, "--launch-count", 1, &filter->most, error);
}

void wm_launch_filter_release(struct wm_launch_filter *filter)
{
    for (uint32_t i = 0; i < filter->pattern_count; i++)
        if (filter->patterns[i].compiled)
            regfree(&filter->patterns[i].expression);
    wm_arena_release(&filter->arena);
    *filter = (struct wm_launch_filter){0};
}

// --- Choosing ---

static bool means(const struct wm_launch_filter *filter, const char *name)
{
    for (uint32_t i = 0; i < filter->pattern_count; i++) {
        const struct wm_kernel_pattern *pattern = &filter->patterns[i];
        if (pattern->glob != NULL ? fnmatch(pattern->glob, name, 0) == 0
                                  : regexec(&pattern->expression, name, 0, NULL, 0) == 0)
            return true;
    }
    return false;
}

// Leaves of "void ns::reduce<256>(float*, float const*)" the name of the function; if `plain`,
// without what stands before its own name and without the template's arguments.
static void cut_signature(char *signature, bool plain)
{
    size_t length, begin = 0, arguments = 0;
    const char *name = wm_demangled_name(signature, &length);
    int depth = 0;
    for (size_t at = 0; plain && at < length; at++) {
        if (depth == 0 && name[at] == '<')
            arguments = at;
        depth += (name[at] == '<') - (name[at] == '>');
        if (depth == 0 && name[at] == ':') {
            begin = at + 1;
            arguments = 0;
        }
    }
    size_t end = arguments > begin ? arguments : length;
    memmove(signature, name + begin, end - begin);
    signature[end - begin] = '\0';
}

bool wm_launch_filter_means(const struct wm_launch_filter *filter, const char *kernel)
{
    if (filter->pattern_count == 0 || means(filter, kernel))
        return true;
    bool found = false;
    for (int form = 0; form < 3 && !found; form++) {
        struct wm_text name;
        wm_text_init(&name);
        wm_demangle(kernel, &name);
        if (!name.failed && name.data != NULL) {
            if (form > 0)
                cut_signature(name.data, form == 2);
            found = means(filter, name.data);
        }
        wm_text_release(&name);
    }
    return found;
}

// Names are read once: a program may launch a kernel a million times.
static bool means_kernel(const struct wm_launch_filter *filter, struct wm_launch_choice *choice,
                         const char *kernel, struct wm_arena *arena)
{
    static char yes, no;
    size_t length = strlen(kernel);
    const void *known = wm_string_map_get(&choice->kernels, kernel, length);
    if (known != NULL)
        return known == &yes;
    bool found = wm_launch_filter_means(filter, kernel);
    const char *copy = wm_arena_copy_text(arena, kernel, length);
    if (copy != NULL)
        wm_string_map_put(&choice->kernels, copy, length, found ? &yes : &no);
    return found;
}

bool wm_launch_filter_takes(const struct wm_launch_filter *filter, struct wm_launch_choice *choice,
                            const char *kernel, uint64_t number, struct wm_arena *arena)
{
    if (!wm_ranges_have(&filter->launches, number) || !means_kernel(filter, choice, kernel, arena))
        return false;
    uint64_t place = choice->passed++;
    return place >= filter->skip && place - filter->skip < filter->most;
}
