// Each field of the format, changed alone: it shows in what is read, or the reader refuses it.
#include "recording_tokens.h"
#include "trace_samples.h"

#include "base/numbers/hash.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { WARPS = 2, MOST_SECTIONS = 64 };

// Two blocks, whose warps execute one memory instruction in every way the format has.
struct small {
    struct sample_file file, changed;
    struct wm_section_file sections;
    struct wm_bytes contents[MOST_SECTIONS];
    struct sample_digest digest;
};

static void access_memory(struct wm_warp_encoder *encoder, uint64_t base, uint64_t stride,
                          uint64_t mask, uint32_t kind)
{
    uint64_t addresses[WM_MAX_LANES];
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = base + (stride == 1 ? lane * lane * 8 : lane * stride);
    wm_warp_encoder_access(encoder, 0,
                           &(struct wm_warp_access){.kind = (enum wm_access_kind)kind,
                                                    .hint = (enum wm_cache_hint)kind,
                                                    .bytes_per_lane = 4u << kind,
                                                    .lanes = 32,
                                                    .active = mask,
                                                    .addresses = addresses},
                           0);
}

static void feed(struct wm_warp_encoder *encoder, uint64_t base)
{
    struct wm_trace_item item = {.count = 2, .active = UINT32_MAX, .accesses = WM_TRACE_ONE_EACH};
    for (uint64_t i = 0; i < 4; i++) {
        access_memory(encoder, base + 128 * i, 4, UINT32_MAX, 0);
        wm_warp_encoder_item(encoder, &item);
    }
    access_memory(encoder, base, 8, UINT32_MAX, 0);
    wm_warp_encoder_item(encoder, &item);
    access_memory(encoder, base, 8, 0xff0f, 1);
    wm_warp_encoder_item(encoder, &item);
    access_memory(encoder, base, 1, 0xf0, 1);
    wm_warp_encoder_item(encoder, &item);
    item.accesses ^= 3; // two
    item.skipped = 7;
    item.skipped_lanes = 100;
    access_memory(encoder, base, 4, 0xf0, 2);
    access_memory(encoder, base, 4, 0xf00, 2);
    wm_warp_encoder_item(encoder, &item);
    wm_warp_encoder_item(encoder, &(struct wm_trace_item){.first_pc = 2,
                                                          .count = 1,
                                                          .active = 0xffff,
                                                          .accesses = WM_TRACE_ONE_EACH,
                                                          .event = WM_TRACE_ARRIVAL,
                                                          .lanes = 0xff,
                                                          .barrier = 3,
                                                          .threads = 64,
                                                          .waits = true});
    // Of one instruction: two objects, then the cluster's barrier.
    static const uint32_t words[][2] = {
        {WM_PHASE_EXPECT_ARRIVE | 5 << 4, 300},
        {WM_PHASE_TEST_PASSED | (WM_MOST_MBARRIERS - 2) << 4, 70000},
        {WM_PHASE_CLUSTER_ARRIVE, 0}};
    for (uint32_t i = 0; i < 3; i++)
        wm_warp_encoder_item(encoder, &(struct wm_trace_item){.first_pc = 2,
                                                              .count = i == 0,
                                                              .active = UINT32_MAX,
                                                              .accesses = WM_TRACE_ONE_EACH,
                                                              .event = WM_TRACE_PHASE,
                                                              .lanes = 15u << 4 * i,
                                                              .barrier = words[i][0],
                                                              .threads = words[i][1]});
    wm_warp_encoder_item(encoder, &(struct wm_trace_item){.first_pc = 2,
                                                          .count = 1,
                                                          .active = UINT32_MAX,
                                                          .accesses = WM_TRACE_ONE_EACH,
                                                          .event = WM_TRACE_EXIT,
                                                          .lanes = UINT32_MAX});
}

