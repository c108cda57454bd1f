// The preview of an item: what is sent, how refusals are placed, and that a late answer replaces no newer one.
import { jsonText } from '@countersign/shared/json/json';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ItemPreview } from './item-preview.svelte.ts';
import { itemShapes } from './item-shapes.ts';

const ID = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
const HEADERS = { 'content-type': 'application/json' };
const shown = (status: string) => new Response(jsonText({ status }), { headers: HEADERS });
const refused = (code: string, errors: object[] = []) =>
  new Response(jsonText({ code, status: 422, detail: 'Change it.', errors }), { status: 422, headers: HEADERS });

let sent: { url: string; body: unknown }[];
let answers: (() => Response | Promise<Response>)[];

beforeEach(() => {
  [sent, answers] = [[], []];
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
    sent.push({ url, body });
    return answers.shift()?.() ?? new Response('', { status: 503 });
  });
});
afterEach(() => vi.unstubAllGlobals());

function typed(text: string): ItemPreview {
  const item = new ItemPreview(ID);
  item.type(text);
  return item;
}

describe('PV1: the preview of an item', () => {
  it('sends the item as it is written, and shows what comes back', async () => {
    answers = [() => shown('queued')];
    const item = typed('{"input": 1, "suggestion": 1.50, "confidence": 0.5}');
    await item.run();
    expect(sent).toEqual([
      { url: `/api/projects/${ID}/preview`, body: '{"input":1,"suggestion":1.50,"confidence":0.5}' },
    ]);
    expect(item.outcome).toMatchObject({ kind: 'shown', preview: { status: 'queued' } });
    expect(item.stale).toBe(false);
    item.type('{}');
    expect(item.stale).toBe(true);
  });

  it('says where a text is no JSON, and sends nothing', async () => {
    const item = typed('{"input": 1,}');
    await item.run();
    expect(sent).toEqual([]);
    expect(item.outcome).toMatchObject({ kind: 'refused', faults: [{ pointer: null, place: '' }] });
  });

  it('takes a plain text as the suggestion, and says so', async () => {
    answers = [() => shown('queued'), () => shown('queued')];
    const item = typed('  Yes, within "60" days.\n');
    await item.run();
    const body = '{"input":null,"suggestion":"Yes, within \\"60\\" days.","confidence":0.5}';
    expect(sent).toEqual([{ url: `/api/projects/${ID}/preview`, body }]);
    expect(item.outcome).toMatchObject({ kind: 'shown', fromText: true });
    item.type('{"input": 1, "suggestion": 2, "confidence": 1}');
    await item.run();
    expect(item.outcome).toMatchObject({ kind: 'shown', fromText: false });
  });

  it.each(['{"input": 1', '[1,', '"half'])('does not take the broken JSON %s for a text', async (broken) => {
    const item = typed(broken);
    await item.run();
    expect([sent, item.outcome?.kind]).toEqual([[], 'refused']);
  });

  it('places each refusal at its member, and keeps one without a place as a sentence', async () => {
    answers = [
      () =>
        refused('validation_failed', [
          { pointer: '#/answer_schema/properties/a%20b', code: 'x', detail: 'No such type.' },
        ]),
      () => refused('payload_too_large'),
    ];
    const item = typed('{}');
    await item.run();
    const faults = [
      { pointer: '/answer_schema/properties/a b', place: 'answer_schema › properties › a b', message: 'No such type.' },
    ];
    expect(item.outcome).toMatchObject({ kind: 'refused', faults });
    await item.run();
    expect(item.outcome).toMatchObject({ faults: [{ pointer: null, place: '', message: 'Change it.' }] });
    expect(item.error).toBeNull();
  });

  it('keeps a failure apart from a refusal, and the text', async () => {
    const item = typed('{}');
    await item.run();
    expect([item.outcome, item.text]).toEqual([null, '{}']);
    expect(item.error).toMatchObject({ status: 503 });
  });

  it('ignores the answer to an older press', async () => {
    const first = Promise.withResolvers<Response>();
    answers = [() => first.promise, () => shown('escalated')];
    const item = typed('{}');
    const older = item.run();
    await item.run();
    first.resolve(shown('queued'));
    await older;
    expect(item.outcome).toMatchObject({ preview: { status: 'escalated' } });
    expect(item.running).toBe(false);
  });

  it('has a name of its own for each shape, whose text is JSON', () => {
    expect(new Set(itemShapes.map(({ name }) => name)).size).toBe(itemShapes.length);
    for (const { text } of itemShapes) expect(JSON.parse(text)).toHaveProperty('confidence');
  });
});
