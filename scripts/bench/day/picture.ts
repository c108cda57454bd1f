// Draws the hours of the day as an SVG picture: one small plot for each figure, all over the same hours.
import { figure } from './hours.ts';

export interface Panel {
  title: string;
  lines: { name: string; values: number[] }[];
}

/** Hours from 0 that are shaded in every plot, and why. */
export interface Shade {
  from: number;
  until: number;
  because: string;
}

const COLUMNS = 2;
const [WIDTH, HEIGHT] = [460, 210];
const PLOT = { left: 56, top: 34, width: 380, height: 130 };
const [HEAD, FOOT] = [64, 24];
/** Told apart without colour too. */
const DASHES = ['', '6 4', '2 3'];

const STYLE = `
  :root { --ink: #1a1d23; --soft: #667085; --rule: #d0d5dd; --paper: #ffffff; --line: #3155c8; --shade: #f2e6c8 }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eceef2; --soft: #9aa3b2; --rule: #3a4150; --paper: #14161b; --line: #8aa4ff; --shade: #3d3520 }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--soft) }
  .title { font-weight: 600; fill: var(--ink) }
  .head { font-size: 16px; font-weight: 600; fill: var(--ink) }
  .line { fill: none; stroke: var(--line); stroke-width: 1.75 }
  .rule { stroke: var(--rule); stroke-width: 1 }
  .shade { fill: var(--shade) }
  .paper { fill: var(--paper) }`;

/** A whole SVG document. Every line of a panel has a value for each hour; those that are not numbers are left out. */
export function pictureOf(head: string, panels: readonly Panel[], shade: Shade): string {
  const height = HEAD + Math.ceil(panels.length / COLUMNS) * HEIGHT + FOOT;
  const width = COLUMNS * WIDTH;
  const plots = panels.map((panel, index) => {
    const [x, y] = [(index % COLUMNS) * WIDTH, HEAD + Math.floor(index / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">${plotOf(panel, shade)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(head)}">
<style>${STYLE}</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="head" x="16" y="28">${escaped(head)}</text>
<rect class="shade" x="16" y="41" width="14" height="14"/><text x="36" y="53">${escaped(shade.because)}</text>
${plots.join('\n')}
</svg>
`;
}

function plotOf({ title, lines }: Panel, shade: Shade): string {
  const { left, top, width, height } = PLOT;
  const hours = Math.max(1, ...lines.map(({ values }) => values.length));
  const most = topOf(lines.flatMap(({ values }) => values));
  const xOf = (hour: number) => left + ((hour + 0.5) / hours) * width;
  const yOf = (value: number) => top + height - (value / most) * height;
  const shadeX = left + (shade.from / hours) * width;
  const shadeWidth = ((shade.until - shade.from) / hours) * width;
  const bottom = top + height;
  const rules = [top, bottom].map((y) => `<line class="rule" x1="${left}" x2="${left + width}" y1="${y}" y2="${y}"/>`);
  const drawn = lines.map(({ name, values }, index) => {
    const points = values.flatMap((value, hour) =>
      Number.isFinite(value) ? [`${xOf(hour).toFixed(1)},${yOf(value).toFixed(1)}`] : [],
    );
    const dash = DASHES[index % DASHES.length] ?? '';
    return `<polyline class="line" stroke-dasharray="${dash}" points="${points.join(' ')}"><title>${escaped(name)}</title></polyline>`;
  });
  const names =
    lines.length > 1
      ? ` (${lines.map(({ name }, index) => `${name}: ${DASH_NAMES[index % DASH_NAMES.length]}`).join(', ')})`
      : '';
  return `<text class="title" x="${left}" y="${top - 12}">${escaped(title + names)}</text>
<rect class="shade" x="${shadeX.toFixed(1)}" y="${top}" width="${shadeWidth.toFixed(1)}" height="${height}"/>
${rules.join('')}${drawn.join('')}
<text x="${left - 6}" y="${top + 4}" text-anchor="end">${figure(most)}</text><text x="${left - 6}" y="${bottom + 4}" text-anchor="end">0</text>
<text x="${left}" y="${bottom + 18}">hour 1</text><text x="${left + width}" y="${bottom + 18}" text-anchor="end">hour ${hours}</text>`;
}

const DASH_NAMES = ['line', 'dashes', 'dots'] as const;

/** The next round number above all of them: 1, 2 or 5 times a power of ten. */
export function topOf(values: readonly number[]): number {
  const most = Math.max(0, ...values.filter(Number.isFinite));
  if (most === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
