#include "small_dram.h"

#include <criterion/criterion.h>
#include <string.h>

struct wm_dram_channel_spec small_dram_spec(void)
{
    return (struct wm_dram_channel_spec){
        .form = WM_DRAM_TIMED,
        .organisation = {.channel_bits = 64,
                         .ranks = 2,
                         .bank_groups = 2,
                         .banks = 4,
                         .rows = 256,
                         .columns = 128,
                         .burst_length = 2,
                         .transfers_a_cycle = 2},
        .timing = {.clock_ps = 1000,
                   .cl = 4,
                   .cwl = 3,
                   .rcd_read = 1,
                   .rcd_write = 1,
                   .rp = 1,
                   .ras = 1,
                   .rc = 1,
                   .rtp = 1,
                   .rtw = 1},
        .controller = {.read_queue = 64,
                       .write_queue = 64,
                       .drain_high = 64,
                       .mapping = "ro-ra-bg-ba-co"},
    };
}

uint64_t small_address(const struct small_place *place)
{
    uint64_t burst = place->row;
    burst = burst << 1 | place->rank;
    burst = burst << 1 | place->group;
    burst = burst << 2 | place->bank;
    return (burst << 6 | place->column) * 16;
}

void small_dram_start(struct small_dram *dram, const struct wm_dram_channel_spec *spec)
{
    struct wm_error error = {0};
    memset(dram, 0, sizeof *dram);
    cr_assert_eq(wm_dram_channel_new(spec, &dram->channel, &error), WM_OK, "%s", error.message);
    wm_dram_channel_log(dram->channel, wm_dram_history_note, &dram->history);
}

void small_dram_end(struct small_dram *dram)
{
    wm_dram_channel_free(dram->channel);
}

static void note_done(void *context, const struct wm_dram_completion *done)
{
    struct small_dram *dram = context;
    dram->done[done->token] = done->cycle;
    dram->done_count++;
}

void small_dram_advance(struct small_dram *dram, uint64_t until)
{
    wm_dram_channel_advance(dram->channel, until, note_done, dram);
}

void small_dram_add(struct small_dram *dram, uint64_t cycle, const struct small_place *place,
                    bool write, uint64_t token)
{
    struct wm_dram_request request = {small_address(place), token, write};
    cr_assert(wm_dram_channel_add(dram->channel, cycle, &request));
}

size_t small_dram_count(const struct small_dram *dram, enum wm_dram_command command)
{
    size_t count = 0;
    for (size_t i = 0; i < dram->history.count; i++)
        count += dram->history.issues[i].command == command;
    return count;
}

uint64_t small_dram_cycle(const struct small_dram *dram, enum wm_dram_command command, size_t index)
{
    for (size_t i = 0; i < dram->history.count; i++)
        if (dram->history.issues[i].command == command && index-- == 0)
            return dram->history.issues[i].cycle;
    return UINT64_MAX;
}
