// Charts, each with what Chart.js needs, a caption, and a table of what it shows. They are drawn anew when colours change.

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
// A logarithmic axis, of times if nothing else is said, around `values`: its ticks are 1, 2, 5 and their like, all digits where these are too few.
const around = (values, title, show = value => tick(TIME, value)) => {
  const [min, max] = [Math.min(...values) * .9, Math.max(...values) * 1.1];
  const steps = mantissas => {
    const made = [];
    for (let decade = 10 ** Math.floor(Math.log10(min)); decade <= max; decade *= 10) made.push(...mantissas.map(each => each * decade));
    return made.filter(value => value >= min && value <= max);
  };
  const fine = steps([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const ticks = [steps([1, 2, 5]), fine, [min / .9, max / 1.1]].find(each => each.length >= 2);
  return {type: 'logarithmic', title: titled(title), min, max, afterBuildTicks: axis => { axis.ticks = ticks.map(value => ({value})); },
    ticks: {callback: show, maxRotation: 0, autoSkip: true}};
};
const titled = name => ({display: true, text: name});

// ---- Of a file: {base, file, rows, timed}, as page.js makes it --------------------------------------------------

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
        line(curve.total_ns, {borderWidth: 2, band: false, pointHitRadius: 6, backgroundColor: colour(one.colour)})];
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
  const verified = () => table(['Format', 'Speed', 'Curve', 'Sent', ['Off', '%'], ['Transfer alone off', '%']], sent.map((point, i) => {
    const pointer = `${base}/results/points/${i}`;
    return [titleOf(row(point.spec)), number(pointer + '/rate_bps', SPEED), number(pointer + '/curve_ns', TIME), number(pointer + '/sent_ns', TIME),
      plain(pointer + '/off', .01, 2), plain(pointer + '/transfer_off', .01, 2)];
  }));
  const values = () => table(['Speed', ...curves.flatMap(curve => [titleOf(row(curve.spec)), 'low', 'high'])], speeds.map((_, s) =>
    [number(`${base}/results/speeds_bps/${s}`, SPEED), ...curves.flatMap((_, c) =>
      ['total_ns', 'low_ns', 'high_ns'].map(what => number(`${base}/results/curves/${c}/${what}/${s}`, TIME, 4)))]));
  return plot('Total time over the speed of the link', 'Exact bytes at that speed and the measured processor time, without round trips; ' +
    'bands are the 95 % intervals, diamonds where two formats cross, with the interval of that speed' + (sent.length ? '; dots were sent for real, over an emulated link of that speed.' : '.'), 440, configure,
    [crossovers.length ? pairs() : '', sent.length ? details('Data: sent for real', verified) : '', details('Data', values, {class: 'long'})], true);
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

// Ratios to the first row, of one quantity, with their intervals: what is left of the line is faster.
function verdicts({base, file, timed}) {
  const {key, title} = report.results.quantities[report.results.quantities.length - 1];
  // One plot for each row that others are compared with: typed values are compared apart.
  const baselines = [...new Set(file.results.verdicts.map(each => each.baseline))];
  return baselines.map(baseline => verdictsAgainst({base, file, timed}, baseline, key, title));
}

function verdictsAgainst({base, file, timed}, baseline, key, title) {
  const all = file.results.verdicts.map((each, i) => ({each, pointer: `${base}/results/verdicts/${i}`})).filter(({each}) => each.baseline === baseline);
  const shown = all.filter(({each}) => each.quantity === key);
  const row = spec => timed.find(one => one.row.codec.spec === spec);
  const first = row(baseline);
  const ends = shown.flatMap(({each}) => [each.low, each.high, 1]);
  const configure = () => ({
    type: 'scatter',
    data: {datasets: shown.map(({each}, place) => ({label: row(each.spec).title, data: [{x: each.ratio, y: place}], pointRadius: 5,
      backgroundColor: colour(row(each.spec).colour), borderWidth: 0}))},
    options: {layout: {padding: {right: 78}}, plugins: {legend: {display: false}, tooltip: tooltip(item => `${item.dataset.label}: ${shown[item.datasetIndex].each.verdict}`)},
      scales: {x: around(ends, `${title} over that of ${first.title}`, value => String(+value.toPrecision(2))),
        y: {min: -.6, max: shown.length - .4, reverse: true, grid: {display: false}, afterBuildTicks: axis => { axis.ticks = shown.map((_, value) => ({value})); },
          ticks: {callback: value => row(shown[value].each.spec).title, autoSkip: false}}}},
    plugins: [over((chart, context) => {
      const {x, y} = chart.scales;
      context.lineWidth = 2;
      shown.forEach(({each}, place) => {
        const height = y.getPixelForValue(place);
        context.beginPath(); context.moveTo(x.getPixelForValue(each.low), height); context.lineTo(x.getPixelForValue(each.high), height); context.stroke();
        context.fillText(each.verdict, Math.max(x.getPixelForValue(each.high), x.getPixelForValue(each.ratio)) + 9, height);
      });
      context.setLineDash([3, 4]);
      context.lineWidth = 1;
      context.beginPath(); context.moveTo(x.getPixelForValue(1), chart.chartArea.top); context.lineTo(x.getPixelForValue(1), chart.chartArea.bottom); context.stroke();
    })],
  });
  return plot('Against the first format', ['Ratios of ', title.toLowerCase(), ' times to ', titleOf(first), ', round by round, with intervals that hold together with 95 %. A word only where they allow one.'],
    90 + 40 * shown.length, configure, details('Data', () => table(['Format', 'Quantity', 'Verdict', 'Ratio', 'low', 'high', 'Rounds'], all.map(({each, pointer}) =>
      [titleOf(row(each.spec)), text(pointer + '/quantity'), text(pointer + '/verdict'), ...['ratio', 'low', 'high'].map(what => plain(`${pointer}/${what}`, 1, Math.max(2, decimalsFor(each.ratio, 4)))), plain(pointer + '/rounds')]), 3)), true);
}

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
