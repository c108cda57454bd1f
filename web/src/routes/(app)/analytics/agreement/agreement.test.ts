// @vitest-environment happy-dom
// All pages of one project say the same: their sentences and numbers are compared (AN33, AN34, AN35, WH10, RT7, NO8).
import type { Analytics } from '@countersign/shared/schemas/analytics';
import type { Audits } from '@countersign/shared/schemas/audits';
import type { Project } from '@countersign/shared/schemas/projects';
import type { TeamView } from '@countersign/shared/schemas/team';
import { cleanup, render, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projects } from '#lib/api/projects-store.svelte.ts';
// Loaded here, and not while a test waits for a dialog: the first load takes seconds.
import '#lib/components/Dialog.svelte';
import { queueCount } from '#lib/format/format.ts';
import type { Counts } from '#lib/live/queue/queue-model.ts';
import { pageTitle, waiting } from '#lib/notices/waiting.svelte.ts';
import { stopMessages } from '#lib/stop/stop-messages.ts';
import { stopRequest } from '#lib/stop/stops.svelte.ts';
import StopBanner from '#lib/stop/StopBanner.svelte';
import StopDialog from '#lib/stop/StopDialog.svelte';
import ProjectRow from '../../projects/ProjectRow.svelte';
import Overview from '../../projects/[id]/overview/Overview.svelte';
import Rules from '../../projects/[id]/rules/Rules.svelte';
import { SettingsForm } from '../../projects/[id]/settings/settings-form.svelte.ts';
import Views from '../../queue/list/Views.svelte';
import TeamOverview from '../floor/TeamOverview.svelte';
import Report from '../report/Report.svelte';
import stored from './answers.json' with { type: 'json' };

const page = vi.hoisted(() => ({ url: new URL('http://countersign.test/analytics'), route: { id: '' } }));
vi.mock('$app/state', () => ({ page }));
vi.mock('$app/navigation', () => ({ goto: vi.fn(), afterNavigate: vi.fn(), beforeNavigate: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));
vi.mock('../../queue/queue-context.ts', () => ({ getQueueContext: () => ({ reviewSession: { wantedId: null } }) }));

interface Answers {
  project: Project;
  analytics: Analytics;
  team: TeamView;
  audits: Audits;
  queue: Counts;
}
/** Stored by figures-agree.test.ts of the server, which builds the project and compares the answers themselves. */
const { running, stopped } = stored as unknown as Record<'running' | 'stopped', Answers>;
const NOW = Date.parse(running.analytics.server_time);

/** What the server answers to each request of a page. */
function serve({ project, analytics, team, audits }: Answers): void {
  const answerTo = (path: string): unknown => {
    if (path.includes('/audits')) return audits;
    if (path.includes('/analytics')) return analytics;
    if (path.includes('/team')) return team;
    return { data: [], next_cursor: null, has_more: false };
  };
  vi.stubGlobal('fetch', (path: string) => {
    // The sample beside the rules is not compared here, and never comes.
    if (path.includes('/thresholds')) return new Promise(() => undefined);
    return Promise.resolve(
      new Response(JSON.stringify(answerTo(path)), { headers: { 'content-type': 'application/json' } }),
    );
  });
  projects.list = [project];
}

const textOf = (root: Element = document.body) => (root.textContent ?? '').replace(/\s+/g, ' ').trim();
/** The text of the pages of a project, as a person reads them one after the other. */
async function read(answers: Answers) {
  serve(answers);
  const { project, analytics } = answers;
  const texts = {
    report: await textAfter(
      () => render(Report, { project, report: analytics, range: 'day' }),
      /(?=.*audited answers).*Are webhooks delivered\?/,
    ),
    team: await textAfter(() => render(TeamOverview, { project }), /When will the queue/),
    overview: await textAfter(() => render(Overview, { form: new SettingsForm(project, 'me') }), /Queue size/),
    rules: await textAfter(() => render(Rules, { form: new SettingsForm(project, 'me') }), /auto-approved/),
    row: await textAfter(() => {
      const table = document.body.appendChild(document.createElement('table'));
      render(ProjectRow, { target: table.appendChild(document.createElement('tbody')), props: { project } });
    }, /./),
    banner: await textAfter(() => render(StopBanner, {}), /.?/),
    dialog: await textAfter(() => {
      stopRequest.project = project;
      render(StopDialog, { project });
    }, /waiting/),
    views: await textAfter(
      () => render(Views, { scope: { view: 'all', projectId: null }, counts: answers.queue } as never),
      /All/,
    ),
  };
  return texts;
}

async function textAfter(show: () => unknown, until: RegExp): Promise<string> {
  show();
  await waitFor(() => expect(textOf()).toMatch(until));
  const text = textOf();
  cleanup();
  document.body.replaceChildren();
  return text;
}

/** The number before or after some words: `numberIn(text, /(\d+) waiting/)`. */
function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`Nothing matches ${String(pattern)} in: ${text}`);
  return Number(found.replaceAll(',', ''));
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  projects.forget();
  stopRequest.project = null;
  waiting.live = null;
});

