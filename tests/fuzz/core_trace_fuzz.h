// A trace of a CPU core, of one kind: whatever the bytes, steps that keep the reader's promises, or
// an error that says where. The accesses are the same with and without the instructions.
#ifndef WM_TESTS_CORE_TRACE_FUZZ_H
#define WM_TESTS_CORE_TRACE_FUZZ_H

#include "source/cores/instruction_table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The steps of an input that unpacks to more are not all read.
enum { FUZZ_MOST_STEPS = 20000 };

static inline void fuzz_require(bool holds)
{
    if (!holds)
        abort();
}

static inline uint64_t fuzz_add(uint64_t sum, const struct wm_core_access *access)
{
    return (sum ^ access->address ^ (uint64_t)access->bytes << 56 ^ (uint64_t)access->store << 55 ^
            (uint64_t)access->locked << 54) *
           UINT64_C(0x9E3779B97F4A7C15);
}

// Reads all steps; returns a sum of the accesses. `*whole`: there was no error, and no limit was
// met.
static inline uint64_t fuzz_read(const struct wm_core_format *format, const uint8_t *data,
                                 size_t size, bool data_only, bool *whole)
{
    struct wm_error error;
    struct wm_trace_input *input;
    struct wm_core_table table = {0};
    uint64_t sum = 0;
    wm_error_clear(&error);
    *whole = false;
    if (wm_trace_input_open_memory(data, size, "fuzz", &input, &error) != WM_OK) {
        fuzz_require(error.place[0] != '\0' && error.message[0] != '\0');
        return 0;
    }
    struct wm_core_reader reader;
    wm_core_reader_init(&reader, format, input, data_only);
    for (uint32_t steps = 0; steps < FUZZ_MOST_STEPS; steps++) {
        struct wm_core_step step;
        bool more;
        if (wm_core_reader_next(&reader, &step, &more, &error) != WM_OK) {
            fuzz_require(error.place[0] != '\0' && error.message[0] != '\0');
            break;
        }
        *whole = !more;
        if (!more)
            break;
        fuzz_require(!data_only || step.skipped == 0);
        if (step.kind != WM_CORE_STEP_EXECUTES) {
            fuzz_require(step.access_count == 0 && step.awaited < WM_CORE_MOST_THREADS);
            fuzz_require(step.kind != WM_CORE_STEP_FOLLOWS || step.awaited != reader.step_thread);
            if (step.kind != WM_CORE_STEP_ENDS)
                sum = sum * 31 + (uint64_t)step.kind + step.awaited_accesses;
            continue;
        }
        fuzz_require(step.access_count <= WM_CORE_STEP_ACCESSES);
        fuzz_require(step.bytes != 0 || step.access_count == 1);
        fuzz_require(!data_only || (step.bytes == 0 && step.place == 0));
        fuzz_require(step.place == 0 ||
                     (step.bytes == 0 && wm_core_place_of(&reader.places, step.place) != NULL));
        for (uint32_t i = 0; i < step.access_count; i++) {
            fuzz_require(step.accesses[i].bytes > 0 &&
                         step.accesses[i].bytes <= WM_CORE_ACCESS_BYTES);
            sum = fuzz_add(sum, &step.accesses[i]);
        }
        fuzz_require(wm_core_table_add(&table, 0, &step, &error) == WM_OK);
        fuzz_require(wm_core_table_find(&table, 0, &step) != NULL);
    }
    wm_core_table_number(&table);
    for (uint32_t pc = 0; pc < table.count; pc++)
        fuzz_require(table.instructions[pc].pc == pc);
    wm_core_table_release(&table);
    wm_core_reader_release(&reader);
    return sum;
}

static inline void fuzz_core_trace(const struct wm_core_format *format, const uint8_t *data,
                                   size_t size)
{
    bool whole, data_whole;
    uint64_t sum = fuzz_read(format, data, size, false, &whole);
    uint64_t data_sum = fuzz_read(format, data, size, true, &data_whole);
    fuzz_require(!whole || !data_whole || sum == data_sum);
}

#endif
