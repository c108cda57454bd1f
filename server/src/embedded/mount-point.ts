// Whether a folder is the root of a mounted disk, which can be neither removed nor renamed.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Follows links. On Linux also true for a folder that is mounted from the same disk. */
export function isMountPoint(folder: string): boolean {
  const path = realpathSync(folder);
  if (process.platform === 'linux') return mountPoints().includes(path);
  return statSync(path).dev !== statSync(dirname(path)).dev;
}

const mountPoints = (): string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''));

/** Spaces and backslashes are octal numbers there. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
