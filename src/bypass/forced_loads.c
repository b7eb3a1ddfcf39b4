#include "bypass/forced_loads.h"

#include "engine/session/launch_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// One word, taken apart.
struct force {
    const char *kernel; // in the word, kernel_length of it; 0: none is named
    size_t kernel_length;
    uint32_t load; // from 1
    enum wm_bypass_forced forced;
};

static enum wm_status refuse(const char *word, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "\"%.200s\" forces no load", word);
    wm_error_place(error, "--load");
    return wm_error_hint(error, "write N=ca, which uses L1, N=cg, which goes around it, or "
                                "KERNEL:N=ca; numbers are those of the table");
}

static enum wm_status read_word(const char *word, struct force *force, struct wm_error *error)
{
    const char *equals = strrchr(word, '='), *number = word;
    *force = (struct force){.kernel = word};
    if (equals == NULL)
        return refuse(word, error);
    for (const char *at = word; at < equals; at++) // names have colons of their own
        if (*at == ':')
            number = at + 1;
    if (number != word) {
        force->kernel_length = (size_t)(number - word) - 1;
        if (force->kernel_length == 0)
            return refuse(word, error);
    }
    if (strcmp(equals + 1, "ca") == 0)
        force->forced = WM_BYPASS_FORCED_CACHED;
    else if (strcmp(equals + 1, "cg") == 0)
        force->forced = WM_BYPASS_FORCED_BYPASSED;
    else
        return refuse(word, error);
    char *end;
    errno = 0;
    unsigned long load = strtoul(number, &end, 10);
    if (*number < '0' || *number > '9' || end != equals)
        return refuse(word, error);
    // Too large a number is one that is not there.
    force->load = errno != 0 || load > UINT32_MAX ? UINT32_MAX : (uint32_t)load;
    return WM_OK;
}

enum wm_status wm_bypass_forces_check(const char *const *words, uint32_t count,
                                      struct wm_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        struct force force;
        WM_TRY(read_word(words[i], &force, error));
    }
    return WM_OK;
}

// --- Kernels ---

static enum wm_status kernels_cure(const struct wm_bypass_program *program, struct wm_error *error)
{
    enum { NAMED = 4 };
    struct wm_text names;
    wm_text_init(&names);
    for (uint32_t k = 0; k < program->kernel_count && k < NAMED; k++) {
        wm_text_add(&names, k > 0 ? ", " : "");
        wm_text_add(&names, wm_bypass_kernel_title(&program->kernels[k]));
    }
    if (program->kernel_count > NAMED)
        wm_text_format(&names, " and %" PRIu32 " more", program->kernel_count - NAMED);
    wm_error_hint(error, "write KERNEL:N=ca; kernels with loads to decide are %s",
                  names.failed || names.data == NULL ? "in the table" : names.data);
    wm_text_release(&names);
    return error != NULL ? error->status : WM_INVALID;
}

static enum wm_status apply(const struct force *force, const char *word,
                            struct wm_bypass_kernel *kernel, struct wm_error *error)
{
    uint32_t count = kernel->profiled->load_count;
    if (force->load == 0 || force->load > count) {
        wm_fail(error, WM_NOT_FOUND, "there is no such load: those of %.200s are numbered 1 to %u",
                wm_bypass_kernel_title(kernel), count);
        return wm_error_place(error, "--load %s", word);
    }
    enum wm_bypass_forced *forced = &kernel->forced[force->load - 1];
    if (*forced != WM_BYPASS_FREE && *forced != force->forced) {
        wm_fail(error, WM_INVALID, "load %u is forced to use L1 and to go around it", force->load);
        return wm_error_place(error, "--load %s", word);
    }
    *forced = force->forced;
    return WM_OK;
}

static enum wm_status apply_to_all(struct wm_bypass_program *program, const struct force *force,
                                   const char *word, const struct wm_launch_filter *filter,
                                   struct wm_error *error)
{
    bool any = false;
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        struct wm_bypass_kernel *kernel = &program->kernels[k];
        if (!wm_launch_filter_means(filter, kernel->profiled->name))
            continue;
        any = true;
        WM_TRY(apply(force, word, kernel, error));
    }
    if (any)
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "\"%.*s\" is no kernel that was profiled",
            (int)force->kernel_length, force->kernel);
    wm_error_place(error, "--load %s", word);
    return kernels_cure(program, error);
}

static enum wm_status apply_word(struct wm_bypass_program *program, const char *word,
                                 struct wm_error *error)
{
    struct force force;
    WM_TRY(read_word(word, &force, error));
    if (force.kernel_length == 0 && program->kernel_count != 1) {
        wm_fail(error, WM_INVALID, "%u kernels have loads to decide, and none is named",
                program->kernel_count);
        wm_error_place(error, "--load %s", word);
        return kernels_cure(program, error);
    }
    if (force.kernel_length == 0)
        return apply(&force, word, &program->kernels[0], error);
    char *pattern = strndup(force.kernel, force.kernel_length);
    if (pattern == NULL)
        return wm_fail_no_memory(error, "a kernel's name");
    const char *const patterns[] = {pattern};
    const struct wm_launch_filter_words words = {.kernels = patterns, .kernel_count = 1};
    struct wm_launch_filter filter;
    enum wm_status status = wm_launch_filter_init(&filter, &words, error);
    if (status == WM_OK)
        status = apply_to_all(program, &force, word, &filter, error);
    wm_launch_filter_release(&filter);
    free(pattern);
    return status;
}

enum wm_status wm_bypass_forces_apply(struct wm_bypass_program *program, const char *const *words,
                                      uint32_t count, struct wm_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        WM_TRY(apply_word(program, words[i], error));
    return WM_OK;
}
