#include "cli/options/thread_option.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

enum wm_status wm_thread_option_read(const char *text, uint32_t *threads, struct wm_error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = processors > 0 && processors < MOST_THREADS ? (uint32_t)processors : 1;
    if (text == NULL)
        return WM_OK;
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno != 0 || *end != '\0' || number == 0 || number > MOST_THREADS) {
        wm_fail(error, WM_INVALID, "\"%.32s\" is no number of threads", text);
        wm_error_place(error, "--threads");
        return wm_error_hint(error, "give a number from 1 to %d", (int)MOST_THREADS);
    }
    *threads = (uint32_t)number;
    return WM_OK;
}
