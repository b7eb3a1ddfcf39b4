// Figures as charts: a specification for vega-lite from a figure's numbers, drawn as SVG. Colours
// are names of the style sheet, so that the page's switch and its print change them too.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent).studies;
  const COLOURS = 8, NARROW = 520;

  const colourOf = i => `var(--series-${i % COLOURS})`;
  // Parts of a stack, and series beyond the colours, are shades of them.
  const shadeOf = (figure, part) => figure.parts.length < 2 ? 1 : 1 - 0.7 * part / (figure.parts.length - 1);
  const stacked = (figure, of) => of === 'ours' && figure.chart === 'stacked-bars' && figure.parts.length > 1;

  // A row a mark: what is undecided has none.
  const rowsOf = (figure, of) => {
    const parts = of === 'ours' ? figure.parts.length : 1, rows = [];
    figure.places.forEach((place, p) => figure.series.forEach((series, s) => {
      const at = p * figure.series.length + s;
      const values = figure[of].slice(at * parts, (at + 1) * parts);
      if (values.some(value => value === null)) return;
      const all = stacked(figure, of) ? values : [values.reduce((sum, value) => sum + value, 0)];
      all.forEach((value, part) => rows.push({ place, series, s, part, name: figure.parts[part],
        shade: stacked(figure, of) ? shadeOf(figure, part) : 1, value }));
    }));
    return rows;
  };

  // Both charts of a figure have one scale, so that their bars compare.
  const topOf = figure => {
    let top = 0;
    for (const of of ['ours', 'paper']) {
      const sums = new Map();
      for (const row of figure[of] ? rowsOf(figure, of) : []) {
        const key = `${row.place}\n${row.series}`;
        sums.set(key, (sums.get(key) ?? 0) + row.value);
      }
      top = Math.max(top, ...sums.values());
    }
    return top;
  };

  const config = {
    background: 'transparent', font: 'system-ui, sans-serif', padding: 4,
    view: { stroke: null }, aria: false,
    axis: { labelColor: 'var(--dim)', titleColor: 'var(--dim)', gridColor: 'var(--rule)',
      domainColor: 'var(--rule)', tickColor: 'var(--rule)', labelFontSize: 11, titleFontSize: 11,
      titleFontWeight: 500, labelLimit: 130 },
  };

  // A few bars do not fill the page.
  const specification = (figure, of, room) => {
    const bars = figure.places.length * figure.series.length;
    const width = Math.min(room, figure.chart === 'lines' ? 640 : Math.max(NARROW, 100 * bars));
    const lines = figure.chart === 'lines', narrow = room < NARROW && !lines;
    const value = { field: 'value', type: 'quantitative', title: figure.axisTitle || null,
      scale: { domain: [0, topOf(figure) || 1], nice: true },
      axis: { format: figure.ratio ? '.2~f' : topOf(figure) < 1000 ? '.3~r' : '~s', tickCount: 5, orient: narrow ? 'top' : 'left' } };
    const place = { field: 'place', type: 'nominal', sort: figure.places, title: null,
      scale: { domain: figure.places, ...(lines ? {} : { paddingInner: 0.2, paddingOuter: 0.1 }) },
      axis: { labelAngle: narrow || figure.places.length < 7 ? 0 : -40, grid: false } };
    const series = { field: 'series', type: 'nominal', sort: figure.series, scale: { domain: figure.series } };
    const colour = { ...series, legend: null,
      scale: { domain: figure.series, range: figure.series.map((_, i) => colourOf(i)) } };
    const tooltip = [{ field: 'place', title: figure.placeTitle }, { field: 'series', title: 'machine' },
      { field: 'name', title: 'metric' }, { field: 'value', format: '.4~g' }];
    const layers = [];
    if (figure.ratio)
      layers.push({ data: { values: [{}] }, mark: { type: 'rule', color: 'var(--dim)', strokeDash: [3, 3] },
        encoding: { [narrow ? 'x' : 'y']: { datum: 1 } } });
    layers.push({
      mark: lines ? { type: 'line', point: { filled: true, size: 45 }, strokeWidth: 2 }
        : { type: 'bar', stroke: 'var(--paper)', strokeWidth: stacked(figure, of) ? 0.6 : 0 },
      encoding: { [narrow ? 'y' : 'x']: place, [narrow ? 'x' : 'y']: value,
        ...(lines ? {} : { [narrow ? 'yOffset' : 'xOffset']: series,
          opacity: { field: 'shade', type: 'quantitative', scale: null }, order: { field: 'part' } }),
        color: colour, tooltip },
    });
    return { data: { values: rowsOf(figure, of) }, layer: layers, config,
      width, height: narrow ? Math.max(120, 9 * bars + 12 * figure.places.length) : 240,
      autosize: { type: 'fit', contains: 'padding' } };
  };

  const legend = (element, figure) => {
    const list = document.createElement('ul');
    const entry = (text, colour, shade) => {
      const item = document.createElement('li'), swatch = document.createElement('i');
      swatch.style.setProperty('--colour', colour);
      swatch.style.setProperty('--shade', shade);
      item.append(swatch, text);
      list.append(item);
    };
    figure.series.forEach((name, i) => entry(name || 'all', colourOf(i), 1));
    if (stacked(figure, 'ours'))
      figure.parts.forEach((name, part) => entry(name, 'var(--ink)', shadeOf(figure, part)));
    element.replaceChildren(list);
  };

  const draw = element => {
    const figure = data[element.dataset.study].figures[element.dataset.figure];
    const width = Math.max(240, Math.floor(element.clientWidth));
    if (element.dataset.width === String(width)) return;
    element.dataset.width = width;
    const lite = specification(figure, element.dataset.of, width);
    const parsed = vega.parse(vegaLite.compile(lite).spec);
    new vega.View(parsed, { renderer: 'svg', container: element, hover: false }).run();
  };

  for (const element of document.querySelectorAll('.legend'))
    legend(element, data[element.dataset.study].figures[element.dataset.figure]);
  const charts = [...document.querySelectorAll('.chart')];
  charts.forEach(draw);
  let waiting;
  addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (!matchMedia('print').matches) charts.forEach(draw); }, 150);
  });
})();
