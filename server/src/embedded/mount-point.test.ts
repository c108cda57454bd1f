// A mount point is recognised; the journey of a start tests one that has the device of its parent.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isMountPoint } from './mount-point.ts';

it.runIf(process.platform === 'linux')('recognises a mount point, also behind a link, and no other folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mount-'));
  mkdirSync(join(folder, 'plain'));
  symlinkSync('/proc', join(folder, 'link'));
  expect(['/proc', join(folder, 'link'), join(folder, 'plain'), '/proc/self'].map(isMountPoint)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  rmSync(folder, { recursive: true });
});
