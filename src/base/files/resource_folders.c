#include "base/files/resource_folders.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <sys/stat.h>

struct own {
    uintptr_t address;   // of code in the object wanted
    char path[PATH_MAX]; // empty for the main program
    bool found;
};

static int visit(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    struct own *own = context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || own->address - begin >= segment->p_memsz)
            continue;
        int length = snprintf(own->path, sizeof own->path, "%s", object->dlpi_name);
        own->found = length >= 0 && (size_t)length < sizeof own->path;
        return 1;
    }
    return 0;
}

enum wm_status wm_own_folder(char *folder, size_t size, struct wm_error *error)
{
    struct own own = {.address = (uintptr_t)&wm_own_folder};
    dl_iterate_phdr(visit, &own);
    // The dynamic linker leaves the main program's name empty: argv[0] would depend on the caller.
    const char *path = own.path[0] ? own.path : "/proc/self/exe";
    char resolved[PATH_MAX];
    if (!own.found || !realpath(path, resolved))
        return wm_fail(error, WM_IO, "cannot find where this program was loaded from: %s",
                       own.found ? strerror(errno) : "its code is in no loaded object");
    char *slash = strrchr(resolved, '/');
    size_t length = slash ? (size_t)(slash - resolved) : 0;
    if (length + 1 > size)
        return wm_fail(error, WM_IO, "the path of this program is too long");
    memcpy(folder, resolved, length);
    folder[length] = '\0';
    return WM_OK;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool join(char *path, size_t size, const char *root, const char *rest)
{
    int length = snprintf(path, size, "%s/%s", root, rest);
    return length >= 0 && (size_t)length < size && is_folder(path);
}

// Cuts the last name off a path; false at the root.
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

// The first line of BUILD/warpmem-source-root; false when `build` is not the root of a build tree.
static bool read_marker(const char *build, char *root, size_t size)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/warpmem-source-root", build);
    FILE *file = length < (int)sizeof path ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    bool read = fgets(root, (int)size, file) != NULL;
    fclose(file);
    if (read)
        root[strcspn(root, "\n")] = '\0';
    return read;
}

static bool find_in_build(const struct wm_companion *companion, const char *own, char *path,
                          size_t size)
{
    char build[PATH_MAX], root[PATH_MAX];
    snprintf(build, sizeof build, "%s", own);
    do {
        if (read_marker(build, root, sizeof root))
            return companion->built ? join(path, size, build, companion->built)
                                    : join(path, size, root, companion->source);
    } while (go_up(build));
    return false;
}

static bool find_installed(const struct wm_companion *companion, const char *own, char *path,
                           size_t size)
{
    char prefix[PATH_MAX];
    snprintf(prefix, sizeof prefix, "%s", own);
    for (int level = 0; level < 2 && go_up(prefix); level++)
        if (join(path, size, prefix, companion->installed))
            return true;
    return false;
}

enum wm_status wm_resource_folder_find(const struct wm_companion *companion, char *path,
                                       size_t size, struct wm_error *error)
{
    const char *chosen = getenv(companion->variable);
    if (chosen && chosen[0]) {
        int length = snprintf(path, size, "%s", chosen);
        if (length >= 0 && (size_t)length < size && is_folder(path))
            return WM_OK;
        wm_fail(error, WM_NOT_FOUND, "%s is not there: \"%s\" is no folder", companion->what,
                chosen);
        wm_error_hint(error, "mend or unset %s", companion->variable);
        return WM_NOT_FOUND;
    }
    char own[PATH_MAX];
    WM_TRY(wm_own_folder(own, sizeof own, error));
    // The last is for a program elsewhere that holds this code from a static library.
    if (find_in_build(companion, own, path, size) || find_installed(companion, own, path, size) ||
        join(path, size, WM_CONFIGURED_PREFIX, companion->installed))
        return WM_OK;
    wm_fail(error, WM_NOT_FOUND, "%s was not found from %s", companion->what, own);
    wm_error_hint(error, "reinstall warpmem, or set %s to the folder", companion->variable);
    return WM_NOT_FOUND;
}
