// The style of the annotated page: one sheet, both colour schemes, no font or picture from
// elsewhere. Numbers carry the meaning; colours, chosen so that the colour-blind distinguish them
// (amber for nothing found, blue for all), only lead the eye. Below 640 pixels a row of the table
// becomes its source line with the figures under it.
#include "study/annotate/html.h"
#include "study/format/html_text.h"

// clang-format off
#define PAGE \
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--dim:#59636e;--rule:#d1d9e0;" \
    "--panel:#f4f6f8;--cold:#ffd9a0;--warm:#b9dcff;--bar:#dfe5eb;--note:#fff6d9;--mark:#b7791f;" \
    "--name:#7a4b00;--link:#0a58ca}\n" \
    "@media(prefers-color-scheme:dark){:root{--ink:#dde3ea;--paper:#15181c;--dim:#98a3af;" \
    "--rule:#343b43;--panel:#1e2329;--cold:#6b4310;--warm:#174a7c;--bar:#333c47;--note:#2b2714;" \
    "--mark:#d9a441;--name:#f0c674;--link:#7db7ff}}\n" \
    "*{box-sizing:border-box}\n" \
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:90rem;padding:1.5rem 1rem " \
    "3rem;color:var(--ink);background:var(--paper)}\n" \
    "h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .4rem}" \
    "code{font:.92em ui-monospace,monospace;overflow-wrap:anywhere}a{color:var(--link)}\n" \
    ".sub{color:var(--dim);margin:.2rem 0 1rem;overflow-wrap:anywhere}\n" \
    ".facts{display:flex;flex-wrap:wrap;gap:.5rem;margin:.6rem 0;padding:0}" \
    ".facts div{background:var(--panel);border-radius:.4rem;padding:.3rem .7rem;min-width:6rem}" \
    ".facts dt{font-size:.75rem;color:var(--dim);margin:0}" \
    ".facts dd{margin:0;font-weight:600;overflow-wrap:anywhere}\n" \
    "ol.hot{padding-left:1.6rem;margin:.3rem 0}ol.hot span{color:var(--dim)}\n" \
    "details.kernel{border-top:1px solid var(--rule);margin-top:1.6rem;padding-top:.6rem}" \
    "details.kernel>summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}" \
    "h3{font:inherit;color:var(--dim);margin:.8rem 0 .3rem;overflow-wrap:anywhere}\n" \
    ".wide{overflow-x:auto}" \
    "table{border-collapse:collapse;width:100%;font:13px/1.5 ui-monospace,monospace}" \
    "th{background:var(--panel);font-weight:600;border-bottom:1px solid var(--rule)}" \
    "th,td{padding:.1rem .55rem;text-align:right;white-space:pre;tab-size:4}"
// clang-format on

const char wm_page_style[] = PAGE;
const char wm_annotate_style[] = PAGE
    "th:last-child,td:last-child{text-align:left;width:100%;padding-left:1rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere;min-width:22rem}"
    "td:first-child{color:var(--dim)}"
    "td.rate{background:color-mix(in oklab,var(--warm) calc(var(--v)*1%),var(--cold))}"
    "td.bytes{background:linear-gradient(to left,var(--bar) calc(var(--v)*1%),transparent 0)}"
    "tr[id]{scroll-margin-top:4rem}"
    "tr:target{outline:2px solid var(--mark)}"
    "tr.gap td{color:var(--dim);border-top:1px dashed var(--rule)}"
    "tr.advice td{white-space:normal;background:var(--note);font:14px/1.45 system-ui,sans-serif;"
    "text-align:left;border-left:4px solid var(--mark);padding:.25rem .8rem;color:var(--ink)}"
    "tr.advice b{color:var(--name)}\n"
    ".key span{display:inline-block;width:2.2rem;height:.8rem;vertical-align:-1px;"
    "margin:0 .3rem 0 .8rem;border:1px solid var(--rule)}"
    ".key .scale{width:5rem;background:linear-gradient(to right in oklab,var(--cold),var(--warm))}"
    ".key .load{background:linear-gradient(to left,var(--bar) 60%,transparent 0)}\n"
    "dl.rules dt{font-weight:600;margin-top:.7rem}dl.rules dd{margin-left:1.2rem}\n"
    "@media(max-width:640px){table,tbody,tr,td{display:block}thead{display:none}"
    "tr{display:flex;flex-wrap:wrap;gap:0 .3rem;padding:.1rem 0;border-bottom:1px solid "
    "var(--panel)}"
    "th,td{padding:0 .3rem}td:first-child{min-width:2.6rem}"
    "tr:not(.advice):not(.gap):not(.chain)>td:last-child{order:-1;flex:1 0 calc(100% - "
    "3.6rem);width:auto;min-width:0;padding-left:.3rem}"
    "tr>td:first-child{order:-2}td:empty:not(:last-child){display:none}"
    "td[title]::before{content:attr(title) ' ';color:var(--dim);font-size:11px}"
    "tr.advice td{flex:1 0 100%}}\n";
