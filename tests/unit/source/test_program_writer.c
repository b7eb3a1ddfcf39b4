// Programs with other PTX: all shapes that linkers make, read back with our own reader, and what is
// refused. tests/programs/bypass runs real ones.
#include "program_builder.h"

#include "source/program/program_writer.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ptx_75[] = ".version 9.0\n.target sm_75\n// seventy-five\n";
static const char ptx_90[] = ".version 9.0\n.target sm_90\n// ninety\n";
static const char other[] = ".version 9.0\n.target sm_75\n// left alone\n";
static const char part[] = ".version 9.0\n.target sm_75\n// a part\n";
static const char code[] = "\177ELF machine code";

// Makes texts that have the word longer by `lines`; context: the word.
struct change {
    const char *word;
    uint32_t lines;
};

static enum wm_status lengthen(void *context, const char *text, uint64_t length,
                               struct wm_text *rewritten, struct wm_error *error)
{
    const struct change *change = context;
    (void)error;
    cr_assert_eq(length, strlen(text));
    wm_text_append(rewritten, text, length);
    for (uint32_t i = 0; strstr(text, change->word) != NULL && i < change->lines; i++)
        wm_text_format(rewritten, "// line %u of what was added\n", i);
    return WM_OK;
}

static enum wm_status keep(void *context, const char *text, uint64_t length,
                           struct wm_text *rewritten, struct wm_error *error)
{
    struct wm_text *all = context;
    (void)error;
    wm_text_append(rewritten, text, length);
    wm_text_format(all, "[%s]", text);
    return WM_OK;
}

static struct wm_elf_file file_of(const struct wm_text *bytes)
{
    return (struct wm_elf_file){(const uint8_t *)bytes->data, bytes->length};
}

static struct wm_program_rewritten rewrite(const struct wm_text *program,
                                           const struct change *change, struct wm_text *bytes)
{
    const struct wm_ptx_rewriter rewriter = {lengthen, (void *)(uintptr_t)change};
    const struct wm_elf_file file = file_of(program);
    struct wm_program_rewritten rewritten;
    struct wm_error error;
    wm_text_init(bytes);
    cr_assert_eq(wm_program_rewrite(&file, &rewriter, bytes, &rewritten, &error), WM_OK, "%s",
                 error.message);
    return rewritten;
}

// All texts of a program, as our reader finds them, each in brackets; and how many images of
// machine code it has.
static uint32_t read_back(const struct wm_text *program, struct wm_text *all)
{
    const struct wm_ptx_rewriter rewriter = {keep, all};
    const struct wm_elf_file file = file_of(program);
    struct wm_program_rewritten rewritten;
    struct wm_error error;
    struct wm_text bytes;
    wm_text_init(&bytes);
    wm_text_init(all);
    cr_assert_eq(wm_elf_check(&file, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_program_rewrite(&file, &rewriter, &bytes, &rewritten, &error), WM_OK, "%s",
                 error.message);
    cr_expect_eq(bytes.length, program->length, "a copy, as nothing changes");
    cr_expect_eq(memcmp(bytes.data, program->data, bytes.length), 0);
    wm_text_release(&bytes);
    return rewritten.total.machine_code;
}

static void add_text(struct wm_text *text, const char *ptx, const struct change *change)
{
    wm_text_format(text, "[%s", ptx);
    for (uint32_t i = 0; strstr(ptx, change->word) != NULL && i < change->lines; i++)
        wm_text_format(text, "// line %u of what was added\n", i);
    wm_text_add(text, "]");
}

static void one_module(struct wm_text *container, const char *ptx,
                       enum wm_image_compression compression, const char *options)
{
    wm_text_init(container);
    container_begin(container);
    container_add(container, WM_IMAGE_ELF, 75, WM_IMAGE_RAW, code, sizeof code, NULL, NULL);
    container_add(container, WM_IMAGE_PTX, 75, compression, ptx, strlen(ptx) + 1, "app.cu",
                  options);
    container_end(container);
}

// Headers whose segments rise, lie in the file, do not overlap, and are as far from their place as
// a loader can map; the table is itself loaded.
static void expect_loadable(const struct wm_text *program)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    memcpy(&header, program->data, sizeof header);
    uint64_t end = 0;
    bool covered = false;
    for (uint32_t i = 0; i < header.e_phnum; i++) {
        memcpy(&segment, program->data + header.e_phoff + i * sizeof segment, sizeof segment);
        cr_expect_neq(segment.p_type, PT_NULL);
        if (segment.p_type != PT_LOAD)
            continue;
        cr_expect_geq(segment.p_vaddr, end);
        cr_expect_eq((segment.p_vaddr - segment.p_offset) % PROGRAM_PAGE, 0);
        cr_expect_leq(segment.p_offset + segment.p_filesz, program->length);
        end = segment.p_vaddr + segment.p_memsz;
        covered |=
            header.e_phoff >= segment.p_offset &&
            header.e_phoff + header.e_phnum * sizeof segment <= segment.p_offset + segment.p_filesz;
    }
    cr_expect(covered);
}

