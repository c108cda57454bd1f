// The decision object, as docs/spec/items.md#decision defines it, from a stored row.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decision as schema } from '@countersign/shared/schemas/parts/decision';
import { jsonText } from '@countersign/shared/json/json';
import { toDecision, type DecisionRow } from './decision.ts';

const ROW: DecisionRow = {
  id: '0197f1a0-0000-7000-8000-000000000001',
  status: 'approved',
  action: 'edit',
  output: '{"b":1.50,"a":"\\u00e9"}',
  edited: true,
  reason: 'Wrong fact',
  note: 'See page 2',
  reviewerId: '0197f1a0-0000-7000-8000-000000000002',
  decidedAt: new Date('2026-03-01T12:00:00.120Z'),
};

describe('the decision object', () => {
  it('has the members of docs/spec/items.md#decision, in their order, with the output as stored (I7)', () => {
    expect(jsonText(toDecision(ROW))).toBe(
      '{"id":"0197f1a0-0000-7000-8000-000000000001","status":"approved","action":"edit","output":{"b":1.50,"a":"\\u00e9"},' +
        '"edited":true,"reason":"Wrong fact","note":"See page 2","reviewer_id":"0197f1a0-0000-7000-8000-000000000002",' +
        '"decided_at":"2026-03-01T12:00:00.120Z"}',
    );
  });

  it.each([null, undefined])('%s columns become null members, and no member is missing', (nothing) => {
    const row = { ...ROW, output: nothing, reason: nothing, note: nothing, reviewerId: nothing };
    expect(toDecision(row)).toEqual({
      id: ROW.id,
      status: 'approved',
      action: 'edit',
      output: null,
      edited: true,
      reason: null,
      note: null,
      reviewer_id: null,
      decided_at: '2026-03-01T12:00:00.120Z',
    });
  });

  it('an approved null, false, 0 or empty text is an output, not the lack of one', () => {
    for (const output of ['null', 'false', '0', '""']) {
      expect(jsonText(toDecision({ ...ROW, output }))).toContain(`"output":${output},`);
    }
  });

  it('exposes no other member of the row', () => {
    const row = { ...ROW, finalAt: new Date(), undoUntil: new Date(), projectId: 'p' };
    expect(Object.keys(toDecision(row))).toHaveLength(9);
  });

  it('by property: when parsed it satisfies the contract, and the output is the text that was stored', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 2 }), (text, spaces) => {
        const output = JSON.stringify(JSON.parse(text), null, spaces);
        const written = jsonText(toDecision({ ...ROW, output }));
        expect(schema.parse(JSON.parse(written)).id).toBe(ROW.id);
        expect(written).toContain(`"output":${output},"edited"`);
      }),
    );
  });
});
