// What the APIs' log functions hand out (CUDA 13, "Error Log Management"): every error that a call
// returns, and before it what was said of the cause on standard error. Guarded by a lock of its
// own: any thread may log, with the process locked or not.
#ifndef WM_CUDA_ERROR_LOG_H
#define WM_CUDA_ERROR_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum wm_log_level { WM_LOG_ERROR, WM_LOG_WARNING }; // as CUlogLevel numbers them

// The messages kept, which are 25,600 bytes together; older ones are forgotten.
enum { WM_LOG_MESSAGES = 100, WM_LOG_MESSAGE_BYTES = 256 };

typedef void wm_log_callback(void *data, int level, char *message, size_t length);
struct wm_log_listener;

// Keeps a message; what is longer is cut, and a line's end becomes a blank. No listener is called.
void wm_log_add(enum wm_log_level level, const char *text);
// Says it on standard error, behind "warpmem: ", unless one of its kind came before
// (cuda/error/repeated_messages.h), and keeps it.
void wm_log_explain(enum wm_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Keeps a result of the runtime API, by name and sentence, and calls the listeners.
void wm_log_result(int status);
// Calls the listeners of what has been added. Not with the process locked: they may call the API.
void wm_log_deliver(void);

// A listener of what is added from now on, or NULL without memory; false for one that is none.
struct wm_log_listener *wm_log_listen(wm_log_callback *callback, void *data);
bool wm_log_forget(struct wm_log_listener *listener);

// The number of the next message.
unsigned wm_log_next(void);
// The messages from *from on (NULL: all there are), a line each, as many of the last ones as `size`
// bytes with the final 0 hold; *from becomes the next one's number. A line before them says that
// some are missing. The bytes written, without the 0; `size` must be 1 at least. False when there
// are messages and none fits.
bool wm_log_dump(unsigned *from, char *to, size_t size, size_t *written);
// Writes `bytes` of such a text to a file; false when it cannot be written.
bool wm_log_save(const char *path, const char *text, size_t bytes);

#endif
