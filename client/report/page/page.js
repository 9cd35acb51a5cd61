// The page: what stands on it, from top to bottom.

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
    file.schema ? [', schema ', text(base + '/schema')] : '', file.schema_by ? [' (schema: ', text(base + '/schema_by'), ')'] : '', file.mapping ? [', ', text(base + '/mapping')] : ''));
  page.append(facts(view), element('section', {class: 'card wide'}, element('h3', {}, 'Sizes and times'),
    element('p', {}, 'Medians of a document; under each its 95 % interval.'), rowsTable(view)));
  const grid = element('div', {class: 'grid'});
  if (rows.some(({row}) => row.size)) grid.append(sizes(view));
  if (timed.length) grid.append(times(view));
  if (timed.length && file.results.curves.length) grid.append(crossover(view));
  if (file.results.links.length) grid.append(links(view));
  if ((file.results.verdicts || []).length) grid.append(...verdicts(view));
  if (timed.length) grid.append(distribution(view), runOrder(view));
  page.append(grid);
}

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

function showSets() {
  const {sets} = report.results;
  const rows = report.files.flatMap((file, f) => file.rows.map((row, r) => ({row, base: `/files/${f}/rows/${r}`, title: row.codec.title, colour: rowColour(r)})));
  const row = spec => rows.find(one => one.row.codec.spec === spec);
  const keys = Object.keys(sets[0].ratios);
  // Typed values are compared apart.
  const baselines = [...new Set(sets.map(set => set.baseline))].map(row);
  const named = key => (key === 'size' ? 'Size' : report.results.quantities.find(one => one.key === key).title);
  const configure = () => ({
    type: 'bar',
    data: {labels: keys.map(named), datasets: sets.map(set => ({label: row(set.spec).title, backgroundColor: colour(row(set.spec).colour),
      data: keys.map(key => set.ratios[key].ratio), maxBarThickness: 26}))},
    options: {plugins: {legend: {position: 'bottom', labels: {boxWidth: 14}}, tooltip: tooltip(item => `${item.dataset.label}: ${item.raw.toPrecision(3)}`)},
      scales: {y: {beginAtZero: true, title: titled('ratio to ' + baselines.map(({title}) => title).join(', '))}, x: {grid: {display: false}}}},
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
  page.append(element('h2', {}, 'All files together'), plot('Geometric means of ratios', ['To ', ...baselines.flatMap((first, i) => [i ? ', of typed values to ' : '', titleOf(first)]),
    '; marks are the 95 % intervals, bootstrapped over the files. Lower is better.'], 320, configure,
    table(['Format', 'Files', ...keys.flatMap(key => [named(key), 'low', 'high'])], sets.map((set, s) =>
      [titleOf(row(set.spec)), plain(`/results/sets/${s}/files`), ...keys.flatMap(key => cell(s, key))]))));
}

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
