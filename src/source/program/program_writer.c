#include "source/program/program_writer.h"

#include "base/containers/array.h"
#include "base/files/output_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE_BYTES = 4096, CONTAINER_ALIGNMENT = 16, MOST_ZEROS = 64 << 20 };

// A container of the program. Addresses are as linked.
struct container {
    uint64_t address;
    const uint8_t *data;
    uint64_t available, size_bytes;
    bool linked;        // holds what parts, compiled with -rdc=true, were linked to
    struct wm_text now; // what takes its place
    uint64_t new_place; // in the file
};

struct wrapper {
    uint64_t place;      // of its address of the container, in the file
    uint64_t relocation; // of the addend that becomes this address, in the file; 0: there is none
    uint64_t container;  // address
    bool linked;         // of version 2
};

struct rewriting {
    const struct wm_elf_file *file;
    Elf64_Ehdr header;
    const uint8_t *relocations; // Elf64_Rela, in the file
    uint64_t relocation_count;
    struct wrapper *wrappers; // owned
    uint32_t wrapper_count, wrapper_capacity;
    struct container *containers; // owned; by address
    uint32_t container_count;
    uint64_t segment_place, segment_address; // of the new one
    uint32_t moved_headers; // program headers that the segment begins with; 0: they stay
    struct wm_text *bytes;
    struct wm_error *error;
};

static Elf64_Phdr segment_at(const struct rewriting *it, uint32_t index)
{
    Elf64_Phdr segment;
    memcpy(&segment, it->file->data + it->header.e_phoff + index * sizeof segment, sizeof segment);
    return segment;
}

// ---- Wrappers ----------------------------------------------------------------------------------

static void find_relocations(struct rewriting *it)
{
    struct wm_elf_part part;
    uint64_t address, size_bytes;
    if (!wm_elf_dynamic_value(it->file, DT_RELA, &address) ||
        !wm_elf_dynamic_value(it->file, DT_RELASZ, &size_bytes) ||
        !wm_elf_loaded_at(it->file, address, &part))
        return;
    it->relocations = part.data;
    it->relocation_count =
        (size_bytes < part.size_bytes ? size_bytes : part.size_bytes) / sizeof(Elf64_Rela);
}

// The relocation that writes to this address, and where it lies in the file; 0 when there is none.
static uint64_t relocation_of(const struct rewriting *it, uint64_t address, Elf64_Rela *relocation)
{
    for (uint64_t i = 0; i < it->relocation_count; i++) {
        const uint8_t *at = it->relocations + i * sizeof *relocation;
        memcpy(relocation, at, sizeof *relocation);
        if (relocation->r_offset == address)
            return (uint64_t)(at - it->file->data);
    }
    return 0;
}

static bool add_wrapper(struct rewriting *it, const struct wrapper *wrapper)
{
    return WM_ARRAY_ADD(it->wrappers, it->wrapper_count, it->wrapper_capacity, *wrapper);
}

// What has a wrapper's magic number at `at` is one when it points to a container.
static enum wm_status look_at_wrapper(struct rewriting *it, const uint8_t *at, uint64_t available,
                                      uint64_t address)
{
    struct wm_fatbinary_wrapper read;
    if (wm_fatbinary_wrapper_read(at, available, &read, NULL) != WM_OK)
        return WM_OK;
    Elf64_Rela relocation;
    struct wrapper found = {.place = (uint64_t)(at - it->file->data) + 8,
                            .relocation = relocation_of(it, address + 8, &relocation),
                            .container = read.container,
                            .linked = read.version == 2};
    if (found.relocation != 0) {
        if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
            return wm_fail(it->error, WM_UNSUPPORTED,
                           "its fat binary wrapper at address 0x%llx gets its container by a "
                           "relocation of type %u, which is known only when it is loaded",
                           (unsigned long long)address, (unsigned)ELF64_R_TYPE(relocation.r_info));
        found.relocation += offsetof(Elf64_Rela, r_addend);
        found.container = (uint64_t)relocation.r_addend;
    }
    struct wm_elf_part part;
    struct wm_fatbinary container;
    if (!wm_elf_loaded_at(it->file, found.container, &part) ||
        wm_fatbinary_open(part.data, part.size_bytes, &container, NULL) != WM_OK)
        return WM_OK;
    return add_wrapper(it, &found) ? WM_OK
                                   : wm_fail_no_memory(it->error, "a program with other PTX");
}

