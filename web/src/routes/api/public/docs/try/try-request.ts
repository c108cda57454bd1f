// A request of “Try it”: built from the form, sent to this server, and its response.
import type { ShownOperation, ShownParameter } from '../document/document.ts';

/** The content of the form: parameters by {@link fieldKey}, and the body as typed. */
export interface Draft {
  values: Record<string, string>;
  body: string;
}

export interface Outgoing {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface Incoming {
  status: number;
  statusText: string;
  /** The relevant ones, in a fixed order. */
  headers: [name: string, value: string][];
  body: string;
  milliseconds: number;
}

const TELLING = [
  'content-type',
  'x-request-id',
  'idempotent-replayed',
  'preference-applied',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
];

/** The form's key of a parameter: the same name may be in the path and in the query. */
export const fieldKey = ({ place, name }: ShownParameter): string => `${place}:${name}`;

/** The required parameters that are empty. */
export function missing(operation: ShownOperation, draft: Draft): ShownParameter[] {
  return operation.parameters.filter((one) => one.required && valueOf(draft, one) === '');
}

const valueOf = (draft: Draft, parameter: ShownParameter): string => draft.values[fieldKey(parameter)]?.trim() ?? '';

/** The request as it would be sent; empty parameters are omitted. */
export function requestOf(operation: ShownOperation, draft: Draft, key: string): Outgoing {
  const given = operation.parameters
    .map((one) => ({ place: one.place, name: one.name, value: valueOf(draft, one) }))
    .filter(({ value }) => value !== '');
  const at = (place: ShownParameter['place']) => given.filter((one) => one.place === place);
  const filled = at('path').reduce(
    (path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  );
  const query = new URLSearchParams(at('query').map(({ name, value }): [string, string] => [name, value]));
  const headers = Object.fromEntries(at('header').map(({ name, value }) => [name, value]));
  if (operation.auth === 'key' && key !== '') headers['x-api-key'] = key;
  if (operation.body !== null) headers['content-type'] = 'application/json';
  return {
    method: operation.method,
    path: query.size === 0 ? filled : `${filled}?${query}`,
    headers,
    body: operation.body === null ? null : draft.body,
  };
}

/** False when a header contains what browsers refuse to send: a control character, or a character beyond Latin-1. */
export const canBeSent = ({ headers }: Outgoing): boolean =>
  Object.values(headers).every((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value));

/** Sends without cookies. Errors: the signal's reason when it fires, a TypeError when no answer arrives. */
export async function send(request: Outgoing, signal: AbortSignal): Promise<Incoming> {
  const { method, path, headers, body } = request;
  const startedAt = performance.now();
  const init: RequestInit = { method, headers, credentials: 'omit', cache: 'no-store', signal };
  const answer = await fetch(path, body === null ? init : { ...init, body });
  const text = await answer.text();
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: TELLING.flatMap((name): [string, string][] => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
    body: text,
    milliseconds: Math.round(performance.now() - startedAt),
  };
}

/** The same request as a command. The key stays in the environment, so that it is in no history and no chat. */
export function curlOf({ method, path, headers, body }: Outgoing, baseUrl: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(headers).map(([name, value]) =>
    name === 'x-api-key' ? '-H "x-api-key: $COUNTERSIGN_API_KEY"' : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const methodOption = method === (body === null ? 'GET' : 'POST') ? '' : ` -X ${method}`;
  const data = body === null ? [] : [`-d ${quoted(body)}`];
  return [`curl -sS${methodOption} ${quoted(baseUrl + path)}`, ...lines, ...data].join(' \\\n  ');
}
