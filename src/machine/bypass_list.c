#include "machine/bypass_list.h"

#include "machine/referenced_file.h"
#include "mem/bypass/entries.h"
#include "mem/replacement/entries.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char forms[] =
    "write KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN, if need be with =ca, =cg or a priority "
    "(=L1::no_allocate, =L2::evict_first) behind it";

// What PTX says of caches, in its words: operators and the priorities of loads at L1 (PTX ISA
// 9.7.9.1, 9.7.9.2), and those that a policy for L2 can have (createpolicy).
static const struct wm_bypass_word words[] = {
    {"", false, WM_BYPASS_LISTED_BYPASS, WM_EVICT_NORMAL, true},
    {"ca", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_NORMAL, false},
    {"cg", false, WM_BYPASS_LISTED_L2, WM_EVICT_NORMAL, false},
    {"L1::no_allocate", false, WM_BYPASS_LISTED_NO_ALLOCATE, WM_EVICT_NORMAL, false},
    {"L1::evict_normal", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_NORMAL, false},
    {"L1::evict_first", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_FIRST, false},
    {"L1::evict_last", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_LAST, false},
    {"L1::evict_unchanged", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_UNCHANGED, false},
    {"L2::evict_normal", true, WM_BYPASS_LISTED_NOT, WM_EVICT_NORMAL, false},
    {"L2::evict_first", true, WM_BYPASS_LISTED_NOT, WM_EVICT_FIRST, false},
    {"L2::evict_last", true, WM_BYPASS_LISTED_NOT, WM_EVICT_LAST, false},
    {"L2::evict_unchanged", true, WM_BYPASS_LISTED_NOT, WM_EVICT_UNCHANGED, false},
};

// What follows the word in the `length` bytes at `text`; NULL when they do not begin with it.
static const char *after(const char *text, size_t length, const char *word)
{
    size_t used = strlen(word);
    return length >= used && memcmp(text, word, used) == 0 ? text + used : NULL;
}

