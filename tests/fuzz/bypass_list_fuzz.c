// Files of bypass selectors: whatever the bytes, an answer; what is accepted is a list that checks,
// and the same list when it is written one selector a line again; what is refused says where and
// why.
#include "machine/bypass_list.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_accepted(const struct wm_text *list)
{
    struct wm_bypass_selector selector;
    struct wm_text lines, again;
    wm_text_init(&lines);
    wm_text_init(&again);
    require(list->length < WM_BYPASS_LIST_BYTES && wm_bypass_list_check(list->data, NULL) == WM_OK);
    for (const char *rest = list->data; (rest = wm_bypass_list_next(rest, &selector)) != NULL;) {
        wm_text_append(&lines, selector.text, selector.length);
        wm_text_add(&lines, "\n");
    }
    require(wm_bypass_list_read_text(lines.data ? lines.data : "", lines.length, "again", &again,
                                     NULL) == WM_OK);
    require(strcmp(again.data, list->data) == 0);
    wm_text_release(&lines);
    wm_text_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1); // of the exact length, so that a read past it is seen
    struct wm_text list;
    struct wm_error error;
    if (!text)
        return 0;
    memcpy(text, data, size);
    wm_text_init(&list);
    if (wm_bypass_list_read_text(text, size, "fuzz", &list, &error) == WM_OK)
        check_accepted(&list);
    else
        require(error.status == WM_INVALID && error.message[0] &&
                strncmp(error.place, "fuzz:", 5) == 0);
    wm_text_release(&list);
    free(text);
    return 0;
}
