// A step of GitHub Actions that submits an item once and waits until it is final. It needs Node 20 or newer and no packages.
import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { env } = process;
const WAITING = ['queued', 'escalated'];
const REQUEST_TIMEOUT_MS = 90_000;
const LONGEST_PAUSE_SECONDS = 300;

/** Inputs of an action arrive as variables: `deadline-seconds` is INPUT_DEADLINE-SECONDS. */
function readInput(name, fallback) {
  const value = env[`INPUT_${name.toUpperCase()}`] || fallback;
  if (value === undefined) throw new Error(`The input "${name}" is missing.`);
  return value;
}

/** Errors: an address or a key that no request can be made with. A repeat would not help. */
function checkSettings() {
  const { protocol, username } = new URL(serviceUrl());
  if (!['http:', 'https:'].includes(protocol) || username !== '') {
    throw new Error('The input "url" must be an address such as https://review.example.org.');
  }
  // The key itself stays out of the message.
  if (!/^[\x21-\x7e]+$/.test(readInput('api-key'))) throw new Error('The input "api-key" is no API key.');
}

const serviceUrl = () => readInput('url').replace(/\/+$/, '');

/**
 * One key per question of a run: a job that is run again has the same run ID and another GITHUB_RUN_ATTEMPT, so it gets
 * the item that it submitted before, and its decision.
 */
function idempotencyKey() {
  const names = [env.GITHUB_REPOSITORY, env.GITHUB_RUN_ID, env.GITHUB_JOB, readInput('key', 'review')];
  return `github-${createHash('sha256').update(JSON.stringify(names)).digest('hex')}`;
}

/** One request. No answer, or an incomplete one, counts as 503. */
async function send(path, request) {
  try {
    const answer = await fetch(`${serviceUrl()}/api/public/items${path}`, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: { 'content-type': 'application/json', 'x-api-key': readInput('api-key'), ...request.headers },
    });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.text() };
  } catch (error) {
    return { status: 503, retryAfter: null, body: String(error.cause ?? error) };
  }
}

/** Calls the service, and calls again for as long as it cannot be reached, is busy or restarts. */
async function call(path, request = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, retryAfter, body } = await send(path, request);
    if (status === 200 || status === 201) return JSON.parse(body);
    const isTemporary = [408, 429].includes(status) || status >= 500 || body.includes('idempotency_in_progress');
    if (!isTemporary) throw new Error(`The service answered ${status}. ${body}`);
    const asked = Number(retryAfter);
    const seconds = asked > 0 ? Math.min(asked, LONGEST_PAUSE_SECONDS) : Math.min(attempt, 30);
    console.log(`No answer yet (${status}). The step asks again in ${seconds} s.`);
    await sleep(seconds * 1000);
  }
}

/** The same for every attempt: the service refuses the same key with another item. */
function newItem() {
  const title = readInput('title', '');
  return {
    project_id: readInput('project-id'),
    input: readInput('input'),
    suggestion: readInput('suggestion'),
    confidence: Number(readInput('confidence', '0.8')),
    ...(title === '' ? {} : { title: title.slice(0, 200).toWellFormed() }),
    metadata: { run_url: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}` },
    deadline_seconds: Number(readInput('deadline-seconds', '3600')),
    // The project may keep items for supervisors after their deadline, but the job does not wait so long.
    on_deadline: 'expire',
  };
}

/** Writes an output of the step. The delimiter is random: a reviewer's text cannot end it and set other outputs. */
function setOutput(name, value) {
  const delimiter = `end_${randomUUID()}`;
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
}

/** A line of the log. A line that begins with :: would be a command to the runner. */
function log(kind, text) {
  const escaped = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.log(`::${kind}::${escaped}`);
}

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

async function main() {
  checkSettings();
  const submitted = await call('', {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey() },
    body: JSON.stringify(newItem()),
  });
  log('notice', `Waiting for people: ${serviceUrl()}/queue?item=${submitted.id}`);
  let item = submitted;
  // Each request waits up to 60 seconds. A runner that was lost asks for the same item again.
  while (WAITING.includes(item.status)) item = await call(`/${submitted.id}?wait=60`);

  const approved = ['approved', 'auto_approved'].includes(item.status);
  const { output, reason, response, note } = item.decision ?? {};
  const why = [response, reason, note].filter(Boolean).join(': ');
  setOutput('item-id', item.id);
  setOutput('decision', approved ? 'approved' : item.status);
  setOutput('output', approved ? asText(output) : '');
  setOutput('reason', why);
  if (approved) return log('notice', `Approved as ${item.decision.action}.`);
  log('error', `Not approved: ${item.status}. ${why}`);
  process.exitCode = 1;
}

await main().catch((error) => {
  log('error', error.message);
  process.exitCode = 2;
});
