// Numbers with units, as people write them: "48KiB", "1.4GHz", "2us", "15pJ".
#ifndef WM_BASE_UNITS_H
#define WM_BASE_UNITS_H

#include "base/error.h"

#include <stdint.h>

enum wm_quantity {
    WM_QUANTITY_COUNT,     // a plain non-negative integer: "15", "1_000", "64Ki", "2M"
    WM_QUANTITY_BYTES,     // "128B", "48KiB", "6MiB", "1kB" (1000); a bare number is an error but 0
    WM_QUANTITY_HERTZ,     // "700MHz", "1.4GHz", "924 MHz"
    WM_QUANTITY_SECONDS,   // kept as picoseconds: "2us", "1.5ns", "300ps"
    WM_QUANTITY_JOULES,    // kept as attojoules: "15pJ", "0.5nJ"
    WM_QUANTITY_BANDWIDTH, // bytes per second: "177.4GB/s", "900GB/s"
    WM_QUANTITY_CYCLES,    // "35 cycles", "35cycles"; a bare number is accepted
    WM_QUANTITY_WATTS,     // kept as nanowatts: "211.24mW"
    WM_QUANTITY_AREA,      // kept as square micrometres: "1.25mm2"
    WM_QUANTITY_LENGTH,    // kept as micrometres: "14mm"
    WM_QUANTITIES,
};

// Parses `text` exactly (surrounding blanks allowed) into `value`, in the quantity's base unit:
// bytes, hertz, picoseconds, attojoules, bytes a second, cycles, nanowatts, square micrometres,
// micrometres. WM_INVALID with a message that names the unit expected when the text is malformed,
// has another unit, is negative, is not a whole number of base units, or overflows 64 bits.
enum wm_status wm_units_parse(const char *text, enum wm_quantity quantity, uint64_t *value,
                              struct wm_error *error);

// Prints for people, in the largest unit that keeps the number exact ("48KiB", "700MHz"): what it
// prints, wm_units_parse reads back to the same value. Returns `buffer`.
const char *wm_units_print(uint64_t value, enum wm_quantity quantity, char *buffer,
                           unsigned long size);

// Prints `value` / 10^`digits` exactly, without zeros at its end, whatever the locale: 30500 and 3
// are "30.5". At most 19 digits. Returns `buffer`.
const char *wm_units_decimal(uint64_t value, unsigned digits, char *buffer, unsigned long size);

// Prints for a table, rounded to three significant digits: "1.21 MiB", "14.8 G", "0". Not exact.
const char *wm_units_round(double value, enum wm_quantity quantity, char *buffer,
                           unsigned long size);

#endif
