// What the device's runtime does for kernels, part by part: formats against the host's printf, the
// heap against a list of its blocks, and the text that is kept.
#include "base/numbers/random.h"
#include "exec/device_runtime/device_format.h"
#include "exec/device_runtime/device_heap.h"
#include "exec/device_runtime/device_output.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// --- formats ---

// Device memory: addresses from BASE on.
enum { BASE = 0x1000, ROOM = 4096 };

static char memory[ROOM];
static size_t used, argument_bytes;

static bool read_memory(void *context, uint64_t address, void *to, uint32_t bytes)
{
    (void)context;
    if (address < BASE || address - BASE > ROOM - bytes)
        return false;
    memcpy(to, memory + (address - BASE), bytes);
    return true;
}

static uint64_t put(const void *data, size_t bytes)
{
    size_t at = (used + 7) & ~(size_t)7;
    memcpy(memory + at, data, bytes);
    used = at + bytes;
    return BASE + at;
}

static char arguments[512];

static void argument(const void *value, size_t bytes)
{
    argument_bytes = (argument_bytes + bytes - 1) / bytes * bytes;
    memcpy(arguments + argument_bytes, value, bytes);
    argument_bytes += bytes;
}

static void begin(void)
{
    memset(memory, 0, sizeof memory);
    used = argument_bytes = 0;
}

#define ARGUMENT(type, value)             \
    do {                                  \
        type value_ = (value);            \
        argument(&value_, sizeof value_); \
    } while (0)

static int32_t format_text(const char *format, struct wm_text *text)
{
    struct wm_format_source source = {.read = read_memory};
    uint64_t at = put(format, strlen(format) + 1);
    uint64_t list = argument_bytes != 0 ? put(arguments, argument_bytes) : 0;
    wm_text_init(text);
    return wm_device_format(&source, at, list, text);
}

static void expect(const char *format, int32_t taken, const char *wanted)
{
    struct wm_text text;
    int32_t found = format_text(format, &text);
    cr_expect_str_eq(text.data != NULL ? text.data : "", wanted, "\"%s\"", format);
    cr_expect_eq(found, taken, "\"%s\" takes %d", format, found);
    wm_text_release(&text);
    begin();
}

static const char *const flags[] = {"", "-", "+", " ", "0", "#", "-+", "+0", "-#", "+ #0"};
static const char *const widths[] = {"", "1", "3", "12", "20", "*"};
static const char *const precisions[] = {"", ".", ".0", ".3", ".10", ".*"};

struct spelled {
    char text[64];
    int stars[2];
    unsigned count;
};