describe('the pages of one project', () => {
  it('AN33, AN34, AN35, WH10: say the same in all sentences and numbers', async () => {
    const said = await read(running);
    const numbers = (patterns: Partial<Record<keyof typeof said, RegExp | RegExp[]>>) =>
      Object.entries(patterns).flatMap(([name, pattern]) =>
        [pattern].flat().map((each) => numberIn(said[name as keyof typeof said], each)),
      );
    const alike = (n: number, found: readonly number[]) => expect(found).toEqual(found.map(() => n));

    const head = /^.*?waiting · 1 escalated ?(\d+)/;
    alike(
      9,
      numbers({
        report: [head, /(\d+) waiting now/, /of (\d+) waiting are past due/],
        ...{ team: head, overview: head, row: /escalated · ?(\d+)/ },
        ...{ dialog: /on top of (\d+) waiting/, views: /All (\d+)/ },
      }),
    );
    // One audit more came than waits: its deadline ended it, and nobody decided it.
    alike(10, numbers({ report: /No: (\d+) more sent to review than decided/ }));
    // What waits besides the audits, and the audits.
    const [others = 0, audits = 0] = numbers({
      report: [/\. (\d+) others waiting/, /(\d+) of them waiting for an audit/],
    });
    expect(others + audits).toBe(9);
    alike(audits, numbers({ report: /(\d+) pending/ }));
    // An audit that expired and one that was withheld are not pending.
    alike(2, numbers({ report: /pending · (\d+) expired or withheld/ }));
    // Automatic: what was shipped. The bar has one less, which a person revised.
    alike(10, numbers({ report: /(\d+) of 22 auto-approved/, dialog: /(\d+) of 22 items \(45%\) were auto-approved/ }));
    expect(numbers({ report: [/auto-approved (\d+)/, /(\d+) revised since/] })).toEqual([9, 1]);
    alike(3, numbers({ report: /claimed (\d+)/, team: /claimed (\d+)/, overview: /(\d+) items, 2 reviewers/ }));
    expect(said.team).toContain('2 people are reviewing');
    expect(said.row).toContain('Anna and Ben');
    alike(
      6,
      numbers({
        report: /22 received (\d+)/,
        overview: /decided today (\d+)/,
        team: /last 60 min: 16 in, (\d+) decided/,
      }),
    );
    expect(said.team).toContain('more items were sent to review than decided');
    expect(said.report).toContain('falling behind');
    alike(
      2,
      numbers({ report: /(\d+) retrying, the oldest for 40 min/, overview: /(\d+) retrying/, row: /(\d+) retrying/ }),
    );
    for (const text of Object.values(said)) {
      expect(text).not.toContain('healthy');
      expect(text).not.toContain(stopMessages.everything);
    }
  });

  it('NO8: title and badge count what the queue lists as available and as mine', () => {
    const { available, mine } = running.queue;
    waiting.live = available + mine;
    expect(waiting.known).toBe(6);
    expect(pageTitle('Queue')).toContain(`(${queueCount(available + mine)}) `);
  });

  it('RT7: say of a stopped project that everything goes to people, and what is normal', async () => {
    const said = await read(stopped);
    for (const text of [said.banner, said.overview, said.rules]) expect(text).toContain(stopMessages.everything);
    expect(said.banner).toContain(stopMessages.normal(stopped.project));
    for (const text of Object.values(said))
      for (const [claim] of text.matchAll(/\S+ [\d.]+ and above is auto-approved/g)) expect(claim).toMatch(/^Normally/);
    expect(said.dialog).toContain('9 items are waiting for review');
  });
});