// Sections of device code lie behind what was the whole file.
static void expect_sections(const struct wm_text *program, uint64_t behind)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    const struct wm_elf_file file = file_of(program);
    for (int i = 0; i < 2; i++) {
        struct wm_elf_part section;
        struct wm_fatbinary fatbinary;
        uint32_t from = 0;
        if (!wm_elf_section(&file, names[i], &from, &section) || section.size_bytes == 0)
            continue;
        cr_expect_geq((uint64_t)(section.data - file.data), behind);
        cr_expect_eq(wm_fatbinary_open(section.data, section.size_bytes, &fatbinary, NULL), WM_OK);
    }
}

static uint32_t count(const struct wm_text *program, const char *text)
{
    const char *at = program->data, *end = program->data + program->length;
    uint32_t found = 0;
    while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
        found++;
        at++;
    }
    return found;
}

// Every shape of program, every compression, texts a little and much longer: all containers say
// what they should, and nothing of the old one is left.
Test(program_writer, every_shape_of_program)
{
    for (uint32_t round = 0; round < 2 * 2 * 2 * 2 * 2 * 3; round++) {
        struct program_shape shape = {.position_independent = round & 1,
                                      .relative_in_place = round & 2,
                                      .spare = round & 4,
                                      .sections = round & 8,
                                      .zeros = round & 16 ? 100000 : 0};
        enum wm_image_compression compression = (enum wm_image_compression)(round / 32);
        const struct change change = {"seventy-five", round % 7 == 0 ? 3000 : 1};
        struct wm_text first, second, program, bytes, texts, wanted;
        one_module(&first, ptx_75, compression, " --generate-line-info ");
        one_module(&second, other, compression, NULL);
        const struct program_container containers[] = {{&first, false, false},
                                                       {&second, false, false}};
        program_build(&program, &shape, containers, 2);
        struct wm_program_rewritten rewritten = rewrite(&program, &change, &bytes);
        cr_expect_eq(rewritten.wrappers, 2);
        cr_expect_eq(rewritten.total.modules, 2);
        cr_expect_eq(rewritten.total.changed, 1);
        cr_expect_eq(rewritten.total.machine_code, 2);
        cr_expect_eq(rewritten.total.dropped, 1);
        cr_expect_not(rewritten.total.relocatable);
        cr_expect_eq(read_back(&bytes, &texts), 1);
        wm_text_init(&wanted);
        add_text(&wanted, ptx_75, &change);
        add_text(&wanted, other, &change);
        cr_expect_str_eq(texts.data, wanted.data, "round %u", round);
        expect_loadable(&bytes);
        expect_sections(&bytes, program.length);
        if (compression == WM_IMAGE_RAW)
            cr_expect_eq(count(&bytes, "seventy-five"), 1, "the old text is gone");
        // Again, of what is a rewritten program now.
        struct wm_text again;
        const struct change more = {"left alone", 5};
        rewrite(&bytes, &more, &again);
        wm_text_release(&texts);
        cr_expect_eq(read_back(&again, &texts), 0);
        wanted.length = 0;
        add_text(&wanted, ptx_75, &change);
        add_text(&wanted, other, &more);
        cr_expect_str_eq(texts.data, wanted.data, "round %u", round);
        expect_loadable(&again);
        struct wm_text *all[] = {&first, &second, &program, &bytes, &texts, &wanted, &again};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            wm_text_release(all[i]);
    }
}

static const struct program_shape usual = {
    .position_independent = true, .spare = true, .sections = true};

