// The page of a report: tables and charts of the JSON that stands in it. Every number that is shown is one of the
// JSON's, in another unit: its element names it by a JSON pointer (data-json) and the unit's size (data-scale).
'use strict';
(() => {
const report = JSON.parse(document.getElementById('report').textContent);
const page = document.getElementById('page');
const charts = [];

// ---- JSON, text, elements --------------------------------------------------------------------------------------

const at = pointer => pointer.slice(1).split('/').reduce((value, key) => value[key], report);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter(child => child !== '' && child !== null && child !== undefined));
  return made;
}
const text = pointer => element('span', {'data-json': pointer}, String(at(pointer)));

// Digits in groups of three, by a narrow space that does not break.
const grouped = digits => {
  const [whole, part] = digits.split('.');
  const groups = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return part === undefined ? groups : groups + '.' + part;
};
const decimalsFor = (value, digits) =>
  value > 0 ? Math.min(9, Math.max(0, digits - 1 - Math.floor(Math.log10(value)))) : 0;

const TIME = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
const SPEED = [[1, 'bit/s'], [1e3, 'kbit/s'], [1e6, 'Mbit/s'], [1e9, 'Gbit/s']];
const unitOf = (units, value) => units.filter(([size]) => value >= size).pop() || units[0];

// A number of the JSON, with `digits` significant ones, in its own unit.
function number(pointer, units, digits = 3) {
  const value = at(pointer);
  if (value === null) return '–';
  const [scale, unit] = unitOf(units, Math.abs(value));
  const shown = (value / scale).toFixed(decimalsFor(Math.abs(value) / scale, digits));
  return element('span', {}, element('span', {'data-json': pointer, 'data-scale': scale}, grouped(shown)), '\u00a0' + unit);
}
// In a column of a table, that all have one unit.
function plain(pointer, scale = 1, decimals = 0) {
  const value = at(pointer);
  if (value === null) return '–';
  return element('span', {'data-json': pointer, 'data-scale': scale}, grouped((value / scale).toFixed(decimals)));
}
const words = (units, value, digits) => {
  const [scale, unit] = unitOf(units, value);
  return grouped((value / scale).toFixed(decimalsFor(value / scale, digits))) + ' ' + unit;
};
const duration = value => words(TIME, value, 3);
const speed = value => words(SPEED, value, 3);
// Of axes: no more digits than there are.
const tick = (units, value) => {
  const [scale, unit] = unitOf(units, value);
  return grouped(String(+(value / scale).toPrecision(3))) + ' ' + unit;
};

// One unit and as many decimals as show the smallest of `pointers` with three digits.
function column(pointers, units) {
  const values = pointers.map(at).filter(value => value > 0);
  const smallest = values.length ? Math.min(...values) : 1;
  const [scale, unit] = unitOf(units, values.length ? Math.min(Math.max(...values), smallest * 1000) : 1);
  const decimals = Math.min(6, Math.max(units === TIME ? 2 : 0, decimalsFor(smallest / scale, 3)));
  return {scale, unit, cell: pointer => plain(pointer, scale, decimals)};
}

// headings: [text, unit]; a cell is text or an element; `left`: so many columns hold words.
function table(headings, rows, left = 1) {
  const kind = i => (i < left ? undefined : 'number');
  const head = headings.map((heading, i) => {
    const [name, unit] = Array.isArray(heading) ? heading : [heading];
    return element('th', {class: kind(i), scope: 'col'}, name, unit ? element('span', {class: 'unit'}, ', ' + unit) : '');
  });
  const body = rows.map(row => element('tr', {}, row.map((cell, i) => {
    const best = cell && cell.best;
    return element('td', {class: [kind(i), best ? 'best' : ''].filter(Boolean).join(' ') || undefined}, best ? cell.best : cell);
  })));
  return element('div', {class: 'scroll'}, element('table', {},
    element('thead', {}, element('tr', {}, head)), element('tbody', {}, body)));
}

// A table that is made when somebody looks, or prints.
function details(title, make, attributes) {
  const made = element('details', attributes, element('summary', {}, title));
  made.fill = () => {
    if (made.children.length === 1) made.append(make());
  };
  made.addEventListener('toggle', () => made.open && made.fill());
  return made;
}

