// Benchmarks how each page loads, by Lighthouse as on a phone and by its bytes, of a project with much to show.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { freePort } from '../../../server/src/embedded/address.ts';
import { buildWeb } from '../../build-web.ts';
import { launchProfile, MISSING_BROWSER } from '../../lib/processes/browser.ts';
import { openBenchEnvironment } from '../environment.ts';
import type { Options } from '../options.ts';
import type { Row } from '../rows.ts';
import { measureLoad } from './bytes.ts';
import { type Load, type LoadPage, medianOf, pagesFor, rowsOf, type Scores } from './goals.ts';
import { type Auditor, lighthouseAuditor } from './lighthouse.ts';
import { seedProject, type SeededProject } from './seeded-project.ts';

const RUNS = { full: 5, quick: 1 };
const THEMES = ['light', 'dark'] as const;
/** Written by the theme choice of the page. */
const THEME_KEY = 'countersign.theme';

interface Stage {
  log: (line: string) => void;
  seeded: SeededProject;
  context: BrowserContext;
  port: number;
  runs: number;
  audit: Auditor | undefined;
}

/** No rows where there is no browser. Throws without PostgreSQL or Redis, for an unknown page, or without Lighthouse. */
export async function benchLoad(log: (line: string) => void, options: Options): Promise<Row[]> {
  const wanted = pagesFor(options.pages ?? []);
  const runs = options.runs ?? RUNS[options.quick ? 'quick' : 'full'];
  const audit = runs === 0 ? undefined : await lighthouseAuditor(log);
  const [profile, port] = [mkdtempSync(join(tmpdir(), 'countersign-load-')), await freePort()];
  const context = await launchProfile(profile, port);
  if (context === undefined) {
    log(`load: skipped. ${MISSING_BROWSER}`);
    return [];
  }
  try {
    await buildWeb();
    return await measurePages({ log, options, context, port, runs, audit }, wanted);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

async function measurePages(
  { options, ...stage }: Omit<Stage, 'seeded'> & { options: Options },
  wanted: readonly LoadPage[],
): Promise<Row[]> {
  const benchEnv = await openBenchEnvironment();
  try {
    const seeded = await seedProject(benchEnv, options);
    const rows: Row[] = [];
    for (const page of wanted) rows.push(...(await measurePage({ ...stage, seeded }, page)));
    return rows;
  } finally {
    await benchEnv.close();
  }
}

async function measurePage(stage: Stage, page: LoadPage): Promise<Row[]> {
  const { seeded, context, log } = stage;
  await context.clearCookies();
  if (page.signedOut !== true) await signIn(context, seeded);
  const url = seeded.server.url + page.path.replace(':id', seeded.projectId);
  const load = await measureLoad(context, url);
  log(`load: ${page.path}: ${described(load)}`);
  const themes: Scores[] = [];
  for (const theme of stage.audit === undefined ? [] : THEMES) themes.push(await auditIn(stage, { url, page, theme }));
  return rowsOf(page, load, themes);
}

async function signIn(context: BrowserContext, { server, owner }: SeededProject): Promise<void> {
  const [name = '', value = ''] = owner.cookie.split('=');
  // A cookie of this host alone is set by address, and on this machine counts as secure.
  await context.addCookies([{ name, value, url: server.url.replace('http:', 'https:'), secure: true, httpOnly: true }]);
}

function described({ scripts, fonts, json, repeated }: Load): string {
  const kib = (size: number) => `${size.toFixed(1)} KiB`;
  const parts = [
    `${scripts.count} scripts ${kib(scripts.brotliKiB)} (sent ${kib(scripts.sentKiB)})`,
    `${fonts.count} fonts ${kib(fonts.sentKiB)}`,
    `${json.count} questions ${kib(json.sentKiB)}`,
    `asked again: ${repeated.length === 0 ? 'none' : repeated.join(' ')}`,
  ];
  return parts.join(', ');
}

/** The medians in one theme. */
async function auditIn(
  { seeded, context, port, runs, audit, log }: Stage,
  { url, page, theme }: { url: string; page: LoadPage; theme: (typeof THEMES)[number] },
): Promise<Scores> {
  if (audit === undefined) throw new Error('Lighthouse was loaded.');
  await chooseTheme(context, seeded.server.url, theme);
  const found: Awaited<ReturnType<Auditor>>[] = [];
  for (let run = 0; run < runs; run += 1) found.push(await audit(url, port));
  const scores = medianOf(found.map((one) => one.scores));
  const { performance, accessibility, bestPractices, lcp, tbt, cls } = scores;
  const times = `LCP ${(lcp / 1000).toFixed(1)} s, TBT ${tbt.toFixed(0)} ms, CLS ${cls.toFixed(3)}`;
  log(`load: ${page.path}, ${theme}: ${performance} / ${accessibility} / ${bestPractices}, ${times}`);
  const failed = [...new Set(found.flatMap((one) => one.failed))];
  if (failed.length > 0) log(`load: ${page.path}, ${theme}: failed ${failed.join(' ')}`);
  return scores;
}

async function chooseTheme(context: BrowserContext, origin: string, theme: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/favicon.svg`);
  await page.evaluate(([key = '', value = '']) => localStorage.setItem(key, value), [THEME_KEY, theme]);
  await page.close();
}