// Machine code goes with the text that a driver would compile in its stead, and with no other.
Test(program_writer, machine_code_of_several_architectures)
{
    static const struct {
        const char *word;
        unsigned left[5], count;
    } cases[] = {{"seventy-five", {70, 90, 120}, 3}, {"ninety", {70, 75, 80}, 3}, {"9.0", {70}, 1}};
    static const unsigned architectures[] = {70, 75, 80, 90, 120};
    struct wm_text container, program;
    wm_text_init(&container);
    container_begin(&container);
    for (int i = 0; i < 5; i++)
        container_add(&container, WM_IMAGE_ELF, architectures[i], WM_IMAGE_ZSTD, code, sizeof code,
                      NULL, NULL);
    container_add(&container, WM_IMAGE_PTX, 90, WM_IMAGE_LZ4, ptx_90, sizeof ptx_90, NULL, "");
    container_add(&container, WM_IMAGE_PTX, 75, WM_IMAGE_ZSTD, ptx_75, sizeof ptx_75, NULL, "");
    container_end(&container);
    const struct program_container containers[] = {{&container, false, false}};
    program_build(&program, &usual, containers, 1);
    for (int i = 0; i < 3; i++) {
        struct wm_text bytes;
        const struct change change = {cases[i].word, 2};
        rewrite(&program, &change, &bytes);
        const struct wm_elf_file file = file_of(&bytes);
        struct wm_elf_part section;
        struct wm_fatbinary fatbinary;
        struct wm_fatbinary_entry entry;
        uint32_t from = 0, left = 0, modules = 0;
        cr_assert(wm_elf_section(&file, ".nv_fatbin", &from, &section));
        cr_assert_eq(wm_fatbinary_open(section.data, section.size_bytes, &fatbinary, NULL), WM_OK);
        while (wm_fatbinary_next(&fatbinary, &entry, NULL) == WM_OK) {
            modules += entry.kind == WM_IMAGE_PTX;
            if (entry.kind == WM_IMAGE_ELF && left < cases[i].count)
                cr_expect_eq(entry.architecture, cases[i].left[left]);
            left += entry.kind == WM_IMAGE_ELF;
        }
        cr_expect_eq(modules, 2);
        cr_expect_eq(left, cases[i].count, "%s", cases[i].word);
        wm_text_release(&bytes);
    }
    wm_text_release(&program);
    wm_text_release(&container);
}

// Linked code (a wrapper of version 2) goes when a part's text changes, and stays when another's
// does.
Test(program_writer, linked_parts)
{
    struct wm_text linked, whole, separate, program;
    wm_text_init(&linked);
    container_begin(&linked);
    container_add(&linked, WM_IMAGE_ELF, 75, WM_IMAGE_RAW, code, sizeof code, NULL, NULL);
    container_end(&linked);
    one_module(&whole, other, WM_IMAGE_ZSTD, NULL);
    one_module(&separate, part, WM_IMAGE_ZSTD, "--compile-only  ");
    const struct program_container containers[] = {
        {&linked, true, false}, {&whole, false, false}, {&separate, false, true}};
    program_build(&program, &usual, containers, 3);
    static const struct {
        const char *word;
        uint32_t code;
    } cases[] = {{"a part", 1}, {"left alone", 2}};
    for (int i = 0; i < 2; i++) {
        struct wm_text bytes, texts;
        const struct change change = {cases[i].word, 100};
        rewrite(&program, &change, &bytes);
        cr_expect_eq(read_back(&bytes, &texts), cases[i].code, "%s", cases[i].word);
        expect_loadable(&bytes);
        expect_sections(&bytes, program.length);
        wm_text_release(&bytes);
        wm_text_release(&texts);
    }
    struct wm_text *all[] = {&linked, &whole, &separate, &program};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        wm_text_release(all[i]);
}

// clang may embed PTX as it is.
Test(program_writer, plain_text_in_place_of_a_container)
{
    struct wm_text text, program, bytes, texts;
    wm_text_init(&text);
    wm_text_append(&text, ptx_75, sizeof ptx_75);
    const struct program_container containers[] = {{&text, false, false}};
    const struct change change = {"seventy-five", 3};
    program_build(&program, &usual, containers, 1);
    rewrite(&program, &change, &bytes);
    read_back(&bytes, &texts);
    cr_expect(strstr(texts.data, "line 2 of what was added\n]") != NULL, "%s", texts.data);
    wm_text_release(&text);
    wm_text_release(&program);
    wm_text_release(&bytes);
    wm_text_release(&texts);
}

static void expect_refused(const struct wm_text *program, enum wm_status status, const char *word)
{
    const struct change change = {"seventy-five", 3};
    const struct wm_ptx_rewriter rewriter = {lengthen, (void *)(uintptr_t)&change};
    const struct wm_elf_file file = file_of(program);
    struct wm_program_rewritten rewritten;
    struct wm_error error;
    struct wm_text bytes;
    wm_text_init(&bytes);
    wm_error_clear(&error);
    cr_expect_eq(wm_program_rewrite(&file, &rewriter, &bytes, &rewritten, &error), status, "%s",
                 word);
    cr_expect(strstr(error.message, word) != NULL, "%s: %s", word, error.message);
    wm_text_release(&bytes);
}

