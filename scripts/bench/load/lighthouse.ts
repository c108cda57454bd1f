// Runs Lighthouse, which is installed when it is first wanted: it is large, and nothing else needs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scores } from './goals.ts';

const PACKAGE = 'lighthouse@12.2.3';
const FOLDER = join(import.meta.dirname, '../../../node_modules/.cache/lighthouse-12.2.3');
const ENTRY = join(FOLDER, 'node_modules/lighthouse/core/index.js');

interface Report {
  runtimeError?: { message: string };
  categories: Record<'performance' | 'accessibility' | 'best-practices', { score: number | null }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number } | undefined>;
}

/** What of the package is used here. */
interface Lighthouse {
  default: (url: string, flags: Record<string, unknown>) => Promise<{ lhr: Report } | undefined>;
}

/** What one run found: its scores, and the audits of accessibility and best practices that failed. */
export interface Audit {
  scores: Scores;
  failed: string[];
}

/** Audits an address in the browser on this port, as on a phone. */
export type Auditor = (url: string, port: number) => Promise<Audit>;

/** Installs Lighthouse where it is not installed. Throws, saying what to do, when npm cannot. */
export async function loadLighthouse(log: (line: string) => void): Promise<Auditor> {
  if (!existsSync(ENTRY)) await install(log);
  const { default: lighthouse } = (await import(pathToFileURL(ENTRY).href)) as Lighthouse;
  return async (url, port) => {
    const result = await lighthouse(url, {
      port,
      logLevel: 'error',
      onlyCategories: ['performance', 'accessibility', 'best-practices'],
      // Keeps the theme and the session of the browser.
      disableStorageReset: true,
    });
    if (result === undefined) throw new Error(`Lighthouse found nothing at ${url}.`);
    return auditOf(result.lhr);
  };
}

async function install(log: (line: string) => void): Promise<void> {
  log(`load: installing ${PACKAGE} into node_modules/.cache (once, about 110 MB)`);
  await mkdir(FOLDER, { recursive: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const npm = spawn('npm', ['install', '--prefix', FOLDER, ...options, PACKAGE], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const failed = once(npm, 'error').then(() => 'failed to start');
  const [code] = (await Promise.race([once(npm, 'close'), failed])) as [unknown];
  if (code !== 0 || !existsSync(ENTRY))
    throw new Error(
      `npm could not install ${PACKAGE}. With a network, run: npm install --prefix ${FOLDER} --no-save ${PACKAGE}. Without one, --runs 0 measures bytes and questions alone.`,
    );
}

function auditOf({ runtimeError, categories, audits }: Report): Audit {
  if (runtimeError !== undefined) throw new Error(`Lighthouse: ${runtimeError.message}`);
  const score = (name: keyof Report['categories']) => Math.round((categories[name].score ?? 0) * 100);
  const value = (name: string) => audits[name]?.numericValue ?? NaN;
  return {
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      bestPractices: score('best-practices'),
      lcp: value('largest-contentful-paint'),
      tbt: value('total-blocking-time'),
      cls: value('cumulative-layout-shift'),
    },
    failed: Object.entries(audits).flatMap(([id, audit]) => (audit?.score === 0 ? [id] : [])),
  };
}
