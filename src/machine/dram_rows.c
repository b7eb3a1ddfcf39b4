#include "machine/dram_rows.h"

#include "base/text/nearest.h"
#include "base/text/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum sort {
    NUMBER, // a count
    CLOCK,  // picoseconds
    TIME,   // cycles, or a time
    WORDS,  // one of a list of words
    TEXT,   // a text of its own
};

enum { WORD_BYTES = 64, MOST_WORDS = 4 };

#define OF(member)                                           \
    .offset = offsetof(struct wm_dram_channel_spec, member), \
    .bytes = sizeof(((struct wm_dram_channel_spec *)NULL)->member)
#define ORGANISATION(member)                                          \
    {                                                                 \
#member, NUMBER, OF(organisation.member), .is_required = true \
    }
#define REQUIRED_TIME(member)                                 \
    {                                                         \
#member, TIME, OF(timing.member), .is_required = true \
    }
#define OPTIONAL_TIME(member)            \
    {                                    \
#member, TIME, OF(timing.member) \
    }

// In the order of printing. Of words, the first is 0.
static const struct row {
    const char *name;
    enum sort sort;
    size_t offset, bytes;
    bool is_required;
    const char *words[MOST_WORDS];
} rows[] = {
    {"name", TEXT, OF(name)},
    {"clock", CLOCK, OF(timing.clock_ps), .is_required = true},
    ORGANISATION(channel_bits),
    {"ranks", NUMBER, OF(organisation.ranks)},
    {"bank_groups", NUMBER, OF(organisation.bank_groups)},
    ORGANISATION(banks),
    ORGANISATION(rows),
    ORGANISATION(columns),
    ORGANISATION(burst_length),
    ORGANISATION(transfers_a_cycle),
    REQUIRED_TIME(cl),
    REQUIRED_TIME(cwl),
    REQUIRED_TIME(rcd_read),
    REQUIRED_TIME(rcd_write),
    REQUIRED_TIME(rp),
    REQUIRED_TIME(ras),
    OPTIONAL_TIME(rc),
    OPTIONAL_TIME(rrd_s),
    OPTIONAL_TIME(rrd_l),
    OPTIONAL_TIME(ccd_s),
    OPTIONAL_TIME(ccd_l),
    OPTIONAL_TIME(ccd_r),
    OPTIONAL_TIME(faw),
    OPTIONAL_TIME(aw32),
    OPTIONAL_TIME(wr),
    OPTIONAL_TIME(wtr_s),
    OPTIONAL_TIME(wtr_l),
    OPTIONAL_TIME(rtw),
    OPTIONAL_TIME(rtp),
    OPTIONAL_TIME(rtrs),
    OPTIONAL_TIME(ppd),
    OPTIONAL_TIME(rfc),
    OPTIONAL_TIME(refi),
    OPTIONAL_TIME(rfc_bank),
    OPTIONAL_TIME(refi_bank),
    OPTIONAL_TIME(rrefd),
    {"refresh", WORDS, OF(controller.refresh), .words = {"none", "all-bank", "per-bank"}},
    {"command_buses", WORDS, OF(controller.two_command_buses), .words = {"1", "2"}},
    {"mapping", TEXT, OF(controller.mapping)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void *field_of(const struct row *row, struct wm_dram_channel_spec *device)
{
    return (char *)device + row->offset;
}

static bool is_given(const struct row *row, const struct wm_dram_channel_spec *device)
{
    static const char zeros[WM_DRAM_MAPPING_BYTES];
    return memcmp((const char *)device + row->offset, zeros, row->bytes) != 0;
}

static enum wm_status unknown_row(const char *name, struct wm_error *error)
{
    struct wm_nearest nearest;
    struct wm_text names;
    wm_nearest_init(&nearest, name);
    wm_text_init(&names);
    for (size_t i = 0; i < ROWS; i++) {
        wm_nearest_offer(&nearest, rows[i].name);
        wm_text_format(&names, "%s%s", i ? ", " : "", rows[i].name);
    }
    wm_fail(error, WM_INVALID, "a DRAM device has no \"%.40s\"", name);
    if (nearest.best)
        wm_error_hint(error, "did you mean %s?", nearest.best);
    else
        wm_error_hint(error, "known are %s", names.failed ? "others" : names.data);
    wm_text_release(&names);
    return WM_INVALID;
}

static enum wm_status wrong_value(const struct row *row, const char *value, const char *legal,
                                  struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s of a DRAM device: \"%.40s\"", row->name, value);
    return wm_error_hint(error, "legal is %s", legal);
}

static enum wm_status read_words(const struct row *row, const char *value,
                                 struct wm_dram_channel_spec *device, struct wm_error *error)
{
    char legal[WORD_BYTES] = "";
    for (unsigned i = 0; i < MOST_WORDS && row->words[i]; i++) {
        size_t used = strlen(legal);
        snprintf(legal + used, sizeof legal - used, "%s%s", i ? ", " : "", row->words[i]);
        if (strcmp(row->words[i], value) != 0)
            continue;
        if (row->bytes == sizeof(bool))
            *(bool *)field_of(row, device) = i != 0;
        else
            memcpy(field_of(row, device), &i, sizeof i);
        return WM_OK;
    }
    return wrong_value(row, value, legal, error);
}

// A number ends in a digit, a time in its unit.
static bool is_time(const char *value)
{
    return isalpha((unsigned char)value[strlen(value) - 1]) && value[strlen(value) - 1] == 's';
}

static enum wm_status read_number(const struct row *row, const char *value,
                                  struct wm_dram_channel_spec *device, struct wm_error *error)
{
    uint64_t number = 0, clock = device->timing.clock_ps;
    struct wm_error inner;
    bool timed_only = row->sort == CLOCK || (row->sort == TIME && is_time(value));
    if (wm_units_parse(value, timed_only ? WM_QUANTITY_SECONDS : WM_QUANTITY_COUNT, &number,
                       &inner) != WM_OK) {
        wm_fail(error, WM_INVALID, "%s of a DRAM device: %s", row->name, inner.message);
        return wm_error_hint(error, "%s", inner.hint);
    }
    if (timed_only && row->sort == TIME) {
        if (clock == 0) {
            wm_fail(error, WM_INVALID, "%s of a DRAM device is a time, and the clock not known yet",
                    row->name);
            return wm_error_hint(error, "put the row of the clock before it");
        }
        number = number / clock + (number % clock != 0);
    }
    if (number == 0 || number > UINT32_MAX)
        return wrong_value(row, value, "1 to 4294967295; leave out what the device has not", error);
    uint32_t narrow = (uint32_t)number;
    memcpy(field_of(row, device), &narrow, sizeof narrow);
    return WM_OK;
}

static enum wm_status read_text(const struct row *row, const char *value,
                                struct wm_dram_channel_spec *device, struct wm_error *error)
{
    for (const char *at = value; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_.", *at))
            return wrong_value(row, value, "letters, digits, \"-\", \"_\" and \".\"", error);
    if (strlen(value) >= row->bytes)
        return wrong_value(row, value, "a shorter text", error);
    memcpy(field_of(row, device), value, strlen(value));
    return WM_OK;
}

enum wm_status wm_dram_row_add(const char *text, struct wm_dram_channel_spec *device,
                               struct wm_error *error)
{
    char name[WORD_BYTES], value[WORD_BYTES], rest[2];
    if (sscanf(text, "%63s %63s %1s", name, value, rest) != 2) {
        wm_fail(error, WM_INVALID, "\"%.40s\" is no row of a DRAM device", text);
        return wm_error_hint(error, "write a name and its value, like \"%s\"",
                             wm_dram_row_table.example);
    }
    const struct row *row = rows;
    while (row < rows + ROWS && strcmp(row->name, name) != 0)
        row++;
    if (row == rows + ROWS)
        return unknown_row(name, error);
    if (is_given(row, device)) {
        wm_fail(error, WM_INVALID, "%s of a DRAM device is given twice", name);
        return wm_error_hint(error, "keep one");
    }
    switch (row->sort) {
    case WORDS: return read_words(row, value, device, error);
    case TEXT: return read_text(row, value, device, error);
    default: return read_number(row, value, device, error);
    }
}

static void follow(uint32_t *value, uint32_t other)
{
    *value = *value ? *value : other;
}

enum wm_status wm_dram_rows_finish(struct wm_dram_channel_spec *device, struct wm_error *error)
{
    struct wm_dram_timing *timing = &device->timing;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].is_required && !is_given(&rows[i], device)) {
            wm_fail(error, WM_INVALID, "the DRAM device is without its %s", rows[i].name);
            return wm_error_hint(error, "add a row of it");
        }
    follow(&device->organisation.ranks, 1);
    follow(&device->organisation.bank_groups, 1);
    if (timing->ras <= UINT32_MAX - timing->rp)
        follow(&timing->rc, timing->ras + timing->rp);
    follow(&timing->rrd_l, timing->rrd_s);
    follow(&timing->ccd_l, timing->ccd_s);
    follow(&timing->wtr_l, timing->wtr_s);
    device->form = WM_DRAM_TIMED;
    // With any controller that is legal itself.
    struct wm_dram_channel_spec whole = *device;
    whole.controller.read_queue = whole.controller.write_queue = whole.controller.drain_high = 1;
    return wm_dram_spec_check(&whole, error);
}

