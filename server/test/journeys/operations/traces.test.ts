// Tests traces: one per item, from its submission to its webhook, at an OTLP collector; none without configuration.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { showLogOnFailure, startTestEnvironment, type TestEnvironment } from '../../test-environment.ts';
import { endRetryWait } from '../resilience/expire-leases.ts';

/** The part that the test reads. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code: number };
}
interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** A collector; `faulty`: it rejects everything. */
async function startCollector() {
  const spans: Span[] = [];
  const paths = new Set<string>();
  let faulty = false;
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      paths.add(request.url ?? '');
      if (!faulty)
        for (const { scopeSpans } of (body as Export).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(faulty ? 500 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    break: () => (faulty = true),
    of: (itemId: string) => spans.filter(({ traceId }) => traceId === itemId.replaceAll('-', '')),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

const SUBMIT = 'POST /api/public/items';

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let receiver: Receiver;
  let testEnv: TestEnvironment;
  showLogOnFailure(() => testEnv);
  beforeAll(async () => {
    collector = await startCollector();
    receiver = await startReceiver();
    testEnv = await startTestEnvironment({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    });
  });
  afterAll(async () => {
    await testEnv.stop();
    await receiver.close();
    await collector.close();
  });

  it('follow an item through every process: its submission, its events, its claims, and each delivery attempt', async () => {
    const project = await openProject(await person(testEnv), { receiver });
    const input = 'What nobody but the reviewer reads';
    receiver.answer = ({ attempt }) => ({ status: attempt === 1 ? 503 : 200 });
    const { id } = await project.pipeline.submit(aSubmission({ input }));
    await review(project.owner, id, 'approve', { process: 1 });
    await receiver.next(id);
    await endRetryWait(testEnv, id);
    await receiver.next(id);
    const names = () => collector.of(id).map(({ name }) => name);
    await expect
      .poll(names)
      .toEqual(
        expect.arrayContaining([
          SUBMIT,
          ...['item.queued', 'item.claimed', 'item.decided', 'item.finalized'],
          ...['POST /api/items/:id/claim', 'POST /api/items/:id/decision'],
          ...['webhook attempt 1', 'webhook attempt 2'],
        ]),
      );
    const once = names().filter((name) => name !== 'delivery.changed');
    expect(once).toHaveLength(new Set(once).size);

    const spans = collector.of(id);
    const first = spans.find(({ name }) => name === 'item.queued');
    expect(first?.parentSpanId ?? '').toBe('');
    for (const span of spans) {
      if (span !== first) expect(span.parentSpanId).toBe(first?.spanId);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    const codeOf = (name: string) => spans.find((span) => span.name === name)?.status.code;
    expect([codeOf('webhook attempt 1'), codeOf('webhook attempt 2')]).toEqual([2, 0]);
    // Payloads are for the reviewer alone.
    expect(JSON.stringify(collector.spans)).not.toContain(input);
    expect([...collector.paths]).toEqual(['/v1/traces']);
  });

  it('are for items: a span without one is not exported', () => {
    const known = /^(item|claim|delivery)\.|items|webhook/;
    expect(collector.spans.filter(({ name }) => !known.test(name))).toEqual([]);
  });

  it('block nothing when the collector rejects them', async () => {
    const project = await openProject(await person(testEnv));
    collector.break();
    const { id } = await project.pipeline.submit(aSubmission());
    expect(await review(project.owner, id)).toMatchObject({ status: 'approved' });
    // The process still stops cleanly, within its time.
    await testEnv.terminate(0);
    await testEnv.restart(0);
  });
});
