// Runs Lighthouse, which is installed when it is first wanted: it is large, and nothing else needs it.
import { LIGHTHOUSE, type LighthouseReport, loadLighthouse } from '../../lib/packages/bench-packages.ts';
import { fetchPackages } from '../../lib/packages/fetch-packages.ts';
import type { Scores } from './goals.ts';

/** What one run found: its scores, and the audits of accessibility and best practices that failed. */
export interface Audit {
  scores: Scores;
  failed: string[];
}

/** Audits an address in the browser on this port, as on a phone. */
export type Auditor = (url: string, port: number) => Promise<Audit>;

/** Installs Lighthouse where it is not installed. Throws, saying what to do, when npm cannot. */
export async function lighthouseAuditor(log: (line: string) => void): Promise<Auditor> {
  const onInstall = (packages: string) => log(`load: installing ${packages} (once, about 110 MB)`);
  await fetchPackages(LIGHTHOUSE, onInstall).catch((error: unknown) => {
    throw new Error(`${(error as Error).message} Without it, --runs 0 measures bytes and questions alone.`, {
      cause: error,
    });
  });
  const lighthouse = await loadLighthouse();
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

function auditOf({ runtimeError, categories, audits }: LighthouseReport): Audit {
  if (runtimeError !== undefined) throw new Error(`Lighthouse: ${runtimeError.message}`);
  const score = (name: keyof LighthouseReport['categories']) => Math.round((categories[name].score ?? 0) * 100);
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
