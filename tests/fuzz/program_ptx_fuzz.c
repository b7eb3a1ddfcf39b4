// Programs whose PTX is written anew: whatever the bytes, an answer, and nothing outside is read or
// written. What is accepted gives a program with as many modules, whose texts are the new ones.
// The first byte chooses how many lines longer they get.
#include "source/program/program_writer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static const char mark[] = "// was rewritten\n";

static enum wm_status lengthen(void *context, const char *text, uint64_t length,
                               struct wm_text *rewritten, struct wm_error *error)
{
    (void)error;
    wm_text_append(rewritten, text, length);
    for (unsigned i = 0; i <= *(const uint8_t *)context; i++)
        wm_text_add(rewritten, mark);
    return WM_OK;
}

struct reading {
    uint32_t texts, marked;
};

static enum wm_status look(void *context, const char *text, uint64_t length,
                           struct wm_text *rewritten, struct wm_error *error)
{
    struct reading *reading = context;
    (void)error;
    size_t tail = strlen(mark);
    reading->texts++;
    reading->marked += length >= tail && memcmp(text + length - tail, mark, tail) == 0;
    wm_text_append(rewritten, text, length);
    return WM_OK;
}

// A claim of a large image costs only time here; the reader's limit has a test of its own.
static bool is_modest(const uint8_t *data, size_t size)
{
    enum { MOST_BYTES = 1 << 20 };
    for (size_t at = 0; at + 64 <= size; at++) {
        uint64_t bytes;
        if (data[at + 2] != 1 || data[at + 3] != 1 || data[at + 1] != 0)
            continue;
        memcpy(&bytes, data + at + 0x38, sizeof bytes);
        if (bytes > MOST_BYTES && bytes <= WM_FATBINARY_MAX_IMAGE_BYTES)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || !is_modest(data + 1, size - 1))
        return 0;
    uint8_t lines = *data;
    uint8_t *copy = malloc(size); // of the exact length, so that a read past it is seen
    if (copy == NULL)
        return 0;
    memcpy(copy, data + 1, size - 1);
    const struct wm_elf_file file = {copy, size - 1};
    const struct wm_ptx_rewriter rewriter = {lengthen, &lines};
    struct wm_program_rewritten rewritten, again;
    struct wm_text bytes, same;
    struct wm_error error;
    wm_text_init(&bytes);
    wm_text_init(&same);
    wm_error_clear(&error);
    enum wm_status status = wm_program_rewrite(&file, &rewriter, &bytes, &rewritten, &error);
    if (status != WM_OK) {
        require(error.status == status && error.message[0] != '\0');
    } else {
        // Where parts of the program lie over each other, a part that is written may be another's.
        struct reading reading = {0};
        const struct wm_ptx_rewriter looker = {look, &reading};
        const struct wm_elf_file made = {(const uint8_t *)bytes.data, bytes.length};
        require(wm_elf_has_magic(&made));
        if (wm_program_rewrite(&made, &looker, &same, &again, &error) == WM_OK)
            require(reading.texts == again.total.modules && reading.marked <= reading.texts);
        else
            require(error.message[0] != '\0');
    }
    wm_text_release(&bytes);
    wm_text_release(&same);
    free(copy);
    return 0;
}
