// Sign-In With Solana and the session (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { personName } from './parts/person-name.ts';
import { abilitiesTo } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

/** The sign-in input that a wallet signs (Wallet Standard `SolanaSignInInput`, with all members set by the server). */
export const signInInput = z.object({
  domain: z.string(),
  uri: z.string(),
  statement: z.string(),
  version: z.literal('1'),
  chainId: z.string(),
  nonce: z.string(),
  issuedAt: z.string(),
  expirationTime: z.string(),
});
export type SignInInput = z.infer<typeof signInInput>;

export const user = z.object({ id: uuid, address: z.string(), name: z.string().nullable() });
export type User = z.infer<typeof user>;

const position = z.object({ project_id: uuid, seq: z.int().min(0) });

/** The signed-in user and their general permissions; each object carries its own abilities (PM7). */
export const session = z
  .object({
    user,
    expires_at: timestamp,
    /** Open membership offers exist (PM5), so the page can show them from the start. */
    offered: z.boolean(),
    /**
     * The position of the event log of each of the user's projects; null for a user of very many. Read before anything else of a
     * page: sockets that start from the same positions have missed nothing of what it read since (QU4).
     */
    positions: z.array(position).nullable(),
    abilities: abilitiesTo('create_project'),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof session>;

export const challenge = endpointSchemas({
  auth: 'none',
  summary: 'Request a sign-in message; it is valid once, for five minutes, in this browser',
  body: z.strictObject({}).optional(),
  reply: z.object({ challenge_id: uuid, input: signInInput }),
});

export const verify = endpointSchemas({
  auth: 'none',
  summary: 'Submit the signed message and start a session',
  body: z.strictObject({
    challenge_id: z.string().max(64),
    address: z.string().max(64),
    /** The signed bytes, base64. */
    signed_message: z.string().max(4096),
    /** The Ed25519 signature, base64 of 64 bytes. */
    signature: z.string().max(128),
  }),
  reply: session,
});

export const readSession = endpointSchemas({
  auth: 'session',
  summary: 'The signed-in user',
  reply: session,
});

export const endSession = endpointSchemas({
  auth: 'session',
  summary: 'Sign out',
  status: 204,
});

/** A browser session. `device` is derived from its user agent at sign-in, such as "Firefox on Linux". */
export const ownSession = z
  .object({
    id: uuid,
    device: z.string().max(80).nullable(),
    created_at: timestamp,
    last_seen_at: timestamp,
    expires_at: timestamp,
    /** The session of this request. */
    current: z.boolean(),
    abilities: abilitiesTo('end'),
  })
  .meta({ id: 'OwnSession' });
export type OwnSession = z.infer<typeof ownSession>;

export const listSessions = endpointSchemas({
  auth: 'session',
  summary: 'Your sessions, most recently used first, at most 100',
  reply: z.object({ data: z.array(ownSession), next_cursor: z.string().nullable() }),
});

export const endOneSession = endpointSchemas({
  auth: 'session',
  summary: 'End one of your sessions and close its live connections immediately',
  status: 204,
  params: z.object({ id: uuid }),
});

export const endOtherSessions = endpointSchemas({
  auth: 'session',
  summary: 'End all of your sessions except this one, the unlisted ones too',
  status: 204,
});

/** Personal settings of a user. */
export const account = z
  .object({
    /** Their name in every project (PM4); null shows the shortened address. */
    name: z.string().nullable(),
    /** People who already share a project may add the user to another one directly, but not as an owner (PM6). */
    direct_adding: z.boolean(),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof account>;

export const readAccount = endpointSchemas({
  auth: 'session',
  summary: 'Your own settings',
  reply: account,
});

export const changeAccount = endpointSchemas({
  auth: 'session',
  summary: 'Change your own settings',
  body: z.strictObject({
    name: personName.nullable().optional(),
    direct_adding: account.shape.direct_adding.optional(),
  }),
  reply: account,
});

/** What the page needs before anyone is signed in. */
export const readMeta = endpointSchemas({
  auth: 'none',
  summary: 'The base URL of this service, and whether it runs as a demo',
  reply: z.object({ base_url: z.string(), demo: z.boolean() }),
});