static enum wm_status add(const char *text, const char *referrer, void *table,
                          struct wm_error *error)
{
    (void)referrer;
    return wm_dram_row_add(text, table, error);
}

static enum wm_status finish(void *table, struct wm_error *error)
{
    return wm_dram_rows_finish(table, error);
}

static void print_value(const struct row *row, const struct wm_dram_channel_spec *device,
                        struct wm_text *text)
{
    const char *field = (const char *)device + row->offset;
    char buffer[WORD_BYTES];
    uint32_t number = 0;
    switch (row->sort) {
    case TEXT: wm_text_add(text, field); break;
    case WORDS:
        if (row->bytes == sizeof(bool))
            number = *(const bool *)field;
        else
            memcpy(&number, field, sizeof number);
        wm_text_add(text, row->words[number]);
        break;
    case CLOCK:
        memcpy(&number, field, sizeof number);
        wm_text_add(text, wm_units_print(number, WM_QUANTITY_SECONDS, buffer, sizeof buffer));
        break;
    default:
        memcpy(&number, field, sizeof number);
        wm_text_format(text, "%u", number);
        break;
    }
}

static bool print(const void *table, unsigned index, struct wm_text *text)
{
    const struct wm_dram_channel_spec *device = table;
    for (size_t i = 0; i < ROWS; i++) {
        if (!is_given(&rows[i], device) || index-- != 0)
            continue;
        wm_text_format(text, "%s ", rows[i].name);
        print_value(&rows[i], device, text);
        return true;
    }
    return false;
}

const struct wm_row_table_kind wm_dram_row_table = {
    .noun = "DRAM device",
    .article = "a",
    .folder = "dram",
    .example = "cl 17",
    .bytes = sizeof(struct wm_dram_channel_spec),
    .most_rows = ROWS,
    .add = add,
    .finish = finish,
    .print = print,
};