static enum wm_status find_wrappers(struct rewriting *it)
{
    for (uint32_t i = 0; i < it->header.e_phnum; i++) {
        const Elf64_Phdr segment = segment_at(it, i);
        if (segment.p_type != PT_LOAD || segment.p_offset > it->file->size_bytes ||
            segment.p_filesz > it->file->size_bytes - segment.p_offset)
            continue;
        const uint8_t *data = it->file->data + segment.p_offset;
        uint64_t skipped = (8 - segment.p_vaddr % 8) % 8;
        for (uint64_t at = skipped; at < segment.p_filesz; at += 8) {
            const uint32_t magic = WM_FATBINARY_WRAPPER_MAGIC;
            if (segment.p_filesz - at >= WM_FATBINARY_WRAPPER_BYTES &&
                memcmp(data + at, &magic, sizeof magic) == 0)
                WM_TRY(look_at_wrapper(it, data + at, segment.p_filesz - at, segment.p_vaddr + at));
        }
    }
    if (it->wrapper_count != 0)
        return WM_OK;
    struct wm_elf_part section;
    uint32_t from = 0;
    if (wm_elf_section(it->file, ".nv_fatbin", &from, &section)) {
        wm_fail(it->error, WM_NOT_FOUND,
                "it has device code, but no wrapper that its CUDA runtime registers points to it");
        return wm_error_hint(it->error, "link it anew with nvcc or warpmem cc, or write the PTX "
                                        "instead: -o NAME.ptx");
    }
    wm_fail(it->error, WM_NOT_FOUND, "it has no embedded device code");
    return wm_error_hint(it->error, "name the program or shared library that nvcc or warpmem cc "
                                    "linked; of PTX that is read from files, write the text: "
                                    "-o NAME.ptx");
}

// ---- Containers --------------------------------------------------------------------------------

