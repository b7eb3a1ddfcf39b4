#include "machine/bypass_list.h"

#include <ctype.h>
#include <string.h>

enum place { PLACE_PC, PLACE_PTX, PLACE_LINE };

struct item {
    const char *kernel;
    size_t kernel_length;
    enum place place;
    uint32_t number;
};

static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

// Reads the item that ends at the next comma; `*next` is behind it. False when it is none.
static bool read_item(const char *text, struct item *item, const char **next)
{
    text += strspn(text, " ");
    size_t length = strcspn(text, ",");
    *next = text + length + (text[length] == ',');
    const char *colon = memchr(text, ':', length);
    if (!colon || colon == text)
        return false;
    *item = (struct item){.kernel = text, .kernel_length = (size_t)(colon - text)};
    const char *number;
    if ((number = after(colon + 1, "pc")) != NULL)
        item->place = PLACE_PC;
    else if ((number = after(colon + 1, "ptx")) != NULL)
        item->place = PLACE_PTX;
    else if ((number = after(colon + 1, "line")) != NULL)
        item->place = PLACE_LINE;
    else
        return false;
    const char *p = number;
    for (; isdigit((unsigned char)*p) && p - number < 8; p++)
        item->number = item->number * 10 + (uint32_t)(*p - '0');
    bool any = p != number;
    p += strspn(p, " ");
    return any && p == text + length;
}

enum wm_status wm_bypass_list_check(const char *list, struct wm_error *error)
{
    struct item item;
    if (strcmp(list, "none") == 0)
        return WM_OK;
    for (const char *p = list, *next; *p; p = next)
        if (!read_item(p, &item, &next)) {
            wm_fail(error, WM_INVALID, "gpu.l1.bypass_list: \"%.*s\" names no instruction",
                    (int)strcspn(p, ","), p);
            return wm_error_cure(error,
                                 "write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, with commas "
                                 "between them");
        }
    return WM_OK;
}

// Whether the item means the kernel: by symbol, or by the name that a symbol of C++ begins with
// ("_Z4gemmPf": its length, then itself).
static bool means(const struct item *item, const char *symbol)
{
    if (item->kernel_length == 1 && item->kernel[0] == '*')
        return true;
    if (strlen(symbol) == item->kernel_length &&
        memcmp(symbol, item->kernel, item->kernel_length) == 0)
        return true;
    const char *p = after(symbol, "_Z");
    size_t length = 0;
    for (; p && isdigit((unsigned char)*p) && length < 10000; p++)
        length = length * 10 + (size_t)(*p - '0');
    return p && length == item->kernel_length && strncmp(p, item->kernel, length) == 0;
}

bool wm_bypass_list_names(const char *list, const char *symbol, uint32_t pc, uint32_t ptx_line,
                          uint32_t source_line)
{
    const uint32_t places[] = {[PLACE_PC] = pc, [PLACE_PTX] = ptx_line, [PLACE_LINE] = source_line};
    struct item item;
    for (const char *p = list, *next; *p; p = next)
        if (read_item(p, &item, &next) && places[item.place] == item.number && means(&item, symbol))
            return true;
    return false;
}
