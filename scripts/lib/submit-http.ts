// The transport of `npm run submit`: one POST per item over a few kept-alive connections (node:http costs a third of fetch here).
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { submitItem } from '../../shared/src/api/public.ts';
import type { Ready } from './submit-line.ts';

/** Where items go. `url` is the service's base address without a slash at its end. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** A header's value by lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

export interface Poster {
  /** Sends one item once. Rejects when no whole answer came; an answer of any status is one. */
  post(item: Ready): Promise<HttpAnswer>;
  /** Cuts every connection, also those with a request in flight. */
  close(): void;
}

const ANSWER_WITHIN_MS = 60_000;

/** Opens at most `connections` connections to the target, and none before the first post. */
export function openPoster(target: Target, connections: number): Poster {
  const url = new URL(target.url + submitItem.path);
  const transport = url.protocol === 'https:' ? https : http;
  const agent = new transport.Agent({ keepAlive: true, maxSockets: connections });
  return {
    post: (item) =>
      new Promise((resolve, reject) => {
        const options = { method: submitItem.method, agent, headers: headersOf(item, target.apiKey) };
        const request = transport.request(url, options, (response) => {
          readText(response).then((text) => resolve(answerOf(response, text)), reject);
        });
        request.setTimeout(ANSWER_WITHIN_MS, () => request.destroy(new Error('no answer within 60 s')));
        request.on('error', reject);
        request.end(item.body);
      }),
    close: () => agent.destroy(),
  };
}

function headersOf(item: Ready, apiKey: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(item.body)),
    'x-api-key': apiKey,
    'idempotency-key': item.key,
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, text: string): HttpAnswer {
  return { status: statusCode, header: (name) => headers[name]?.toString(), text };
}
