// Builds small ELF programs with fat binaries in them by rule, for tests: what a linker lays out,
// and nothing else.
#ifndef WM_TESTS_PROGRAM_BUILDER_H
#define WM_TESTS_PROGRAM_BUILDER_H

#include "container_builder.h"

#include <elf.h>

enum { MOST_CONTAINERS = 4, PROGRAM_PAGE = 4096 };

struct program_shape {
    bool position_independent; // wrappers have relocations
    bool relative_in_place;    // the addresses are in place all the same, as with DT_RELR
    bool spare;                // a PT_NOTE
    bool sections;
    uint64_t zeros; // of .bss
};

struct program_container {
    const struct wm_text *bytes; // or PTX text with its NUL
    bool linked;                 // of a wrapper of version 2
    bool part;                   // in __nv_relfatbin
};

struct program_layout {
    uint64_t base, containers[MOST_CONTAINERS], containers_end, data, wrappers, relocations,
        dynamic, data_end;
    uint32_t count, parts; // containers, and which is the first part
};

static inline void program_fill(struct wm_text *program, uint64_t to)
{
    while (program->length < to)
        wm_text_append(program, "\0\0\0\0\0\0\0\0",
                       to - program->length < 8 ? to - program->length : 8);
}

static inline struct program_layout program_lay_out(const struct program_shape *shape,
                                                    const struct program_container *containers,
                                                    uint32_t count)
{
    struct program_layout layout = {
        .base = shape->position_independent ? 0 : 0x400000, .count = count, .parts = count};
    uint64_t at = 0x400;
    for (uint32_t i = 0; i < count; i++) {
        layout.containers[i] = at;
        at += (containers[i].bytes->length + 7) / 8 * 8;
        if (containers[i].part && layout.parts == count)
            layout.parts = i;
    }
    layout.containers_end = at;
    layout.data = (at + PROGRAM_PAGE - 1) / PROGRAM_PAGE * PROGRAM_PAGE;
    layout.wrappers = layout.data + 16;
    layout.relocations = layout.wrappers + count * WM_FATBINARY_WRAPPER_BYTES;
    layout.dynamic = layout.relocations + count * sizeof(Elf64_Rela);
    layout.data_end = layout.dynamic + 3 * sizeof(Elf64_Dyn);
    return layout;
}

static inline void program_headers(struct wm_text *program, const struct program_shape *shape,
                                   const struct program_layout *layout, uint64_t size)
{
    Elf64_Phdr headers[6] = {
        {.p_type = PT_PHDR, .p_offset = 64, .p_vaddr = layout->base + 64, .p_flags = PF_R},
        {.p_type = PT_LOAD,
         .p_flags = PF_R,
         .p_vaddr = layout->base,
         .p_filesz = layout->containers_end,
         .p_memsz = layout->containers_end},
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_W,
         .p_offset = layout->data,
         .p_vaddr = layout->base + layout->data + PROGRAM_PAGE,
         .p_filesz = layout->data_end - layout->data,
         .p_memsz = layout->data_end - layout->data + shape->zeros},
    };
    uint16_t count = 3;
    if (shape->position_independent)
        headers[count++] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                        .p_offset = layout->dynamic,
                                        .p_vaddr = layout->dynamic + PROGRAM_PAGE,
                                        .p_filesz = 3 * sizeof(Elf64_Dyn)};
    headers[count++] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
    if (shape->spare)
        headers[count++] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = 0x300, .p_filesz = 16};
    headers[0].p_filesz = headers[0].p_memsz = count * sizeof headers[0];
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = shape->position_independent ? ET_DYN : ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = 64,
        .e_shoff = size,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof headers[0],
        .e_phnum = count,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = shape->sections ? 5 : 0,
        .e_shstrndx = shape->sections ? 4 : 0};
    if (!shape->sections)
        header.e_shoff = 0;
    wm_text_append(program, (const char *)&header, sizeof header);
    wm_text_append(program, (const char *)headers, count * sizeof headers[0]);
}

