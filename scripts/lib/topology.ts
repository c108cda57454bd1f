// The processes of docker-compose.yml without containers: its servers and workers by its own command lines, behind one address.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, imageCommand, readCompose } from './compose.ts';
import { type Front, startFront } from './front.ts';

const ROOT = join(import.meta.dirname, '../..');
/** As `docker-compose.yml`: a process that has not stopped by then is killed. */
const GRACE_MS = 25_000;
const READY_MS = 60_000;
/** The child ends when its parent does, however that ended. */
const WITH_ITS_PARENT = `data:text/javascript,process.on('disconnect',()=>process.exit(1))`;

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
  /** What every process finds in its environment, but for its role. */
  readonly env: Readonly<Record<string, string>>;
  /** One after the other: stopped in order, started again, waited for. `onEach` is told of each that is back. */
  rollingRestart(onEach?: (member: Member) => void): Promise<void>;
  /** Ends all of it in order. Safe to call twice. */
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

/** Starts servers and workers, as many of each as the file says. Errors: one that does not become ready, with what it said. */
export async function startTopology(stores: Stores, { port = 0, env = {}, log }: Options = {}): Promise<Topology> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-topology-'));
  const front = await startFront(port);
  const own = { ...secretsIn(folder, stores), REDIS_URL: stores.redisUrl, PUBLIC_BASE_URL: front.url, ...env };
  const members = plan().map(({ name, environment }) => ({ name, env: { ...environment, ...own } }));
  const running: Member[] = [];
  const stop = async () => {
    await Promise.all(running.splice(0).map(stopMember));
    await front.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const show = () => front.serve(running.flatMap(({ port }) => (port === null ? [] : [`http://127.0.0.1:${port}`])));
  try {
    running.push(...(await Promise.all(members.map((member) => startMember(member, log)))));
  } catch (error) {
    await stop();
    throw error;
  }
  show();
  return {
    url: front.url,
    env: own,
    get members() {
      return [...running];
    },
    rollingRestart: async (onEach) => {
      for (const [index, member] of members.entries()) {
        const old = running[index];
        if (old === undefined) return;
        withdraw(front, running, old);
        await stopMember(old);
        const fresh = await startMember(member, log);
        running[index] = fresh;
        show();
        onEach?.(fresh);
      }
    },
    stop,
  };
}

/** As a proxy that asks for health does: nobody new is sent to a process that is about to stop. */
function withdraw(front: Front, running: readonly Member[], leaving: Member): void {
  const others = running.filter((member) => member !== leaving);
  front.serve(others.flatMap(({ port }) => (port === null ? [] : [`http://127.0.0.1:${port}`])));
}

function plan(): { name: string; environment: Record<string, string> }[] {
  const { services } = readCompose();
  return ['server', 'worker'].flatMap((kind) => {
    const service = services[kind];
    if (service === undefined) throw new Error(`docker-compose.yml has no service ${kind}.`);
    const environment = environmentOf(service, {});
    return Array.from({ length: service.deploy?.replicas ?? 1 }, (_, n) => ({ name: `${kind} ${n + 1}`, environment }));
  });
}

/** The files that a container platform would mount. */
function secretsIn(folder: string, { databaseUrl }: Stores): Record<string, string> {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  return {
    DATABASE_URL_FILE: file('database-url', databaseUrl),
    SECRET_KEYS_FILE: file('secret-keys', `k1:${randomBytes(32).toString('base64')}`),
  };
}

async function startMember(
  { name, env }: { name: string; env: Record<string, string> },
  log: (line: string) => void = () => undefined,
): Promise<Member> {
  const [, ...args] = imageCommand();
  const child = spawn(process.execPath, ['--import', WITH_ITS_PARENT, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return { name, child, port: await portOf(child, (line) => log(`[${name}] ${line}`)) };
}

/** The port it says that it is ready on; null of a worker, which has none. Errors: it ended, or said nothing in time. */
function portOf(child: ChildProcess, log: (line: string) => void): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        log(line);
        said = `${said}${line}\n`.slice(-4000);
        const port = /"port":(\d+).*"msg":"ready"/.exec(line)?.[1];
        if (port !== undefined) resolve(Number(port));
        if (line.endsWith('"msg":"working"}')) resolve(null);
      }
    });
  }
  const timer = setTimeout(() => reject(new Error(`A process did not become ready:\n${said}`)), READY_MS);
  child.once('close', (code, signal) => reject(new Error(`A process ended with ${code ?? signal}:\n${said}`)));
  return promise.finally(() => clearTimeout(timer));
}

async function stopMember({ child }: Member): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone.finally(() => clearTimeout(timer));
}
