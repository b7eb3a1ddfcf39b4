#include "cli/run/program_check.h"

#include "source/program/elf_file.h"
#include "source/program/fatbinary.h"
#include "source/program/static_runtime.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REBUILD "rebuild it: nvcc -gencode 'arch=compute_75,code=[sm_75,compute_75]'"

// ---- Finding it --------------------------------------------------------------------------------

static bool is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static enum wm_status explain_missing(const char *path, struct wm_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        wm_fail(error, errno == ENOENT || errno == ENOTDIR ? WM_NOT_FOUND : WM_IO,
                "there is no such program: %s", strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        wm_fail(error, WM_INVALID, "it is not a file");
    else {
        wm_fail(error, WM_INVALID, "it may not be executed");
        wm_error_hint(error, "chmod +x %s", path);
    }
    return wm_error_place(error, "%s", path);
}

enum wm_status wm_program_find(const char *name, char *path, size_t size, struct wm_error *error)
{
    if (strchr(name, '/')) {
        if ((size_t)snprintf(path, size, "%s", name) >= size)
            return wm_fail(error, WM_INVALID, "the program's name is too long");
        return is_program(path) ? WM_OK : explain_missing(path, error);
    }
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at;) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, size, "%.*s/%s", (int)length, length ? at : ".", name);
        if (length == 0)
            written = snprintf(path, size, "./%s", name);
        if (written > 0 && (size_t)written < size && is_program(path))
            return WM_OK;
        at += length;
        at += *at == ':';
    }
    wm_fail(error, WM_NOT_FOUND, "no program of this name is in PATH");
    wm_error_place(error, "%s", name);
    if (is_program(name))
        return wm_error_hint(error, "write ./%s for the one in this folder", name);
    return WM_NOT_FOUND;
}

// ---- Libraries ---------------------------------------------------------------------------------

