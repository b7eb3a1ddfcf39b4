// Forms of PTX instructions and their rates: one kernel for each form, in which it stands many
// times. A form that is much slower than its neighbours (the others of its group) has missed a fast
// way that they take. What it is compared with is the rate that a quarter of the group reaches; a
// vector of four registers may take four times as long. No memory system, one host thread.
//
// usage: bench_forms [--most RATIO] [GROUP...]
// With --most, the exit status is 1 when a form stays more than RATIO times slower than that,
// measured up to five times over, each time the best of five runs by the process's own time: what
// else the machine does makes a form seem slow at times, but not every time. It is 77, a skipped
// test, where there is no AVX-512: what narrower vectors lack (conversions and products of 64 bits)
// falls behind by more than the bound.
#include "base/text/text.h"
#include "exec/exec.h"
#include "exec/texture/texture.h"
#include "forms.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COPIES = 32,
    ROUNDS = 60,
    TIMES = 5,
    THREADS = 256,
    BUFFER = 1 << 20,
    MOST_FORMS = 64,
    OBJECTS = 7,
    TEXELS = 256
};

struct measured {
    const struct form *form;
    double rate; // million warp instructions of the form a second
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void die(const char *form, const struct wm_error *error)
{
    char text[4096];
    fprintf(stderr, "bench_forms: %s: %s\n", form, wm_error_format(error, text, sizeof(text)));
    exit(1);
}

// Addresses of 16 aligned bytes in d0 (global), r0 (shared) and d1 (local), as the pattern says: a
// lane behind the other, a line apart, all at one place, or scattered.
static void print_addresses(struct wm_text *text, const struct form *form)
{
    static const char *const offsets[] = {
        [ROW] = "mul.lo.u32 %r1, %r15, WIDTH;\n",
        [APART] = "and.b32 %r1, %r15, 31;\nmul.lo.u32 %r1, %r1, 144;\n",
        [SAME] = "mov.u32 %r1, 64;\n",
        [SCATTERED] = "mul.lo.u32 %r1, %r15, 2654435761;\nshr.u32 %r1, %r1, 8;\n"
                      "and.b32 %r1, %r1, 8176;\n",
    };
    const char *offset = offsets[form->pattern], *width = strstr(offset, "WIDTH");
    if (width)
        wm_text_format(text, "%.*s%u%s", (int)(width - offset), offset, form->width, width + 5);
    else
        wm_text_add(text, offset);
    wm_text_add(text, "cvt.u64.u32 %d1, %r1;\nadd.u64 %d0, %d15, %d1;\n"
                      "mov.u32 %r0, tile;\nadd.u32 %r0, %r0, %r1;\n"
                      "mov.u64 %d2, table;\nadd.u64 %d2, %d2, %d1;\n"
                      "and.b64 %d3, %d1, 48;\nmov.u64 %d1, own;\nadd.u64 %d1, %d1, %d3;\n"
                      "mov.u64 %d3, own;\n");
}

// Objects in d16 to d22; coordinates in f12 to f14 and r16 to r17, of bytes in r18 and, of 16, r19.
static void print_coordinates(struct wm_text *text)
{
    for (int i = 0; i < OBJECTS; i++)
        wm_text_format(text, "ld.param.u64 %%d%d, [objects+%d];\n", 16 + i, 8 * i);
    wm_text_add(text, "and.b32 %r16, %r15, 31;\nshr.u32 %r17, %r15, 5;\n"
                      "shl.b32 %r18, %r16, 2;\nshl.b32 %r19, %r16, 4;\n"
                      "cvt.rn.f32.u32 %f12, %r16;\nadd.f32 %f12, %f12, 0f3EAAAAAB;\n"
                      "cvt.rn.f32.u32 %f13, %r17;\nadd.f32 %f13, %f13, 0f3F2AAAAB;\n"
                      "mov.f32 %f14, 0f3F000000;\n");
}

static void print_kernel(struct wm_text *text, const struct form *form)
{
    wm_text_add(text,
                ".version 8.0\n.target sm_80\n.address_size 64\n"
                ".const .align 16 .b8 table[16384];\n"
                ".func (.param .b32 result) called(.param .b32 value)\n{\n.reg .b32 %r<2>;\n"
                "ld.param.b32 %r0, [value];\nst.param.b32 [result], %r0;\nret;\n}\n"
                ".visible .entry form(.param .u64 buffer, .param .align 16 .b8 values[64], .param "
                ".align 8 .b8 objects[56])\n{\n"
                ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<24>;\n"
                ".reg .b64 %d<24>;\n.reg .f32 %f<24>;\n.reg .f64 %g<16>;\n"
                ".shared .align 16 .b8 tile[16384];\n.local .align 16 .b8 own[128];\n"
                "ld.param.u64 %d15, [buffer];\ncvta.to.global.u64 %d15, %d15;\n"
                "mov.u32 %r15, %tid.x;\nmov.u32 %r13, -1;\n");
    print_coordinates(text);
    print_addresses(text, form);
    for (int i = 2; i < 8; i++)
        wm_text_format(text,
                       "mad.lo.u32 %%r%d, %%r15, %d, 77;\ncvt.u16.u32 %%h%d, %%r%d;\n"
                       "cvt.rn.f32.u32 %%f%d, %%r%d;\ncvt.rn.f64.u32 %%g%d, %%r%d;\n"
                       "cvt.u64.u32 %%d%d, %%r%d;\nsetp.gt.u32 %%p%d, %%r%d, 900;\n",
                       i, i * i + 3, i, i, i, i, i, i, i + 2, i, i, i);
    wm_text_format(text, "mov.u32 %%r14, %d;\nAGAIN:\n", ROUNDS);
    for (int i = 0; i < COPIES; i++) {
        // A label is of its copy.
        for (const char *at = form->text; *at; at++)
            if (*at == '#')
                wm_text_format(text, "%d", i);
            else
                wm_text_append(text, at, 1);
        wm_text_add(text, "\n");
    }
    wm_text_add(text,
                "sub.u32 %r14, %r14, 1;\nsetp.ne.u32 %p0, %r14, 0;\n@%p0 bra AGAIN;\nret;\n}\n");
}

// Of d16 and so on: textures of one and two dimensions; one that filters; a surface of two; a
// texture of three that does not filter; one of layers, and a surface of one dimension.
static bool make_objects(struct wm_texture_objects *objects, uint64_t texels, uint64_t *numbers)
{
    static const struct {
        uint8_t dimensions;
        bool linear, surface;
    } kinds[OBJECTS] = {{1, false, false}, {2, false, false}, {2, true, false}, {2, false, true},
                        {3, false, false}, {2, true, false},  {1, false, true}};
    for (int i = 0; i < OBJECTS; i++) {
        struct wm_texture texture = {.memory = WM_TEXTURE_ARRAY,
                                     .surface = kinds[i].surface,
                                     .format = {WM_TEXEL_FLOAT, 1, 4},
                                     .dimensions = kinds[i].dimensions,
                                     .level_count = 1,
                                     .linear = kinds[i].linear};
        texture.levels[0] =
            wm_texel_layout_of(4, TEXELS, kinds[i].dimensions > 1 ? 16 : 1,
                               kinds[i].dimensions > 2 ? 4 : 1, kinds[i].dimensions > 1);
        texture.levels[0].address = texels;
        numbers[i] = wm_texture_objects_add(objects, &texture);
        if (numbers[i] == 0)
            return false;
    }
    return true;
}

static void hear_access(void *context, const struct wm_warp_access *access)
{
    *(uint64_t *)context += access->active;
}

static void count_by_registers(void *context, const struct wm_memory_instruction *instruction,
                               const void *registers, uint64_t active,
                               enum wm_half_warp_pattern rows)
{
    (void)instruction, (void)registers, (void)rows;
    *(uint64_t *)context += active;
}

static bool run_block(struct wm_block *block, const struct wm_access_sink *sink,
                      struct wm_run_result *result)
{
    uint64_t ready = block->ready;
    for (uint64_t rest = ready; rest; rest &= rest - 1)
        wm_warp_run(block, (uint32_t)__builtin_ctzll(rest), UINT64_MAX, WM_RUN_INSTRUCTIONS, sink,
                    result);
    return ready != 0;
}

static double run(const struct form *form, const struct wm_kernel *kernel,
                  struct wm_device_memory *memory, uint64_t buffer)
{
    struct {
        uint64_t buffer, pad;
        uint8_t values[64];
        uint64_t objects[OBJECTS];
    } parameters = {.buffer = buffer};
    uint64_t heard = 0;
    const struct wm_access_sink sink = {.access = hear_access,
                                        .access_by_registers = count_by_registers,
                                        .accepts_strided = true,
                                        .context = &heard};
    struct wm_texture_objects objects = {0};
    if (!make_objects(&objects, buffer, parameters.objects))
        abort();
    struct wm_launch launch = {.kernel = kernel,
                               .grid = {1, 1, 1},
                               .block = {THREADS, 1, 1},
                               .parameters = &parameters,
                               .parameter_bytes = sizeof(parameters),
                               .textures = &objects};
    struct wm_grid *grid;
    struct wm_block *block = NULL;
    struct wm_error error;
    struct wm_run_result result = {0};
    if (wm_grid_new(&launch, memory, &grid, &error) != WM_OK ||
        wm_grid_start_block(grid, 0, 0, 0, &block, &error) != WM_OK)
        die(form->text, &error);
    double start = now();
    while (run_block(block, form->heard ? &sink : NULL, &result))
        if (wm_grid_fault(grid))
            die(form->text, &wm_grid_fault(grid)->error);
    double seconds = now() - start;
    if (wm_grid_fault(grid))
        die(form->text, &wm_grid_fault(grid)->error);
    wm_grid_finish_block(grid, block);
    wm_grid_free(grid);
    wm_texture_objects_release(&objects);
    return seconds;
}

static double rate_of(const struct form *form)
{
    struct wm_device_memory *memory;
    struct wm_ptx_module *module;
    struct wm_program *program;
    const struct wm_kernel *kernel;
    struct wm_error error;
    struct wm_text text;
    uint64_t buffer;
    wm_text_init(&text);
    print_kernel(&text, form);
    struct wm_program_options options = {.warp_width = 32, .isa = wm_host_best_isa()};
    if (wm_ptx_parse(text.data, text.length, "form", &module, &error) != WM_OK ||
        wm_device_memory_new(UINT64_C(1) << 28, &memory, &error) != WM_OK ||
        wm_device_memory_allocate(memory, BUFFER, 256, WM_ALLOCATION_DEVICE, "bench", &buffer,
                                  &error) != WM_OK ||
        wm_program_load(module, memory, &options, &program, &error) != WM_OK ||
        wm_program_kernel(program, "form", &kernel, &error) != WM_OK)
        die(form->text, &error);
    memset((void *)(uintptr_t)buffer, 0, BUFFER);
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        double seconds = run(form, kernel, memory, buffer);
        best = seconds < best ? seconds : best;
    }
    wm_program_free(program);
    wm_device_memory_free(memory);
    wm_text_release(&text);
    return (double)COPIES * ROUNDS * (THREADS / 32) / best / 1e6;
}

