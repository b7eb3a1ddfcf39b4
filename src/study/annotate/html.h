// The parts of the annotated page that lie in files of their own. Private to study/.
#ifndef WM_STUDY_ANNOTATE_HTML_H
#define WM_STUDY_ANNOTATE_HTML_H

extern const char wm_annotate_style[];

#endif
