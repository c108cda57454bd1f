// Which parts of a path may be logged.
import { expect, it } from 'vitest';
import { logPath } from './log-path.ts';

it.each([
  ['/api/invites/q83JAbc_-0/accept', '/api/invites/…/accept'],
  ['/invites/q83JAbc_-0', '/invites/…'],
  ['/API/Invites/q83JAbc_-0/accept', '/API/Invites/…/accept'],
  ['/api/projects/0197f1a0/invites/0197f1a1', '/api/projects/0197f1a0/invites/0197f1a1'],
  ['/invites/', '/invites/'],
  ['/queue', '/queue'],
])('PM3: %s is logged as %s', (path, logged) => expect(logPath(path)).toBe(logged));
