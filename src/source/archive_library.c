#include "source/archive_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct wm_archive_library loaded;
static char failure[256]; // what the loader says; empty: nothing

static void *find(void *handle, const char *name)
{
    void *function = handle != NULL ? dlsym(handle, name) : NULL;
    if (function == NULL && failure[0] == '\0') {
        const char *said = dlerror();
        snprintf(failure, sizeof failure, "%s", said != NULL ? said : name);
    }
    return function;
}

// The version of the interface is part of the name: the headers' is 13.
static void load(void)
{
    void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
#define WM_ARCHIVE_FIND(name) *(void **)&loaded.name = find(handle, #name);
    WM_ARCHIVE_FUNCTIONS(WM_ARCHIVE_FIND)
}

enum wm_status wm_archive_library_load(const struct wm_archive_library **library,
                                       struct wm_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *library = &loaded;
    if (failure[0] == '\0')
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "traces are read through libarchive, which cannot be loaded: %s",
            failure);
    return wm_error_hint(error, "install the package libarchive13");
}
