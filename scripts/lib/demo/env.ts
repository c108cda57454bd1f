// The demo's environment: its address, its data folder, and what it may connect to.
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The demo's defaults, where the caller sets nothing; `DEMO` is always set. */
export function demoEnv(caller: NodeJS.ProcessEnv, root: string): NodeJS.ProcessEnv {
  const defaults = {
    PORT: '3000',
    DATA_DIR: join(root, '.data'),
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const chosen = Object.entries(caller).filter(([, value]) => value !== undefined && value !== '');
  return { ...defaults, ...Object.fromEntries(chosen), DEMO: 'true' };
}

/** Whether new projects get a history of three weeks: unless DEMO_HISTORY is `false`, which tests and benches set. */
export const wantsHistory = (env: NodeJS.ProcessEnv): boolean => env['DEMO_HISTORY'] !== 'false';

/** As the service reads it: without the brackets that an IPv6 address has in a URL. */
const hostOf = (env: NodeJS.ProcessEnv): string => (env['HOST'] ?? '127.0.0.1').trim().replace(/^\[(.*)\]$/, '$1');

/** Where the service listens, as a program on this machine reaches it: the page's address may be another. */
export function localAddress(env: NodeJS.ProcessEnv): string {
  const host = hostOf(env);
  const everywhere = ['0.0.0.0', '::', '::ffff:0.0.0.0'].includes(host);
  const reachable = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${reachable}:${env['PORT']}`;
}

/** The receiver's port: the one after the service's, so that a delivery from before a restart still finds it; 0 for any. */
export function receiverPort(env: NodeJS.ProcessEnv): number {
  const port = Number(env['PORT']) + 1;
  return Number.isInteger(port) && port > 1 && port <= 65_535 ? port : 0;
}

/** Null when the port can be used (or is not a port: the service says so itself), else one sentence on what to do. */
export async function portFault(env: NodeJS.ProcessEnv): Promise<string | null> {
  const port = Number(env['PORT']);
  if (port === 0) return 'The demo needs a port that it can name: PORT=3000 npm run demo';
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const code = await tryToListen(port, hostOf(env));
  if (code === null) return null;
  const other = port < 65_000 ? port + 100 : port - 100;
  const why = code === 'EACCES' ? 'needs special rights' : 'is in use by another program';
  return `Port ${port} ${why}. Choose another one: PORT=${other} npm run demo`;
}

function tryToListen(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' || error.code === 'EACCES' ? error.code : null);
    });
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}
