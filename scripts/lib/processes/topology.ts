// Runs the servers and workers of docker-compose.yml without containers, behind one address.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, imageCommand, readCompose } from './compose.ts';
import { type FrontProxy, startFrontProxy } from './tcp-proxy.ts';
import { EXIT_WITH_PARENT, whenReady } from './service-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** As `docker-compose.yml`: a process that has not stopped by then is killed. */
const GRACE_MS = 25_000;
const READY_MS = 60_000;

export interface Member {
  /** Such as `server 2`. */
  readonly name: string;
  readonly child: ChildProcess;
  /** Where it answers; null for a worker. */
  readonly port: number | null;
}

export interface Topology {
  /** The one address in front of the servers. */
  readonly url: string;
  readonly members: readonly Member[];
  /** The environment of every process, without its role. */
  readonly env: Readonly<Record<string, string>>;
  /** One after another: stopped, restarted, waited for. `onEach` is called for each that is back. */
  rollingRestart(onEach?: (member: Member) => void): Promise<void>;
  /** Ends all of it cleanly. Safe to call twice. */
  stop(): Promise<void>;
}

interface Stores {
  databaseUrl: string;
  redisUrl: string;
}

interface Options {
  /** Of the proxy; 0 for any. */
  port?: number;
  /** On top of what docker-compose.yml sets. */
  env?: Record<string, string>;
  log?: (line: string) => void;
}

/** Starts servers and workers, as many of each as the file says. Throws the output of one that does not become ready. */
export async function startTopology(stores: Stores, { port = 0, env = {}, log }: Options = {}): Promise<Topology> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-topology-'));
  const frontProxy = await startFrontProxy(port);
  const own = { ...secretsIn(folder, stores), PUBLIC_BASE_URL: frontProxy.url, ...env };
  const plans = plansOf(own);
  const running: Member[] = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map(stopMember));
    await frontProxy.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const starting = plans.map((plan) => startMember(plan, log));
  const started = await Promise.allSettled(starting);
  running.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  // The first that failed has the reason.
  if (running.length < plans.length) await stop().then(() => Promise.all(starting));
  sendTo(frontProxy, running);
  return {
    url: frontProxy.url,
    env: own,
    get members() {
      return [...running];
    },
    rollingRestart: async (onEach) => {
      for (const [index, plan] of plans.entries()) {
        await restart(running, index, { frontProxy, start: () => startMember(plan, log) });
        onEach?.(running[index]!);
      }
    },
    stop,
  };
}

/** Replaces a process with a fresh one, after stopping it. */
async function restart(
  running: Member[],
  index: number,
  { frontProxy, start }: { frontProxy: FrontProxy; start: () => Promise<Member> },
): Promise<void> {
  // Like a proxy with health checks: no new connection goes to a process that is about to stop.
  sendTo(frontProxy, running.toSpliced(index, 1));
  await stopMember(running[index]!);
  running[index] = await start();
  sendTo(frontProxy, running);
}

/** Connections go to these from now on. */
function sendTo(frontProxy: FrontProxy, members: readonly Member[]): void {
  frontProxy.serve(members.flatMap(({ port }) => (port === null ? [] : [`http://127.0.0.1:${port}`])));
}

interface Plan {
  name: string;
  env: Record<string, string>;
}

/** One for each server and worker of the file, with `own` on top of what it sets. */
function plansOf(own: Record<string, string>): Plan[] {
  const { services } = readCompose();
  return ['server', 'worker'].flatMap((kind) => {
    const service = services[kind];
    if (service === undefined) throw new Error(`docker-compose.yml has no service ${kind}.`);
    const env = { ...environmentOf(service, {}), ...own };
    return Array.from({ length: service.deploy?.replicas ?? 1 }, (_, n) => ({ name: `${kind} ${n + 1}`, env }));
  });
}

/** The files that a container platform would mount. */
function secretsIn(folder: string, { databaseUrl, redisUrl }: Stores): Record<string, string> {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  return {
    DATABASE_URL_FILE: file('database-url', databaseUrl),
    REDIS_URL_FILE: file('redis-url', redisUrl),
    SECRET_KEYS_FILE: file('secret-keys', `k1:${randomBytes(32).toString('base64')}`),
  };
}

async function startMember({ name, env }: Plan, log: (line: string) => void = () => undefined): Promise<Member> {
  const [, ...args] = imageCommand();
  const child = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return {
    name,
    child,
    port: await whenReady(child, { within: READY_MS, onLine: (line) => log(`[${name}] ${line}`) }),
  };
}

async function stopMember({ child }: Member): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone.finally(() => clearTimeout(timer));
}
