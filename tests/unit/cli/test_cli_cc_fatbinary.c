// Packing PTX, checked by the reader that the CUDA runtime unpacks with.
#include "cli/cc/ptx_container.h"
#include "source/program/fatbinary.h"

#include <criterion/criterion.h>

static const char ptx[] = "// comment\n.version 6.5\n.target sm_70, debug\n.address_size 64\n";

// Packs `length` bytes of text and reads them back.
static void round_trip(const char *text, size_t length)
{
    struct wm_text container;
    struct wm_error error;
    struct wm_fatbinary fatbinary;
    struct wm_fatbinary_entry entry;
    wm_text_init(&container);
    cr_assert_eq(wm_cc_fatbinary(text, length, &container, &error), WM_OK, "%s", error.message);
    const uint8_t *data = (const uint8_t *)container.data;
    cr_assert_eq(wm_fatbinary_open(data, container.length, &fatbinary, &error), WM_OK);
    cr_assert_not(fatbinary.plain_text);
    cr_assert_eq(fatbinary.size_bytes, container.length);
    cr_assert_eq(container.length % 8, 0);
    cr_assert_eq(wm_fatbinary_next(&fatbinary, &entry, &error), WM_OK);
    cr_assert_eq(entry.kind, WM_IMAGE_PTX);
    cr_assert_eq(entry.architecture, 70);
    cr_assert_eq(entry.version_major, 6);
    cr_assert_eq(entry.version_minor, 5);
    cr_assert_eq(entry.compression, WM_IMAGE_RAW);
    char *image;
    uint64_t image_bytes;
    cr_assert_eq(wm_fatbinary_extract(&entry, &image, &image_bytes, &error), WM_OK);
    cr_assert_eq(image_bytes, length);
    cr_assert_str_eq(image, text);
    free(image);
    cr_assert_eq(wm_fatbinary_next(&fatbinary, &entry, &error), WM_NOT_FOUND);
    wm_text_release(&container);
}

Test(cc_fatbinary, what_is_packed_is_read_back)
{
    round_trip(ptx, strlen(ptx));
}

// The text's end falls on every place of an 8-byte word, and one NUL always follows.
Test(cc_fatbinary, every_length_is_padded)
{
    char text[sizeof ptx + 16];
    for (size_t extra = 0; extra < 16; extra++) {
        snprintf(text, sizeof text, "%s%.*s", ptx, (int)extra, "////////////////");
        round_trip(text, strlen(text));
    }
}

Test(cc_fatbinary, what_is_not_ptx_is_refused)
{
    static const char *const wrong[] = {
        "",
        "hello",
        ".version 6.5\n",
        ".version x\n.target sm_70\n",
        ".version 6\n.target sm_70\n",
        ".version 6.5\n.target compute_70\n",
        ".version 6.5\n.target sm_\n",
        ".version 99999999999999999999.5\n.target sm_70\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct wm_text container;
        struct wm_error error;
        wm_text_init(&container);
        cr_expect_eq(wm_cc_fatbinary(wrong[i], strlen(wrong[i]), &container, &error), WM_INVALID,
                     "\"%s\" was taken", wrong[i]);
        cr_expect_eq(container.length, 0);
        wm_text_release(&container);
    }
    // A NUL inside: the length says more than the text.
    struct wm_text container;
    struct wm_error error;
    wm_text_init(&container);
    cr_expect_eq(wm_cc_fatbinary(ptx, sizeof ptx, &container, &error), WM_INVALID);
    wm_text_release(&container);
}
