// The transport of `npm run submit`: the client's `fetch` over a few kept-alive connections of node:http.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Fetch, HttpAnswer, HttpRequest } from '../../../shared/src/client.ts';

export interface Connections {
  /** Sends one request once. Rejects when no complete response came; any status is a response. */
  readonly fetch: Fetch;
  /** Cuts every connection, also those with a request in flight. */
  close(): void;
}

/** The timeout of one response of the service. */
export const ANSWER_WITHIN_SECONDS = 60;

/**
 * Opens at most `count` connections to the service at `url`, and none before the first request. The signal of a request
 * does not cut it: a person who stops a run still wants the results of the items in flight. Uses node:http, which costs
 * a third of the built-in `fetch` here.
 */
export function openConnections(url: string, count: number): Connections {
  const transport = url.startsWith('https:') ? https : http;
  const agent = new transport.Agent({ keepAlive: true, maxSockets: count });
  return {
    fetch: (address, { method, headers, body = '' }) =>
      new Promise((resolve, reject) => {
        const options = { method, agent, headers: sized(headers, body) };
        const request = transport.request(address, options, (response) => {
          readText(response).then((text) => resolve(answerOf(response, text)), reject);
        });
        const late = `no answer within ${ANSWER_WITHIN_SECONDS} s`;
        request.setTimeout(ANSWER_WITHIN_SECONDS * 1000, () => request.destroy(new Error(late)));
        request.on('error', reject);
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function sized(headers: HttpRequest['headers'], body: string): Record<string, string> {
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response) text += String(part);
  return text;
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, text: string): HttpAnswer {
  const get = (name: string): string | null => headers[name]?.toString() ?? null;
  return { status: statusCode, headers: { get }, text: async () => text };
}
