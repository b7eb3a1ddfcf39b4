// A CUDA runtime that was linked into a program or a shared library (libcudart_static.a, nvcc's
// default): found by the functions in the file's symbol table, where they are hidden names.
#ifndef WM_SOURCE_PROGRAM_STATIC_RUNTIME_H
#define WM_SOURCE_PROGRAM_STATIC_RUNTIME_H

#include "base/error.h"
#include "source/program/elf_file.h"

// Looks for one in a checked file. WM_OK with its major version, 11, 12 or 13; WM_NOT_FOUND when
// there is none, or no symbol table to find it by; WM_UNSUPPORTED when it is of another version.
enum wm_status wm_static_runtime_find(const struct wm_elf_file *file, unsigned *major,
                                      struct wm_error *error);

#endif