const lines = pointer => element('ul', {class: 'lines'}, at(pointer).map((line, i) =>
  element('li', {class: /^ {3}/.test(line) ? 'sub' : undefined, 'data-json': `${pointer}/${i}`}, line.trim())));

// ---- Charts ------------------------------------------------------------------------------------------------------

const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const faint = (name, alpha) => colour(name) + Math.round(alpha * 255).toString(16).padStart(2, '0');
const rowColour = i => 'c' + i % 8;
const swatch = name => {
  const made = element('span', {class: 'swatch'});
  made.dataset.colour = name;
  return made;
};

// `configure` makes Chart.js' configuration, in the colours of the moment.
function plot(title, caption, height, configure, tables, wide) {
  const canvas = element('canvas', {role: 'img', 'aria-label': title});
  const box = element('div', {class: 'plot'}, canvas);
  box.style.height = height + 'px';
  charts.push({canvas, configure, chart: null});
  return element('section', {class: 'card' + (wide ? ' wide' : '')}, element('h3', {}, title), element('p', {}, caption), box, tables);
}

function draw() {
  for (const made of document.querySelectorAll('.swatch')) made.style.background = colour(made.dataset.colour);
  Chart.defaults.color = colour('soft');
  Chart.defaults.borderColor = colour('line');
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  for (const entry of charts) {
    if (entry.chart) entry.chart.destroy();
    entry.chart = new Chart(entry.canvas, entry.configure());
  }
}

