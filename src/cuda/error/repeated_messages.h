// A program that ignores an error makes it again and again: of messages of one kind on standard
// error the first is printed, the others are counted. Guarded by a lock of its own.
#ifndef WM_CUDA_ERROR_REPEATED_MESSAGES_H
#define WM_CUDA_ERROR_REPEATED_MESSAGES_H

#include <stdbool.h>

// Whether no message of this kind came before: one that differs in numbers alone, other than those
// of lines (behind a colon). Else it is counted. Beyond some hundred kinds every message is new.
bool wm_message_is_new(const char *text);
// Says on standard error how many were not printed, a line for each kind. They are new again.
void wm_messages_print_repeated(void);

#endif