static int by_rate(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What a quarter of the group reaches.
static double usual_rate(const struct measured *group, size_t count)
{
    double rates[MOST_FORMS];
    for (size_t i = 0; i < count; i++)
        rates[i] = group[i].rate;
    qsort(rates, count, sizeof(*rates), by_rate);
    return rates[count * 3 / 4];
}

// Measures one group, and again what seems slow: a neighbour on the machine is not a slow form.
static unsigned measure_group(struct measured *group, size_t count, double most, double bar)
{
    unsigned slow = 0;
    for (size_t i = 0; i < count; i++)
        group[i].rate = rate_of(group[i].form);
    for (int again = 0; again < (most > 0 ? 4 : 0); again++) {
        double usual = usual_rate(group, count);
        for (size_t i = 0; i < count; i++) {
            double rate =
                group[i].rate * group[i].form->work * most < usual ? rate_of(group[i].form) : 0;
            group[i].rate = rate > group[i].rate ? rate : group[i].rate;
        }
    }
    double usual = usual_rate(group, count);
    for (size_t i = 0; i < count; i++) {
        double ratio = usual / (group[i].rate * group[i].form->work);
        char line[256];
        snprintf(line, sizeof(line), "%s%s%s", group[i].form->text,
                 group[i].form->pattern_name ? "  " : "",
                 group[i].form->pattern_name ? group[i].form->pattern_name : "");
        for (char *at = line; *at; at++)
            *at = *at == '\n' ? ' ' : *at;
        printf("  %-78s %8.1f M/s  %5.2f%s\n", line, group[i].rate, ratio,
               ratio > bar ? "  slow" : "");
        slow += most > 0 && ratio > most;
    }
    return slow;
}

int main(int count, char **arguments)
{
    double most = 0;
    char **names = NULL; // groups; all when there are none
    for (int i = 1; i < count; i++)
        if (strcmp(arguments[i], "--most") == 0 && i + 1 < count)
            most = strtod(arguments[++i], NULL);
        else if (!names)
            names = arguments + i;
    static struct measured group[MOST_FORMS];
    if (most > 0 && wm_host_best_isa() != WM_HOST_AVX512) {
        printf(
            "skipped: the bound is one of the AVX-512 build, which this processor or WARPMEM_ISA "
            "does not allow\n");
        return 77;
    }
    struct form *forms;
    size_t form_count = make_forms(&forms);
    unsigned slow = 0;
    printf("lanes: %s; warp instructions a second, and how many times slower than the rate that a "
           "quarter of the group reaches\n",
           wm_host_isa_name(wm_host_best_isa()));
    for (size_t i = 0, end; i < form_count; i = end) {
        for (end = i; end < form_count && strcmp(forms[end].group, forms[i].group) == 0; end++)
            group[end - i].form = &forms[end];
        bool wanted = !names;
        for (char **name = names; name && *name; name++)
            wanted |= strcmp(*name, forms[i].group) == 0;
        if (!wanted)
            continue;
        printf("%s\n", forms[i].group);
        slow += measure_group(group, end - i, most, 3);
    }
    free(forms);
    if (most > 0)
        printf("%u forms are more than %g times slower than their neighbours\n", slow, most);
    return slow ? 1 : 0;
}
