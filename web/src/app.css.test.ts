// Tests the contrast of every colour pair in both themes, computed from the tokens (WCAG 2.2, 1.4.3 and 1.4.11).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Theme = Record<string, string>;
type Triple = [number, number, number];

const css = readFileSync(new URL('./app.css', import.meta.url), 'utf8');

function tokensOf(selector: string): Theme {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('}', start));
  const found = [...block.matchAll(/--([\w-]+): (oklch\([^)]+\))/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value] as const));
}

const THEMES = { light: tokensOf(':root'), dark: tokensOf(":root[data-theme='dark']") };

/** oklch → linear sRGB (Björn Ottosson's matrices, as in CSS Color 4). */
function linear(token: string): Triple {
  const [l = 0, c = 0, h = 0] = (token.match(/[\d.]+/g) ?? []).map(Number);
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

/** The painted colour: clipped to sRGB and rounded to eight bits a channel. */
function luminance(token: string): number {
  const encode = (v: number) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
  const decode = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = linear(token).map((v) =>
    decode(Math.round(encode(Math.min(1, Math.max(0, v))) * 255) / 255),
  ) as Triple;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(theme: Theme, one: string, other: string): number {
  const [a, b] = [one, other].map((name) => luminance(theme[name] ?? '')) as [number, number];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const GROUNDS = ['s0', 's1', 's2', 'hover'];
const TEXT = ['t1', 't2', 't3', 'accent-t', 'queued', 'escalated', 'approved', 'rejected', 'auto'];
const PAIRS: [string, string][] = [
  ...TEXT.flatMap((text) => GROUNDS.map((ground): [string, string] => [text, ground])),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-h'],
  ['t1', 'accent-s'],
  ['accent-t', 'accent-s'],
  ['del-t', 'del'],
  ['ins-t', 'ins'],
  ['t1', 'line'],
  ['s2', 'approved'],
  ['s1', 't1'],
];
/** Edges and fills that have a meaning without being text. */
const SHAPES: [string, string][] = [
  ...['s1', 's2'].map((ground): [string, string] => ['line3', ground]),
  ...['s0', 's1', 's2'].map((ground): [string, string] => ['accent', ground]),
  ...['queued-s', 'escalated-s', 'approved-s', 'rejected-s', 'auto-s', 'hatch'].map((fill): [string, string] => [
    fill,
    's1',
  ]),
];

describe.each(Object.entries(THEMES))('%s', (_, theme) => {
  it('has every token of the other theme', () => {
    expect(Object.keys(theme).sort()).toEqual(Object.keys(THEMES.light).sort());
    expect(Object.keys(theme).length).toBeGreaterThan(30);
  });

  it.each(Object.keys(THEMES.light))('--%s lies inside sRGB', (name) => {
    for (const channel of linear(theme[name] ?? '')) {
      expect(channel).toBeGreaterThan(-0.002);
      expect(channel).toBeLessThan(1.002);
    }
  });

  it.each(PAIRS)('--%s on --%s has text contrast (4.5)', (text, ground) => {
    expect(contrast(theme, text, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(SHAPES)('--%s on --%s has shape contrast (3)', (shape, ground) => {
    expect(contrast(theme, shape, ground)).toBeGreaterThanOrEqual(3);
  });
});

it('computes the values of the design', () => {
  const claims: [Theme, string, string, number][] = [
    [THEMES.light, 't1', 's0', 15.2],
    [THEMES.dark, 't1', 's0', 16.9],
    [THEMES.light, 'escalated', 's0', 4.7],
    [THEMES.light, 'accent', 's2', 7.1],
    [THEMES.dark, 't3', 's2', 6.1],
    [THEMES.dark, 'rejected', 's2', 6.8],
    [THEMES.light, 'ins-t', 'ins', 8.1],
  ];
  for (const [theme, one, other, claimed] of claims) expect(contrast(theme, one, other)).toBeCloseTo(claimed, 0);
});
