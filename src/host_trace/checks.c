#include "host_trace/checks.h"

#include "host_trace/environment.h"
#include "host_trace/exported_calls.h"
#include "host_trace/heap_blocks.h"

#include <dlfcn.h>
#include <string.h>

bool wm_host_is_checked;

static const struct wm_host_checks *device_checks; // of the device's memory; NULL: not looked at

EXPORTED void wm_host_checks_begin(const struct wm_host_checks *checks)
{
    __atomic_store_n(&device_checks, checks, __ATOMIC_RELEASE);
    __atomic_store_n(&wm_host_is_checked, true, __ATOMIC_RELEASE);
}

void wm_host_check_access(const volatile void *address, size_t bytes, bool write, const void *code)
{
    const struct wm_host_checks *checks = __atomic_load_n(&device_checks, __ATOMIC_ACQUIRE);
    if (checks != NULL)
        checks->access((uintptr_t)address, bytes, write, code);
    if (wm_host_heap_is_checked)
        wm_host_heap_check(address, bytes, write, code);
}

// A list that is wrong is the device's to refuse.
static bool has_word(const char *list, size_t length, const char *word)
{
    size_t bytes = strlen(word);
    for (const char *at = list, *end = list + length; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t item = (size_t)((comma != NULL ? comma : end) - at);
        if (item == bytes && memcmp(at, word, bytes) == 0)
            return true;
        at += item + 1;
    }
    return false;
}

void wm_host_checks_start(bool connects)
{
    size_t length;
    const char *list = wm_host_setting("CHECK", &length);
    if (list == NULL || !(has_word(list, length, "memory") || has_word(list, length, "all")))
        return;
    wm_host_heap_begin();
    wm_host_is_checked = true;
    void *connect = connects ? dlsym(RTLD_DEFAULT, WM_HOST_CHECKS_CONNECT) : NULL;
    if (connect != NULL)
        ((__typeof__(&wm_host_checks_connect))connect)();
}
