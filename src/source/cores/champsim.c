// ChampSim's traces: records of 64 bytes, nothing before or between them. The layout is that of
// `input_instr` in ChampSim's inc/trace_instruction.h, as its tracers write it on x86-64:
//
//   bytes  0-7   ip                       little-endian
//          8, 9  is_branch, branch_taken  0 or 1
//         10-11  destination registers    two of them, 0: none
//         12-15  source registers         four
//         16-31  destination memory       two addresses, 0: none
//         32-63  source memory            four
//
// It has no sizes: an access is counted as one byte, and an instruction is fetched as the line that
// its first byte lies in.
#include "source/cores/reader.h"

#include <inttypes.h>
#include <string.h>

enum {
    RECORD_BYTES = 64,
    DESTINATIONS = 2,
    SOURCES = 4,
    DESTINATIONS_AT = 16,
    SOURCES_AT = 32,
};

static uint64_t read_word(const uint8_t *at)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

static void add_accesses(struct wm_core_record *record, const uint8_t *at, int count, bool store)
{
    for (int i = 0; i < count; i++) {
        uint64_t address = read_word(at + (size_t)i * 8);
        if (address != 0)
            record->accesses[record->access_count++] =
                (struct wm_core_access){.address = address, .bytes = 1, .store = store};
    }
}

static enum wm_status bad_record(struct wm_core_reader *reader, const char *what,
                                 struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "record %" PRIu64 " %s", reader->records, what);
    wm_error_place(error, "%s, byte %" PRIu64, wm_trace_input_name(reader->input),
                   reader->records * RECORD_BYTES);
    return wm_error_hint(error,
                         "ChampSim's traces are records of %d bytes: the file may be cut "
                         "short, or be of another kind",
                         (int)RECORD_BYTES);
}

static enum wm_status read_record(struct wm_core_reader *reader, struct wm_core_record *record,
                                  bool *more, struct wm_error *error)
{
    uint8_t bytes[RECORD_BYTES];
    size_t got;
    record->access_count = 0;
    WM_TRY(wm_trace_input_read(reader->input, bytes, sizeof bytes, &got, error));
    *more = got == sizeof bytes;
    if (got == 0)
        return WM_OK;
    if (!*more)
        return bad_record(reader, "ends before its end", error);
    if (bytes[8] > 1 || bytes[9] > 1)
        return bad_record(reader, "is no instruction: its branch marks are neither 0 nor 1", error);
    reader->records++;
    record->address = read_word(bytes);
    record->bytes = 1;
    add_accesses(record, bytes + SOURCES_AT, SOURCES, false);
    add_accesses(record, bytes + DESTINATIONS_AT, DESTINATIONS, true);
    return WM_OK;
}

const struct wm_core_format wm_core_champsim = {
    .name = "champsim",
    .endings = ".champsim .champsimtrace .trace",
    .summary = "ChampSim: what its tracers for Pin and others write",
    .record = read_record,
};
