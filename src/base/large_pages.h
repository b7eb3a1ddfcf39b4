// Large pages of the host: 2 MiB at once instead of 4 KiB. A simulator whose state is dozens of
// megabytes, of which each step touches a little everywhere, waits for the host's translation
// lookaside buffers and for pages to be made one by one.
#ifndef WM_BASE_LARGE_PAGES_H
#define WM_BASE_LARGE_PAGES_H

// From here on what this process allocates lies in large pages, as far as the host has them and for
// the first 120 MiB or so; smaller hosts of pages go on as before. The first call counts. Thread
// rules: any thread.
void wm_prefer_large_pages(void);

#endif
