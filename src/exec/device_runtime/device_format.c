#include "exec/device_runtime/device_format.h"

#include <inttypes.h>
#include <string.h>

// What is being formatted.
struct formatting {
    struct wm_format_source *source;
    const char *at;     // in the format
    uint64_t arguments; // address of the first
    uint64_t offset;    // of the next
    uint32_t taken;
    bool unreadable;
    struct wm_text *text;
};

// One "%-08.3lld".
struct conversion {
    const char *begin;
    char flags[8];
    bool has_width, has_precision;
    int width, precision;
    uint32_t bytes; // of an integer: 1, 2, 4 or 8
    char type;
};

static bool read_at(struct wm_format_source *source, uint64_t address, void *to, uint32_t bytes)
{
    if (source->read(source->context, address, to, bytes))
        return true;
    source->unreadable = address;
    return false;
}

// A string up to its end, or `most` bytes of it.
static bool read_string(struct wm_format_source *source, uint64_t address, uint64_t most,
                        struct wm_text *text)
{
    for (uint64_t i = 0; i < most; i++) {
        char character;
        if (!read_at(source, address + i, &character, 1))
            return false;
        if (character == 0)
            break;
        wm_text_append(text, &character, 1);
    }
    return true;
}

static uint64_t take(struct formatting *formatting, uint32_t bytes)
{
    union {
        uint32_t word;
        uint64_t pair;
    } value = {.pair = 0};
    formatting->offset = (formatting->offset + bytes - 1) / bytes * bytes;
    formatting->unreadable |=
        !read_at(formatting->source, formatting->arguments + formatting->offset, &value, bytes);
    formatting->offset += bytes;
    formatting->taken++;
    return bytes == 4 ? value.word : value.pair;
}

static int parse_number(struct formatting *formatting)
{
    int number = 0;
    if (*formatting->at == '*') {
        formatting->at++;
        int64_t given = (int32_t)take(formatting, 4);
        return given > WM_FORMAT_WIDTH    ? WM_FORMAT_WIDTH
               : given < -WM_FORMAT_WIDTH ? -WM_FORMAT_WIDTH
                                          : (int)given;
    }
    for (; *formatting->at >= '0' && *formatting->at <= '9'; formatting->at++) {
        number = 10 * number + (*formatting->at - '0');
        number = number > WM_FORMAT_WIDTH ? WM_FORMAT_WIDTH : number;
    }
    return number;
}

// h and hh are of what C promotes to an int; l, ll, q, j, z and t are 8 bytes on every device.
static uint32_t parse_size(struct formatting *formatting)
{
    uint32_t bytes = 4;
    for (; *formatting->at != 0 && strchr("hlLqjzt", *formatting->at) != NULL; formatting->at++)
        bytes = *formatting->at != 'h' ? 8 : bytes == 2 ? 1 : 2;
    return bytes;
}

// Behind the '%'. Flags that stand twice stand once.
static struct conversion parse(struct formatting *formatting)
{
    struct conversion conversion = {.begin = formatting->at - 1};
    size_t flags = 0;
    for (; *formatting->at != 0 && strchr("-+ #0'", *formatting->at) != NULL; formatting->at++)
        if (strchr(conversion.flags, *formatting->at) == NULL)
            conversion.flags[flags++] = *formatting->at;
    conversion.has_width =
        *formatting->at == '*' || (*formatting->at >= '1' && *formatting->at <= '9');
    conversion.width = parse_number(formatting);
    conversion.has_precision = *formatting->at == '.';
    if (conversion.has_precision) {
        formatting->at++;
        conversion.precision = parse_number(formatting);
    }
    conversion.bytes = parse_size(formatting);
    conversion.type = *formatting->at;
    formatting->at += conversion.type != 0;
    return conversion;
}

// The conversion for the host's printf, whose width and precision are arguments. A width of 0 is
// none, and so is a negative precision (C17 7.21.6.1).
static void host_format(const struct conversion *conversion, const char *size, char *format,
                        size_t room)
{
    snprintf(format, room, "%%%s*.*%s%c", conversion->flags, size, conversion->type);
}

#define FORMAT(value)                                                                       \
    wm_text_format(formatting->text, format, conversion->has_width ? conversion->width : 0, \
                   conversion->has_precision ? conversion->precision : -1, value)