static inline void program_data(struct wm_text *program, const struct program_shape *shape,
                                const struct program_container *containers,
                                const struct program_layout *layout)
{
    program_fill(program, layout->wrappers);
    for (uint32_t i = 0; i < layout->count; i++) {
        uint8_t wrapper[WM_FATBINARY_WRAPPER_BYTES] = {0};
        put(wrapper, WM_FATBINARY_WRAPPER_MAGIC, 4);
        put(wrapper + 4, containers[i].linked ? 2 : 1, 4);
        if (!shape->position_independent || shape->relative_in_place)
            put(wrapper + 8, layout->base + layout->containers[i], 8);
        wm_text_append(program, (const char *)wrapper, sizeof wrapper);
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        uint64_t place =
            layout->base + layout->wrappers + PROGRAM_PAGE + i * WM_FATBINARY_WRAPPER_BYTES + 8;
        Elf64_Rela relocation = {.r_offset = place,
                                 .r_info = R_X86_64_RELATIVE,
                                 .r_addend = (int64_t)layout->containers[i]};
        wm_text_append(program, (const char *)&relocation, sizeof relocation);
    }
    Elf64_Dyn dynamic[3] = {
        {.d_tag = DT_RELA, .d_un.d_val = layout->relocations + PROGRAM_PAGE},
        {.d_tag = DT_RELASZ,
         .d_un.d_val = shape->relative_in_place ? 0 : layout->count * sizeof(Elf64_Rela)}};
    wm_text_append(program, (const char *)dynamic, sizeof dynamic);
}

static inline void program_sections(struct wm_text *program, const struct program_layout *layout,
                                    uint64_t names)
{
    uint64_t parts =
        layout->parts < layout->count ? layout->containers[layout->parts] : layout->containers_end;
    const Elf64_Shdr sections[5] = {{0},
                                    {.sh_name = 1,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC,
                                     .sh_addralign = 8,
                                     .sh_offset = layout->containers[0],
                                     .sh_addr = layout->base + layout->containers[0],
                                     .sh_size = parts - layout->containers[0]},
                                    {.sh_name = 12,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC,
                                     .sh_addralign = 8,
                                     .sh_offset = parts,
                                     .sh_addr = layout->base + parts,
                                     .sh_size = layout->containers_end - parts},
                                    {.sh_name = 27,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC | SHF_WRITE,
                                     .sh_addralign = 8,
                                     .sh_offset = layout->wrappers,
                                     .sh_addr = layout->base + layout->wrappers + PROGRAM_PAGE,
                                     .sh_size = layout->count * WM_FATBINARY_WRAPPER_BYTES},
                                    {.sh_name = 45,
                                     .sh_type = SHT_STRTAB,
                                     .sh_addralign = 1,
                                     .sh_offset = names,
                                     .sh_size = 64}};
    wm_text_append(program, (const char *)sections, sizeof sections);
}

// At most MOST_CONTAINERS, those of __nv_relfatbin last.
static inline void program_build(struct wm_text *program, const struct program_shape *shape,
                                 const struct program_container *containers, uint32_t count)
{
    static const char names[64] = "\0.nv_fatbin\0__nv_relfatbin\0.nvFatBinSegment\0.shstrtab";
    const struct program_layout layout = program_lay_out(shape, containers, count);
    wm_text_init(program);
    program_headers(program, shape, &layout, layout.data_end + sizeof names);
    for (uint32_t i = 0; i < count; i++) {
        program_fill(program, layout.containers[i]);
        wm_text_append(program, containers[i].bytes->data, containers[i].bytes->length);
    }
    program_data(program, shape, containers, &layout);
    wm_text_append(program, names, sizeof names);
    if (shape->sections)
        program_sections(program, &layout, layout.data_end);
}

#endif
