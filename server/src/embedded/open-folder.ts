// Creates a folder of ours that every user can enter.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates `base` and the nested folders `names` in it, with mode 0755 regardless of the umask. Existing ones stay
 * unchanged.
 */
export function makeOpenFolder(base: string, ...names: string[]): string {
  let path = base;
  for (const name of ['', ...names]) {
    path = join(path, name);
    if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o755);
  }
  return path;
}
