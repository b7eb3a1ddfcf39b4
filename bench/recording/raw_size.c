// What a recording's accesses take in plain zstd, level 3: one record of 16 bytes for each lane of
// each access (address 8, pc 4, warp of the block 2, bytes 1, lane 1), one behind the other in the
// order of the file. usage: raw_size RECORDING
#include "trace/launch_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { RECORD_BYTES = 16, RECORDS = 65536, LEVEL = 3 };

struct raw {
    ZSTD_CCtx *zstd;
    uint8_t records[RECORDS][RECORD_BYTES];
    uint32_t count; // not compressed yet
    uint64_t records_told, stored_bytes;
    bool failed;
};

static void compress(struct raw *raw, ZSTD_EndDirective end)
{
    static uint8_t out[1 << 16];
    ZSTD_inBuffer from = {.src = raw->records, .size = (size_t)raw->count * RECORD_BYTES};
    for (size_t left = 1; left != 0 && !raw->failed;) {
        ZSTD_outBuffer to = {.dst = out, .size = sizeof out};
        size_t status = ZSTD_compressStream2(raw->zstd, &to, &from, end);
        raw->failed = ZSTD_isError(status) != 0;
        raw->stored_bytes += to.pos;
        left = end == ZSTD_e_end ? status : from.size - from.pos;
    }
    raw->count = 0;
}

static void add(struct raw *raw, uint32_t warp, const struct wm_warp_access *access, uint32_t lane)
{
    uint8_t *record = raw->records[raw->count++];
    uint16_t number = (uint16_t)warp;
    memcpy(record, &access->addresses[lane], 8);
    memcpy(record + 8, &access->pc, 4);
    memcpy(record + 12, &number, 2);
    record[14] = (uint8_t)access->bytes_per_lane;
    record[15] = (uint8_t)lane;
    raw->records_told++;
    if (raw->count == RECORDS)
        compress(raw, ZSTD_e_continue);
}

static void visit(void *context, uint64_t block, uint32_t warp, const struct wm_warp_step *step)
{
    struct raw *raw = context;
    (void)block;
    for (uint32_t i = 0; i < step->access_count; i++) {
        struct wm_warp_access access = step->accesses[i];
        uint64_t addresses[WM_MAX_LANES];
        if (access.addresses == NULL) {
            wm_access_expand(&access, addresses);
            access.addresses = addresses;
        }
        access.pc = step->pc;
        for (uint64_t rest = access.active; rest != 0; rest &= rest - 1)
            add(raw, warp, &access, (uint32_t)__builtin_ctzll(rest));
    }
}

static enum wm_status walk(struct raw *raw, struct wm_recording *recording, struct wm_error *error)
{
    struct wm_recorded_event event;
    for (bool more = true;;) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            return WM_OK;
        if (event.kind != WM_RECORDED_LAUNCH)
            continue;
        struct wm_launch_reader launch;
        WM_TRY(wm_launch_reader_open(recording, &launch, error));
        enum wm_status status = wm_launch_scan(&launch, visit, raw, error);
        wm_launch_reader_close(&launch);
        if (status != WM_OK)
            return status;
    }
}

int main(int argc, char **argv)
{
    static struct raw raw;
    struct wm_recording recording;
    struct wm_error error = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: raw_size RECORDING\n");
        return 2;
    }
    raw.zstd = ZSTD_createCCtx();
    if (raw.zstd == NULL)
        return 1;
    ZSTD_CCtx_setParameter(raw.zstd, ZSTD_c_compressionLevel, LEVEL);
    enum wm_status status = wm_recording_open(&recording, argv[1], &error);
    if (status == WM_OK) {
        status = walk(&raw, &recording, &error);
        wm_recording_close(&recording);
    }
    compress(&raw, ZSTD_e_end);
    ZSTD_freeCCtx(raw.zstd);
    if (status != WM_OK || raw.failed) {
        fprintf(stderr, "raw_size: %s\n", raw.failed ? "zstd fails" : error.message);
        return 2;
    }
    printf("%" PRIu64 " records %" PRIu64 " bytes %" PRIu64 " compressed\n", raw.records_told,
           raw.records_told * RECORD_BYTES, raw.stored_bytes);
    return 0;
}
