#include "host_trace/checks.h"

#include "base/run/check_list.h"
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
static bool checks_memory(void)
{
    char list[256];
    size_t length;
    uint32_t checks;
    const char *set = wm_host_setting("CHECK", &length);
    if (set == NULL || length >= sizeof list)
        return false;
    memcpy(list, set, length);
    list[length] = '\0';
    return wm_check_list_read(list, &checks, NULL) == WM_OK && (checks & WM_CHECK_MEMORY) != 0;
}

void wm_host_checks_start(bool connects)
{
    if (!checks_memory())
        return;
    wm_host_heap_begin();
    wm_host_is_checked = true;
    void *connect = connects ? dlsym(RTLD_DEFAULT, WM_HOST_CHECKS_CONNECT) : NULL;
    if (connect != NULL)
        ((__typeof__(&wm_host_checks_connect))connect)();
}
