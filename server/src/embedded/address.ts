// Where the embedded PostgreSQL listens: on a Unix socket in a private folder, or on loopback with a password.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { Settings } from './settings.ts';

export const USER = 'countersign';
const DATABASE = 'postgres';
const SOCKET_PORT = '5432';

export interface Address {
  readonly url: string;
  readonly settings: Settings;
  /** The content of pg_hba.conf. */
  readonly hba: string;
  /** The password of the role, if one is required. */
  readonly password?: string;
}

/** A socket in `folder`, which no other user can enter. That is all the protection it has and needs. */
export const socketIn = (folder: string): Address => ({
  url: socketUrl(folder),
  settings: {
    listen_addresses: '',
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    port: SOCKET_PORT,
  },
  hba: 'local all all trust\n',
});

/** The URL of the socket in `folder`. */
export const socketUrl = (folder: string): string => `postgres://${USER}@${encodeURIComponent(folder)}/${DATABASE}`;

/** A free port of 127.0.0.1, and a password that only this process knows. */
export async function onLoopback(): Promise<Address> {
  const password = randomBytes(24).toString('hex');
  const port = await freePort();
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    settings: { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) },
    hba: 'host all all 127.0.0.1/32 scram-sha-256\n',
    password,
  };
}

/** A port of 127.0.0.1 on which nothing listens now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system assigned no port.');
  return address.port;
}
