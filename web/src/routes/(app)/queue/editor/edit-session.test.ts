// An edit session changes only what was typed, coexists with another tab's draft, and asks for a reason.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { flatFields } from '#lib/form/fields.ts';
import { withLf } from '#lib/format/line-endings.ts';
import { FakeStorage } from '#lib/storage/storage.fixture.ts';
import { parseJson } from '#lib/values/json/lossless.ts';
import { jsonText, type Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { schemasWithValues } from '@countersign/shared/json-schema/json-schema.fixture';
import { answerFormOf } from './answer-form-of.ts';
import { validateEdit } from './edit-validation.ts';
import { DecisionSender } from '../session/review-requests.ts';
import { provideValidator, EditSession } from './edit-session.svelte.ts';

type SenderParts = ConstructorParameters<typeof DecisionSender>[0];
provideValidator(validateEdit);

const SPELLINGS = ['1.0', '1e2', '0.12345678901234567890', '-0', '7', '9007199254740991'];

describe('QU30: the note of an edit', () => {
  it('is never cut: one that is too long keeps the edit from being sent', () => {
    const edit = new EditSession(new Drafts('me', null), { id: 'i1', suggestion: 'Yes.' });
    edit.write('No.');
    edit.note = 'n'.repeat(4001);
    expect([edit.submission(), edit.noteBlocks, edit.blockedCount]).toEqual([null, true, 1]);
    expect(edit.fault).toBe('Note: 1 character too long. The limit is 4,000 characters.');
    edit.note = ` ${'n'.repeat(4000)} `;
    // Only the reason is missing now.
    expect([edit.submission(), edit.noteBlocks, edit.needsReason]).toEqual([null, false, true]);
    edit.reason = 'Wrong';
    expect(edit.submission()).toMatchObject({ output: 'No.', note: 'n'.repeat(4000) });
  });
});

describe('TS2: an edit from a recovered draft', () => {
  it('is sent only where its answer satisfies the schema', () => {
    const typed = schemasWithValues.chain(({ schema, values }) =>
      fc.record({
        schema: fc.constant(schema),
        suggestion: fc.constantFrom(...values, null),
        text: fc.oneof(
          fc.constantFrom(...values).map((value) => JSON.stringify(value)),
          fc.json({ maxDepth: 2 }),
          fc.string({ maxLength: 8 }),
        ),
      }),
    );
    fc.assert(
      fc.property(typed, ({ schema, suggestion, text }) => {
        const [storage, item] = [new FakeStorage(), { id: 'i1', suggestion, answer_schema: schema }];
        const draft = { text, json: true, note: '', reason: 'Wrong', savedAt: '2026-11-27T08:00:00.000Z' } as const;
        new Drafts('me', storage).save('i1', draft);
        const edit = new EditSession(new Drafts('me', storage), item);
        const compiled = compileSchema(jsonText(schema));
        const output = edit.submission()?.output;
        if (!compiled.ok || output === undefined) return;
        expect([edit.text, validate(compiled.schema, exactJson(jsonText(output)))]).toEqual([text, []]);
      }),
    );
  });
});

describe('QU18: an edit', () => {
  const END = fc.constantFrom('\r\n', '\n', '\r');
  const text = fc
    .array(fc.tuple(fc.string({ unit: fc.constantFrom('a', '"', '\\', 'é'), maxLength: 3 }), END), { maxLength: 6 })
    .map((lines) => lines.map(([line, end]) => line + end).join('') + 'the last');
  const open = (suggestion: Json) => {
    const drafts = new Drafts('me', null);
    return { drafts, edit: new EditSession(drafts, { id: 'i1', suggestion }) };
  };

  it('is none when the typed text was reverted, and leaves no draft', () => {
    fc.assert(
      fc.property(text, (suggestion) => {
        const { drafts, edit } = open(suggestion);
        edit.write(`${edit.shown}x`);
        expect(edit.text).toBe(`${suggestion}x`);
        edit.save();
        expect(drafts.read('i1')?.text).toBe(`${suggestion}x`);
        edit.write(edit.shown.slice(0, -1));
        edit.save();
        expect([edit.text, drafts.read('i1'), edit.submission()]).toEqual([suggestion, null, null]);
        expect(edit.fault).toContain('No changes yet');
      }),
    );
  });

  it('of a field preserves every other character, and its own line endings', () => {
    const numbers = fc.constantFrom(...SPELLINGS);
    fc.assert(
      fc.property(text, text, numbers, (one, other, number) => {
        const source = `{"one":${JSON.stringify(one)},"n":${number},"other":${JSON.stringify(other)}}`;
        const { edit } = open(parseJson(source));
        edit.reason = 'Wrong';
        edit.type(0, withLf(`${one}x`));
        const words = edit.submission();
        expect(jsonText(words?.output)).toBe(source.replace(JSON.stringify(one), () => JSON.stringify(`${one}x`)));
        edit.type(0, withLf(one));
        expect([edit.text, edit.submission()]).toEqual([edit.original, null]);
      }),
    );
  });

  it('continues with a draft whose line endings an earlier version lost', () => {
    const drafts = new Drafts('me', null);
    drafts.save('i1', { text: 'a\nbX\nc', note: '', reason: null, savedAt: new Date(0).toISOString() });
    expect(new EditSession(drafts, { id: 'i1', suggestion: 'a\r\nb\r\nc' }).text).toBe('a\r\nbX\r\nc');
  });
});

describe('QU19: two drafts of an item', () => {
  it('are both available: switching to one leaves the other, until it is discarded', () => {
    const store = new FakeStorage();
    const page = (name: string) =>
      new Drafts('me', store, {
        page: name,
        tab: name,
        pages: { isClosed: () => false, whenClosed: () => undefined },
      });
    const open = (drafts: Drafts) => new EditSession(drafts, { id: 'i1', suggestion: 'as suggested' });
    const one = open(page('one'));
    const two = open(page('two'));
    for (const [edit, text] of [
      [one, 'first'],
      [two, 'second'],
    ] as const) {
      edit.write(text);
      edit.save();
    }
    one.refreshOtherDrafts();
    expect([one.text, one.others.map(({ value }) => value.text)]).toEqual(['first', ['second']]);
    one.turnToDraft(one.others[0]?.key ?? '');
    expect([one.text, one.others.map(({ value }) => value.text)]).toEqual(['second', ['first']]);
    one.write('second, mixed');
    one.save();
    two.refreshOtherDrafts();
    expect([two.text, two.others.map(({ value }) => value.text).sort()]).toEqual([
      'second',
      ['first', 'second, mixed'],
    ]);
    for (const { key } of two.others) two.forget(key);
    expect([two.others, store.length]).toEqual([[], 1]);
  });
});

describe('QU14: an edit without a reason', () => {
  it('asks for the reason once nothing else blocks it, until something is typed', () => {
    const edit = new EditSession(new Drafts('me', null), { id: 'i1', suggestion: { a: 1, b: [1] } });
    edit.write('{"a":');
    expect([edit.submission(), edit.needsReason, edit.blockedCount]).toEqual([null, false, 1]);
    edit.write('{"b":[1]}');
    expect([edit.submission(), edit.needsReason, edit.blockedCount]).toEqual([null, false, 2]);
    expect([edit.submission(), edit.needsReason, edit.blockedCount]).toEqual([null, true, 3]);
    edit.write('{"a":2,"b":[1]}');
    expect(edit.needsReason).toBe(false);
    expect([edit.submission(), edit.needsReason]).toEqual([null, true]);
    edit.choose('Wrong');
    expect([edit.needsReason, jsonText(edit.submission()?.output)]).toEqual([false, '{"a":2,"b":[1]}']);
  });
});

describe('TS4: text that is not yet a value', () => {
  const schema = { type: 'object', properties: { any: {}, b: { type: 'string' } } };
  const SPLICES = '1, "x": 2';

  const typeInto = (edit: EditSession, typed: string) => {
    const form = answerFormOf(edit);
    const field = form && flatFields(form.root).find(({ pointer }) => pointer === '/any');
    if (!form || !field) throw new Error('The schema has a form.');
    form.writeJson(field, typed);
    return form;
  };

  it('blocks sending with the name of its field, alone and after a reload, until it is a value', () => {
    const store = new FakeStorage();
    const item = { id: 'i1', suggestion: { any: 1, b: 'y' }, answer_schema: schema };
    const edit = new EditSession(new Drafts('me', store), item);
    edit.reason = 'Wrong';
    typeInto(edit, SPLICES);
    expect([edit.submission(), edit.fault]).toEqual([null, 'any is not valid JSON yet.']);
    edit.save();
    const again = new EditSession(new Drafts('me', store), item);
    expect([again.submission(), again.fault]).toEqual([null, 'any is not valid JSON yet.']);
    const form = answerFormOf(again);
    const [, any] = form === null ? [] : flatFields(form.root);
    expect(any && form?.jsonOf(any)).toBe(SPLICES);
    typeInto(again, '[1]');
    expect(jsonText(again.submission()?.output)).toBe('{"any":[1],"b":"y"}');
  });

  it('blocks sending from the JSON editor while it is still there', () => {
    const edit = new EditSession(new Drafts('me', null), {
      id: 'i1',
      suggestion: { any: 1, b: 'y' },
      answer_schema: schema,
    });
    edit.reason = 'Wrong';
    typeInto(edit, SPLICES);
    edit.switchTo('json');
    edit.write(edit.shown.replace('"y"', '"z"'));
    expect([edit.submission(), edit.fault]).toEqual([null, 'any is not valid JSON yet.']);
    edit.write('{"any":2,"b":"z"}');
    expect(jsonText(edit.submission()?.output)).toBe('{"any":2,"b":"z"}');
  });

  it('blocks sending with a part of a date too, alone and after a reload', () => {
    const store = new FakeStorage();
    const properties = { due: { type: 'string', format: 'date' }, at: { type: 'string', format: 'date-time' } };
    const suggestion = { due: '2026-03-05', at: '2026-03-05T10:00:00Z' };
    const item = { id: 'i1', suggestion, answer_schema: { type: 'object', properties } };
    const start = () => {
      const edit = new EditSession(new Drafts('me', store), item);
      edit.reason = 'Wrong';
      const form = answerFormOf(edit);
      if (form === null) throw new Error('The schema has a form.');
      const fieldAt = (pointer: string) =>
        flatFields(form.root).find((field) => field.pointer === pointer) ?? form.root;
      return { edit, form, fieldAt };
    };
    const { edit, form, fieldAt } = start();
    form.typePart(fieldAt('/at'));
    form.typePart(fieldAt('/due'));
    expect([edit.submission(), edit.fault?.split('. ')[0]]).toEqual([null, 'at is not a complete date and time yet']);
    edit.save();
    const again = start();
    again.form.type(again.fieldAt('/at'), '2026-03-06T10:00');
    expect([again.edit.submission(), again.edit.fault]).toEqual([null, 'due is not a complete date yet.']);
    again.form.type(again.fieldAt('/due'), '2026-04-05');
    expect(jsonText(again.edit.submission()?.output)).toBe('{"due":"2026-04-05","at":"2026-03-06T10:00:00Z"}');
  });

  it('is no further member of a flat object, also after a reload', () => {
    const store = new FakeStorage();
    const item = { id: 'i1', suggestion: { a: 1, b: 2 } };
    const edit = new EditSession(new Drafts('me', store), item);
    edit.reason = 'Wrong';
    edit.type(0, SPLICES);
    expect([edit.submission(), edit.submission(), edit.fault]).toEqual([null, null, 'a must be a number.']);
    edit.save();
    const again = new EditSession(new Drafts('me', store), item);
    expect(again.form?.fields.map(({ kind, typed }) => [kind, typed])).toEqual([
      ['number', SPLICES],
      ['number', '2'],
    ]);
    expect([again.submission(), again.submission(), again.fault]).toEqual([null, null, 'a must be a number.']);
    again.type(0, '3');
    expect(jsonText(again.submission()?.output)).toBe('{"a":3,"b":2}');
  });
});

describe('TS5: a form that nobody has filled in', () => {
  const open = (answer_schema: Json, drafts = new Drafts('me', null)) => {
    const edit = new EditSession(drafts, { id: 'i1', suggestion: null, has_suggestion: false, answer_schema });
    return { edit, form: answerFormOf(edit), drafts };
  };
  const constant = {
    type: 'object',
    required: ['ok'],
    properties: { ok: { const: true }, note: { type: 'string', default: 'none' } },
  };

  it('is sent as it is shown where it is complete from the start', () => {
    const { edit, form, drafts } = open(constant);
    expect(jsonText(form?.value)).toBe('{"ok":true}');
    expect([edit.typed, jsonText(edit.submission()?.output)]).toEqual([false, '{"ok":true}']);
    edit.changed();
    edit.save();
    expect(drafts.read('i1')).toBeNull();
    edit.reset();
    expect(jsonText(edit.submission()?.output)).toBe('{"ok":true}');
  });

  it('asks for an answer where something is missing', () => {
    const { edit } = open({
      type: 'object',
      required: ['a', 'ok'],
      properties: { a: { type: 'string' }, ok: { const: true } },
    });
    expect([edit.submission(), edit.fault]).toEqual([null, 'Write an answer first.']);
  });
});

describe('TS2: a text whose schema wants more than a text', () => {
  const open = (answer_schema: Json, suggestion: Json = 'refund', drafts = new Drafts('me', null)) => {
    const edit = new EditSession(drafts, { id: 'i1', suggestion, answer_schema });
    edit.reason = 'Wrong';
    return { edit, form: answerFormOf(edit), drafts };
  };
  const labels = { type: 'string', enum: ['refund', 'reject'] };

  it('is one of the choices of its list, is sent as a text, and stays so in a draft', () => {
    const { edit, form, drafts } = open(labels);
    expect([form?.root.control.kind, form?.value, edit.submission()]).toEqual(['choice', 'refund', null]);
    form?.set(form.root, 'reject');
    expect(edit.submission()?.output).toBe('reject');
    edit.save();
    const again = open(labels, 'refund', drafts);
    expect([again.form?.value, again.edit.submission()?.output]).toEqual(['reject', 'reject']);
  });

  it('becomes the object that it should have been', () => {
    const { edit } = open({ type: 'object', required: ['action'], properties: { action: { type: 'string' } } });
    edit.write('{"action":"refund"}');
    expect(jsonText(edit.submission()?.output)).toBe('{"action":"refund"}');
  });

  it.each<[string, Json, string, Json]>([
    ['the choice', labels, 'reject', 'reject'],
    ['what looks like a number', { type: ['string', 'integer'] }, '42', '42'],
    ['what looks like nothing', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'null', 'null'],
    ['an object', { type: 'object' }, '{"a":1}', { a: 1 }],
  ])('QU3: keeps %s of a draft that an earlier version saved', (_, schema, text, output) => {
    const storage = new FakeStorage();
    new Drafts('me', storage).save('i1', { text, note: '', reason: 'Wrong', savedAt: '2026-03-01T12:00:00Z' });
    const { edit } = open(schema, 'refund', new Drafts('me', storage));
    expect(jsonText(edit.submission()?.output)).toBe(jsonText(output));
  });

  it.each(['reject', 'escalate'])('QU3: is a draft until it was sent: %s was', (sent) => {
    const { edit, form, drafts } = open({ enum: ['refund', 'reject', 'escalate'] });
    form?.set(form.root, 'reject');
    edit.save();
    const decision = { reviewer_id: 'me', output: sent, note: null, reason: 'Wrong' };
    const sender = new DecisionSender({ drafts, me: { id: 'me' } } as unknown as SenderParts);
    sender.forgetSent({ ...edit.item, decision } as unknown as ItemDetail);
    expect(drafts.read('i1')?.text).toBe(sent === 'reject' ? undefined : '"reject"');
  });

  it('is copied without the quotes of its JSON', () => {
    const { edit, form } = open(labels);
    form?.set(form.root, 'reject');
    expect([edit.text, edit.readable]).toEqual(['"reject"', 'reject']);
  });

  it('is revised from the answer that was sent', () => {
    const { edit } = open(labels);
    edit.startFrom('reject');
    expect(answerFormOf(edit)?.value).toBe('reject');
    expect(edit.typed).toBe(false);
  });

  it.each<[string, Json]>([
    ['an open schema', {}],
    ['any value', true],
    ['a shortest length', { minLength: 2, title: 'Reply' }],
    ['a pattern', { type: 'string', pattern: '^r' }],
  ])('is edited as text where the schema is %s', (_, schema) => {
    const { edit } = open(schema, 'r\n"quoted"');
    expect([edit.kind, edit.text]).toEqual(['text', 'r\n"quoted"']);
  });
});
