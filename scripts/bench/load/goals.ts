// The pages that the load bench opens, what each may load, and the rows that compare its measurements with these goals.
import { TABS } from '../../../web/src/routes/(app)/projects/[id]/tab-names.ts';
import { median, type Row } from '../rows.ts';

/** KiB of fonts that a first visit of any page loads: those of Latin text. */
const FONTS_KIB = 45;
/** How far the layout of a page may shift while it loads. */
const SHIFT = 0.01;

/** A page by its path, where `:id` is the project. */
export interface LoadPage {
  path: string;
  /** Opened without a session. */
  signedOut?: boolean;
  /** KiB of JavaScript, compressed with Brotli as over TLS: all files of a first visit. */
  scriptsKiB: number;
}

const PAGES: readonly LoadPage[] = [
  { path: '/', signedOut: true, scriptsKiB: 60 },
  { path: '/queue', scriptsKiB: 100 },
  { path: '/projects', scriptsKiB: 120 },
  ...TABS.map((tab) => ({ path: `/projects/:id/${tab}`, scriptsKiB: 120 })),
  { path: '/analytics', scriptsKiB: 120 },
  { path: '/analytics/floor', scriptsKiB: 120 },
  { path: '/learnings', scriptsKiB: 120 },
  { path: '/mistakes', scriptsKiB: 120 },
  { path: '/account', scriptsKiB: 120 },
  { path: '/sessions', scriptsKiB: 120 },
  { path: '/api/public/docs', signedOut: true, scriptsKiB: 120 },
];

/** The pages whose path contains one of these texts, or is exactly `/`; all without a text. Throws when a text finds none. */
export function pagesFor(wanted: readonly string[]): LoadPage[] {
  const found = (text: string) => PAGES.filter(({ path }) => (text === '/' ? path === '/' : path.includes(text)));
  const unknown = wanted.find((text) => found(text).length === 0);
  if (unknown !== undefined)
    throw new Error(`No page has ${unknown} in its path. There are: ${PAGES.map(({ path }) => path).join(', ')}.`);
  return wanted.length === 0 ? [...PAGES] : PAGES.filter((page) => wanted.some((text) => found(text).includes(page)));
}

/** What a first visit loads. */
export interface Load {
  /** KiB and number of scripts: compressed with Brotli, and as transferred here. */
  scripts: { count: number; brotliKiB: number; sentKiB: number };
  fonts: { count: number; sentKiB: number };
  /** Responses of the API: as transferred. */
  json: { count: number; sentKiB: number };
  /** Questions (GET) that were asked again, once for each further time. */
  repeated: string[];
}

/** Scores from 0 to 100, times in ms. */
export interface Scores {
  performance: number;
  accessibility: number;
  bestPractices: number;
  lcp: number;
  tbt: number;
  cls: number;
}

/** Each request after the first of the same address. */
export function repeatedIn(addresses: readonly string[]): string[] {
  const seen = new Set<string>();
  return addresses.filter((address) => {
    const again = seen.has(address);
    seen.add(address);
    return again;
  });
}

/** The median of each figure. */
export function medianOf(runs: readonly Scores[]): Scores {
  const of = (name: keyof Scores) => median(runs.map((run) => run[name]));
  return {
    performance: of('performance'),
    accessibility: of('accessibility'),
    bestPractices: of('bestPractices'),
    lcp: of('lcp'),
    tbt: of('tbt'),
    cls: of('cls'),
  };
}

/** Rows for one page: its bytes and questions, and the worse score of both themes where they were measured. */
export function rowsOf(page: LoadPage, load: Load, themes: readonly Scores[]): Row[] {
  const row = (measure: string, ours: number, goal: string): Row => ({
    ...{ section: 'load', measure: `${page.path}: ${measure}`, ours, rival: null, ratio: null, goal },
  });
  const lowest = (name: keyof Scores) => Math.min(...themes.map((scores) => scores[name]));
  return [
    row('KiB of JavaScript', load.scripts.brotliKiB, `<= ${page.scriptsKiB}`),
    row('KiB of fonts', load.fonts.sentKiB, `<= ${FONTS_KIB}`),
    row('questions asked again', load.repeated.length, '<= 0'),
    ...(themes.length === 0
      ? []
      : [
          row('performance', lowest('performance'), '>= 95'),
          row('accessibility', lowest('accessibility'), '>= 100'),
          row('best practices', lowest('bestPractices'), '>= 100'),
          row('layout shift', Math.max(...themes.map(({ cls }) => cls)), `<= ${SHIFT}`),
        ]),
  ];
}
