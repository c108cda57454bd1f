// Sends the requests of the race: JSON over keep-alive connections, with the same client for every program.
import { type Agent, request } from 'node:http';

export interface Answer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

interface Sent {
  method: string;
  headers?: Record<string, string>;
  /** Sent as JSON, a text as it is. */
  body?: unknown;
}

/** Also an answer that refuses. Throws when none arrives. */
export function send(agent: Agent, url: string, { method, headers = {}, body }: Sent): Promise<Answer> {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const all = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
  const sent = request(url, { method, agent, headers: all }, (response) => {
    let received = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    response.once('end', () =>
      resolve({ status: response.statusCode ?? 0, text: received, headers: response.headers }),
    );
  });
  sent.once('error', reject).end(text);
  return promise;
}

/** The JSON of an answer with a status of 2xx. Throws on any other, with its text. */
export async function ask<T>(agent: Agent, url: string, sent: Sent): Promise<T> {
  const { status, text } = await send(agent, url, sent);
  if (Math.floor(status / 100) !== 2)
    throw new Error(`${sent.method} ${url} was answered with ${status}: ${text.slice(0, 400)}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** `name=value` of the cookies that an answer sets. */
export const cookiesOf = ({ headers }: Answer): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
