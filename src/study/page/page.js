// The page's moving parts: the colours' switch, and the view of one workload on one machine.
// Everything shown is text: no data becomes markup.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent).studies;
  const root = document.documentElement;

  // --- Colours: the reader's system chooses, unless the switch says otherwise ---

  const remembered = (() => {
    try { return localStorage.getItem('warpmem-theme'); } catch { return null; }
  })();
  const choose = theme => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  for (const input of document.querySelectorAll('.theme input')) {
    input.checked = input.value === (remembered || 'auto');
    input.addEventListener('change', () => {
      choose(input.value);
      try { localStorage.setItem('warpmem-theme', input.value); } catch { /* not kept, then */ }
    });
  }
  choose(remembered);

  // --- Elements and numbers ---

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.map(child => child ?? '–'));
    return element;
  };
  const scaled = (value, step, units) => {
    let unit = 0;
    while (value >= step && unit + 1 < units.length) { value /= step; unit++; }
    return `${unit === 0 ? value : Number(value.toPrecision(3))}${units[unit] && ' '}${units[unit]}`;
  };
  const count = value => value < 100000 ? String(value) : scaled(value, 1000, ['', 'k', 'M', 'G', 'T']);
  const bytes = value => scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
  const joules = value => `${scaled(Math.round(value), 1000, ['p', 'n', 'µ', 'm', ''])}J`;
  const percent = value => `${(100 * value).toFixed(1)}%`;
  const ratio = (a, b) => b > 0 ? a / b : null;
  // Lanes may request the same bytes.
  const used = (requested, moved) => moved > 0 ? Math.min(requested / moved, 1) : null;

  // --- A table of instructions ---

  // Of the counters of levels and of memory, as `l1.hits` and `dram.bytes`, in the order of machines.
  const levelOf = name => name.slice(0, name.lastIndexOf('.'));
  const ending = (study, end) => study.counters.map(([name]) => name).filter(name => name.endsWith(end)).map(levelOf);
  // "L1", "DRAM", "constant".
  const titleOf = level => level.replace(/_cache$/, '').split('_')
    .map(word => /^(l\d+|llc|cpu|dram)$/.test(word) ? word.toUpperCase() : word).join(' ');
  // Those in which anything was looked for, and those between which anything moved; memory is always one.
  const levelsOf = (study, sums) => ({
    rates: ending(study, '.hits').filter(level => sums(`${level}.hits`) + sums(`${level}.misses`) > 0),
    moved: ending(study, '.bytes').filter(level => level === 'dram' || sums(`${level}.bytes`) > 0)
      .sort((a, b) => (a === 'dram') - (b === 'dram')),
  });

  // The columns of what was requested, then those of levels; [title, value, how it is shown, sentence].
  const REQUESTED = 3;
  const derived = (value, levels) => [
    ['requests', value('executions'), count, 'times that a warp executed it'],
    ['sect/req', ratio(value('sectors'), value('executions')), x => x.toFixed(1),
      "32-byte sectors that a warp's request touches (Nsight Compute: Sectors/Req)"],
    ['used', used(value('bytes_requested'), 32 * value('sectors')), percent,
      'bytes that lanes requested, of the bytes of the sectors touched'],
    ...levels.rates.map(level => [`${titleOf(level)} hit`,
      ratio(value(`${level}.hits`), value(`${level}.hits`) + value(`${level}.misses`)), percent,
      `share of the sectors looked for in ${titleOf(level)} that were there`]),
    ...levels.moved.map(level => [level === 'dram' ? 'DRAM' : `${titleOf(level)} bytes`, value(`${level}.bytes`), bytes,
      `bytes moved between ${titleOf(level)} and what is above it`]),
  ];
  const isKnown = name => ['executions', 'lanes', 'bytes_requested', 'requests', 'sectors'].includes(name) ||
    ['.hits', '.misses', '.bytes'].some(end => name.endsWith(end));

  // One instruction's cells, with whatever else was counted of any of them behind, and then what the
  // second machine has of it.
  const cellsOf = (study, levels, row, others, compared, comparedRow) => {
    const of = from => name => from[study.counters.findIndex(counter => counter[0] === name)] ?? 0;
    const at = of(row);
    return [...derived(at, levels), ...others.map(([name, unit, sentence]) =>
      [name.replaceAll(/[_.]/g, ' '), at(name), unit === 'bytes' ? bytes : count, sentence]),
    ...(comparedRow ? derived(of(comparedRow), levels).slice(REQUESTED).map(([title, value, show, sentence]) =>
      [`${title}, ${compared}`, value, show, `${sentence}, on ${compared}`]) : [])];
  };

  const instructionRow = (code, cells, most) => {
    // Line 0 is the compiler's word for none.
    const place = code.line ? `${code.file}:${code.line}` : `PTX ${code.ptx_line}`;
    const row = make('tr', {},
      make('th', { scope: 'row', 'data-label': 'At' }, place),
      make('td', { class: 'text', 'data-label': 'PTX' }, make('code', {}, code.text)));
    cells.forEach(([title, value, show], i) => {
      const cell = make('td', { 'data-label': title }, value === null ? '–' : show(value));
      if (value !== null && show === percent) {
        cell.className = 'rate';
        cell.style.setProperty('--v', 100 * value);
      } else if (show === bytes && most[i] > 0) {
        cell.className = 'bytes';
        cell.style.setProperty('--v', 100 * value / most[i]);
      }
      row.append(cell);
    });
    return row;
  };

  const sortBy = (body, rows, heads, column, descending) => {
    const key = row => row.keys[column] ?? -1;
    const order = (a, b) => typeof key(a) === 'string'
      ? String(key(a)).localeCompare(String(key(b)), 'en', { numeric: true }) : key(a) - key(b);
    rows.sort((a, b) => (descending ? -1 : 1) * order(a, b) || a.index - b.index);
    body.replaceChildren(...rows.map(row => row.element));
    heads.forEach((head, i) => head.removeAttribute('aria-sort'));
    heads[column].setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  };

  const instructionTable = (study, code, kernel, compared) => {
    const others = study.counters.filter(([name], i) =>
      !isKnown(name) && kernel.rows.some(row => row[i] > 0));
    const sums = name => {
      const at = study.counters.findIndex(counter => counter[0] === name);
      return [...kernel.rows, ...(compared?.kernel.rows ?? [])].reduce((sum, row) => sum + (row[at] ?? 0), 0);
    };
    const levels = levelsOf(study, sums), shown = REQUESTED + levels.rates.length + levels.moved.length;
    const cells = kernel.rows.map((row, i) =>
      cellsOf(study, levels, row, others, compared?.machine, compared?.kernel.rows[i]));
    const columns = cells[0];
    const most = columns.map((_, i) => Math.max(...cells.map(row => row[i][1] ?? 0)));
    // Both machines' bars have one scale.
    const behind = columns.length - shown;
    for (let own = REQUESTED + levels.rates.length; compared && own < shown; own++) {
      const other = behind + own;
      most[own] = most[other] = Math.max(most[own], most[other]);
    }
    const rows = cells.map((row, index) => ({
      index,
      element: instructionRow(code.instructions[index], row, most),
      keys: [`${code.instructions[index].file ?? ''}:${code.instructions[index].line || code.instructions[index].ptx_line}`,
        code.instructions[index].text, ...row.map(cell => cell[1])],
    }));
    const body = make('tbody');
    const titles = [['at', null, null, 'line of the source, or of the PTX'],
      ['instruction', null, null, 'as in PTX'], ...columns];
    const heads = titles.map(([title, , , sentence], i) => {
      const button = make('button', { type: 'button' }, title);
      const head = make('th', { scope: 'col', title: sentence }, button);
      button.addEventListener('click', () =>
        sortBy(body, rows, heads, i, head.getAttribute('aria-sort') === 'descending' ? false : i > 1 || head.getAttribute('aria-sort') === 'ascending'));
      return head;
    });
    // By memory, the last of the levels.
    sortBy(body, rows, heads, 2 + shown - 1, true);
    return make('div', { class: 'wide', tabindex: '0' }, make('table', { class: 'cards counts' },
      make('caption', {}, 'Memory instructions, dearest first; a heading sorts by its column'),
      make('thead', {}, make('tr', {}, ...heads)), body));
  };

  // --- A kernel ---

  const fact = (name, value) => make('div', {}, make('dt', {}, name), make('dd', {}, value));

  const kernelFacts = (study, kernel) => {
    const sum = (kind, name) => kernel.sums[kind]?.[name] ?? 0;
    const facts = [fact('launches', count(kernel.launches)),
      fact('blocks × threads', `${kernel.grid?.join('·')} × ${kernel.block?.join('·')}`),
      fact('warp instructions', count(kernel.warp_instructions))];
    for (const kind of ending(study, '.hits')) {
      const rate = ratio(sum(kind, 'hits'), sum(kind, 'hits') + sum(kind, 'misses'));
      if (rate !== null) facts.push(fact(`found in ${titleOf(kind)}`, percent(rate)));
    }
    facts.push(fact('DRAM read', bytes(sum('dram', 'bytes_read'))),
      fact('DRAM written', bytes(sum('dram', 'bytes_written'))));
    if (kernel.energy) facts.push(fact('dynamic energy', joules(kernel.energy.dynamic_pj)));
    if (kernel.blocks_per_sm)
      facts.push(fact('blocks an SM, limited by', `${kernel.blocks_per_sm}, ${kernel.occupancy_limiter ?? '–'}`));
    return make('dl', { class: 'facts' }, ...facts);
  };

  const componentTable = kernel => {
    const rows = Object.entries(kernel.sums).flatMap(([kind, counters]) =>
      Object.entries(counters).map(([name, value]) => make('tr', {},
        make('th', { scope: 'row' }, kind), make('td', {}, name.replaceAll('_', ' ')),
        make('td', {}, value.toLocaleString('en')))));
    return make('details', {}, make('summary', {}, 'All counters, summed over components of a kind'),
      make('div', { class: 'wide', tabindex: '0' }, make('table', { class: 'sums' },
        make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'component'),
          make('th', { scope: 'col' }, 'counter'), make('th', { scope: 'col' }, 'sum'))),
        make('tbody', {}, ...rows))));
  };

  const kernelView = (study, code, kernel, compared) => make('section', { class: 'kernel' },
    make('h4', {}, make('code', { title: code.signature ?? code.name }, code.shown || code.name)), kernelFacts(study, kernel),
    ...(kernel.rows.length > 0 ? [instructionTable(study, code, kernel, compared)] : []), componentTable(kernel));

  // --- Energy of the whole run ---

  const heads = titles => make('thead', {}, make('tr', {}, ...titles.map(title => make('th', { scope: 'col' }, title))));

  const energyTable = energy => make('div', { class: 'wide', tabindex: '0' },
    make('table', { class: 'energy' }, make('caption', {}, 'Energy of the whole run'),
      heads(['structure', 'units', 'reads', 'writes', 'dynamic energy', 'leakage', 'share']),
      make('tbody', {}, ...energy.structures.map(s => make('tr', {},
        make('th', { scope: 'row' }, s.interpolated ? `${s.structure} (interpolated)` : s.structure),
        ...[s.units ?? null, s.reads === undefined ? null : count(s.reads),
          s.writes === undefined ? null : count(s.writes), joules(s.dynamic_pj),
          s.leakage_mw === undefined ? null : `${Number(s.leakage_mw.toPrecision(3))} mW`,
          energy.dynamic_pj > 0 ? percent(s.dynamic_pj / energy.dynamic_pj) : null,
        ].map(value => make('td', {}, value === null ? null : String(value))))))));

  // --- The choice of a point ---

  const metricFacts = point => make('dl', { class: 'facts' }, ...Object.entries(point.metrics).map(
    ([name, value]) => fact(name, value === null ? '–'
      : Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(5))))));

  const pointOf = (study, workload, machine) =>
    study.points.find(p => p.workload === workload && p.machine === machine);

  // `other`: the machine to compare with, where the program is the same on it; below 0: none.
  const show = (study, view, workload, machine, other) => {
    const point = pointOf(study, workload, machine), second = pointOf(study, workload, other);
    const compared = second && second.code === point?.code ? second : null;
    if (!point) {
      view.replaceChildren(make('p', { class: 'note' }, 'There are no results of this point: it failed, or has not been reached.'));
      return;
    }
    view.replaceChildren(make('p', { class: 'sub' }, make('code', {}, study.workloads[workload].arguments),
      ` on ${study.machines[machine]}`), metricFacts(point),
    ...(point.energy?.structures ? [energyTable(point.energy)] : []),
    ...point.kernels.map((kernel, i) => kernelView(study, study.codes[point.code][i], kernel,
      compared && { machine: study.machines[other], kernel: compared.kernels[i] })));
  };

  const select = (label, names) => {
    const list = make('select', {}, ...names.map((name, i) => make('option', { value: i }, name)));
    return [list, make('label', {}, label, list)];
  };

  for (const section of document.querySelectorAll('section.loads')) {
    const study = data[section.dataset.study];
    const view = section.querySelector('.view'), form = section.querySelector('.pick');
    const [workloads, workloadLabel] = select('Workload', study.workloads.map(w => w.label));
    const [machines, machineLabel] = select('Machine', study.machines);
    const [others, otherLabel] = select('Compared with', ['no other', ...study.machines]);
    const renew = () =>
      show(study, view, workloads.selectedIndex, machines.selectedIndex, others.selectedIndex - 1);
    form.append(workloadLabel, machineLabel, otherLabel);
    form.addEventListener('change', renew);
    form.addEventListener('submit', event => event.preventDefault());
    if (study.points.length > 0) {
      workloads.selectedIndex = study.points[0].workload;
      machines.selectedIndex = study.points[0].machine;
    }
    renew();
  }
})();
