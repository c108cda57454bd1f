// Formats the summary of a submitted file: counts by status, refusals and what to do about them.
import { ITEM_STATUSES } from '../../../shared/src/enums.ts';
import type { RefusalGroup, Summary } from './tally.ts';

const ALWAYS_SHOWN: readonly string[] = ['auto_approved', 'queued', 'escalated', 'rejected'];

/** What a person can do about a refusal or a stop, by code. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_json: 'Every line must be one complete JSON object, in UTF-8.',
  project_mismatch: 'Use the project that the key and the lines belong to.',
  payload_too_large: 'Shorten the item, or submit a reference to the long part.',
  validation_failed: 'Correct the field and run the same command again.',
  idempotency_key_reused: 'This key was used for another body: change the line, or wait until its key is forgotten.',
  api_key_missing: 'The key is what --key or COUNTERSIGN_API_KEY carries.',
  api_key_invalid: 'The key is what --key or COUNTERSIGN_API_KEY carries.',
  not_found: 'Check --url and --project.',
  http_404: 'Check --url: it is the address of the service, without a path.',
  redirect: 'Give that address with --url.',
  unknown_answer: 'Check --url: it is the address of the service, without a path.',
  unreachable: 'Check --url and that the service is running, then run the same command again.',
  interrupted: 'Run the same command again to go on.',
};
const RETRY_ADVICE = 'Run the same command again later: what was taken is not submitted twice.';
const CHECK_LINE_ADVICE = 'Correct the line and run the same command again.';

/** 0 when every line was taken, 1 when some were not, 130 when a person interrupted the run. */
export function exitCode(summary: Summary): number {
  if (summary.stopped?.code === 'interrupted') return 130;
  return summary.stopped === null && summary.refused === 0 ? 0 : 1;
}

/** The summary as text, ending in a newline. */
export function formatSummary(summary: Summary): string {
  const blocks = [counts(summary), refusals(summary.refusals), ending(summary)];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function counts(summary: Summary): string {
  const statuses = ITEM_STATUSES.filter((status) => ALWAYS_SHOWN.includes(status) || summary.taken[status] > 0);
  const rows: [string, number, string?][] = statuses.map((status) => [status, summary.taken[status]]);
  if (summary.alreadyThere > 0) rows.push(['already there', summary.alreadyThere, 'submitted by an earlier run']);
  if (summary.refused > 0) rows.push(['refused', summary.refused]);
  if (summary.unsent > 0) rows.push(['not answered', summary.unsent, 'the run ended first']);
  rows.push(['total', summary.lines, pace(summary)]);
  const width = Math.max(...rows.map(([, value]) => number(value).length));
  return rows
    .map(([label, value, note]) => `  ${label.padEnd(14)} ${number(value).padStart(width)}${note ? `   ${note}` : ''}`)
    .join('\n');
}

function pace({ lines, seconds, retries }: Summary): string {
  const rate = seconds > 0 ? `, ${number(Math.round(lines / seconds))} per second` : '';
  const again = retries > 0 ? `, ${number(retries)} ${retries === 1 ? 'retry' : 'retries'}` : '';
  return `in ${duration(seconds)}${rate}${again}`;
}

function refusals(groups: readonly RefusalGroup[]): string {
  return groups
    .map((group) => `  ${place(group)}: ${group.code}\n    ${group.detail}\n    ${advice(group)}`)
    .join('\n');
}

function place({ count, lines }: RefusalGroup): string {
  const more = count - lines.length;
  return `${count === 1 ? 'Line' : 'Lines'} ${lines.join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
}

function advice({ code }: { code: string }): string {
  const known = ADVICE[code];
  if (known !== undefined) return known;
  return /^(internal|unavailable|http_(408|5..))$/.test(code) ? RETRY_ADVICE : CHECK_LINE_ADVICE;
}

function ending({ stopped }: Summary): string {
  if (stopped === null) return '';
  const settled = stopped.code === 'interrupted' ? ' What was taken is not submitted twice.' : '';
  return `  Stopped before the end. ${stopped.detail}\n  ${advice(stopped)}${settled}`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Seconds as a person says them: `0.4 s`, `12 s`, `3 min 05 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, '0');
  if (minutes < 60) return `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