static void write_launch(struct wm_recording_writer *writer)
{
    struct wm_recorded_launch launch = {.grid = {2, 1, 1},
                                        .block = {32 * WARPS, 1, 1},
                                        .dynamic_shared_bytes = 16,
                                        .preferred_carveout = 26,
                                        .local_bytes_per_block = 4096};
    wm_recording_launch_begin(writer, &launch, 1);
    for (uint64_t b = 0; b < 2; b++) {
        struct wm_recording_block *block = wm_recording_block_begin(writer, 1 - b);
        for (uint64_t w = 0; w < WARPS; w++)
            feed(&block->warps[w], 4096 + (1 - b) * 1000 + w * w * 128);
        wm_recording_block_trim(writer, block);
        for (uint64_t w = 0; w < WARPS; w++)
            feed(&block->warps[w], 8192 - b * 64 + w);
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
}

static void write_small(const char *path)
{
    static const char *const command[] = {"./app", "7", NULL};
    static const char ptx[] = ".version 7.0";
    struct wm_recorded_instruction instructions[] = {
        {.text = "ld",
         .source_file = "a.cu",
         .source_line = 5,
         .ptx_line = 9,
         .exists = true,
         .is_memory = true},
        {.text = "add", .source_file = "a.cu", .source_line = 4, .ptx_line = 10, .exists = true},
        {.text = "bar", .guard = "%p1", .exists = true, .keeps_waits = true}};
    struct wm_recorded_code code = {.name = "f",
                                    .module = "m",
                                    .fingerprint = 77,
                                    .ptx_hash = wm_hash_bytes(ptx, sizeof ptx - 1),
                                    .static_shared_bytes = 8,
                                    .registers_per_thread = 20,
                                    .instruction_count = 3,
                                    .instructions = instructions};
    struct wm_recording_writer *writer;
    sample_file_clear(path);
    cr_assert_eq(wm_recording_writer_new(path,
                                         &(struct wm_recording_header){.writer = "w",
                                                                       .source = "program",
                                                                       .machine = "v100",
                                                                       .machine_yaml = "name: v100",
                                                                       .command = command,
                                                                       .lanes = 32},
                                         &writer, NULL),
                 WM_OK);
    wm_recording_write_ptx(writer, code.ptx_hash, ptx, sizeof ptx - 1);
    wm_recording_write_code(writer, &code);
    code.name = "g";
    code.fingerprint = 78;
    wm_recording_write_code(writer, &code);
    for (uint32_t kind = 0; kind < WM_RECORDED_ORDER; kind++)
        wm_recording_write_event(
            writer, &(struct wm_recorded_event){.kind = (enum wm_recorded_event_kind)kind,
                                                .stream = kind % 2,
                                                .address = 4096,
                                                .from = 8192,
                                                .bytes = 64});
    write_launch(writer);
    cr_assert_eq(wm_recording_writer_finish(writer, NULL), WM_OK);
}

static void begin(struct small *small)
{
    struct wm_error error;
    sample_file_open(&small->file);
    sample_file_open(&small->changed);
    write_small(small->file.path);
    cr_assert_eq(sample_digest(small->file.path, &small->digest, &error), WM_OK, "%s: %s",
                 error.place, error.message);
    cr_assert_eq(wm_section_file_open(&small->sections, small->file.path, &error), WM_OK);
    cr_assert_leq(small->sections.list.count, MOST_SECTIONS);
    for (uint64_t i = 0; i < small->sections.list.count; i++)
        cr_assert_eq(wm_section_read(&small->sections, &small->sections.list.sections[i],
                                     &small->contents[i], &error),
                     WM_OK);
}

static void end(struct small *small)
{
    for (uint64_t i = 0; i < small->sections.list.count; i++)
        wm_bytes_release(&small->contents[i]);
    wm_section_file_close(&small->sections);
    sample_file_close(&small->file);
    sample_file_close(&small->changed);
}

// The token with another value. Lengths around it stay as they are.
static void put_changed(struct wm_bytes *to, const struct wm_bytes *from, const struct token *token,
                        int way)
{
    struct wm_bytes value = {0};
    if (token->kind == TOKEN_NUMBER) {
        static const int64_t by[] = {1, -1, 2, 64};
        wm_bytes_put_number(&value, token->value + (uint64_t)by[way]);
    } else {
        wm_bytes_put(&value, from->data + token->at, token->length);
        // A text's length stays; an empty one gets a letter.
        if (token->kind == TOKEN_TEXT && token->value == 0) {
            value.data[0] = 1;
            wm_bytes_put(&value, "x", 1);
        } else {
            value.data[value.length - 1] ^= 1;
        }
    }
    wm_bytes_put(to, from->data, token->at);
    wm_bytes_put(to, value.data, value.length);
    size_t behind = token->at + token->length;
    wm_bytes_put(to, from->data + behind, from->length - behind);
    wm_bytes_release(&value);
}

// The file with one token changed: whether anything shows.
static bool shows(const struct small *small, uint64_t section, const struct token *token, int way)
{
    struct wm_section_writer *writer;
    struct wm_error error = {0};
    struct sample_digest digest;
    sample_file_clear(small->changed.path);
    cr_assert_eq(wm_section_writer_new(small->changed.path, WM_OUTPUT_ATOMIC, 1, &writer, &error),
                 WM_OK);
    for (uint64_t i = 0; i < small->sections.list.count; i++) {
        struct wm_bytes content = {0};
        if (i == section)
            put_changed(&content, &small->contents[i], token, way);
        else
            wm_bytes_put(&content, small->contents[i].data, small->contents[i].length);
        cr_assert_eq(
            wm_section_write(writer, small->sections.list.sections[i].type, &content, &error),
            WM_OK);
        wm_bytes_release(&content);
    }
    cr_assert_eq(wm_section_writer_finish(writer, &error), WM_OK);
    if (sample_digest(small->changed.path, &digest, &error) != WM_OK) {
        cr_assert_eq(error.status, WM_INVALID, "%s: %s", token->name, error.message);
        cr_assert_str_eq(error.place, small->changed.path);
        return true;
    }
    return memcmp(&digest, &small->digest, sizeof digest) != 0;
}

// Where a change may be of nothing: the stride of one lane, or of lanes that have none; accesses of
// memory instructions that the item has not.
static bool may_be_anything(const struct token *token)
{
    static const char *const names[] = {"first: stride", "access: stride", "item: accesses"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(token->name, names[i]) == 0)
            return true;
    return false;
}

Test(recording_fields, each_shows)
{
    static struct small small;
    static struct tokens tokens;
    static const char *seen[200];
    uint32_t names = 0, changes = 0;
    begin(&small);
    for (uint64_t s = 0; s < small.sections.list.count; s++) {
        recording_tokens(small.sections.list.sections[s].type, &small.contents[s], WARPS, &tokens);
        for (uint32_t t = 0; t < tokens.count; t++) {
            const struct token *token = &tokens.items[t];
            int shown = 0, ways = token->kind == TOKEN_NUMBER ? 4 : 1;
            for (int way = 0; way < ways; way++)
                shown += shows(&small, s, token, way);
            cr_assert(shown == ways || (may_be_anything(token) && shown > 0),
                      "section %u: %s (%lu) does not show", (unsigned)s, token->name,
                      (unsigned long)token->value);
            changes += (uint32_t)ways;
            uint32_t n = 0;
            while (n < names && strcmp(seen[n], token->name) != 0)
                n++;
            if (n == names)
                seen[names++] = token->name;
        }
    }
    // Every field that recording_tokens.c knows was there.
    cr_assert_eq(names, 89, "%u fields", names);
    cr_assert_gt(changes, 500);
    end(&small);
}

// The file with the section `from` written once more before the section `to`, as whole as the
// others.
static enum wm_status read_with_repeated(const struct small *small, uint64_t from, uint64_t to,
                                         struct wm_error *error)
{
    const struct wm_section_list *list = &small->sections.list;
    struct wm_section_writer *writer;
    struct sample_digest digest;
    sample_file_clear(small->changed.path);
    cr_assert_eq(wm_section_writer_new(small->changed.path, WM_OUTPUT_ATOMIC, 1, &writer, error),
                 WM_OK);
    for (uint64_t i = 0; i <= list->count; i++) {
        if (i == to)
            wm_section_write(writer, list->sections[from].type, &small->contents[from], error);
        if (i < list->count)
            wm_section_write(writer, list->sections[i].type, &small->contents[i], error);
    }
    cr_assert_eq(wm_section_writer_finish(writer, error), WM_OK);
    return sample_digest(small->changed.path, &digest, error);
}

// Nothing may lie between a launch's beginning and its end but its frames, nor these elsewhere: a
// reader that passed over it would lose the launch without an error.
Test(recording_fields, no_section_in_another_place)
{
    static struct small small;
    begin(&small);
    const struct wm_section_list *list = &small.sections.list;
    uint64_t launch = 0, refused = 0, taken = 0;
    while (list->sections[launch].type != WM_SECTION_LAUNCH)
        launch++;
    cr_assert_eq(list->sections[list->count - 1].type, WM_SECTION_LAUNCH_END);
    cr_assert_gt(list->count - launch, 2, "frames");
    for (uint64_t from = 1; from < list->count; from++)
        for (uint64_t to = 1; to <= list->count; to++) {
            struct wm_error error = {0};
            bool is_part = from > launch, in_launch = to > launch && to < list->count;
            enum wm_status status = read_with_repeated(&small, from, to, &error);
            if (is_part != in_launch) {
                cr_assert_eq(status, WM_INVALID, "%u before %u", (unsigned)from, (unsigned)to);
                cr_assert(strstr(error.message, "the order of sections at byte ") != NULL, "%s",
                          error.message);
                refused++;
            }
            taken += status == WM_OK;
        }
    cr_assert(refused > 10 && taken > 10, "%u refused, %u taken", (unsigned)refused,
              (unsigned)taken);
    end(&small);
}

// A PTX section's text: its bytes are the module's.
Test(recording_fields, the_text_of_a_module)
{
    static struct small small;
    begin(&small);
    struct token letter = {"ptx: text", TOKEN_U64, 12, 4, 0};
    cr_assert_eq(small.sections.list.sections[1].type, WM_SECTION_PTX);
    cr_assert(shows(&small, 1, &letter, 0));
    end(&small);
}
