// The official MCP conformance suite: what the server declares passes, and the rest has its reason.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callMcp } from '@countersign/shared/routes/public';
import { openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

/** The program of the suite: `npm run test:soak` gets it (scripts/lib/soak/fetch-for-soak.ts). */
const { MCP_CONFORMANCE } = process.env;

/** The versions of the protocol, and the scenarios of each that are about what the server declares. */
const DECLARED = {
  '2025-11-25': ['dns-rebinding-protection', 'ping', 'server-initialize', 'tools-list'],
  '2026-07-28': ['caching', 'dns-rebinding-protection', 'http-header-validation', 'server-stateless', 'tools-list'],
} as const;
type Version = keyof typeof DECLARED;
const VERSIONS = Object.keys(DECLARED) as Version[];

/** Checks of these scenarios that are about something else. */
const OTHER_CHECKS: Readonly<Record<string, readonly [why: string, id: RegExp][]>> = {
  caching: [['no prompts and no resources', /^sep-2549-(prompts|resources)-/]],
  'server-stateless': [
    ['calls a tool of the suite’s own', /-rejects-undeclared-capability$|-missing-capability-http-400$/],
    ['calls a tool of the suite’s own', /-no-independent-requests-on-stream$|-no-log-without-loglevel$/],
    ['no subscriptions', /-subscription(-ack|-id)?$|-honors-notification-filter$/],
  ],
};

/** Why the other scenarios are not about this server (decision 0017). */
const NOT_DECLARED: readonly [why: string, scenario: RegExp][] = [
  ['no resources', /^resources-|^sep-2164-resource-not-found$/],
  ['no prompts', /^prompts-/],
  ['no completion', /^completion-/],
  ['no logging', /^logging-/],
  ['asks the client for nothing', /^elicitation-|^input-required-result-|^tools-call-(elicitation|sampling)$/],
  ['no sessions and no streams', /^server-session-|^server-sse-/],
  ['no tasks', /^tasks-/],
  ['no argument in a header', /^http-custom-header-/],
  ['calls a tool of the suite’s own', /^tools-call-|^json-schema-2020-12$/],
];

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

describe.runIf(MCP_CONFORMANCE !== undefined)('MCP conformance (where MCP_CONFORMANCE names its program)', () => {
  const testEnv = useSharedTestEnvironment();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-conformance-'));
  let front: Server;

  beforeAll(async () => {
    const { pipeline } = await openProject(await person(testEnv));
    front = await startFront({ service: testEnv.url(), baseUrl: testEnv.baseUrl, apiKey: pipeline.apiKey });
  });
  afterAll(() => {
    front.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(VERSIONS)('%s: every check of what is declared passes', { timeout: 300_000 }, async (version) => {
    const results = join(folder, version);
    const url = new URL(callMcp.path, addressOf(front)).href;
    const output = await runSuite(['--url', url, '--requirements', version, '--output-dir', results]);
    const scenarios = readScenarios(results);
    const names = [...scenarios.keys()];
    const declared: readonly string[] = DECLARED[version];
    expect(names, output).toEqual(expect.arrayContaining([...declared]));
    let passed = 0;
    for (const name of declared) {
      const checks = scenarios.get(name) ?? [];
      const others = OTHER_CHECKS[name] ?? [];
      const failed = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
      const ours = failed.filter(({ id }) => !others.some(([, about]) => about.test(id)));
      expect(ours, name).toEqual([]);
      const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
      expect(succeeded, name).toBeGreaterThan(0);
      passed += succeeded;
    }
    const rest = names.filter((name) => !declared.includes(name));
    const reasons = Map.groupBy(rest, (name) => NOT_DECLARED.find(([, about]) => about.test(name))?.[0]);
    expect(reasons.get(undefined), 'scenarios that nobody has looked at').toBeUndefined();
    const counted = [...reasons].map(([why, group]) => `${why}: ${group.length}`).join(', ');
    process.stdout.write(
      `MCP conformance ${version}: ${declared.length} scenarios declared, ${passed} checks passed; not declared: ${counted}\n`,
    );
  });
});

/** Runs the suite to its end. It fails where any scenario does, so its results count and not its code. */
async function runSuite(args: readonly string[]): Promise<string> {
  const started = execFile(process.execPath, [MCP_CONFORMANCE ?? '', 'server', ...args]);
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream?.on('data', (part: string) => (output += part));
  await once(started, 'close');
  return output;
}

/** The checks of each scenario: the suite writes a folder for each, whose name ends with the time. */
function readScenarios(folder: string): Map<string, Check[]> {
  return new Map(
    readdirSync(folder).map((name) => [
      name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
      JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
    ]),
  );
}

interface Behind {
  service: string;
  baseUrl: string;
  apiKey: string;
}

/**
 * The service as it is at an address of its own. The suite has no API key, so the front adds one; a page of that address is one of
 * the service, so its Origin becomes that of the service. Everything else passes as it is.
 */
async function startFront(behind: Behind): Promise<Server> {
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, server, behind));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const addressOf = (server: Server) => `http://localhost:${(server.address() as AddressInfo).port}`;

function forward(incoming: IncomingMessage, outgoing: ServerResponse, front: Server, behind: Behind): void {
  const { method, url: path, headers } = incoming;
  const own = headers.origin === addressOf(front) ? { origin: behind.baseUrl } : {};
  const { hostname, port } = new URL(behind.service);
  const sent = { ...headers, ...own, 'x-api-key': behind.apiKey };
  const through = request({ hostname, port, method, path, headers: sent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  through.on('error', () => outgoing.destroy());
  incoming.pipe(through);
}