// Libraries of NVIDIA's whose kernels are machine code, or that call private parts of the driver:
// they cannot work on a stand-in. Those that compile or link (NVRTC, nvJitLink) need no device.
static bool is_foreign(const char *name)
{
    static const char *const prefixes[] = {
        "libcublas", "libcufft",  "libcurand", "libcusparse", "libcusolver",
        "libcudnn",  "libnccl",   "libcupti",  "libcutensor", "libnvidia-ml.so",
        "libnpp",    "libnvjpeg", "libnvblas",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static enum wm_status check_runtime(const char *name, struct wm_program_file_info *facts,
                                    struct wm_error *error)
{
    static const char prefix[] = "libcudart.so.";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return WM_OK;
    char *end;
    unsigned long major = strtoul(name + sizeof prefix - 1, &end, 10);
    if (major < 11 || major > 13) {
        wm_fail(error, WM_UNSUPPORTED,
                "it is linked with %.64s; warpmem stands in for CUDA 11, 12 "
                "and 13",
                name);
        return wm_error_hint(error, REBUILD);
    }
    facts->cudart = (unsigned)major;
    return WM_OK;
}

static enum wm_status check_libraries(const struct wm_elf_file *file,
                                      struct wm_program_file_info *facts, struct wm_error *error)
{
    bool rpath = false, runpath = false;
    const char *text, *foreign = NULL;
    int64_t tag;
    for (uint32_t at = 0; wm_elf_dynamic(file, &at, &tag, &text);) {
        rpath |= tag == DT_RPATH;
        runpath |= tag == DT_RUNPATH;
        if (tag != DT_NEEDED || !text)
            continue;
        facts->driver |= strcmp(text, "libcuda.so.1") == 0;
        facts->traces_host |= strcmp(text, "libwarpmem-host-trace.so") == 0;
        WM_TRY(check_runtime(text, facts, error));
        if (!foreign && is_foreign(text))
            foreign = text;
    }
    facts->fixed_run_path = rpath && !runpath;
    if (!foreign)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED,
            "it needs NVIDIA's library %.64s, which has kernels in machine code or needs NVIDIA's "
            "own driver, and cannot run on a simulated device",
            foreign);
    return wm_error_hint(error, "only programs whose kernels are their own can run");
}

// ---- Device code -------------------------------------------------------------------------------

struct images {
    bool any, ptx;
    uint32_t architecture; // of machine code
};

static enum wm_status scan_container(const uint8_t *data, uint64_t available, struct images *images,
                                     uint64_t *used, struct wm_error *error)
{
    struct wm_fatbinary fatbinary;
    struct wm_fatbinary_entry entry;
    enum wm_status status;
    WM_TRY(wm_fatbinary_open(data, available, &fatbinary, error));
    while ((status = wm_fatbinary_next(&fatbinary, &entry, error)) == WM_OK) {
        images->any = true;
        if (entry.kind == WM_IMAGE_PTX)
            images->ptx = true;
        else
            images->architecture = entry.architecture;
    }
    *used = fatbinary.size_bytes;
    return status == WM_NOT_FOUND ? WM_OK : status;
}

// Containers (or PTX texts) one after the other, each aligned to 8 bytes.
static enum wm_status scan_section(const struct wm_elf_part *section, struct images *images,
                                   struct wm_error *error)
{
    uint64_t at = 0;
    while (at < section->size_bytes) {
        if (section->data[at] == 0) {
            at++;
            continue;
        }
        uint64_t used = 0;
        enum wm_status status =
            scan_container(section->data + at, section->size_bytes - at, images, &used, error);
        if (status != WM_OK) {
            char inner[96] = "";
            if (error && error->place[0])
                snprintf(inner, sizeof inner, ", %.48s of the container", error->place);
            return wm_error_place(error, "section %.32s, byte %llu%s", section->name,
                                  (unsigned long long)at, inner);
        }
        at += used;
    }
    return WM_OK;
}

// A runtime inside the program is replaced when the program starts (cuda/linked_runtime/), by the
// names in its symbol table.
static enum wm_status check_linked_runtime(const struct wm_elf_file *file,
                                           struct wm_program_file_info *facts,
                                           struct wm_error *error)
{
    enum wm_status status = wm_static_runtime_find(file, &facts->static_cudart, error);
    if (status == WM_UNSUPPORTED)
        return wm_error_hint(error, REBUILD);
    bool registers =
        facts->cudart || facts->static_cudart || wm_elf_mentions(file, "__cudaRegisterFatBinary");
    if (!facts->device_code || registers) {
        wm_error_clear(error);
        return WM_OK;
    }
    wm_fail(error, WM_UNSUPPORTED,
            "its CUDA runtime is linked statically and its symbol table was stripped, so warpmem's "
            "cannot take its place");
    return wm_error_hint(error,
                         "link it without -s and leave out strip, or link the shared runtime: "
                         "nvcc -cudart shared (with CMake: "
                         "CMAKE_CUDA_RUNTIME_LIBRARY=Shared)");
}

static enum wm_status check_device_code(const struct wm_elf_file *file,
                                        struct wm_program_file_info *facts, struct wm_error *error)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    struct images images = {false, false, 0};
    struct wm_elf_part section;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (uint32_t from = 0; wm_elf_section(file, names[i], &from, &section);) {
            facts->device_code = true;
            WM_TRY(scan_section(&section, &images, error));
        }
    }
    WM_TRY(check_linked_runtime(file, facts, error));
    if (images.any && !images.ptx) {
        wm_fail(error, WM_UNSUPPORTED, "its device code is machine code only (sm_%u), without PTX",
                (unsigned)images.architecture);
        return wm_error_hint(error, REBUILD);
    }
    return WM_OK;
}

static enum wm_status check_open(const char *path, const struct wm_elf_file *file,
                                 struct wm_program_file_info *facts, struct wm_error *error)
{
    if (!wm_elf_has_magic(file)) {
        if (file->size_bytes >= 2 && memcmp(file->data, "#!", 2) == 0)
            return WM_OK;
        wm_fail(error, WM_INVALID, "it is neither an ELF program nor a script");
        return wm_error_place(error, "%s", path);
    }
    facts->elf = true;
    enum wm_status status = wm_elf_check(file, error);
    if (status == WM_OK && wm_elf_is_object(file))
        status = wm_fail(error, WM_INVALID, "it is an ELF file but no program");
    if (status == WM_OK)
        status = check_libraries(file, facts, error);
    if (status == WM_OK)
        status = check_device_code(file, facts, error);
    if (status != WM_OK && error) {
        char inner[sizeof error->place];
        snprintf(inner, sizeof inner, "%s", error->place);
        wm_error_place(error, "%.150s%s%.90s", path, inner[0] ? ": " : "", inner);
    }
    return status;
}

enum wm_status wm_program_check_bytes(const uint8_t *data, uint64_t size_bytes, const char *path,
                                      struct wm_program_file_info *facts, struct wm_error *error)
{
    struct wm_elf_file file = {data, size_bytes};
    *facts = (struct wm_program_file_info){.elf = false};
    return check_open(path, &file, facts, error);
}

enum wm_status wm_program_check(const char *path, struct wm_program_file_info *facts,
                                struct wm_error *error)
{
    struct wm_elf_file file = {NULL, 0};
    WM_TRY(wm_elf_open(path, &file, error));
    enum wm_status status = wm_program_check_bytes(file.data, file.size_bytes, path, facts, error);
    wm_elf_close(&file);
    return status;
}