static int compare_addresses(const void *a, const void *b)
{
    const struct container *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static struct container *container_at(const struct rewriting *it, uint64_t address)
{
    const struct container wanted = {.address = address};
    return bsearch(&wanted, it->containers, it->container_count, sizeof wanted, compare_addresses);
}

static enum wm_status find_containers(struct rewriting *it)
{
    WM_TRY(WM_ARRAY_NEW(it->containers, it->wrapper_count, it->error, "a program with other PTX"));
    for (uint32_t i = 0; i < it->wrapper_count; i++)
        it->containers[i].address = it->wrappers[i].container;
    qsort(it->containers, it->wrapper_count, sizeof *it->containers, compare_addresses);
    for (uint32_t i = 0; i < it->wrapper_count; i++)
        if (i == 0 || it->containers[i].address != it->containers[i - 1].address)
            it->containers[it->container_count++] = it->containers[i];
    for (uint32_t i = 0; i < it->container_count; i++) {
        struct container *container = &it->containers[i];
        struct wm_elf_part part;
        struct wm_fatbinary opened;
        wm_elf_loaded_at(it->file, container->address, &part);
        WM_TRY(wm_fatbinary_open(part.data, part.size_bytes, &opened, it->error));
        container->data = part.data;
        container->available = part.size_bytes;
        container->size_bytes = opened.size_bytes;
    }
    for (uint32_t i = 0; i < it->wrapper_count; i++)
        if (it->wrappers[i].linked)
            container_at(it, it->wrappers[i].container)->linked = true;
    return WM_OK;
}

static enum wm_status rewrite_container(struct rewriting *it, struct container *container,
                                        const struct wm_ptx_rewriter *rewriter, bool all_code,
                                        struct wm_fatbinary_rewritten *total)
{
    enum wm_status status = wm_fatbinary_rewrite(container->data, container->available, rewriter,
                                                 all_code, &container->now, total, it->error);
    if (status != WM_OK)
        wm_error_place(it->error, "container at address 0x%llx",
                       (unsigned long long)container->address);
    return status;
}

// Linked code after its parts, on which it depends.
static enum wm_status rewrite_containers(struct rewriting *it,
                                         const struct wm_ptx_rewriter *rewriter,
                                         struct wm_fatbinary_rewritten *total)
{
    for (int linked = 0; linked < 2; linked++)
        for (uint32_t i = 0; i < it->container_count; i++)
            if (it->containers[i].linked == linked)
                WM_TRY(rewrite_container(it, &it->containers[i], rewriter,
                                         linked && total->relocatable, total));
    if (total->modules != 0)
        return WM_OK;
    wm_fail(it->error, WM_NOT_FOUND,
            total->machine_code != 0 ? "its device code is machine code only, without PTX"
                                     : "it has no embedded PTX");
    return wm_error_hint(it->error, "rebuild it with PTX inside: nvcc -gencode "
                                    "'arch=compute_75,code=[sm_75,compute_75]'");
}

// ---- The new segment ---------------------------------------------------------------------------

// A number of the table's entry that loaders do not need; the table's length when there is none.
static uint32_t spare_header(const struct rewriting *it)
{
    uint32_t spare = it->header.e_phnum;
    for (uint32_t i = 0; i < it->header.e_phnum; i++) {
        const Elf64_Phdr segment = segment_at(it, i);
        if (segment.p_type == PT_NULL)
            return i;
        if (segment.p_type == PT_NOTE && spare == it->header.e_phnum)
            spare = i;
    }
    return spare;
}

static enum wm_status place_segment(struct rewriting *it)
{
    uint64_t end = 0, first_address = 0, first_place = 0;
    bool any = false;
    for (uint32_t i = 0; i < it->header.e_phnum; i++) {
        const Elf64_Phdr segment = segment_at(it, i);
        if (segment.p_type != PT_LOAD)
            continue;
        if (!any) {
            first_address = segment.p_vaddr;
            first_place = segment.p_offset;
        }
        any = true;
        if (segment.p_vaddr >> 47 != 0 || segment.p_memsz >> 47 != 0 || segment.p_offset >> 47 != 0)
            return wm_fail(it->error, WM_INVALID,
                           "its segment %u lies outside what a program can address", (unsigned)i);
        if (segment.p_vaddr + segment.p_memsz > end)
            end = segment.p_vaddr + segment.p_memsz;
    }
    it->segment_address = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    it->segment_place = (it->file->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (spare_header(it) < it->header.e_phnum)
        return WM_OK;
    if (it->header.e_phnum >= PN_XNUM - 1)
        return wm_fail(it->error, WM_UNSUPPORTED, "it has no room for one more segment");
    it->moved_headers = it->header.e_phnum + 1U;
    // Linux before 5.18 takes the table to lie as far from the first segment in memory as in the
    // file; later ones look where the segment that has it is loaded (load_elf_binary). Both hold
    // when the distances are the same.
    // Next to more zeros than are worth writing, only the latter holds.
    uint64_t base = first_address - first_place;
    if (base % PAGE_BYTES != 0)
        return wm_fail(it->error, WM_INVALID, "its first segment cannot be loaded where it says");
    if (it->segment_address - base <= it->segment_place)
        it->segment_address = it->segment_place + base;
    else if (it->segment_address - base - it->segment_place <= MOST_ZEROS)
        it->segment_place = it->segment_address - base;
    return WM_OK;
}

// Behind the last segment that is loaded: their addresses have to rise.
static void write_headers(struct rewriting *it)
{
    uint32_t count = it->header.e_phnum, spare = spare_header(it), behind = 0, written = 0;
    Elf64_Phdr added = {.p_type = PT_LOAD,
                        .p_flags = PF_R,
                        .p_offset = it->segment_place,
                        .p_vaddr = it->segment_address,
                        .p_paddr = it->segment_address,
                        .p_filesz = it->bytes->length - it->segment_place,
                        .p_memsz = it->bytes->length - it->segment_place,
                        .p_align = PAGE_BYTES};
    uint64_t table = it->header.e_phoff;
    if (it->moved_headers != 0)
        table = it->segment_place;
    for (uint32_t i = 0; i < count; i++)
        if (segment_at(it, i).p_type == PT_LOAD)
            behind = i + 1;
    for (uint32_t i = 0; i <= count; i++) {
        if (i == behind)
            memcpy(it->bytes->data + table + written++ * sizeof added, &added, sizeof added);
        if (i == count || i == spare)
            continue;
        Elf64_Phdr segment = segment_at(it, i);
        if (segment.p_type == PT_PHDR && it->moved_headers != 0) {
            segment.p_offset = it->segment_place;
            segment.p_vaddr = segment.p_paddr = it->segment_address;
            segment.p_filesz = segment.p_memsz = it->moved_headers * sizeof segment;
        }
        memcpy(it->bytes->data + table + written++ * sizeof segment, &segment, sizeof segment);
    }
    Elf64_Ehdr header = it->header;
    header.e_phoff = table;
    header.e_phnum = (uint16_t)written;
    memcpy(it->bytes->data, &header, sizeof header);
}

// ---- What points there -------------------------------------------------------------------------

static uint64_t address_now(const struct rewriting *it, const struct container *container)
{
    return it->segment_address + (container->new_place - it->segment_place);
}

static void write_pointers(struct rewriting *it)
{
    for (uint32_t i = 0; i < it->wrapper_count; i++) {
        const struct wrapper *wrapper = &it->wrappers[i];
        uint64_t held, address = address_now(it, container_at(it, wrapper->container));
        memcpy(&held, it->file->data + wrapper->place, sizeof held);
        if (wrapper->relocation == 0 || held == wrapper->container)
            memcpy(it->bytes->data + wrapper->place, &address, sizeof address);
        if (wrapper->relocation != 0)
            memcpy(it->bytes->data + wrapper->relocation, &address, sizeof address);
    }
}

static void write_section(struct rewriting *it, uint32_t number)
{
    char *place = it->bytes->data + it->header.e_shoff + number * sizeof(Elf64_Shdr);
    const struct container *first = NULL, *last = NULL;
    Elf64_Shdr section;
    memcpy(&section, place, sizeof section);
    for (uint32_t i = 0; i < it->container_count; i++) {
        const struct container *container = &it->containers[i];
        if (container->address < section.sh_addr ||
            container->address - section.sh_addr >= section.sh_size)
            continue;
        first = first != NULL ? first : container;
        last = container;
    }
    if (first == NULL)
        return;
    section.sh_offset = first->new_place;
    section.sh_addr = address_now(it, first);
    section.sh_size = last->new_place + last->now.length - first->new_place;
    memcpy(place, &section, sizeof section);
}

// Those of device code name the new place, where its containers lie in the old order.
static void write_sections(struct rewriting *it)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct wm_elf_part part;
        for (uint32_t from = 0; wm_elf_section(it->file, names[i], &from, &part);)
            write_section(it, from - 1);
    }
}

