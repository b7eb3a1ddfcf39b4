#include "study/file/workload_source.h"

#include "study/file/file_text.h"
#include "study/file/plugin_section.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_INCLUDES = 256, LARGEST_SOURCE_BYTES = 16 << 20, LARGEST_PROGRAM_BYTES = 1 << 30 };

// What a source is made of: itself, and what it includes in quotes, each once.
struct closure {
    struct wm_arena *arena;
    const char *paths[MOST_INCLUDES];
    uint32_t count;
    struct wm_text *contents;
};

static void add_path(struct closure *closure, const char *path, size_t length)
{
    for (uint32_t i = 0; i < closure->count; i++)
        if (strlen(closure->paths[i]) == length && memcmp(closure->paths[i], path, length) == 0)
            return;
    const char *copy = wm_arena_copy_text(closure->arena, path, length);
    if (copy && closure->count < MOST_INCLUDES)
        closure->paths[closure->count++] = copy;
}

// Every `#include "NAME"` from `begin` on, relative to the file at `path`.
static void add_includes(struct closure *closure, const char *path, size_t begin)
{
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    const char *at = closure->contents->data ? closure->contents->data + begin : "";
    for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *word = at + strspn(at, " \t");
        if (*word != '#')
            continue;
        word += 1 + strspn(word + 1, " \t");
        if (strncmp(word, "include", 7) != 0)
            continue;
        word += 7 + strspn(word + 7, " \t");
        if (*word != '"')
            continue;
        int length = snprintf(name, sizeof name, "%.*s%.*s", folder, path,
                              (int)strcspn(word + 1, "\"\n"), word + 1);
        if (length > 0 && (size_t)length < sizeof name && access(name, R_OK) == 0)
            add_path(closure, name, (size_t)length);
    }
}

static enum wm_status add_source(struct wm_study *study, const char *path, struct wm_text *contents,
                                 struct wm_error *error)
{
    struct closure *closure = WM_ARENA_NEW(&study->arena, struct closure);
    if (!closure)
        return wm_fail_no_memory(error, "the study");
    closure->arena = &study->arena;
    closure->contents = contents;
    add_path(closure, path, strlen(path));
    for (uint32_t i = 0; i < closure->count; i++) {
        size_t begin = contents->length;
        WM_TRY(wm_study_file_text(closure->paths[i], LARGEST_SOURCE_BYTES, contents, error));
        add_includes(closure, closure->paths[i], begin);
    }
    return WM_OK;
}

static enum wm_status find_file(struct wm_study *study, const char *name, const char *folder,
                                int mode, const char **path)
{
    char buffer[PATH_MAX];
    const char *const folders[] = {name[0] == '/' ? "" : study->folder, folder};
    for (size_t i = 0; i < 2 && (i == 0 || (folder && name[0] != '/')); i++) {
        int length =
            snprintf(buffer, sizeof buffer, "%s%s%s", folders[i], name[0] == '/' ? "" : "/", name);
        if (length < 0 || (size_t)length >= sizeof buffer || access(buffer, mode) != 0)
            continue;
        *path = wm_arena_copy_text(&study->arena, buffer, (size_t)length);
        return *path ? WM_OK : WM_NO_MEMORY;
    }
    return WM_NOT_FOUND;
}

static void add_words(const struct wm_study_texts *words, struct wm_text *text)
{
    for (uint32_t i = 0; i < words->count; i++)
        wm_text_append(text, words->items[i], strlen(words->items[i]) + 1);
    wm_text_append(text, "", 1);
}

// Arguments that name files in the study file's folder are hashed with the files' contents.
static enum wm_status add_data(const struct wm_study *study, const struct wm_study_texts *words,
                               struct wm_text *text, struct wm_error *error)
{
    char path[PATH_MAX];
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s%s%s", word[0] == '/' ? "" : study->folder,
                              word[0] == '/' ? "" : "/", word);
        if (length > 0 && (size_t)length < sizeof path && stat(path, &status) == 0 &&
            S_ISREG(status.st_mode))
            WM_TRY(wm_study_file_text(path, LARGEST_PROGRAM_BYTES, text, error));
    }
    return WM_OK;
}

enum wm_status wm_workload_source_find(struct wm_study *study, struct wm_study_workload *workload,
                                       const char *workload_folder, struct wm_error *error)
{
    bool compiles = workload->source != NULL;
    const char *path;
    enum wm_status status = find_file(study, workload->program, compiles ? workload_folder : NULL,
                                      compiles ? R_OK : X_OK, &path);
    struct wm_text text;
    wm_text_init(&text);
    if (status == WM_NOT_FOUND) {
        wm_fail(error, status, "workload %s: there is no %s \"%s\"", workload->label,
                compiles ? "source" : "program that can be run as", workload->program);
        wm_error_hint(error, "it is looked for in %s%s%s", study->folder,
                      compiles && workload_folder ? " and " : "",
                      compiles && workload_folder ? workload_folder : "");
    } else if (status == WM_NO_MEMORY) {
        wm_fail_no_memory(error, "the study");
    } else {
        *(compiles ? &workload->source : &workload->command) = path;
        status = compiles ? add_source(study, path, &text, error)
                          : wm_study_file_text(path, LARGEST_PROGRAM_BYTES, &text, error);
    }
    if (status == WM_OK)
        status = add_data(study, &workload->arguments, &text, error);
    if (status == WM_OK) {
        add_words(&workload->arguments, &text);
        add_words(&workload->options, &text);
        wm_text_add(&text, study->recorded_on);
        wm_study_plugins_mark(study, study->recorded_plugins, &text);
        wm_text_add(&text, study->any_order      ? "any order"
                           : study->host_threads ? "host threads"
                                                 : "");
        wm_study_hash(text.data, text.length, workload->hash);
    }
    if (status == WM_OK && text.failed)
        status = wm_fail_no_memory(error, "\"%s\"", path);
    wm_text_release(&text);
    return status == WM_OK ? WM_OK : wm_yaml_point_node(&study->tree, workload->node, error);
}
