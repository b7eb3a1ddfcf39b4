#include "base/text/units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>

struct unit {
    const char *name;
    uint64_t factor; // in base units of the quantity
};

// Each list is in rising order; units.c's printer takes the last whose factor divides the value.
static const struct unit count_units[] = {
    {"", 1},         {"k", 1000},       {"Ki", 1024},       {"M", 1000000},
    {"Mi", 1048576}, {"G", 1000000000}, {"Gi", 1073741824}, {0}};
static const struct unit byte_units[] = {{"B", 1},
                                         {"kB", 1000},
                                         {"KiB", 1024},
                                         {"MB", 1000000},
                                         {"MiB", 1048576},
                                         {"GB", 1000000000},
                                         {"GiB", 1073741824},
                                         {"TiB", UINT64_C(1) << 40},
                                         {0}};
static const struct unit hertz_units[] = {
    {"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {0}};
static const struct unit second_units[] = {
    {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", UINT64_C(1000000000000)},
    {0}};
static const struct unit joule_units[] = {{"aJ", 1},
                                          {"fJ", 1000},
                                          {"pJ", 1000000},
                                          {"nJ", 1000000000},
                                          {"uJ", UINT64_C(1000000000000)},
                                          {"mJ", UINT64_C(1000000000000000)},
                                          {"J", UINT64_C(1000000000000000000)},
                                          {0}};
static const struct unit bandwidth_units[] = {{"B/s", 1},
                                              {"kB/s", 1000},
                                              {"MB/s", 1000000},
                                              {"GB/s", 1000000000},
                                              {"TB/s", UINT64_C(1000000000000)},
                                              {0}};
static const struct unit cycle_units[] = {{"cycles", 1}, {"cycle", 1}, {"", 1}, {0}};
static const struct unit watt_units[] = {
    {"nW", 1}, {"uW", 1000}, {"mW", 1000000}, {"W", 1000000000}, {0}};
static const struct unit area_units[] = {{"um2", 1}, {"mm2", 1000000}, {0}};
static const struct unit length_units[] = {{"um", 1}, {"mm", 1000}, {0}};

struct quantity {
    const char *what, *example;
    const struct unit *units;
};

static const struct quantity quantities[] = {
    [WM_QUANTITY_COUNT] = {"a count", "64", count_units},
    [WM_QUANTITY_BYTES] = {"a size in bytes", "48KiB", byte_units},
    [WM_QUANTITY_HERTZ] = {"a frequency", "1.4GHz", hertz_units},
    [WM_QUANTITY_SECONDS] = {"a time", "2us", second_units},
    [WM_QUANTITY_JOULES] = {"an energy", "15pJ", joule_units},
    [WM_QUANTITY_BANDWIDTH] = {"a bandwidth", "900GB/s", bandwidth_units},
    [WM_QUANTITY_CYCLES] = {"a number of cycles", "35 cycles", cycle_units},
    [WM_QUANTITY_WATTS] = {"a power", "211.24mW", watt_units},
    [WM_QUANTITY_AREA] = {"an area", "1.25mm2", area_units},
    [WM_QUANTITY_LENGTH] = {"a length", "14mm", length_units},
};

static enum wm_status malformed(const char *text, const struct quantity *quantity, const char *why,
                                struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "\"%.60s\" is not %s: %s", text, quantity->what, why);
    wm_error_hint(error, "write it like %s", quantity->example);
    return WM_INVALID;
}

// Digits with an optional fraction, exactly: mantissa / 10^scale.
static const char *parse_decimal(const char *p, uint64_t *mantissa, unsigned *scale, bool *overflow)
{
    *mantissa = 0;
    *scale = 0;
    *overflow = false;
    bool fraction = false;
    const char *begin = p;
    for (;; p++) {
        if (*p == '_' && p != begin && isdigit((unsigned char)p[1]))
            continue;
        if (*p == '.' && !fraction && isdigit((unsigned char)p[1])) {
            fraction = true;
            continue;
        }
        if (!isdigit((unsigned char)*p))
            return p;
        if (__builtin_mul_overflow(*mantissa, 10, mantissa) ||
            __builtin_add_overflow(*mantissa, (uint64_t)(*p - '0'), mantissa))
            *overflow = true;
        *scale += fraction;
    }
}

enum wm_status wm_units_parse(const char *text, enum wm_quantity kind, uint64_t *value,
                              struct wm_error *error)
{
    __extension__ typedef unsigned __int128 wide;
    const struct quantity *quantity = &quantities[kind];
    const char *p = text;
    while (isspace((unsigned char)*p))
        p++;
    if (!isdigit((unsigned char)*p))
        return malformed(text, quantity, *p == '-' ? "it is negative" : "no number at its start",
                         error);
    uint64_t mantissa;
    unsigned scale;
    bool overflow;
    p = parse_decimal(p, &mantissa, &scale, &overflow);
    while (isspace((unsigned char)*p))
        p++;
    size_t length = strlen(p);
    while (length && isspace((unsigned char)p[length - 1]))
        length--;
    const struct unit *unit = quantity->units;
    while (unit->name && (strlen(unit->name) != length || memcmp(unit->name, p, length) != 0))
        unit++;
    if (!unit->name && !(length == 0 && mantissa == 0))
        return malformed(text, quantity, length ? "unknown unit" : "its unit is missing", error);
    wide product = (wide)mantissa * (unit->name ? unit->factor : 1);
    if (scale > 19)
        return malformed(text, quantity, "too many digits", error);
    for (; scale; scale--) {
        if (product % 10)
            return malformed(text, quantity, "not a whole number of its smallest unit", error);
        product /= 10;
    }
    if (overflow || product > UINT64_MAX)
        return malformed(text, quantity, "too large", error);
    *value = (uint64_t)product;
    return WM_OK;
}

const char *wm_units_print(uint64_t value, enum wm_quantity kind, char *buffer, unsigned long size)
{
    const struct unit *units = quantities[kind].units;
    const struct unit *best = &units[0];
    for (const struct unit *unit = units; unit->name && value; unit++)
        if (unit->factor > best->factor && value % unit->factor == 0)
            best = unit;
    const char *blank = kind == WM_QUANTITY_CYCLES ? " " : "";
    snprintf(buffer, size, "%llu%s%s", (unsigned long long)(value / best->factor), blank,
             best->name);
    return buffer;
}

const char *wm_units_decimal(uint64_t value, unsigned digits, char *buffer, unsigned long size)
{
    uint64_t one = 1;
    for (unsigned i = 0; i < digits; i++)
        one *= 10;
    uint64_t fraction = value % one;
    while (digits > 0 && fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    int used = snprintf(buffer, size, "%llu", (unsigned long long)(value / one));
    if (digits > 0 && used > 0 && (unsigned long)used < size)
        snprintf(buffer + used, size - (unsigned long)used, ".%0*llu", (int)digits,
                 (unsigned long long)fraction);
    return buffer;
}

const char *wm_units_round(double value, enum wm_quantity kind, char *buffer, unsigned long size)
{
    const struct unit *best = &quantities[kind].units[0];
    for (const struct unit *unit = best; unit->name; unit++) {
        bool binary = strchr(unit->name, 'i') != NULL;
        bool wanted = kind == WM_QUANTITY_BYTES ? binary : !binary;
        if (wanted && fabs(value) >= (double)unit->factor * 0.9995)
            best = unit;
    }
    double scaled = value / (double)best->factor;
    int decimals = fabs(scaled) >= 99.95 || best->factor == 1 ? 0 : fabs(scaled) >= 9.995 ? 1 : 2;
    snprintf(buffer, size, "%.*f%s%s", decimals, scaled, best->name[0] ? " " : "", best->name);
    return buffer;
}