static void zero_containers(struct rewriting *it)
{
    for (uint32_t i = 0; i < it->container_count; i++)
        memset(it->bytes->data + (it->containers[i].data - it->file->data), 0,
               it->containers[i].size_bytes);
}

// ---- The file ----------------------------------------------------------------------------------

static enum wm_status check(struct rewriting *it)
{
    if (!wm_elf_has_magic(it->file)) {
        wm_fail(it->error, WM_INVALID, "it is no ELF program or shared library");
        return wm_error_hint(it->error,
                             "name the program itself, not a script or an archive with it");
    }
    WM_TRY(wm_elf_check(it->file, it->error));
    if (wm_elf_is_object(it->file)) {
        wm_fail(it->error, WM_INVALID, "it is an object file, which cannot be run");
        return wm_error_hint(it->error, "link it first");
    }
    memcpy(&it->header, it->file->data, sizeof it->header);
    return WM_OK;
}

static void zeros_up_to(struct wm_text *bytes, uint64_t place)
{
    static const char zeros[PAGE_BYTES];
    while (bytes->length < place && !bytes->failed) {
        uint64_t missing = place - bytes->length;
        wm_text_append(bytes, zeros, missing < sizeof zeros ? missing : sizeof zeros);
    }
}

static enum wm_status write_file(struct rewriting *it)
{
    wm_text_append(it->bytes, (const char *)it->file->data, it->file->size_bytes);
    zeros_up_to(it->bytes, it->segment_place + it->moved_headers * sizeof(Elf64_Phdr));
    for (uint32_t i = 0; i < it->container_count; i++) {
        struct container *container = &it->containers[i];
        container->new_place = (it->bytes->length + CONTAINER_ALIGNMENT - 1) / CONTAINER_ALIGNMENT *
                               CONTAINER_ALIGNMENT;
        zeros_up_to(it->bytes, container->new_place);
        wm_text_append(it->bytes, container->now.data, container->now.length);
    }
    if (it->bytes->failed)
        return wm_fail_no_memory(it->error, "a program with other PTX");
    zero_containers(it);
    write_pointers(it);
    write_sections(it);
    write_headers(it);
    return WM_OK;
}

