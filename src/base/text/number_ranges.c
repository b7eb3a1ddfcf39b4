#include "base/text/number_ranges.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char **at, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static bool read_range(const char **at, struct wm_range *range)
{
    if (!read_number(at, &range->first))
        return false;
    range->last = range->first;
    if (**at == '-') {
        ++*at;
        return read_number(at, &range->last) && range->last >= range->first &&
               range->last < UINT64_MAX;
    }
    return true;
}

enum wm_status wm_ranges_read(const char *text, const char *option, struct wm_arena *arena,
                              struct wm_ranges *ranges, struct wm_error *error)
{
    *ranges = (struct wm_ranges){0};
    if (text == NULL)
        return WM_OK;
    struct wm_range *items = WM_ARENA_ARRAY(arena, struct wm_range, strlen(text) + 1);
    if (items == NULL)
        return wm_fail_no_memory(error, "%s", option);
    uint32_t count = 0;
    for (const char *at = text;; at++) {
        struct wm_range range;
        bool good = read_range(&at, &range) && (*at == ',' || *at == '\0') &&
                    (count == 0 || range.first > items[count - 1].last);
        if (!good) {
            wm_fail(error, WM_INVALID, "%s: \"%s\" is no list of numbers", option, text);
            return wm_error_hint(error, "numbers or ranges in rising order, as 0-7 or 1,4,10-12");
        }
        items[count++] = range;
        if (*at == '\0')
            break;
    }
    *ranges = (struct wm_ranges){items, count};
    return WM_OK;
}
