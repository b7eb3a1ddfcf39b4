// Numbers and texts of a recording, and the cursor that never reads past its end.
#include "base/numbers/random.h"
#include "trace/section/bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static size_t written_length(uint64_t number)
{
    struct wm_bytes bytes = {0};
    wm_bytes_put_number(&bytes, number);
    size_t length = bytes.length;
    struct wm_cursor cursor = wm_cursor_of(bytes.data, bytes.length);
    cr_assert_eq(wm_cursor_number(&cursor), number);
    cr_assert(!cursor.bad);
    cr_assert_eq(wm_cursor_left(&cursor), 0);
    wm_bytes_release(&bytes);
    return length;
}

Test(trace_bytes, numbers_have_seven_bits_a_byte)
{
    cr_assert_eq(written_length(0), 1);
    for (unsigned bits = 1; bits <= 64; bits++) {
        uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        cr_assert_eq(written_length(most), (bits + 6) / 7, "%u bits", bits);
    }
}

// Whatever follows the number, and however near it is to the end.
Test(trace_bytes, a_number_of_any_length_is_the_same_read_at_once)
{
    struct wm_random random;
    wm_random_init(&random, 1, "any length");
    for (int i = 0; i < 100000; i++) {
        uint8_t bytes[24];
        for (size_t at = 0; at < sizeof bytes; at++)
            bytes[at] = (uint8_t)wm_random_u64(&random);
        uint64_t number = wm_random_u64(&random) >> (i % 64);
        const uint8_t *end = wm_varint_write(bytes, number);
        size_t behind = wm_random_u64(&random) % 12;
        struct wm_cursor cursor = wm_cursor_of(bytes, (size_t)(end - bytes) + behind);
        cr_assert_eq(wm_cursor_any_number(&cursor), number);
        cr_assert(!cursor.bad);
        cr_assert_eq(wm_cursor_left(&cursor), behind);
    }
    uint8_t endless[16];
    memset(endless, 0xff, sizeof endless);
    struct wm_cursor none = wm_cursor_of(endless, sizeof endless);
    cr_assert_eq(wm_cursor_any_number(&none), 0);
    cr_assert(none.bad);
}

Test(trace_bytes, signed_numbers_zigzag)
{
    static const int64_t in_order[] = {0, -1, 1, -2, 2, -3};
    for (uint64_t i = 0; i < 6; i++) {
        cr_assert_eq(wm_zigzag((uint64_t)in_order[i]), i);
        cr_assert_eq((int64_t)wm_unzigzag(i), in_order[i]);
    }
    struct wm_random random;
    wm_random_init(&random, 1, "zigzag");
    for (int i = 0; i < 1000; i++) {
        uint64_t word = wm_random_u64(&random) >> (i % 64);
        cr_assert_eq(wm_unzigzag(wm_zigzag(word)), word);
        cr_assert_eq(wm_unzigzag(wm_zigzag(0 - word)), 0 - word);
    }
}

// Each prefix of a number is bad, and so is one of more than 64 bits.
Test(trace_bytes, numbers_that_are_none)
{
    uint8_t bytes[11];
    memset(bytes, 0xff, sizeof bytes);
    bytes[9] = 1;
    for (size_t length = 0; length < 10; length++) {
        uint8_t *exact = malloc(length + 1);
        memcpy(exact, bytes, length);
        struct wm_cursor cursor = wm_cursor_of(exact, length);
        cr_assert_eq(wm_cursor_number(&cursor), 0);
        cr_assert(cursor.bad);
        cr_assert_eq(wm_cursor_number(&cursor), 0, "and so are later ones");
        free(exact);
    }
    struct wm_cursor most = wm_cursor_of(bytes, 10);
    cr_assert_eq(wm_cursor_number(&most), UINT64_MAX);
    cr_assert(!most.bad);
    bytes[9] = 2;
    struct wm_cursor beyond = wm_cursor_of(bytes, sizeof bytes);
    cr_assert_eq(wm_cursor_number(&beyond), 0);
    cr_assert(beyond.bad);
}

Test(trace_bytes, a_number_has_its_limit)
{
    uint8_t bytes[] = {100, 100};
    struct wm_cursor cursor = wm_cursor_of(bytes, 2);
    cr_assert_eq(wm_cursor_number_to(&cursor, 100), 100);
    cr_assert(!cursor.bad);
    cr_assert_eq(wm_cursor_number_to(&cursor, 99), 0);
    cr_assert(cursor.bad);
}

Test(trace_bytes, numbers_are_counted_by_their_ends)
{
    struct wm_bytes bytes = {0};
    for (uint64_t i = 0; i < 64; i++)
        wm_bytes_put_number(&bytes, UINT64_C(1) << i);
    struct wm_cursor cursor = wm_cursor_of(bytes.data, bytes.length);
    for (size_t left = 64; left > 0; left--) {
        cr_assert_eq(wm_cursor_count(&cursor), left);
        wm_cursor_number(&cursor);
    }
    cr_assert_eq(wm_cursor_count(&cursor), 0);
    cursor = wm_cursor_of(bytes.data, bytes.length - 1); // the last has no end
    cr_assert_eq(wm_cursor_count(&cursor), 63);
    wm_bytes_release(&bytes);
}

Test(trace_bytes, texts)
{
    struct wm_bytes bytes = {0};
    size_t length;
    wm_bytes_put_text(&bytes, "kernel");
    wm_bytes_put_text(&bytes, NULL);
    wm_bytes_put(&bytes, "\2a", 3); // a NUL within
    struct wm_cursor cursor = wm_cursor_of(bytes.data, bytes.length);
    const char *text = wm_cursor_text(&cursor, &length);
    cr_assert(length == 6 && memcmp(text, "kernel", 6) == 0);
    cr_assert_not_null(wm_cursor_text(&cursor, &length));
    cr_assert_eq(length, 0);
    cr_assert(!cursor.bad);
    cr_assert_null(wm_cursor_text(&cursor, &length));
    cr_assert(cursor.bad);
    // One that says it is longer than what is left, up to the longest there can be.
    for (uint64_t more = 7; more != 0; more <<= 1) {
        bytes.length = 0;
        wm_bytes_put_number(&bytes, more);
        wm_bytes_put(&bytes, "kernel", 6);
        cursor = wm_cursor_of(bytes.data, bytes.length);
        cr_assert_null(wm_cursor_text(&cursor, &length));
        cr_assert(cursor.bad && length == 0);
    }
    wm_bytes_release(&bytes);
}

Test(trace_bytes, a_buffer_that_cannot_grow_says_so)
{
    struct wm_bytes bytes = {0};
    wm_bytes_put_number(&bytes, 1);
    cr_assert(!wm_bytes_reserve(&bytes, SIZE_MAX - 5));
    cr_assert(bytes.failed);
    size_t length = bytes.length;
    wm_bytes_put(&bytes, "more", 4);
    cr_assert_eq(bytes.length, length);
    wm_bytes_release(&bytes);
}
