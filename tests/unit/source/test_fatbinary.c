// The fat binary reader on containers built by rule, and on every way to damage their headers.
#include "container_builder.h"

#include <criterion/criterion.h>

static const char ptx_75[] = ".version 9.0\n.target sm_75\n.address_size 64\n// seventy-five\n";
static const char ptx_90[] = ".version 9.0\n.target sm_90\n.address_size 64\n// ninety, ninety\n";

static const uint8_t *bytes_of(const struct wm_text *container)
{
    return (const uint8_t *)container->data;
}

static void expect_extracted(const struct wm_fatbinary_entry *entry, const char *image)
{
    char *text;
    uint64_t bytes;
    struct wm_error error;
    cr_assert_eq(wm_fatbinary_extract(entry, &text, &bytes, &error), WM_OK, "%s", error.message);
    cr_expect_eq(bytes, strlen(image));
    cr_expect_str_eq(text, image);
    free(text);
}

Test(fatbinary, every_compression_gives_the_image_back)
{
    static const enum wm_image_compression all[] = {WM_IMAGE_RAW, WM_IMAGE_LZ4, WM_IMAGE_ZSTD};
    for (int i = 0; i < 3; i++) {
        struct wm_text container;
        wm_text_init(&container);
        container_begin(&container);
        // nvcc's text ends with a NUL of its own.
        container_add(&container, WM_IMAGE_PTX, 75, all[i], ptx_75, sizeof ptx_75, "app.cu",
                      " --generate-line-info ");
        container_end(&container);
        struct wm_fatbinary fatbinary;
        struct wm_fatbinary_entry entry;
        cr_assert_eq(wm_fatbinary_open(bytes_of(&container), container.length, &fatbinary, NULL),
                     WM_OK);
        cr_assert_eq(wm_fatbinary_next(&fatbinary, &entry, NULL), WM_OK);
        cr_expect_eq(entry.kind, WM_IMAGE_PTX);
        cr_expect_eq(entry.architecture, 75);
        cr_expect_eq(entry.version_major, 9);
        cr_expect_eq(entry.compression, all[i]);
        cr_expect_eq(entry.name_bytes, strlen("app.cu"));
        cr_expect_eq(memcmp(entry.name, "app.cu", 6), 0);
        cr_expect_eq(entry.options_bytes, strlen(" --generate-line-info "));
        expect_extracted(&entry, ptx_75);
        cr_expect_eq(wm_fatbinary_next(&fatbinary, &entry, NULL), WM_NOT_FOUND);
        wm_text_release(&container);
    }
}

Test(fatbinary, plain_ptx_may_stand_for_a_container)
{
    struct wm_fatbinary fatbinary;
    struct wm_fatbinary_entry entry;
    // Followed by bytes of something else, after its NUL.
    static const char memory[] = "\n// made by a compiler\n.version 7.0\n\0garbage";
    cr_assert_eq(wm_fatbinary_open((const uint8_t *)memory, sizeof memory, &fatbinary, NULL),
                 WM_OK);
    cr_assert(fatbinary.plain_text);
    cr_assert_eq(wm_fatbinary_next(&fatbinary, &entry, NULL), WM_OK);
    expect_extracted(&entry, memory);
    cr_expect_eq(wm_fatbinary_next(&fatbinary, &entry, NULL), WM_NOT_FOUND);
}

static uint32_t choose(const uint32_t *architectures, int count, uint32_t capability)
{
    struct wm_text container;
    wm_text_init(&container);
    container_begin(&container);
    for (int i = 0; i < count; i++) {
        container_add(&container, WM_IMAGE_ELF, architectures[i], WM_IMAGE_RAW, "\177ELF", 4, NULL,
                      NULL);
        container_add(&container, WM_IMAGE_PTX, architectures[i], WM_IMAGE_ZSTD, ptx_90,
                      sizeof ptx_90, NULL, "");
    }
    container_end(&container);
    struct wm_fatbinary_entry entry;
    struct wm_error error;
    cr_assert_eq(
        wm_fatbinary_choose_ptx(bytes_of(&container), container.length, capability, &entry, &error),
        WM_OK, "%s", error.message);
    wm_text_release(&container);
    return entry.architecture;
}

Test(fatbinary, chooses_the_newest_not_newer_than_the_device_else_the_oldest)
{
    static const uint32_t all[] = {90, 75, 120, 80};
    cr_expect_eq(choose(all, 4, 75), 75);
    cr_expect_eq(choose(all, 4, 79), 75);
    cr_expect_eq(choose(all, 4, 89), 80);
    cr_expect_eq(choose(all, 4, 200), 120);
    cr_expect_eq(choose(all, 4, 70), 75);
    cr_expect_eq(choose(all, 4, 20), 75);
    cr_expect_eq(choose(all + 2, 1, 70), 120);
}

Test(fatbinary, machine_code_alone_says_how_to_rebuild)
{
    struct wm_text container;
    struct wm_fatbinary_entry entry;
    struct wm_error error;
    wm_text_init(&container);
    container_begin(&container);
    container_add(&container, WM_IMAGE_ELF, 75, WM_IMAGE_RAW, "\177ELF", 4, NULL, NULL);
    container_end(&container);
    cr_assert_eq(
        wm_fatbinary_choose_ptx(bytes_of(&container), container.length, 75, &entry, &error),
        WM_NOT_FOUND);
    cr_expect(strstr(error.message, "sm_75"), "%s", error.message);
    cr_expect(strstr(error.hint, "compute_75"), "%s", error.hint);
    wm_text_release(&container);
}

