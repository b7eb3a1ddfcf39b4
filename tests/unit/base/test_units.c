#include "base/numbers/random.h"
#include "base/text/units.h"

#include <criterion/criterion.h>

static const struct {
    const char *text;
    enum wm_quantity quantity;
    uint64_t value;
} good[] = {
    {"48KiB", WM_QUANTITY_BYTES, 49152},
    {"0", WM_QUANTITY_BYTES, 0},
    {" 6 MiB ", WM_QUANTITY_BYTES, 6291456},
    {"1kB", WM_QUANTITY_BYTES, 1000},
    {"0.5KiB", WM_QUANTITY_BYTES, 512},
    {"1.4GHz", WM_QUANTITY_HERTZ, 1400000000},
    {"700MHz", WM_QUANTITY_HERTZ, 700000000},
    {"2us", WM_QUANTITY_SECONDS, 2000000},
    {"1.5ns", WM_QUANTITY_SECONDS, 1500},
    {"15pJ", WM_QUANTITY_JOULES, 15000000},
    {"0.0319282nJ", WM_QUANTITY_JOULES, 31928200},
    {"211.24mW", WM_QUANTITY_WATTS, 211240000},
    {"1.25mm2", WM_QUANTITY_AREA, 1250000},
    {"14mm", WM_QUANTITY_LENGTH, 14000},
    {"177.4GB/s", WM_QUANTITY_BANDWIDTH, UINT64_C(177400000000)},
    {"64Ki", WM_QUANTITY_COUNT, 65536},
    {"1_000", WM_QUANTITY_COUNT, 1000},
    {"35", WM_QUANTITY_CYCLES, 35},
    {"35 cycles", WM_QUANTITY_CYCLES, 35},
    {"18446744073709551615", WM_QUANTITY_COUNT, UINT64_MAX},
};

Test(units, reads_what_people_write)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t value = 1;
        struct wm_error error;
        cr_assert_eq(wm_units_parse(good[i].text, good[i].quantity, &value, &error), WM_OK,
                     "\"%s\": %s", good[i].text, error.message);
        cr_assert_eq(value, good[i].value, "\"%s\"", good[i].text);
    }
}

static const struct {
    const char *text;
    enum wm_quantity quantity;
    const char *message;
} bad[] = {
    {"48", WM_QUANTITY_BYTES, "\"48\" is not a size in bytes: its unit is missing"},
    {"8KiB", WM_QUANTITY_COUNT, "\"8KiB\" is not a count: unknown unit"},
    {"-1", WM_QUANTITY_COUNT, "\"-1\" is not a count: it is negative"},
    {"", WM_QUANTITY_COUNT, "\"\" is not a count: no number at its start"},
    {"1.4", WM_QUANTITY_HERTZ, "\"1.4\" is not a frequency: its unit is missing"},
    {"0.3B", WM_QUANTITY_BYTES,
     "\"0.3B\" is not a size in bytes: not a whole number of its smallest unit"},
    {"99999999999TiB", WM_QUANTITY_BYTES, "\"99999999999TiB\" is not a size in bytes: too large"},
    {"18446744073709551616", WM_QUANTITY_COUNT,
     "\"18446744073709551616\" is not a count: too large"},
    {"1.4 Ghz", WM_QUANTITY_HERTZ, "\"1.4 Ghz\" is not a frequency: unknown unit"},
    {"1e3", WM_QUANTITY_COUNT, "\"1e3\" is not a count: unknown unit"},
};

Test(units, refuses_what_is_wrong_and_says_why)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value;
        struct wm_error error;
        cr_assert_eq(wm_units_parse(bad[i].text, bad[i].quantity, &value, &error), WM_INVALID,
                     "\"%s\"", bad[i].text);
        cr_assert_str_eq(error.message, bad[i].message);
        cr_assert_neq(error.hint[0], '\0');
    }
}

Test(units, print_reads_back_to_the_same_value)
{
    struct wm_random random;
    wm_random_init(&random, 2, "test units");
    for (int i = 0; i < 20000; i++) {
        enum wm_quantity quantity = (enum wm_quantity)wm_random_below(&random, WM_QUANTITIES);
        uint64_t value = wm_random_u64(&random) >> wm_random_below(&random, 64);
        value <<= wm_random_below(&random, 3) ? 0 : 10;
        char buffer[64];
        uint64_t back = ~value;
        wm_units_print(value, quantity, buffer, sizeof buffer);
        cr_assert_eq(wm_units_parse(buffer, quantity, &back, NULL), WM_OK, "%s", buffer);
        cr_assert_eq(back, value, "%s", buffer);
    }
}

Test(units, round_keeps_three_digits)
{
    char buffer[64];
    cr_assert_str_eq(wm_units_round(0, WM_QUANTITY_BYTES, buffer, sizeof buffer), "0 B");
    cr_assert_str_eq(wm_units_round(1268777, WM_QUANTITY_BYTES, buffer, sizeof buffer), "1.21 MiB");
    cr_assert_str_eq(wm_units_round(14.8e9, WM_QUANTITY_COUNT, buffer, sizeof buffer), "14.8 G");
    cr_assert_str_eq(wm_units_round(999.9, WM_QUANTITY_COUNT, buffer, sizeof buffer), "1.00 k");
    cr_assert_str_eq(wm_units_round(512e3, WM_QUANTITY_COUNT, buffer, sizeof buffer), "512 k");
}

Test(units, decimal_is_exact)
{
    char buffer[64];
    cr_assert_str_eq(wm_units_decimal(30500000, 6, buffer, sizeof buffer), "30.5");
    cr_assert_str_eq(wm_units_decimal(1, 6, buffer, sizeof buffer), "0.000001");
    cr_assert_str_eq(wm_units_decimal(4480000000, 6, buffer, sizeof buffer), "4480");
    cr_assert_str_eq(wm_units_decimal(0, 6, buffer, sizeof buffer), "0");
    cr_assert_str_eq(wm_units_decimal(UINT64_MAX, 19, buffer, sizeof buffer),
                     "1.8446744073709551615");
    cr_assert_str_eq(wm_units_decimal(120, 0, buffer, sizeof buffer), "120");
}
