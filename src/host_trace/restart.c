#include "host_trace/restart.h"

#include "source/program/elf_file.h"

#include <errno.h>
#include <string.h>
#include <sys/personality.h>

enum wm_status wm_host_stop_randomisation(struct wm_error *error)
{
    int before = personality(0xffffffff);
    if (before >= 0 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) >= 0)
        return WM_OK;
    wm_fail(error, WM_IO, "the system does not let a program have the same addresses each time: %s",
            strerror(errno));
    return wm_error_hint(
        error, "a container may forbid it: start one with --security-opt seccomp=unconfined");
}

bool wm_host_names_marks(void)
{
    struct wm_elf_file program;
    if (wm_elf_open("/proc/self/exe", &program, NULL) != WM_OK)
        return false;
    bool named =
        wm_elf_check(&program, NULL) == WM_OK && wm_elf_mentions(&program, "warpmem_trace_begin");
    wm_elf_close(&program);
    return named;
}