// Sixteen hexadecimal digits, all of the bytes from `text` to `end`.
static bool read_hash(const char *text, const char *end, uint64_t *hash)
{
    *hash = 0;
    if (end - text != 16)
        return false;
    for (; text < end; text++) {
        if (!isxdigit((unsigned char)*text))
            return false;
        int letter = tolower((unsigned char)*text);
        *hash = *hash << 4 | (uint64_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
    }
    return true;
}

// What is behind the number, up to `end`: nothing, or "=" and a word. NULL when it is neither.
static const struct wm_bypass_word *read_word(const char *text, const char *end)
{
    if (text == end)
        return &words[0];
    size_t length = (size_t)(end - text) - 1;
    for (size_t i = 1; *text == '=' && i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length && memcmp(text + 1, words[i].word, length) == 0)
            return &words[i];
    return NULL;
}

// Reads one selector, all of the `length` bytes at `text`. False when it is none.
static bool read_selector(const char *text, size_t length, struct wm_bypass_selector *selector)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    const char *colon = memchr(text, ':', length);
    if (!colon || colon == text || text[0] == '@') // "@" is for files
        return false;
    for (const char *p = text; p < colon; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    *selector = (struct wm_bypass_selector){
        .text = text, .length = length, .kernel = text, .kernel_length = (size_t)(colon - text)};
    const char *end = text + length, *number;
    size_t left = (size_t)(end - colon) - 1;
    if ((number = after(colon + 1, left, "hash=")) != NULL) {
        selector->place = WM_BYPASS_HASH;
        return read_hash(number, end, &selector->hash);
    }
    if ((number = after(colon + 1, left, "pc")) != NULL)
        selector->place = WM_BYPASS_PC;
    else if ((number = after(colon + 1, left, "ptx")) != NULL)
        selector->place = WM_BYPASS_PTX;
    else if ((number = after(colon + 1, left, "line")) != NULL)
        selector->place = WM_BYPASS_LINE;
    else
        return false;
    const char *p = number;
    for (; p < end && isdigit((unsigned char)*p) && p - number < 8; p++)
        selector->number = selector->number * 10 + (uint32_t)(*p - '0');
    selector->says = read_word(p, end);
    return p != number && selector->says != NULL;
}

// Reads the selector that ends at the next comma; `*next` is behind it.
static bool read_item(const char *text, struct wm_bypass_selector *selector, const char **next)
{
    size_t length = strcspn(text, ",");
    *next = text + length + (text[length] == ',');
    return read_selector(text, length, selector);
}

// What is wrong with a selector that cannot be read, and its hint. `key` stands before it;
// `between` says what parts it from the next.
static enum wm_status refuse(const char *key, const char *text, size_t length, const char *between,
                             struct wm_error *error)
{
    struct wm_bypass_selector selector;
    bool several = memchr(text, ',', length) != NULL;
    const char *equals = several ? NULL : memchr(text, '=', length);
    if (equals == NULL || !read_selector(text, (size_t)(equals - text), &selector)) {
        wm_fail(error, WM_INVALID, "%s\"%.*s\" names no instruction", key, (int)length, text);
        return wm_error_hint(error, "%s; %s", forms, between);
    }
    struct wm_text all;
    wm_text_init(&all);
    for (size_t i = 1; i < sizeof words / sizeof words[0]; i++)
        wm_text_format(&all, "%s%s", i > 1 ? ", " : "", words[i].word);
    wm_fail(error, WM_INVALID, "%s\"%.*s\": \"%.*s\" is no word for caches", key, (int)length, text,
            (int)(length - (size_t)(equals + 1 - text)), equals + 1);
    wm_error_hint(error, "write one of %s", all.failed ? "PTX's" : all.data);
    wm_text_release(&all);
    return WM_INVALID;
}

enum wm_status wm_bypass_list_check(const char *list, struct wm_error *error)
{
    struct wm_bypass_selector selector;
    if (strcmp(list, "none") == 0)
        return WM_OK;
    for (const char *p = list, *next; *p; p = next)
        if (!read_item(p, &selector, &next))
            return refuse("gpu.l1.bypass_list: ", p, strcspn(p, ","), "commas are between them",
                          error);
    return WM_OK;
}

bool wm_obeys_priorities(const struct wm_cache_spec *cache)
{
    return cache->replacement == &wm_replacement_priority ||
           (cache->replacement != NULL && wm_replacement_find(cache->replacement->name) == NULL);
}

bool wm_bypass_list_counts(const struct wm_memory_spec *memory)
{
    const struct wm_bypass_ops *ops = memory->levels[WM_LEVEL_L1].bypass;
    return ops != NULL && (ops == &wm_bypass_per_pc || wm_bypass_find(ops->name) == NULL);
}

enum wm_status wm_bypass_list_check_for(const char *list, const struct wm_memory_spec *memory,
                                        struct wm_error *error)
{
    struct wm_bypass_selector selector;
    WM_TRY(wm_bypass_list_check(list, error));
    while ((list = wm_bypass_list_next(list, &selector)) != NULL) {
        if (selector.place == WM_BYPASS_HASH || selector.says->priority == WM_EVICT_NORMAL ||
            wm_obeys_priorities(selector.says->l2 ? &memory->levels[WM_LEVEL_L2].cache
                                                  : &memory->levels[WM_LEVEL_L1].cache))
            continue;
        const char *level = selector.says->l2 ? "l2" : "l1";
        wm_fail(error, WM_INVALID,
                "gpu.l1.bypass_list: \"%.*s\" is an eviction priority, and gpu.%s.replacement "
                "obeys none",
                (int)selector.length, selector.text, level);
        return wm_error_hint(error, "set gpu.%s.replacement=priority", level);
    }
    return WM_OK;
}

const char *wm_bypass_list_next(const char *list, struct wm_bypass_selector *selector)
{
    const char *next;
    return *list && read_item(list, selector, &next) ? next : NULL;
}

// By symbol, or by the name that a symbol of C++ begins with ("_Z4gemmPf": its length, then
// itself).
bool wm_bypass_means_kernel(const struct wm_bypass_selector *selector, const char *symbol)
{
    const char *kernel = selector->kernel;
    size_t wanted = selector->kernel_length, length = 0;
    if (wanted == 1 && kernel[0] == '*')
        return true;
    if (strlen(symbol) == wanted && memcmp(symbol, kernel, wanted) == 0)
        return true;
    const char *p = after(symbol, strlen(symbol), "_Z");
    for (; p && isdigit((unsigned char)*p) && length < 10000; p++)
        length = length * 10 + (size_t)(*p - '0');
    return p && length == wanted && strncmp(p, kernel, length) == 0;
}

bool wm_bypass_means_place(const struct wm_bypass_selector *selector, uint32_t pc,
                           uint32_t ptx_line, uint32_t source_line)
{
    switch (selector->place) {
    case WM_BYPASS_PC: return selector->number == pc;
    case WM_BYPASS_PTX: return ptx_line != 0 && selector->number == ptx_line;
    case WM_BYPASS_LINE: return source_line != 0 && selector->number == source_line;
    case WM_BYPASS_HASH: break;
    }
    return false;
}

// ---- One kernel's ------------------------------------------------------------------------------

void wm_bypass_reader_init(struct wm_bypass_reader *reader, const char *list, const char *symbol,
                           uint64_t ptx_hash)
{
    *reader = (struct wm_bypass_reader){
        .rest = list, .symbol = symbol, .ptx_hash = ptx_hash, .number = UINT32_MAX};
}

bool wm_bypass_reader_next(struct wm_bypass_reader *reader, struct wm_bypass_selector *selector)
{
    while ((reader->rest = wm_bypass_list_next(reader->rest, selector)) != NULL) {
        reader->number++;
        if (!wm_bypass_means_kernel(selector, reader->symbol))
            continue;
        if (selector->place == WM_BYPASS_HASH)
            reader->skips = selector->hash != reader->ptx_hash;
        else if (!reader->skips)
            return true;
    }
    reader->rest = "";
    return false;
}

bool wm_bypass_names_ptx(const char *list, const char *symbol)
{
    struct wm_bypass_selector selector;
    while ((list = wm_bypass_list_next(list, &selector)) != NULL)
        if (selector.place == WM_BYPASS_HASH && wm_bypass_means_kernel(&selector, symbol))
            return true;
    return false;
}

enum wm_status wm_bypass_check_ptx(const char *list, const char *symbol, uint64_t ptx_hash,
                                   struct wm_error *error)
{
    struct wm_bypass_selector selector;
    uint64_t meant = 0;
    bool named = false;
    while ((list = wm_bypass_list_next(list, &selector)) != NULL) {
        if (selector.place != WM_BYPASS_HASH || !wm_bypass_means_kernel(&selector, symbol))
            continue;
        if (selector.hash == ptx_hash && ptx_hash != 0)
            return WM_OK;
        named = true;
        meant = selector.hash;
    }
    if (!named)
        return WM_OK;
    if (ptx_hash == 0)
        wm_fail(error, WM_INVALID,
                "gpu.l1.bypass_list is for PTX with the hash %016" PRIx64
                ", and this kernel comes without PTX",
                meant);
    else
        wm_fail(error, WM_INVALID,
                "gpu.l1.bypass_list is for another program: the kernel's PTX has the hash "
                "%016" PRIx64 ", the list wants %016" PRIx64,
                ptx_hash, meant);
    wm_error_place(error, "kernel %s", symbol);
    return wm_error_hint(error, "decide anew for this program: warpmem bypass");
}

// ---- Files -------------------------------------------------------------------------------------

// One selector, or none, stands in these bytes. Errors have no place.
static enum wm_status add_line(const char *line, size_t length, struct wm_text *list,
                               struct wm_error *error)
{
    const char *comment = memchr(line, '#', length);
    size_t used = comment ? (size_t)(comment - line) : length;
    while (used > 0 && strchr(" \t\r", line[used - 1]))
        used--;
    const char *text = line;
    for (; used > 0 && (*text == ' ' || *text == '\t'); used--)
        text++;
    if (used == 0)
        return WM_OK;
    struct wm_bypass_selector selector;
    if (memchr(text, ',', used) || !read_selector(text, used, &selector))
        return refuse("", text, used, "one a line, \"#\" begins a comment", error);
    wm_text_add(list, list->length ? "," : "");
    wm_text_append(list, selector.text, selector.length);
    if (list->length < WM_BYPASS_LIST_BYTES)
        return WM_OK;
    wm_fail(error, WM_INVALID, "gpu.l1.bypass_list: the list grows past its %d bytes",
            WM_BYPASS_LIST_BYTES - 1);
    return wm_error_hint(error, "name fewer instructions, or \"*\" for kernels with long names");
}

enum wm_status wm_bypass_list_read_text(const char *text, size_t length, const char *file,
                                        struct wm_text *list, struct wm_error *error)
{
    size_t begin = 0;
    for (unsigned number = 1; begin < length; number++) {
        const char *line = text + begin, *newline = memchr(line, '\n', length - begin);
        size_t width = newline ? (size_t)(newline - line) : length - begin;
        if (add_line(line, width, list, error) != WM_OK) {
            wm_error_place(error, "%s:%u", file, number);
            return wm_error_excerpt(error, line, width, 1);
        }
        begin += width + 1;
    }
    if (list->length == 0)
        wm_text_add(list, "none");
    return list->failed ? wm_fail_no_memory(error, "the bypass list \"%s\"", file) : WM_OK;
}

enum wm_status wm_bypass_list_read(const char *path, struct wm_text *list, struct wm_error *error)
{
    struct wm_text bytes;
    wm_text_init(&bytes);
    enum wm_status status = wm_referenced_file_read("bypass list", path, &bytes, error);
    if (status == WM_OK)
        status =
            wm_bypass_list_read_text(bytes.data ? bytes.data : "", bytes.length, path, list, error);
    wm_text_release(&bytes);
    return status;
}
