// The JSON of the page, and tables and texts of it. Every number that is shown is one of the JSON's, in another unit: its
// element names it by a JSON pointer (data-json) and the unit's size (data-scale).
// elements.js, plots.js and page.js are one script, in this order (embed.cmake).

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
const titleOf = one => text(one.base + '/codec/title');
