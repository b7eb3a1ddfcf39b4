// Large pages of the host: 2 MiB at once instead of 4 KiB. A simulator whose state is dozens of
// megabytes, of which each step touches a little everywhere, waits for the host's TLBs and page
// faults.
#ifndef WM_BASE_LARGE_PAGES_H
#define WM_BASE_LARGE_PAGES_H

// From here on this process' first 120 MiB or so of allocations lie in large pages, if the host has
// them; otherwise nothing changes. Further calls do nothing. Thread rules: any thread.
void wm_prefer_large_pages(void);

#endif
