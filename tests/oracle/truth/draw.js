// Draws charts: each argument is a file with a specification for vega-lite, whose picture is written beside it as
// SVG. usage: draw.js LIBRARY FILE.json…
// LIBRARY is the report's script of vega and vega-lite (build/src/study/chart_library.js).
'use strict';
const fs = require('fs'), vm = require('vm');
const [library, ...files] = process.argv.slice(2);
// As a browser's page would have it: without modules, the script leaves vega and vegaLite among the globals.
const page = vm.createContext({ console, setTimeout, clearTimeout, performance, structuredClone, URL, TextDecoder });
page.globalThis = page.self = page.window = page;
vm.runInContext(fs.readFileSync(library, 'utf8'), page, { filename: library });
(async () => {
  for (const file of files) {
    const lite = vm.runInContext(`(${fs.readFileSync(file, 'utf8')})`, page);
    const view = new page.vega.View(page.vega.parse(page.vegaLite.compile(lite).spec), { renderer: 'none' });
    fs.writeFileSync(file.replace(/\.json$/, '.svg'), `${await view.toSVG()}\n`);
  }
})().catch(error => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
