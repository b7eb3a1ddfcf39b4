// The library that puts our CUDA runtime in the place of one that is linked into the program
// (nvcc's default). `warpmem run` names it in LD_AUDIT, so the dynamic loader calls it
// (rtld-audit(7)) for each file that it maps, at the start and by dlopen, before any of the file's
// code runs. A file whose symbol table has a CUDA runtime gets jumps to ours at its functions.
#include "cuda/linked_runtime/runtime_entry.h"
#include "source/program/static_runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char folder[PATH_MAX]; // of this library and of libcudart.so.*; "" when it is not known

static void find_folder(void)
{
    Dl_info here;
    if (!dladdr(folder, &here) || !realpath(here.dli_fname, folder))
        folder[0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

// Ours have the runtime's functions in their symbol tables too.
static bool is_ours(const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return false;
    char *slash = strrchr(real, '/');
    *slash = '\0';
    return strcmp(real, folder) == 0;
}

static void complain(const char *path, struct wm_error *error)
{
    char text[sizeof *error + 64];
    if (error->place[0] == '\0')
        wm_error_place(error, "%.200s", path);
    fprintf(stderr, "warpmem: %s", wm_error_format(error, text, sizeof text));
}

static enum wm_status redirect(const struct wm_elf_file *file, uint64_t moved,
                               struct wm_error *error)
{
    struct wm_runtime_entries *list;
    unsigned major;
    WM_TRY(wm_static_runtime_find(file, &major, error));
    WM_TRY(wm_runtime_entries_list(file, major, &list, error));
    wm_runtime_entries_lead(list, folder);
    return wm_runtime_entries_patch(list, moved, error);
}

static void look_at(const char *path, uint64_t moved)
{
    struct wm_elf_file file = {NULL, 0};
    struct wm_error error;
    wm_error_clear(&error);
    if (is_ours(path) || wm_elf_open(path, &file, NULL) != WM_OK)
        return;
    enum wm_status status = WM_NOT_FOUND;
    if (wm_elf_has_magic(&file) && wm_elf_check(&file, NULL) == WM_OK)
        status = redirect(&file, moved, &error);
    if (status != WM_OK && status != WM_NOT_FOUND)
        complain(path, &error);
    wm_elf_close(&file);
}

// ---- What the loader calls ---------------------------------------------------------------------

__attribute__((visibility("default"))) unsigned la_version(unsigned version)
{
    find_folder();
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// No file's calls are audited (no flag), so nothing becomes slower.
__attribute__((visibility("default"))) unsigned la_objopen(struct link_map *map, Lmid_t space,
                                                           uintptr_t *cookie)
{
    (void)cookie;
    const char *path = map->l_name;
    if (path[0] == '\0') { // the program itself
        path = "/proc/self/exe";
        if (access(path, R_OK) != 0)
            path = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    }
    if (space == LM_ID_BASE && folder[0] && path)
        look_at(path, map->l_addr);
    return 0;
}