Test(program_writer, what_is_refused)
{
    struct wm_text text, module, machine_code, program;
    wm_text_init(&text);
    wm_text_add(&text, "#!/bin/sh\n");
    expect_refused(&text, WM_INVALID, "no ELF program");
    one_module(&module, ptx_75, WM_IMAGE_RAW, NULL);
    const struct program_container one[] = {{&module, false, false}};
    program_build(&program, &usual, one, 1);
    program.data[16] = ET_REL;
    expect_refused(&program, WM_INVALID, "object file");
    program.data[16] = ET_DYN;
    program.data[18] = EM_386;
    expect_refused(&program, WM_UNSUPPORTED, "another processor");
    program.data[18] = EM_X86_64;
    const struct program_layout layout = program_lay_out(&usual, one, 1);
    program.data[layout.relocations + 8] = R_X86_64_64;
    expect_refused(&program, WM_UNSUPPORTED, "relocation of type 1");
    program.data[layout.relocations + 8] = R_X86_64_RELATIVE;
    program.data[layout.wrappers]++;
    expect_refused(&program, WM_NOT_FOUND, "no wrapper");
    program.data[layout.wrappers]--;
    program.data[layout.containers[0] + WM_FATBINARY_HEADER_BYTES + 4] = 8;
    expect_refused(&program, WM_INVALID, "impossible header size");
    wm_text_release(&program);
    program_build(&program, &(struct program_shape){0}, NULL, 0);
    expect_refused(&program, WM_NOT_FOUND, "no embedded device code");
    wm_text_release(&program);
    wm_text_init(&machine_code);
    container_begin(&machine_code);
    container_add(&machine_code, WM_IMAGE_ELF, 75, WM_IMAGE_RAW, code, sizeof code, NULL, NULL);
    container_end(&machine_code);
    const struct program_container without[] = {{&machine_code, false, false}};
    program_build(&program, &usual, without, 1);
    expect_refused(&program, WM_NOT_FOUND, "machine code only");
    struct wm_text *all[] = {&text, &module, &machine_code, &program};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        wm_text_release(all[i]);
}

// Whole or not at all, with the permissions of the original; also onto itself.
Test(program_writer, files)
{
    char folder[] = "/tmp/warpmem-program-XXXXXX", in[64], out[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(in, sizeof in, "%s/app", folder);
    snprintf(out, sizeof out, "%s/app-bypassed", folder);
    struct wm_text module, program;
    one_module(&module, ptx_75, WM_IMAGE_ZSTD, NULL);
    const struct program_container one[] = {{&module, false, false}};
    program_build(&program, &usual, one, 1);
    FILE *file = fopen(in, "we");
    cr_assert_eq(fwrite(program.data, 1, program.length, file), program.length);
    fclose(file);
    cr_assert_eq(chmod(in, 0750), 0);
    const struct change change = {"seventy-five", 3};
    const struct wm_ptx_rewriter rewriter = {lengthen, (void *)(uintptr_t)&change};
    struct wm_program_rewritten rewritten;
    struct wm_error error;
    struct stat facts;
    for (int i = 0; i < 2; i++) {
        const char *to = i == 0 ? out : in;
        cr_assert_eq(wm_program_rewrite_ptx(in, to, &rewriter, &rewritten, &error), WM_OK, "%s",
                     error.message);
        cr_assert_eq(stat(to, &facts), 0);
        cr_expect_eq(facts.st_mode & 0777, 0750);
        cr_expect_gt((uint64_t)facts.st_size, program.length);
    }
    cr_expect_eq(wm_program_rewrite_ptx(folder, out, &rewriter, &rewritten, &error), WM_INVALID);
    cr_expect(strstr(error.place, folder) != NULL, "%s", error.place);
    cr_expect_eq(wm_program_rewrite_ptx(in, "/proc/none/app", &rewriter, &rewritten, &error),
                 WM_IO);
    unlink(in);
    cr_expect_neq(wm_program_rewrite_ptx(in, out, &rewriter, &rewritten, &error), WM_OK);
    cr_assert_eq(stat(out, &facts), 0, "the old one stays");
    unlink(out);
    cr_expect_eq(rmdir(folder), 0, "nothing else is left");
    wm_text_release(&module);
    wm_text_release(&program);
}