static bool spell(struct spelled *spelled, unsigned number, const char *size, char type)
{
    const char *flag = flags[number % 10], *width = widths[number / 10 % 6];
    const char *precision = precisions[number / 60 % 6];
    *spelled = (struct spelled){.count = 0};
    snprintf(spelled->text, sizeof spelled->text, "[%%%s%s%s%s%c]", flag, width, precision, size,
             type);
    if (strcmp(width, "*") == 0)
        spelled->stars[spelled->count++] = number % 2 != 0 ? 9 : -9;
    if (strcmp(precision, ".*") == 0)
        spelled->stars[spelled->count++] = number % 3 != 0 ? 5 : -5;
    for (unsigned i = 0; i < spelled->count; i++)
        ARGUMENT(int, spelled->stars[i]);
    return number < 360;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define COMPARE(spelled, value)                                                             \
    do {                                                                                    \
        char wanted_[256];                                                                  \
        const int *stars_ = (spelled).stars;                                                \
        if ((spelled).count == 2)                                                           \
            snprintf(wanted_, sizeof wanted_, (spelled).text, stars_[0], stars_[1], value); \
        else if ((spelled).count == 1)                                                      \
            snprintf(wanted_, sizeof wanted_, (spelled).text, stars_[0], value);            \
        else                                                                                \
            snprintf(wanted_, sizeof wanted_, (spelled).text, value);                       \
        expect((spelled).text, (int32_t)(spelled).count + 1, wanted_);                      \
    } while (0)

// Every flag, width and precision with every type and size says what the host's printf says.
Test(device_format, integers_are_those_of_printf, .init = begin)
{
    static const long long values[] = {0, 1, -1, 42, -99999, 0x7fffffffffffffff, 1LL << 31};
    static const char types[] = "diouxX";
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (size_t t = 0; types[t] != 0; t++) {
            struct spelled spelled;
            for (unsigned i = 0; spell(&spelled, i, "", types[t]); i++) {
                ARGUMENT(int, (int)values[v]);
                COMPARE(spelled, (int)values[v]);
            }
            begin();
            for (unsigned i = 0; spell(&spelled, i, i % 2 != 0 ? "ll" : "l", types[t]); i++) {
                ARGUMENT(long long, values[v]);
                COMPARE(spelled, values[v]);
            }
            begin();
            for (unsigned i = 0; spell(&spelled, i, i % 2 != 0 ? "h" : "hh", types[t]); i++) {
                ARGUMENT(int, (int)values[v]);
                COMPARE(spelled, (int)values[v]);
            }
            begin();
        }
}

Test(device_format, reals_are_those_of_printf, .init = begin)
{
    static const double values[] = {0, -0.0, 1.5, -2.0e10, 3.0e-300, 1.0 / 3, 1.0e300 * 1.0e300};
    static const char types[] = "eEfFgGaA";
    for (size_t v = 0; v < 6; v++)
        for (size_t t = 0; types[t] != 0; t++) {
            struct spelled spelled;
            for (unsigned i = 0; spell(&spelled, i, "", types[t]); i++) {
                ARGUMENT(double, values[v]);
                COMPARE(spelled, values[v]);
            }
            begin();
        }
    ARGUMENT(double, values[6]);
    expect("%f", 1, "inf");
}

Test(device_format, strings_characters_and_pointers, .init = begin)
{
    ARGUMENT(uint64_t, put("seven", 6));
    ARGUMENT(int, 'c');
    ARGUMENT(uint64_t, put("abcdef", 7));
    ARGUMENT(uint64_t, 0x200000000010);
    ARGUMENT(uint64_t, 0);
    expect("%-7s|%c|%.2s|%p|%s", 5, "seven  |c|ab|0x200000000010|(null)");
    expect("nothing", 0, "nothing");
    expect("100 %%", 0, "100 %");
}

// An argument lies at a multiple of its own size, as the compilers put it.
Test(device_format, arguments_are_aligned, .init = begin)
{
    ARGUMENT(int, 1);
    ARGUMENT(double, 2.5);
    ARGUMENT(int, 3);
    ARGUMENT(int, 4);
    ARGUMENT(long long, 5);
    expect("%d %g %d %d %lld", 5, "1 2.5 3 4 5");
}

Test(device_format, what_is_no_conversion_is_printed, .init = begin)
{
    expect("%k and %", 0, "%k and %");
    expect("%-5", 0, "%-5");
    ARGUMENT(uint64_t, 77);
    ARGUMENT(int, 6);
    expect("%n%d", 2, "6"); // nothing is written to 77
}

// No more than 32 arguments; the conversions behind them are text.
Test(device_format, only_so_many_arguments_are_taken, .init = begin)
{
    char format[256] = "", wanted[256] = "";
    for (int i = 0; i < 34; i++) {
        ARGUMENT(int, i);
        snprintf(wanted + strlen(wanted), 8, i < 32 ? "%d " : "%%d ", i);
        snprintf(format + strlen(format), 8, "%s", "%d ");
    }
    expect(format, 32, wanted);
}

Test(device_format, huge_widths_are_cut, .init = begin)
{
    struct wm_text text;
    ARGUMENT(int, 2000000000);
    ARGUMENT(int, 7);
    cr_expect_eq(format_text("%*d", &text), 2);
    cr_expect_eq(text.length, WM_FORMAT_WIDTH);
    wm_text_release(&text);
    begin();
    ARGUMENT(int, 7);
    cr_expect_eq(format_text("%.99999999999d", &text), 1);
    cr_expect_leq(text.length, WM_FORMAT_WIDTH);
    wm_text_release(&text);
}

Test(device_format, what_cannot_be_read_is_told, .init = begin)
{
    struct wm_format_source source = {.read = read_memory};
    struct wm_text text;
    wm_text_init(&text);
    cr_expect_eq(wm_device_format(&source, 0, BASE, &text), -1);
    cr_expect_eq(wm_device_format(&source, 16, BASE, &text), -2);
    cr_expect_eq(source.unreadable, 16);
    uint64_t format = put("%s", 3), wild = 99, list = put(&wild, 8);
    cr_expect_eq(wm_device_format(&source, format, list, &text), -2);
    cr_expect_eq(source.unreadable, 99);
    cr_expect_eq(wm_device_format(&source, format, 0, &text), -2);
    memset(memory, 'x', sizeof memory); // a string without an end
    cr_expect_eq(wm_device_format(&source, BASE, BASE, &text), -2);
    cr_expect_eq(source.unreadable, BASE + ROOM);
    wm_text_release(&text);
}

// --- the heap ---

enum { BLOCKS = 300, STEPS = 20000 };

static uint64_t heap_seed;

// Random blocks are aligned, within the heap and apart; what is given back can be had again whole.
Test(device_heap, blocks_lie_apart)
{
    static struct {
        uint64_t address, bytes;
    } blocks[BLOCKS];
    struct wm_device_heap heap;
    struct wm_random random;
    const uint64_t base = 0x200000000100, size = 1 << 16;
    size_t live = 0, refused = 0;
    wm_random_init(&random, ++heap_seed, "heap");
    cr_assert_eq(wm_device_heap_init(&heap, base, size, NULL), WM_OK);
    for (int step = 0; step < STEPS; step++) {
        if (live == BLOCKS || (live > 0 && wm_random_below(&random, 5) < 2)) {
            size_t at = wm_random_below(&random, (uint32_t)live);
            if (blocks[at].bytes > 16)
                cr_assert_not(wm_device_heap_release(&heap, blocks[at].address + 16));
            cr_assert(wm_device_heap_release(&heap, blocks[at].address));
            cr_assert_not(wm_device_heap_release(&heap, blocks[at].address));
            blocks[at] = blocks[--live];
            continue;
        }
        uint64_t bytes =
            1 + wm_random_below(&random, wm_random_below(&random, 9) == 0 ? 9000 : 200);
        uint64_t address = wm_device_heap_allocate(&heap, bytes);
        if (address == 0) {
            refused++;
            continue;
        }
        cr_assert(address % 16 == 0 && address >= base && address + bytes <= base + size);
        for (size_t i = 0; i < live; i++)
            cr_assert(address + bytes <= blocks[i].address ||
                      blocks[i].address + blocks[i].bytes <= address);
        blocks[live].address = address;
        blocks[live++].bytes = bytes;
    }
    cr_assert(refused > 0 && live > 0, "%zu refused, %zu live", refused, live);
    cr_assert_eq(heap.live_blocks, live);
    while (live > 0)
        cr_assert(wm_device_heap_release(&heap, blocks[--live].address));
    cr_assert_eq(heap.live_bytes, 0);
    cr_assert_eq(wm_device_heap_allocate(&heap, size), base, "it is not whole again");
    wm_device_heap_free(&heap);
}

Test(device_heap, edges)
{
    struct wm_device_heap heap;
    cr_assert_eq(wm_device_heap_init(&heap, 0x1000, 15, NULL), WM_INVALID);
    cr_assert_eq(wm_device_heap_init(&heap, 0x1008, 64, NULL), WM_INVALID);
    cr_assert_eq(wm_device_heap_init(&heap, 0x1000, UINT64_C(1) << 36, NULL), WM_INVALID);
    wm_device_heap_free(&heap);
    cr_assert_eq(wm_device_heap_init(&heap, 0x1000, 64, NULL), WM_OK);
    cr_assert_eq(wm_device_heap_allocate(&heap, UINT64_MAX), 0);
    cr_assert_eq(wm_device_heap_allocate(&heap, 65), 0);
    cr_assert_eq(wm_device_heap_allocate(&heap, 0), 0x1000);
    cr_assert_eq(wm_device_heap_allocate(&heap, 17), 0x1020);
    cr_assert_eq(wm_device_heap_allocate(&heap, 17), 0);
    cr_assert_not(wm_device_heap_release(&heap, 0));
    cr_assert_not(wm_device_heap_release(&heap, 0x1040));
    wm_device_heap_free(&heap);
}

// --- what is kept ---

Test(device_output, the_last_lines_are_kept)
{
    struct wm_device_output output = {.limit = 25};
    for (int i = 0; i < 1000; i++) {
        char line[16];
        int length = snprintf(line, sizeof line, "line %d\n", i);
        wm_device_output_add(&output, line, (size_t)length);
        cr_assert_leq(output.text.length, 2 * output.limit + 1 + (size_t)length);
    }
    wm_device_output_end(&output);
    cr_expect_str_eq(output.text.data, "line 998\nline 999\n");
    cr_expect_eq(output.lost, 8890 - 18);
    wm_device_output_release(&output);
    wm_device_output_add(&output, "short", 5);
    wm_device_output_end(&output);
    cr_expect_str_eq(output.text.data, "short");
    cr_expect_eq(output.lost, 0);
    wm_device_output_release(&output);
    wm_device_output_add(&output, "one long line without an end of it", 34);
    wm_device_output_end(&output);
    cr_expect_eq(output.text.length, 0);
    cr_expect_eq(output.lost, 34);
    wm_device_output_release(&output);
}
