// What the bypass compiler writes of a solver's decisions: PTX, a program whose embedded PTX is the
// rewritten one, and a file of decisions for gpu.l1.bypass_list.
//
// A load that is cached gets `.ca`, one that bypasses L1 `.cg`, and with hints (bypass/hints.h)
// these; qualifiers that a load had before go. A load that was never executed is left as it is:
// nothing is known of it. Where kernels share a function, its text gets the decision of the kernel
// that executes the load most often (of equals, the first one launched); the file of decisions has
// a line for each kernel.
//
// Regular files are written whole or not at all (base/files/output_file.h).
#ifndef WM_BYPASS_OUTPUT_H
#define WM_BYPASS_OUTPUT_H

#include "bypass/program.h"

// Appends the module's text as the solver decided; check text->failed at the end. `module` is one
// of the program's. WM_NO_MEMORY; errors of wm_ptx_rewrite_caches.
enum wm_status wm_bypass_rewrite_module(const struct wm_bypass_program *program,
                                        enum wm_bypass_solver solver,
                                        const struct wm_ptx_module *module, struct wm_text *text,
                                        struct wm_error *error);

// Writes the text of each module that has a kernel of the program, in the order of their first
// launch: the first to `path`, the others to numbered files in its folder (wm_bypass_ptx_path).
// `*count`, which may be NULL: how many were written. WM_IO when a file cannot be: of several,
// those before it have been.
enum wm_status wm_bypass_write_ptx(const struct wm_bypass_program *program,
                                   enum wm_bypass_solver solver, const char *path, uint32_t *count,
                                   struct wm_error *error);
// Appends the name of module `number`'s file, from 1: "app.ptx", "app.2.ptx", "app.3.ptx", …
void wm_bypass_ptx_path(const char *path, uint32_t number, struct wm_text *name);

// What became of a program's modules.
struct wm_bypass_written {
    uint32_t modules;      // PTX images in the program, of all architectures
    uint32_t decided;      // of these, those that were profiled: they hold the decisions
    uint32_t left;         // profiled modules that the program does not hold: loaded from elsewhere
    uint32_t machine_code; // images of machine code that were dropped, as their PTX has changed
};

// Writes a copy of the executable or shared library `executable` that holds, in place of each PTX
// image whose text is a profiled module's (by the hash that recordings use), the rewritten text,
// and no machine code of it: a driver compiles the new text. All other images stay. The copy has
// the permissions of the original. `*written` may be NULL.
//
// WM_NOT_FOUND when it holds no PTX, or none that was profiled (it was rebuilt since); errors of
// wm_program_rewrite_ptx.
enum wm_status wm_bypass_write_program(const struct wm_bypass_program *program,
                                       enum wm_bypass_solver solver, const char *executable,
                                       const char *path, struct wm_bypass_written *written,
                                       struct wm_error *error);

// Writes the decisions as a file that gpu.l1.bypass_list=@FILE reads, under gpu.l1.bypass=per-pc:
// of each kernel the hash of its PTX, which is checked where the list is used, a line for each load
// that bypasses L1 or has a hint and for each that is cached although its text says `.cg`, and the
// others in comments. `machine` and the solver are named at the top.
//
// WM_LIMIT when the list would be longer than gpu.l1.bypass_list may be; WM_IO, WM_NO_MEMORY.
enum wm_status wm_bypass_write_decisions(const struct wm_bypass_program *program,
                                         enum wm_bypass_solver solver, const char *machine,
                                         const char *path, struct wm_error *error);

#endif