// Words at the end of bars, or other marks: drawn over the chart by a function of it.
const over = paint => ({id: 'over', afterDatasetsDraw: chart => {
  const context = chart.ctx;
  context.save();
  context.font = '12px ' + Chart.defaults.font.family;
  context.fillStyle = colour('ink');
  context.strokeStyle = colour('ink');
  context.textBaseline = 'middle';
  paint(chart, context);
  context.restore();
}});
const tooltip = label => ({callbacks: {label}, backgroundColor: '#1d2329', titleColor: '#fff', bodyColor: '#fff'});
const decades = units => ({
  callback: value => (/^1e/.test(Number(value).toExponential()) ? tick(units, value) : ''),
  autoSkip: false, maxRotation: 0,
});
// A logarithmic axis of times around `values`: its ticks are 1, 2, 5 and their like, all digits where these are too few.
const around = (values, title) => {
  const [min, max] = [Math.min(...values) * .9, Math.max(...values) * 1.1];
  const steps = mantissas => {
    const made = [];
    for (let decade = 10 ** Math.floor(Math.log10(min)); decade <= max; decade *= 10) made.push(...mantissas.map(each => each * decade));
    return made.filter(value => value >= min && value <= max);
  };
  const fine = steps([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const ticks = [steps([1, 2, 5]), fine, [min / .9, max / 1.1]].find(each => each.length >= 2);
  return {type: 'logarithmic', title: titled(title), min, max, afterBuildTicks: axis => { axis.ticks = ticks.map(value => ({value})); },
    ticks: {callback: value => tick(TIME, value), maxRotation: 0, autoSkip: true}};
};
const titled = name => ({display: true, text: name});

// ---- A file --------------------------------------------------------------------------------------------------------

function showFile(index) {
  const base = `/files/${index}`;
  const file = at(base);
  const part = report.parts.length ? element('p', {class: 'soft'}, 'measured by ', text(`/parts/${file.part}/command_line`), ', ', text(`/parts/${file.part}/started`)) : '';
  page.append(element('h2', {}, text(base + '/name')), part);
  if (file.error) {
    page.append(element('p', {class: 'error'}, text(base + '/error')));
    return;
  }
  const rows = file.rows.map((row, i) => ({row, i, base: `${base}/rows/${i}`, title: row.codec.title, colour: rowColour(i)}));
  const timed = rows.filter(({row}) => row.status === 'timed' && Object.keys(row.results.times_ns).length);
  const view = {base, file, rows, timed};
  page.append(element('p', {class: 'soft'}, plain(base + '/bytes'), ' bytes as it is',
    file.schema ? [', schema ', text(base + '/schema')] : '', file.mapping ? [', ', text(base + '/mapping')] : ''));
  page.append(facts(view), element('section', {class: 'card wide'}, element('h3', {}, 'Sizes and times'),
    element('p', {}, 'Medians of a document; under each its 95 % interval.'), rowsTable(view)));
  const grid = element('div', {class: 'grid'});
  if (rows.some(({row}) => row.size)) grid.append(sizes(view));
  if (timed.length) grid.append(times(view));
  if (timed.length && file.results.curves.length) grid.append(crossover(view));
  if (file.results.links.length) grid.append(links(view));
  if (timed.length) grid.append(distribution(view), runOrder(view));
  page.append(grid);
}

const titleOf = one => text(one.base + '/codec/title');

// What one wants to know first.
function facts({file, base, rows, timed}) {
  const made = element('ul', {class: 'facts'});
  const fact = (label, strong, more) => made.append(element('li', {}, label, element('b', {}, strong), more));
  const least = (from, value) => from.reduce((best, one) => (value(one) < value(best) ? one : best));
  const sized = rows.filter(({row}) => row.size);
  if (sized.length) {
    const one = least(sized, ({row}) => row.size);
    fact('Smallest', titleOf(one), [plain(one.base + '/size'), ' bytes']);
  }
  if (timed.length) {
    const quantity = report.results.quantities[report.results.quantities.length - 1];
    const one = least(timed, ({row}) => row.results.times_ns[quantity.key].median);
    fact(`Least ${quantity.title.toLowerCase()} here`, titleOf(one), number(`${one.base}/results/times_ns/${quantity.key}/median`, TIME));
  }
  if (file.results.best.length) {
    const titles = Object.fromEntries(rows.map(one => [one.row.codec.spec, one]));
    const found = file.results.best.map((best, i) => {
      const where = `${base}/results/best/${i}/up_to_bps`;
      const last = i === file.results.best.length - 1;
      return [titleOf(titles[best.spec]), last ? (i === 0 ? ' at every speed' : ' above') : [' below ', number(where, SPEED), ', ']];
    });
    fact('Best by the speed of the link', titleOf(titles[file.results.best[0].spec]), element('span', {}, found.flat(2)));
  }
  return made;
}

function rowsTable({rows, timed, base}) {
  const shown = report.results.quantities;
  const columns = shown.map(({key}) => column(timed.flatMap(one => [`${one.base}/results/times_ns/${key}/median`]), TIME));
  const least = shown.map(({key}) => Math.min(...timed.map(({row}) => row.results.times_ns[key].median)));
  const leastSize = Math.min(...rows.filter(({row}) => row.size).map(({row}) => row.size));
  const body = rows.map(one => {
    const {row} = one;
    const size = row.size ? plain(one.base + '/size') : '–';
    const cells = [element('span', {class: 'format'}, swatch(one.colour), titleOf(one)),
      row.size === leastSize ? {best: size} : size, plain(one.base + '/results/size_ratio', 1, 4)];
    shown.forEach(({key}, i) => {
      const times = row.results.times_ns[key];
      if (!times) return cells.push('–');
      const pointer = `${one.base}/results/times_ns/${key}`;
      const interval = times.has_interval
        ? [columns[i].cell(pointer + '/low'), ' – ', columns[i].cell(pointer + '/high')] : 'no interval';
      const median = columns[i].cell(pointer + '/median');
      if (times.median === least[i] && timed.length > 1) median.className = 'best';
      cells.push([median, element('br'), element('span', {class: 'interval'}, interval)]);
    });
    const said = [row.results.remark ? text(one.base + '/results/remark') : '',
      ...['notes', 'warnings'].flatMap(kind => row.results[kind].map((_, i) => text(`${one.base}/results/${kind}/${i}`)))];
    cells.push(said.filter(Boolean).flatMap((each, i) => (i ? ['; ', each] : [each])));
    return cells;
  });
  const made = table(['Format', ['Size', 'bytes'], 'Ratio to file', ...shown.map(({title}, i) => [title, columns[i].unit]), 'Notes'], body);
  for (const cell of made.querySelectorAll('tr > :last-child')) cell.className = '';
  return made;
}

function sizes({rows}) {
  const sized = rows.filter(({row}) => row.size);
  const configure = () => ({
    type: 'bar',
    data: {labels: sized.map(({title}) => title),
      datasets: [{data: sized.map(({row}) => row.size), backgroundColor: sized.map(one => colour(one.colour)), maxBarThickness: 26}]},
    options: {indexAxis: 'y', layout: {padding: {right: 78}},
      plugins: {legend: {display: false}, tooltip: tooltip(item => grouped(String(item.raw)) + ' bytes')},
      scales: {x: {beginAtZero: true, title: titled('bytes'), ticks: {callback: value => grouped(String(value)), maxRotation: 0}}, y: {grid: {display: false}}}},
    plugins: [over((chart, context) => chart.getDatasetMeta(0).data.forEach((bar, i) =>
      context.fillText(grouped(String(sized[i].row.size)), bar.x + 6, bar.y)))],
  });
  return plot('Size', 'Bytes that are sent and decoded. Shorter is better.', 90 + 34 * sized.length, configure,
    details('Data', () => table(['Format', ['Size', 'bytes'], 'Ratio to file'], sized.map(one =>
      [titleOf(one), plain(one.base + '/size'), plain(one.base + '/results/size_ratio', 1, 4)]))));
}

function times({timed}) {
  const phases = report.results.quantities.filter(({key}) => key !== 'total');
  const hasTotal = key => report.results.quantities.some(one => one.key === key);
  const whole = hasTotal('total') ? 'total' : phases[0].key;
  const pointer = (one, key, what) => `${one.base}/results/times_ns/${key}/${what}`;
  const [scale, unit] = unitOf(TIME, Math.max(...timed.map(one => at(pointer(one, whole, 'median')))));
  const configure = () => ({
    type: 'bar',
    data: {labels: timed.map(({title}) => title), datasets: phases.map(({key, title}) => ({
      label: title, data: timed.map(one => at(pointer(one, key, 'median')) / scale), backgroundColor: colour(key), maxBarThickness: 26}))},
    options: {indexAxis: 'y', layout: {padding: {right: 78}},
      plugins: {legend: {position: 'bottom', labels: {boxWidth: 14}}, tooltip: tooltip(item => `${item.dataset.label}: ${duration(item.raw * scale)}`)},
      scales: {x: {stacked: true, beginAtZero: true, title: titled(unit)}, y: {stacked: true, grid: {display: false}}}},
    plugins: [over((chart, context) => {
      const last = chart.getDatasetMeta(phases.length - 1).data;
      timed.forEach((one, i) => {
        const x = what => chart.scales.x.getPixelForValue(at(pointer(one, whole, what)) / scale);
        const {y} = last[i];
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(x('low'), y); context.lineTo(x('high'), y);
        for (const end of ['low', 'high']) { context.moveTo(x(end), y - 4); context.lineTo(x(end), y + 4); }
        context.stroke();
        context.fillText(duration(at(pointer(one, whole, 'median'))), Math.max(last[i].x, x('high')) + 6, y);
      });
    })],
  });
  return plot('Time', 'Medians of the phases, one after the other; the mark is the 95 % interval of the ' +
    (whole === 'total' ? 'total, which is measured on its own.' : 'whole.'), 120 + 34 * timed.length, configure,
    details('Data', () => {
      const columns = report.results.quantities.map(({key}) => column(timed.map(one => pointer(one, key, 'median')), TIME));
      return table(['Format', ...report.results.quantities.flatMap(({title}, i) => [[title, columns[i].unit], ['low', columns[i].unit], ['high', columns[i].unit]])],
        timed.map(one => [titleOf(one), ...report.results.quantities.flatMap(({key}, i) =>
          ['median', 'low', 'high'].map(what => columns[i].cell(pointer(one, key, what))))]));
    }));
}

function crossover({base, file, timed}) {
  const {speeds_bps: speeds, curves, crossovers} = file.results;
  const row = spec => timed.find(one => one.row.codec.spec === spec);
  const marked = crossovers.map((found, i) => ({found, i})).filter(({found}) => found.total_ns > 0);
  const sent = file.results.points || [];
  const configure = () => {
    const datasets = curves.flatMap(curve => {
      const one = row(curve.spec);
      const line = (values, more) => ({data: values.map((y, i) => ({x: speeds[i], y})), pointRadius: 0, borderColor: colour(one.colour),
        borderWidth: 0, band: true, label: one.title, pointHitRadius: 0, ...more});
      return [line(curve.low_ns), line(curve.high_ns, {fill: '-1', backgroundColor: faint(one.colour, .25)}),
        line(curve.total_ns, {borderWidth: 2, band: false, pointHitRadius: 6})];
    });
    datasets.push({type: 'scatter', label: 'cross-over', data: marked.map(({found}) => ({x: found.at_bps, y: found.total_ns, found})),
      pointRadius: 5, pointStyle: 'rectRot', backgroundColor: colour('card'), borderColor: colour('ink'), borderWidth: 2, marks: true});
    for (const one of timed) {
      datasets.push({type: 'scatter', label: one.title, marks: true, pointRadius: 5, pointStyle: 'circle', backgroundColor: colour(one.colour),
        borderColor: colour('ink'), borderWidth: 1, data: sent.filter(point => point.spec === one.row.codec.spec).map(point => ({x: point.rate_bps, y: point.sent_ns, sent: point}))});
    }
    return {
      type: 'line', data: {datasets},
      options: {parsing: false, interaction: {mode: 'nearest', intersect: false}, layout: {padding: {top: 22}},
        plugins: {legend: {position: 'bottom', labels: {usePointStyle: false, boxWidth: 14, filter: item => !datasets[item.datasetIndex].band && !datasets[item.datasetIndex].marks}},
          tooltip: {...tooltip(item => (item.raw.found
            ? `${row(item.raw.found.smaller).title} is faster than ${row(item.raw.found.larger).title} ${item.raw.found.text}`
            : `${item.dataset.label}${item.raw.sent ? ', sent for real' : ''}: ${duration(item.raw.y)} at ${speed(item.raw.x)}`)), filter: item => !item.dataset.band}},
        scales: {x: {type: 'logarithmic', min: speeds[0], max: speeds[speeds.length - 1], title: titled('speed of the link, both ways'), ticks: decades(SPEED)},
          y: {type: 'logarithmic', title: titled('total time'), ticks: decades(TIME)}}},
      plugins: [over((chart, context) => {
        const {x, y} = chart.scales;
        const {top, bottom, left, right} = chart.chartArea;
        // The doubt about where they cross.
        context.lineWidth = 2;
        for (const {found} of marked) {
          if (!found.has_interval || found.low_bps <= 0) continue;
          const height = y.getPixelForValue(found.total_ns);
          context.beginPath();
          context.moveTo(Math.max(left, x.getPixelForValue(found.low_bps)), height);
          context.lineTo(Math.min(right, x.getPixelForValue(found.high_bps)), height);
          context.stroke();
        }
        // The links that were asked for.
        context.setLineDash([3, 4]);
        context.lineWidth = 1;
        context.strokeStyle = context.fillStyle = colour('soft');
        context.textAlign = 'center';
        let level = 0;
        for (const link of [...report.links].sort((a, b) => a.down_bps - b.down_bps)) {
          const place = x.getPixelForValue(2 / (1 / link.down_bps + 1 / link.up_bps));
          context.beginPath(); context.moveTo(place, top); context.lineTo(place, bottom); context.stroke();
          context.fillText(link.name, place, top - 6 - 11 * (level++ % 2));
        }
      })],
    };
  };
  const pairs = () => {
    return table(['Smaller', 'Larger', 'The smaller is faster in all', 'Cross-over', 'Both take there'], crossovers.map((found, i) => {
      const pointer = `${base}/results/crossovers/${i}`;
      return [titleOf(row(found.smaller)), titleOf(row(found.larger)), text(pointer + '/text'),
        found.total_ns > 0 ? number(pointer + '/at_bps', SPEED) : '–', found.total_ns > 0 ? number(pointer + '/total_ns', TIME) : '–'];
    }), 3);
  };
  const verified = () => table(['Sent for real', 'Speed', 'Curve', 'Sent', ['Off', '%'], ['Transfer alone off', '%']], sent.map((point, i) => {
    const pointer = `${base}/results/points/${i}`;
    return [titleOf(row(point.spec)), number(pointer + '/rate_bps', SPEED), number(pointer + '/curve_ns', TIME), number(pointer + '/sent_ns', TIME),
      plain(pointer + '/off', .01, 2), plain(pointer + '/transfer_off', .01, 2)];
  }));
  const values = () => table(['Speed', ...curves.flatMap(curve => [titleOf(row(curve.spec)), 'low', 'high'])], speeds.map((_, s) =>
    [number(`${base}/results/speeds_bps/${s}`, SPEED), ...curves.flatMap((_, c) =>
      ['total_ns', 'low_ns', 'high_ns'].map(what => number(`${base}/results/curves/${c}/${what}/${s}`, TIME, 4)))]));
  return plot('Total time over the speed of the link', 'Exact bytes at that speed and the measured processor time, without round trips; ' +
    'bands are the 95 % intervals, diamonds where two formats cross, with the interval of that speed' + (sent.length ? '; dots were sent for real, over an emulated link of that speed.' : '.'), 440, configure,
    [crossovers.length ? pairs() : '', sent.length ? verified() : '', details('Data', values, {class: 'long'})], true);
}

function links({base, file, timed}) {
  const cells = file.results.links;
  const names = report.links.map(link => link.name);
  const row = spec => timed.find(one => one.row.codec.spec === spec);
  const sent = (file.results.sent || []).map((each, i) => ({each, pointer: `${base}/results/sent/${i}`}));
  const costs = file.results.costs || [];
  const configure = () => ({
    type: 'bar',
    data: {labels: names, datasets: timed.map(one => ({label: one.title, backgroundColor: colour(one.colour), maxBarThickness: 22,
      data: cells.filter(cell => cell.spec === one.row.codec.spec).map(cell => cell.total_ns)}))},
    options: {plugins: {legend: {position: 'bottom', labels: {boxWidth: 14}}, tooltip: tooltip(item => `${item.dataset.label}: ${duration(item.raw)}`)},
      scales: {y: {type: 'logarithmic', min: 10 ** Math.floor(Math.log10(Math.min(...cells.map(cell => cell.total_ns)) * .9)), title: titled('total time'), ticks: decades(TIME)}, x: {grid: {display: false}}}},
    plugins: [over((chart, context) => timed.forEach((one, i) => names.forEach((name, n) => {
      const found = sent.find(({each}) => each.spec === one.row.codec.spec && each.link === name);
      if (!found) return;
      const {x} = chart.getDatasetMeta(i).data[n];
      context.beginPath(); context.arc(x, chart.scales.y.getPixelForValue(found.each.total_ns), 4, 0, 7); context.fill();
    })))],
  });
  // The transmission of what was sent for real, beside the model's total of the same link and row.
  const modelled = cells.map((cell, i) => {
    const pointer = `${base}/results/links/${i}`;
    const total = number(pointer + '/total_ns', TIME);
    const real = sent.find(({each}) => each.spec === cell.spec && each.link === cell.link);
    const more = !sent.length ? [] : real ? [number(real.pointer + '/total_ns', TIME), plain(real.pointer + '/off', .01, 2), plain(real.pointer + '/runs')] : ['–', '–', '–'];
    return [text(pointer + '/link'), titleOf(row(cell.spec)), plain(pointer + '/packets'), number(pointer + '/transmit_ns', TIME),
      number(pointer + '/processor_ns/median', TIME), cell.best ? {best: total} : total, plain(pointer + '/ratio', 1, 4), ...more];
  });
  const cost = () => {
    const many = costs.some(each => each.at_once_ns > 0);
    const priced = costs.some(each => each.price > 0);
    return table(['Link', 'Format', ['On the wire', 'bytes'], 'Airtime', ...(priced ? ['Price'] : []), ...(many ? ['At once', 'In turn', 'New each'] : [])], costs.map((each, i) => {
      const pointer = `${base}/results/costs/${i}`;
      return [text(pointer + '/link'), titleOf(row(each.spec)), plain(pointer + '/wire_bytes'), number(pointer + '/airtime_ns', TIME),
        ...(priced ? [plain(pointer + '/price', 1, decimalsFor(each.price, 3))] : []),
        ...(many ? ['at_once_ns', 'in_turn_ns', 'new_each_ns'].map(what => number(`${pointer}/${what}`, TIME)) : [])];
    }), 2);
  };
  return plot('On links', 'Total time of a document, modelled from exact sizes, packets, round trips and losses, and the measured processor time' +
    (sent.length ? '; dots are means of what was sent for real over emulated links.' : '.'), 320, configure,
    [table(['Link', 'Format', 'Packets', 'Transmit', 'Processor', 'Total', 'Ratio to first', ...(sent.length ? ['Sent for real', ['Off', '%'], 'Runs'] : [])], modelled, 2),
      costs.length ? details('What they cost', cost) : ''], true);
}

const perDocument = row => row.main.total_ns.map((time, i) => time / row.main.documents[i]);

function distribution({timed}) {
  const key = report.results.quantities[report.results.quantities.length - 1].key;
  const runs = row => (key === 'total' ? perDocument(row) : row.main[key + '_ns'].map((time, i) => time / row.main.documents[i]));
  // The same scatter every time: the fractional parts of multiples of the golden ratio.
  const jitter = i => ((i * .6180339887) % 1 - .5) * .5;
  const configure = () => ({
    type: 'scatter',
    data: {datasets: timed.map((one, place) => ({label: one.title, data: runs(one.row).map((x, i) => ({x, y: place + jitter(i)})),
      pointRadius: 1.8, backgroundColor: faint(one.colour, .55), borderWidth: 0}))},
    options: {plugins: {legend: {display: false}, tooltip: tooltip(item => `${item.dataset.label}: ${duration(item.raw.x)}`)},
      scales: {x: around(timed.flatMap(({row}) => runs(row)), 'time of a document'),
        y: {min: -.6, max: timed.length - .4, reverse: true, grid: {display: false}, afterBuildTicks: axis => { axis.ticks = timed.map((_, value) => ({value})); },
          ticks: {callback: value => timed[value].title, autoSkip: false}}}},
    plugins: [over((chart, context) => timed.forEach(({row}, place) => {
      const found = row.results.times_ns[key];
      const x = value => chart.scales.x.getPixelForValue(value);
      const y = chart.scales.y.getPixelForValue(place);
      context.lineWidth = 1.5;
      context.strokeRect(x(found.p25), y - 9, x(found.p75) - x(found.p25), 18);
      context.beginPath();
      context.moveTo(x(found.p05), y); context.lineTo(x(found.p25), y);
      context.moveTo(x(found.p75), y); context.lineTo(x(found.p95), y);
      context.stroke();
      context.lineWidth = 3;
      context.beginPath(); context.moveTo(x(found.median), y - 9); context.lineTo(x(found.median), y + 9); context.stroke();
    }))],
  });
  const columns = ['min', 'p05', 'p25', 'median', 'p75', 'p95', 'max', 'mean'];
  return plot('Distribution', 'Every run; the box holds the middle half, the line nine tenths, the bar is the median.', 90 + 56 * timed.length, configure,
    details('Data', () => table(['Format', 'Runs', ...columns], timed.map(one => [titleOf(one), plain(`${one.base}/results/times_ns/${key}/count`),
      ...columns.map(what => number(`${one.base}/results/times_ns/${key}/${what}`, TIME, 4))]))));
}

function runOrder({timed}) {
  const configure = () => ({
    type: 'scatter',
    data: {datasets: timed.map(one => {
      const start = one.row.main.start_ns || one.row.main.total_ns.map(() => 0);
      return {label: one.title, data: perDocument(one.row).map((y, i) => ({x: start[i] / 1e9, y})), pointRadius: 2, backgroundColor: faint(one.colour, .75), borderWidth: 0};
    })},
    options: {plugins: {legend: {position: 'bottom', labels: {boxWidth: 14}}, tooltip: tooltip(item => `${item.dataset.label}: ${duration(item.raw.y)}`)},
      scales: {x: {title: titled('since the start, s'), ticks: {maxRotation: 0}}, y: around(timed.flatMap(({row}) => perDocument(row)), 'time of a document')}},
  });
  const every = () => table(['Format', 'Documents', ['Start', 's'], ['All of them', 'ms']], timed.flatMap(one => one.row.main.total_ns.map((_, i) =>
    [titleOf(one), plain(`${one.base}/main/documents/${i}`), one.row.main.start_ns ? plain(`${one.base}/main/start_ns/${i}`, 1e9, 3) : '–',
      plain(`${one.base}/main/total_ns/${i}`, 1e6, 6)])));
  return plot('Run order', 'Level and mixed is good: drift and disturbances would show as slopes and steps.', 90 + 56 * Math.max(timed.length, 4), configure,
    details('Data: every run', every, {class: 'long'}));
}

// ---- All files together ------------------------------------------------------------------------------------------

function showSets() {
  const {sets} = report.results;
  const rows = report.files.flatMap((file, f) => file.rows.map((row, r) => ({row, base: `/files/${f}/rows/${r}`, title: row.codec.title, colour: rowColour(r)})));
  const row = spec => rows.find(one => one.row.codec.spec === spec);
  const keys = Object.keys(sets[0].ratios);
  const named = key => (key === 'size' ? 'Size' : report.results.quantities.find(one => one.key === key).title);
  const configure = () => ({
    type: 'bar',
    data: {labels: keys.map(named), datasets: sets.map(set => ({label: row(set.spec).title, backgroundColor: colour(row(set.spec).colour),
      data: keys.map(key => set.ratios[key].ratio), maxBarThickness: 26}))},
    options: {plugins: {legend: {position: 'bottom', labels: {boxWidth: 14}}, tooltip: tooltip(item => `${item.dataset.label}: ${item.raw.toPrecision(3)}`)},
      scales: {y: {beginAtZero: true, title: titled('ratio to ' + row(sets[0].baseline).title)}, x: {grid: {display: false}}}},
    plugins: [over((chart, context) => sets.forEach((set, i) => keys.forEach((key, k) => {
      const {ratio, low, high} = set.ratios[key];
      if (low === high) return;
      const {x} = chart.getDatasetMeta(i).data[k];
      const y = value => chart.scales.y.getPixelForValue(value);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, y(low)); context.lineTo(x, y(high));
      for (const end of [low, high]) { context.moveTo(x - 4, y(end)); context.lineTo(x + 4, y(end)); }
      context.stroke();
    })))],
  });
  const cell = (s, key) => ['ratio', 'low', 'high'].map(what => plain(`/results/sets/${s}/ratios/${key}/${what}`, 1, Math.max(2, decimalsFor(sets[s].ratios[key].ratio, 3))));
  page.append(element('h2', {}, 'All files together'), plot('Geometric means of ratios', ['To ', titleOf(row(sets[0].baseline)),
    '; marks are the 95 % intervals, bootstrapped over the files. Lower is better.'], 320, configure,
    table(['Format', 'Files', ...keys.flatMap(key => [named(key), 'low', 'high'])], sets.map((set, s) =>
      [titleOf(row(set.spec)), plain(`/results/sets/${s}/files`), ...keys.flatMap(key => cell(s, key))]))));
}

// ---- The page ------------------------------------------------------------------------------------------------------

const {status} = report.results;
const word = {ok: 'complete', partial: 'ended early', error: 'with errors'}[status];
document.title = `${report.files.map(file => file.name).join(', ') || 'no file'} – perfrelay report`;
page.append(element('h1', {}, 'Encode, transmit, decode'),
  element('p', {}, element('span', {class: 'badge ' + status}, word), ' ',
    element('span', {class: 'soft'}, report.network ? ['through ', text('/network')] : 'in memory', ', ', text('/started'), ', perfclient ', text('/version'))));
if (report.messages.length) page.append(element('div', {class: 'error'}, lines('/messages')));
if (report.results.sets.length) showSets();
report.files.forEach((_, i) => showFile(i));
for (const [title, key] of [['Warnings', 'warnings'], ['What the rows are', 'rows'], ['How they were measured', 'method']]) {
  if (report.results[key].length) page.append(element('h2', {}, title), lines('/results/' + key));
}
draw();
document.documentElement.dataset.drawn = charts.length;
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
matchMedia('print').addEventListener('change', draw);
addEventListener('beforeprint', () => {
  for (const each of document.querySelectorAll('details:not(.long)')) {
    each.open = true;
    each.fill();
  }
});
})();