static enum wm_status rewrite(struct rewriting *it, const struct wm_ptx_rewriter *rewriter,
                              struct wm_program_rewritten *rewritten)
{
    WM_TRY(check(it));
    find_relocations(it);
    WM_TRY(find_wrappers(it));
    rewritten->wrappers = it->wrapper_count;
    WM_TRY(find_containers(it));
    WM_TRY(rewrite_containers(it, rewriter, &rewritten->total));
    if (rewritten->total.changed != 0) {
        WM_TRY(place_segment(it));
        return write_file(it);
    }
    wm_text_append(it->bytes, (const char *)it->file->data, it->file->size_bytes);
    return it->bytes->failed ? wm_fail_no_memory(it->error, "a program with other PTX") : WM_OK;
}

enum wm_status wm_program_rewrite(const struct wm_elf_file *file,
                                  const struct wm_ptx_rewriter *rewriter, struct wm_text *bytes,
                                  struct wm_program_rewritten *rewritten, struct wm_error *error)
{
    struct rewriting it = {.file = file, .bytes = bytes, .error = error};
    *rewritten = (struct wm_program_rewritten){0};
    enum wm_status status = rewrite(&it, rewriter, rewritten);
    for (uint32_t i = 0; i < it.container_count; i++)
        wm_text_release(&it.containers[i].now);
    free(it.wrappers);
    free(it.containers);
    return status;
}

enum wm_status wm_program_write(const struct wm_text *bytes, const char *like, const char *path,
                                struct wm_error *error)
{
    struct stat facts;
    struct wm_output_file file;
    WM_TRY(wm_output_open(&file, path, WM_OUTPUT_ATOMIC, error));
    if (!file.place.in_place && stat(like, &facts) == 0)
        fchmod(file.descriptor, facts.st_mode & 0777);
    bool good = wm_output_write(&file, bytes->data, bytes->length);
    return wm_output_close(&file, good, error);
}

enum wm_status wm_program_rewrite_ptx(const char *path_in, const char *path_out,
                                      const struct wm_ptx_rewriter *rewriter,
                                      struct wm_program_rewritten *rewritten,
                                      struct wm_error *error)
{
    struct wm_elf_file file;
    struct wm_text bytes;
    WM_TRY(wm_elf_open(path_in, &file, error));
    wm_text_init(&bytes);
    enum wm_status status = wm_program_rewrite(&file, rewriter, &bytes, rewritten, error);
    if (status != WM_OK)
        wm_error_place(error, "%s", path_in);
    wm_elf_close(&file);
    if (status == WM_OK)
        status = wm_program_write(&bytes, path_in, path_out, error);
    wm_text_release(&bytes);
    return status;
}
