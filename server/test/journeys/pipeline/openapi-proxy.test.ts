// Tests the public API through Prism, a proxy that checks requests and responses by the API document.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEvents } from '@countersign/shared/routes/public';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { walkPublicApi, type Step } from '../../public-api-walkthrough.ts';
import { EXIT_WITH_PARENT } from '../../../../scripts/lib/processes/service-process.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

/** The `prism` program of @stoplight/prism-cli. It installs hundreds of packages, so it is no dependency of this repository. */
const { PRISM_CLI } = process.env;

describe.runIf(PRISM_CLI !== undefined)('through Prism (where PRISM_CLI names its program)', () => {
  const testEnv = useSharedTestEnvironment();
  let prism: Proxy;
  let project: OpenProject;
  let itemId: string;

  beforeAll(async () => {
    const owner = await person(testEnv);
    project = await openProject(owner);
    const live = await connectLive(owner);
    itemId = (await project.pipeline.submit(aSubmission())).id;
    await review(owner, itemId, 'edit');
    await live.next('item.finalized', (event) => event.item_id === itemId);
    live.close();
    prism = await startPrism(PRISM_CLI ?? '', testEnv.url());
  });
  afterAll(() => prism.stop());

  it('every response matches the document, which allows every accepted request', async () => {
    const { data } = await project.pipeline.call(listEvents);
    expect(data).toMatchObject([{ item_id: itemId }]);
    const complaints: string[] = [];
    for (const step of (await walkPublicApi(project, itemId)).filter(reachesServer)) {
      const { status, violations } = await prism.send(step);
      const at = `${step.operationId}, ${step.name}`;
      expect(status, at).toBe(step.status);
      const ofAnswer = violations.filter(({ location }) => location[0] === 'response');
      complaints.push(
        ...(status < 400 && !step.invalid ? violations : ofAnswer).map((one) => describeViolation(at, one)),
      );
    }
    expect(complaints).toEqual([]);
  });

  it('the proxy reports what the document does not allow', async () => {
    const steps = await walkPublicApi(project, itemId);
    const faulty = steps.filter(({ name }) => ['two faults', 'an endless wait', 'no items'].includes(name));
    expect(faulty).toHaveLength(4);
    for (const step of faulty) expect((await prism.send(step)).violations, step.name).not.toEqual([]);
  });
});

/** Prism neither answers nor forwards a body that it cannot parse. */
function reachesServer({ body }: Step): boolean {
  try {
    JSON.parse(body ?? 'null');
    return true;
  } catch {
    return false;
  }
}

const describeViolation = (at: string, { location, message }: Violation) => `${at}: ${location.join('/')}: ${message}`;

interface Violation {
  location: string[];
  message: string;
}

interface Proxy {
  /** Sends the step through the proxy: returns the status, and the violations the proxy found. */
  send(step: Step): Promise<{ status: number; violations: Violation[] }>;
  stop(): Promise<void>;
}

/** Starts Prism between a free port and the server, with the document that the server itself returns. */
async function startPrism(program: string, upstream: string): Promise<Proxy> {
  const options = ['proxy', upstream + readOpenApi.path, upstream, '--port', '0', '--cors', 'false'];
  const child = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, program, ...options], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const gone = once(child, 'close');
  const url = await listening(child);
  return {
    send: async ({ method, path, headers, body = null }) => {
      const answer = await fetch(url + path, { method, headers, body });
      await answer.arrayBuffer();
      const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as Violation[];
      return { status: answer.status, violations };
    },
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}

/** The address that Prism prints. Throws its output when it ends before it listens. */
function listening(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const listen = (chunk: string) => {
    output += chunk;
    const [, url] = /listening on (http:\/\/\S+)/.exec(output) ?? [];
    if (url !== undefined) resolve(url);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', listen);
  child.once('close', () => reject(new Error(`Prism ended:\n${output}`)));
  return promise;
}
