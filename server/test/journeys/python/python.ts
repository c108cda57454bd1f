// Runs Python programs against a test environment, and does for them what people and operators do.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { OpenProject } from '../../builders.ts';
import { type Forwarder, startForwarder } from '../../forwarder.ts';
import { setDeadlineClock } from '../../integration/support/deadline-clock.ts';
import { SHARED_BYTECODE } from '../../python-bytecode.ts';
import type { TestEnvironment } from '../../test-environment.ts';

/** The `python` of an environment with the package of sdk/python and what its tests need: `.ci/run` makes one. */
export const PYTHON = process.env.PYTHON_SDK;

const SDK = join(import.meta.dirname, '../../../../sdk');
const PACKAGE = join(SDK, 'python');
const MCP_PROGRAM = join(SDK, 'mcp/src/main.ts');

type DecisionBody = Omit<NonNullable<(typeof decideItem)['types']>['body'], 'fence'>;

/** The service at one address, which outlives restarts of its process, with the means that no client has. */
export interface Stage {
  /**
   * What a client reads its configuration from, `CONTROL_URL`: where the tests ask for decisions and restarts, and
   * `MCP_COMMAND`: what starts `countersign-mcp`, as JSON.
   */
  readonly env: Record<string, string>;
  /** SIGKILL to the process, and a start of the next one. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

/** What a Python test asks for, as the body of a request to `CONTROL_URL`. */
type Order =
  | { do: 'restart' }
  | { do: 'set deadline clock'; seconds_ahead: number }
  | { do: 'decide'; item_id: string; decision: DecisionBody };

export async function setStage(testEnv: TestEnvironment, project: OpenProject): Promise<Stage> {
  const front: Forwarder = await startForwarder('http');
  front.target(testEnv.url());
  const killAndRestart = async () => {
    await testEnv.kill9(0);
    front.target(null);
    await testEnv.restart(0);
    front.target(testEnv.url());
  };
  const carryOut = async (order: Order) => {
    if (order.do === 'restart') return killAndRestart();
    if (order.do === 'set deadline clock') return setDeadlineClock(testEnv, order.seconds_ahead);
    const params = { id: order.item_id };
    const { fence } = await project.owner.call(claimItem, { params });
    await project.owner.call(decideItem, { params, body: { fence, ...order.decision } });
  };
  const server = createServer((request, response) => void answer(request, response, carryOut));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: {
      COUNTERSIGN_URL: front.url,
      COUNTERSIGN_API_KEY: project.pipeline.apiKey,
      COUNTERSIGN_PROJECT_ID: project.id,
      MCP_COMMAND: JSON.stringify([process.execPath, MCP_PROGRAM]),
      CONTROL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    killAndRestart,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await front.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, carryOut: (order: Order) => Promise<void>) {
  try {
    await carryOut(JSON.parse(await text(request)) as Order);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

export type PythonProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a Python program in the folder of the package, with only this environment. */
export function startPython(args: readonly string[], env: Record<string, string>, python = PYTHON): PythonProcess {
  const { PATH = '' } = process.env;
  const own = { PATH, ...SHARED_BYTECODE, PYTHONUNBUFFERED: '1', PYTHONUTF8: '1' };
  return spawn(python ?? '', args, { cwd: PACKAGE, env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a Python program to its end; its output, errors included. The signal kills it. */
export async function runPython(
  args: readonly string[],
  env: Record<string, string>,
  { signal, python }: { signal: AbortSignal; python?: string | undefined },
) {
  const child = startPython(args, env, python);
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0], output: out + err };
}