Test(fatbinary, an_empty_container_has_no_device_code)
{
    struct wm_text container;
    struct wm_fatbinary_entry entry;
    struct wm_error error;
    wm_text_init(&container);
    container_begin(&container);
    cr_assert_eq(
        wm_fatbinary_choose_ptx(bytes_of(&container), container.length, 75, &entry, &error),
        WM_NOT_FOUND);
    cr_expect(strstr(error.message, "no device code"), "%s", error.message);
    wm_text_release(&container);
}

// Reads everything there is, in a block of exactly this size, so that the sanitizer sees a byte
// too far. Returns how many entries gave an image.
static int read_all(const char *data, size_t length)
{
    uint8_t *block = malloc(length ? length : 1);
    memcpy(block, data, length);
    struct wm_fatbinary fatbinary;
    struct wm_fatbinary_entry entry;
    struct wm_error error;
    int images = 0;
    wm_error_clear(&error);
    enum wm_status status = wm_fatbinary_open(block, length, &fatbinary, &error);
    while (status == WM_OK && (status = wm_fatbinary_next(&fatbinary, &entry, &error)) == WM_OK) {
        char *text;
        uint64_t bytes;
        if (wm_fatbinary_extract(&entry, &text, &bytes, &error) == WM_OK)
            images++;
        free(text);
    }
    cr_expect(status == WM_NOT_FOUND || error.message[0]);
    free(block);
    return images;
}

static void build_two(struct wm_text *container)
{
    wm_text_init(container);
    container_begin(container);
    container_add(container, WM_IMAGE_PTX, 75, WM_IMAGE_LZ4, ptx_75, sizeof ptx_75, "first.cu",
                  "-maxrregcount=32 ");
    container_add(container, WM_IMAGE_PTX, 90, WM_IMAGE_ZSTD, ptx_90, sizeof ptx_90, "second.cu",
                  " -g ");
    container_end(container);
}

Test(fatbinary, every_cut_is_an_error_or_fewer_images)
{
    struct wm_text container;
    build_two(&container);
    cr_assert_eq(read_all(container.data, container.length), 2);
    for (size_t length = 0; length < container.length; length++)
        cr_expect_lt(read_all(container.data, length), 2);
    wm_text_release(&container);
}

Test(fatbinary, every_value_of_every_header_byte_is_survived)
{
    struct wm_text container;
    build_two(&container);
    size_t headers = WM_FATBINARY_HEADER_BYTES + WM_FATBINARY_ENTRY_BYTES + 64;
    for (size_t at = 0; at < headers && at < container.length; at++) {
        char kept = container.data[at];
        for (int value = 0; value < 256; value++) {
            container.data[at] = (char)value;
            cr_expect_leq(read_all(container.data, container.length), 2);
        }
        container.data[at] = kept;
    }
    wm_text_release(&container);
}

static void open_two(const struct wm_text *container, struct wm_fatbinary_entry *first,
                     struct wm_fatbinary_entry *second)
{
    struct wm_fatbinary fatbinary;
    cr_assert_eq(wm_fatbinary_open(bytes_of(container), container->length, &fatbinary, NULL),
                 WM_OK);
    cr_assert_eq(wm_fatbinary_next(&fatbinary, first, NULL), WM_OK);
    cr_assert_eq(wm_fatbinary_next(&fatbinary, second, NULL), WM_OK);
}

static void expect_refused(const struct wm_fatbinary_entry *entry, const char *word)
{
    struct wm_error error;
    char *text;
    uint64_t bytes;
    cr_expect_eq(wm_fatbinary_extract(entry, &text, &bytes, &error), WM_INVALID);
    cr_expect_null(text);
    cr_expect(strstr(error.message, word), "%s", error.message);
}

Test(fatbinary, a_damaged_payload_is_found)
{
    struct wm_text container;
    struct wm_fatbinary_entry first, second;
    build_two(&container);
    open_two(&container, &first, &second);
    memset((char *)(uintptr_t)first.payload, 0xff, 8);
    memset((char *)(uintptr_t)second.payload, 0, 4);
    expect_refused(&first, "LZ4");
    expect_refused(&second, "zstd");
    wm_text_release(&container);
}

Test(fatbinary, an_image_that_claims_too_much_is_refused_before_memory_is_taken)
{
    struct wm_text container;
    struct wm_fatbinary_entry first, second;
    build_two(&container);
    put((uint8_t *)container.data + WM_FATBINARY_HEADER_BYTES + 0x38, UINT64_C(1) << 60, 8);
    open_two(&container, &first, &second);
    expect_refused(&first, "refused");
    wm_text_release(&container);
}

Test(fatbinary, wrappers)
{
    uint8_t data[WM_FATBINARY_WRAPPER_BYTES] = {0};
    struct wm_fatbinary_wrapper wrapper;
    put(data, WM_FATBINARY_WRAPPER_MAGIC, 4);
    put(data + 4, 1, 4);
    put(data + 8, 0x1000, 8);
    put(data + 16, 0x2000, 8);
    cr_assert_eq(wm_fatbinary_wrapper_read(data, sizeof data, &wrapper, NULL), WM_OK);
    cr_expect_eq(wrapper.container, 0x1000);
    cr_expect_eq(wrapper.prelinked, 0, "version 1 has a file name there");
    put(data + 4, 2, 4);
    cr_assert_eq(wm_fatbinary_wrapper_read(data, sizeof data, &wrapper, NULL), WM_OK);
    cr_expect_eq(wrapper.prelinked, 0x2000);
    put(data + 4, 3, 4);
    cr_expect_eq(wm_fatbinary_wrapper_read(data, sizeof data, &wrapper, NULL), WM_INVALID);
    cr_expect_eq(wm_fatbinary_wrapper_read(data, sizeof data - 1, &wrapper, NULL), WM_INVALID);
    put(data, 0, 4);
    cr_expect_eq(wm_fatbinary_wrapper_read(data, sizeof data, &wrapper, NULL), WM_INVALID);
}