static int64_t signed_of(uint64_t value, uint32_t bytes)
{
    switch (bytes) {
    case 1: return (int8_t)value;
    case 2: return (int16_t)value;
    case 4: return (int32_t)value;
    default: return (int64_t)value;
    }
}

static uint64_t unsigned_of(uint64_t value, uint32_t bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // made by host_format for the argument's type

static void print_integer(struct formatting *formatting, const struct conversion *conversion)
{
    char format[24];
    uint64_t value = take(formatting, conversion->bytes == 8 ? 8 : 4);
    host_format(conversion, conversion->type == 'c' ? "" : "ll", format, sizeof format);
    if (conversion->type == 'c')
        FORMAT((int)value);
    else if (conversion->type == 'd' || conversion->type == 'i')
        FORMAT((long long)signed_of(value, conversion->bytes));
    else
        FORMAT((unsigned long long)unsigned_of(value, conversion->bytes));
}

static void print_real(struct formatting *formatting, const struct conversion *conversion)
{
    char format[24];
    uint64_t bits = take(formatting, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    host_format(conversion, "", format, sizeof format);
    FORMAT(value);
}

static void print_pointer(struct formatting *formatting, const struct conversion *conversion)
{
    char format[24];
    uint64_t value = take(formatting, 8);
    host_format(conversion, "", format, sizeof format);
    FORMAT((void *)(uintptr_t)value);
}

static void print_string(struct formatting *formatting, const struct conversion *conversion)
{
    char format[24];
    uint64_t address = take(formatting, 8);
    bool cut = conversion->has_precision && conversion->precision >= 0;
    uint64_t most = cut ? (uint64_t)conversion->precision : UINT64_MAX;
    struct wm_text string;
    if (formatting->unreadable)
        return;
    wm_text_init(&string);
    if (address == 0)
        wm_text_add(&string, "(null)");
    else
        formatting->unreadable |= !read_string(formatting->source, address, most, &string);
    host_format(conversion, "", format, sizeof format);
    formatting->text->failed |= string.failed;
    if (!formatting->unreadable && !string.failed)
        FORMAT(string.data != NULL ? string.data : "");
    wm_text_release(&string);
}

#pragma GCC diagnostic pop

static void print_conversion(struct formatting *formatting)
{
    struct conversion conversion = parse(formatting);
    if (conversion.type == '%')
        wm_text_append(formatting->text, "%", 1);
    else if (conversion.type == 0 || strchr("diouxXceEfFgGaApsn", conversion.type) == NULL ||
             formatting->taken >= WM_FORMAT_ARGUMENTS)
        wm_text_append(formatting->text, conversion.begin,
                       (size_t)(formatting->at - conversion.begin));
    else if (strchr("diouxXc", conversion.type) != NULL)
        print_integer(formatting, &conversion);
    else if (conversion.type == 'p')
        print_pointer(formatting, &conversion);
    else if (conversion.type == 's')
        print_string(formatting, &conversion);
    else if (conversion.type == 'n')
        (void)take(formatting, 8); // CUDA has no %n: nothing is written
    else
        print_real(formatting, &conversion);
}

static void print_all(struct formatting *formatting)
{
    while (*formatting->at != 0 && !formatting->unreadable) {
        size_t plain = strcspn(formatting->at, "%");
        wm_text_append(formatting->text, formatting->at, plain);
        formatting->at += plain;
        if (*formatting->at == '%') {
            formatting->at++;
            print_conversion(formatting);
        }
    }
}

int32_t wm_device_format(struct wm_format_source *source, uint64_t format, uint64_t arguments,
                         struct wm_text *text)
{
    struct wm_text copy;
    if (format == 0)
        return -1;
    wm_text_init(&copy);
    bool readable = read_string(source, format, UINT64_MAX, &copy);
    struct formatting formatting = {.source = source,
                                    .at = copy.data != NULL ? copy.data : "",
                                    .arguments = arguments,
                                    .unreadable = !readable,
                                    .text = text};
    text->failed |= copy.failed;
    print_all(&formatting);
    wm_text_release(&copy);
    return formatting.unreadable ? -2 : (int32_t)formatting.taken;
}
