// Logs refusals and sign-ins at info, limited so that no flood fills the log, and counts every one of them (LG1).
import type { Logger } from 'pino';

export const SECURITY_EVENTS = [
  'origin',
  'session',
  'role',
  'project',
  'key',
  'signature',
  'sign_in',
  'sign_in_refused',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

const MESSAGES: Record<SecurityEvent, string> = {
  origin: 'refused: another origin',
  session: 'refused: no session',
  role: 'refused: not allowed',
  project: 'refused: not a member of the project',
  key: 'refused: no valid key',
  signature: 'refused: no valid signature',
  sign_in: 'signed in',
  sign_in_refused: 'sign-in refused',
};

/** Who it was and what they requested: no secret, no payload, no path with a token in it. */
export interface SecurityFields {
  /** The client's network address, as rate limits count it. */
  address?: string | undefined;
  method?: string;
  path?: string;
  code?: string;
  user?: string;
  key?: string;
  challenge?: string;
  request_id?: string;
}

export interface SecurityLog {
  note(event: SecurityEvent, fields: SecurityFields): void;
  /** The listener is called for every event, also for those that are not logged. */
  subscribe(listener: (event: SecurityEvent) => void): void;
}

/** The maximum number of lines of one kind in a minute: per address, so that one flood hides no other, and in all. */
export const MOST_OF_ADDRESS = 5;
export const MOST_LINES = 60;
export const WINDOW_MS = 60_000;

interface Window {
  lines: number;
  suppressed: number;
  byAddress: Map<string, number>;
}

export function createSecurityLog(log: Pick<Logger, 'info'>): SecurityLog {
  const windows = new Map<SecurityEvent, Window>();
  const listeners: ((event: SecurityEvent) => void)[] = [];
  const close = (event: SecurityEvent, { suppressed }: Window) => {
    windows.delete(event);
    if (suppressed > 0)
      log.info({ event, more: suppressed }, `${MESSAGES[event]}: further events of the last minute were not logged`);
  };
  const open = (event: SecurityEvent): Window => {
    const made: Window = { lines: 0, suppressed: 0, byAddress: new Map() };
    windows.set(event, made);
    setTimeout(() => close(event, made), WINDOW_MS).unref();
    return made;
  };
  return {
    subscribe: (listener) => void listeners.push(listener),
    note: (event, fields) => {
      for (const listener of listeners) listener(event);
      const window = windows.get(event) ?? open(event);
      const address = fields.address ?? '';
      const own = window.byAddress.get(address) ?? 0;
      if (own >= MOST_OF_ADDRESS || window.lines >= MOST_LINES) {
        window.suppressed += 1;
        return;
      }
      window.byAddress.set(address, own + 1);
      window.lines += 1;
      log.info({ event, ...fields }, MESSAGES[event]);
    },
  };
}
