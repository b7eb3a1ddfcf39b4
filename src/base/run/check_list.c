#include "base/run/check_list.h"

#include <string.h>

enum wm_status wm_check_list_read(const char *list, uint32_t *checks, struct wm_error *error)
{
    static const struct {
        const char *name;
        uint32_t check;
    } words[] = {{"memory", WM_CHECK_MEMORY},
                 {"init", WM_CHECK_INIT},
                 {"race", WM_CHECK_RACE},
                 {"leak", WM_CHECK_LEAK},
                 {"all", WM_CHECK_MEMORY | WM_CHECK_INIT | WM_CHECK_RACE | WM_CHECK_LEAK}};
    *checks = 0;
    for (const char *word = list;; word += strcspn(word, ",") + 1) {
        size_t length = strcspn(word, ","), i = 0;
        while (i < sizeof words / sizeof words[0] &&
               (strlen(words[i].name) != length || memcmp(words[i].name, word, length) != 0))
            i++;
        if (i == sizeof words / sizeof words[0]) {
            wm_fail(error, WM_INVALID, "\"%.*s\" is no check", (int)(length < 64 ? length : 64),
                    word);
            return wm_error_hint(error, "checks are memory, init, race, leak and all, with commas "
                                        "between");
        }
        *checks |= words[i].check;
        if (word[length] == '\0')
            return WM_OK;
    }
}
