// What somebody was refused, and who signed in: one line each at info, few enough that no flood fills the log, and every one counted (LG1).
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
  project: 'refused: nothing of theirs',
  key: 'refused: no valid key',
  signature: 'refused: no valid signature',
  sign_in: 'signed in',
  sign_in_refused: 'sign-in refused',
};

/** Who it was and what they asked for: no secret, no payload, no path with a token in it. */
export interface SecurityFields {
  /** The client's network address, as limits count it. */
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
  /** Hears of every event, also of those that leave no line of their own. */
  subscribe(listener: (event: SecurityEvent) => void): void;
}

/** Lines of one kind in a minute: of one address, so that a flood from one hides no other, and of all. */
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
      log.info({ event, more: suppressed }, `${MESSAGES[event]}: more in the last minute, without a line each`);
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
