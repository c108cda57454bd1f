// `npm run dev`: the server restarting on change and the web app with hot reload, at http://localhost:5173.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { readFlags } from './lib/commands/read-flags.ts';

readFlags(`Usage: npm run dev

  Runs the server, which restarts after a change, and the page with hot reload at http://localhost:5173, until Ctrl+C.`);

const root = join(import.meta.dirname, '..');
const page = 'http://localhost:5173';
const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', WEBHOOK_ALLOW_HTTP: 'true', ...process.env };

const children: ChildProcess[] = [
  // Not main.ts: it would run a bundle of the sources, whose changes `--watch` would not see.
  spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/src/service.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, DEMO: 'true', PUBLIC_BASE_URL: page },
  }),
  spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'dev', '--port', '5173', '--strictPort'], {
    cwd: join(root, 'web'),
    stdio: 'inherit',
    env: { ...env, DEMO: 'true' },
  }),
];

const stop = () => children.forEach((child) => child.kill('SIGTERM'));
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
// When one ends, the other ends too.
for (const child of children) child.on('exit', stop);
