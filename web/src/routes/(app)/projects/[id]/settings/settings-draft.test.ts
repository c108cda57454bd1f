// The draft of the project settings: what is sent, what is refused before sending, and the texts of the save bar.
import { projectSettings, type Project } from '@countersign/shared/schemas/projects';
import {
  DEFAULT_SETTINGS,
  RENAMED_SETTINGS,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
} from '@countersign/shared/settings';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChange } from './describe-change.ts';
import { MARKS } from './merge-lines.ts';
import {
  draftOf,
  faultsOf,
  faultyFields,
  parseNumber,
  patchOf,
  sentSchema,
  thresholdText,
  type Draft,
} from './settings-draft.ts';
import { parseJson } from '#lib/values/json/lossless.ts';
import { jsonText, type Json } from '@countersign/shared/json/json';
import { ABILITIES, type Abilities } from '@countersign/shared/enums';
import { tabOf, tabsFor } from '../tabs.ts';

const project = { name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project;
const before = draftOf(project);
const typed = (change: Partial<Draft>): Draft => ({ ...structuredClone(before), ...change });

describe('what is sent', () => {
  it('is only the version when nothing differs, in any spelling', () => {
    const spelt = typed({ auto_threshold: '0.950', review_threshold: '.7', name: ' Maths answers ', webhook_url: ' ' });
    expect(patchOf(before, spelt, 12)).toEqual({ settings_version: 12 });
  });

  it('is the changed fields as numbers, lists and null', () => {
    const after = typed({ auto_threshold: '0,85', escalate_flags: ['legal'], webhook_url: 'https://x.example/h' });
    const patch = patchOf(before, after, 12);
    expect(patch).toEqual({
      auto_threshold: 0.85,
      escalate_flags: ['legal'],
      webhook_url: 'https://x.example/h',
      settings_version: 12,
    });
    expect(patchOf(after, typed({ auto_threshold: '0.85', escalate_flags: ['legal'] }), 13)).toEqual({
      webhook_url: null,
      settings_version: 13,
    });
  });

  it('is content kinds by pointer, and nothing when only their order differs (ST2)', () => {
    const kinds = ['/suggestion: diff', '/input/a: b: markdown'];
    const after = typed({ content_kinds: kinds });
    const sent = { '/input/a: b': 'markdown', '/suggestion': 'diff' };
    expect(patchOf(before, after, 12)).toEqual({ content_kinds: sent, settings_version: 12 });
    const read = draftOf({ ...project, content_kinds: { '/suggestion': 'diff', '/input/a: b': 'markdown' } });
    expect(patchOf(read, after, 13)).toEqual({ settings_version: 13 });
  });

  it('is an answer schema as it is written, and nothing when only its spaces differ', () => {
    const schema = { type: 'object', properties: { amount: { minimum: 0.5 } } };
    const text = '{"type": "object",\n "properties": {"amount": {"minimum": 0.5}}}';
    const after = typed({ answer_schema: `${text}\n` });
    expect(jsonText(patchOf(before, after, 12))).toBe(`{"answer_schema":${text},"settings_version":12}`);
    expect(patchOf(draftOf({ ...project, answer_schema: schema }), after, 13)).toEqual({ settings_version: 13 });
    expect(patchOf(after, typed({ answer_schema: ' ' }), 13)).toEqual({ answer_schema: null, settings_version: 13 });
  });

  it.each(['{"type":', '{"type": "text", "type": "number"}', '1 2'])('is no schema that is no JSON: %s', (text) => {
    expect(faultsOf(typed({ answer_schema: text }))).toEqual({ answer_schema: 'no_json' });
  });

  it('keeps a schema byte for byte from the service to the editor and back: spaces, numbers, order of keys', () => {
    const text = '{\n  "enum": [1.0, 12345678901234567890],\n  "properties": {"b": {}, "1": {}}\n}';
    const read = parseJson(`{"data":[{"answer_schema":${text}}]}`) as unknown as { data: Project[] };
    const shown = draftOf({ ...project, ...read.data[0] });
    expect(shown.answer_schema).toBe(text);
    const other = { ...shown, answer_schema: text.replace('1.0', '1') };
    expect(jsonText(patchOf(shown, other, 12))).toContain(text.replace('1.0', '1'));
  });

  it('is compact where a schema is too large with its spaces, which the editor adds to one without lines', () => {
    const compact = JSON.stringify({ enum: Array.from({ length: 4000 }, (_, at) => `v${at}`) });
    const shown = draftOf({ ...project, answer_schema: JSON.parse(compact) as Json }).answer_schema;
    expect(shown.split('\n').length).toBeGreaterThan(4000);
    const larger = `${shown}${' \n'.repeat(10_000)}`.replace('"v0"', '"w0"');
    expect(sentSchema(larger).text.length).toBeLessThan(compact.length + shown.length);
    expect(sentSchema(`{"enum": [${'"x",\n   '.repeat(5000)}"x"]}`).text).toBe(
      JSON.stringify({ enum: Array.from({ length: 5001 }, () => 'x') }),
    );
  });

  it('never changes a threshold by showing it: the field reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
        fc.pre(!String(value).includes('e'));
        expect(parseNumber(thresholdText(value))).toBe(value);
      }),
    );
  });
});

describe('the declarations of the settings', () => {
  /** Values at both bounds, and just outside of them. */
  const samples = (setting: Setting): unknown[] => {
    const text = (length: number) => 'x'.repeat(length);
    const list = (length: number) => Array.from({ length }, (_, at) => `r${at}`);
    if (setting.control === 'choice') return [...setting.options];
    if (setting.control === 'schema') return [{}, true, { type: 'object', required: ['a'] }];
    if (setting.control === 'subset') return [setting.options, setting.always, [], setting.options.slice(1)];
    if (setting.control === 'pointers') {
      const kinds = (length: number) => Object.fromEntries(list(length).map((name) => [`/input/${name}`, 'text']));
      const wrong = ['', '/', 'input', '/metadata', '/input/~2', `/input/${text(setting.maxLength)}`];
      return [0, setting.maxEntries, setting.maxEntries + 1].map(kinds).concat(wrong.map((at) => ({ [at]: 'text' })));
    }
    if (setting.control === 'list' && setting.format === 'host_name') {
      const hosts = (length: number) => list(length).map((name) => `${name}.example`);
      const wrong = ['localhost', '127.0.0.1', '[::1]', 'a.example:443', 'A.example', 'münchen.example', 'a..example'];
      const fit = [['xn--mnchen-3ya.example'], hosts(0), hosts(setting.maxEntries), hosts(setting.maxEntries + 1)];
      return [
        ...fit,
        ...wrong.map((host) => [host]),
        [`${text(64)}.example`],
        ['0x7f.1'],
        ['a.example.'],
        ['a_b.example'],
      ];
    }
    if (setting.control === 'list')
      return [setting.minEntries, setting.maxEntries, setting.maxEntries + 1].map(list).concat([[]]);
    if (setting.control === 'skills') {
      const person = '5d0c0000-0000-4000-8000-000000000001';
      const entry = { match: { flag: 'legal' }, people: [person], after_minutes: setting.minutes.most };
      const flags = (length: number) => list(length).map((flag) => ({ ...entry, match: { flag } }));
      const meta = (metadata: string, value: string) => [{ ...entry, match: { value, metadata } }];
      const wrong = [{ people: [] }, { after_minutes: 0 }, { after_minutes: 1.5 }, { after_minutes: 1441 }];
      return [
        ...[0, 1, setting.maxEntries, setting.maxEntries + 1].map(flags),
        ...['', text(setting.maxFlag), text(setting.maxFlag + 1)].map((flag) => [{ ...entry, match: { flag } }]),
        ...[meta('/team', 'gold'), meta('team', 'gold'), meta('/', 'gold'), meta('/team', ' ')],
        ...[meta(`/${text(setting.maxLength)}`, 'a'), meta('/a', text(setting.maxLength + 1))],
        ...wrong.map((part) => [{ ...entry, ...part }]),
        [entry, { ...entry, match: { flag: ' LEGAL' } }],
        [entry, ...meta('/team', 'legal')],
      ];
    }
    if (setting.control !== 'number') {
      const { minLength, maxLength } = setting;
      return [...[minLength, maxLength, maxLength + 1].map(text), '😀'.repeat(maxLength), '😀'.repeat(maxLength + 1)];
    }
    const { min, max, integer } = setting;
    const step = integer ? 1 : 0.0001;
    return [min, max, min + 0.5, max + step, min - step].filter((value) => value >= 0);
  };

  it.each(SETTING_NAMES)('%s: the form refuses what the API refuses', (field) => {
    const setting: Setting = SETTINGS[field];
    for (const value of [...samples(setting), ...(setting.nullable ? [null] : [])]) {
      const accepted = projectSettings.shape[field].safeParse(value).success;
      const shown = { ...before, ...draftOf({ ...project, [field]: value }) };
      // A higher review threshold is refused because of the other one.
      if (field === 'review_threshold') shown.auto_threshold = '1';
      expect({ value, fault: faultsOf(shown)[field] === undefined }).toEqual({ value, fault: accepted });
    }
  });

  it('have valid defaults, under names that none had before', () => {
    expect(projectSettings.parse({ ...DEFAULT_SETTINGS, name: 'A' })).toEqual({ ...DEFAULT_SETTINGS, name: 'A' });
    for (const former of Object.keys(RENAMED_SETTINGS)) expect(SETTING_NAMES).not.toContain(former);
  });
});

describe('what is refused before sending', () => {
  it.each([
    [{ auto_threshold: 'abc' }, { auto_threshold: 'not_a_number' }],
    [{ auto_threshold: '' }, { auto_threshold: 'not_a_number' }],
    [{ auto_threshold: '1.01' }, { auto_threshold: 'out_of_range' }],
    [{ review_threshold: '0.96' }, { review_threshold: 'above_auto' }],
    [{ undo_window_seconds: '2.5' }, { undo_window_seconds: 'not_whole' }],
    [{ claim_lease_seconds: '59' }, { claim_lease_seconds: 'out_of_range' }],
    [{ name: '  ' }, { name: 'empty' }],
    [{ reasons: [] }, { reasons: 'no_reason' }],
    [{ reasons: Array.from({ length: 21 }, (_, at) => `r${at}`) }, { reasons: 'too_many' }],
    [{ escalate_flags: Array.from({ length: 51 }, (_, at) => `f${at}`) }, { escalate_flags: 'too_many' }],
    [{ media_hosts: ['a.example', 'localhost'] }, { media_hosts: 'no_host' }],
    [{ content_kinds: ['/input/a: text', '/metadata: text'] }, { content_kinds: 'no_pointer' }],
    [{ content_kinds: ['/input/a: text', '/input/a: code'] }, { content_kinds: 'twice' }],
    [{ webhook_events: ['item.withdrawn'] }, { webhook_events: 'left_out' }],
    [{ audit_rate: '1.5' }, { audit_rate: 'out_of_range' }],
    [{ error_budget: '0' }, { error_budget: 'out_of_range' }],
    [{ error_budget: 'few' }, { error_budget: 'not_a_number' }],
    [{ error_budget: '' }, {}],
    [{ guidelines: 'x'.repeat(20_001) }, { guidelines: 'too_long' }],
    [{ guidelines: `a\n${MARKS.theirs}\nb` }, { guidelines: 'marked' }],
    [{ review_threshold: '0.95' }, {}],
  ])('%j → %j (RT5 and the limits)', (change, faults) => expect(faultsOf(typed(change))).toEqual(faults));

  it('names the faulty fields in the order of the page', () => {
    expect(faultyFields(typed({ claim_lease_seconds: '5', name: '' }))).toEqual(['name', 'claim_lease_seconds']);
    expect(faultyFields(before)).toEqual([]);
  });

  it('parses numbers as people type them, and nothing else as one', () => {
    expect(['0.85', '0,85', '.85', '1', '1.'].map(parseNumber)).toEqual([0.85, 0.85, 0.85, 1, 1]);
    for (const wrong of ['', '.', '-1', '1e3', '0x1', 'Infinity', '1 2']) expect(parseNumber(wrong)).toBeNaN();
  });
});

describe('the save bar', () => {
  it.each([
    ['auto_threshold', { auto_threshold: '0.85' }, '0.95', '0.85'],
    ['audit_rate', { audit_rate: '0.05' }, '0.00', '0.05'],
    ['error_budget', { error_budget: '0.05' }, 'none', '0.05'],
    ['over_budget', { over_budget: 'raise' }, 'Notify owners', 'Notify and raise threshold'],
    ['undo_window_seconds', { undo_window_seconds: '10' }, '5 s', '10 s'],
    ['below_review', { below_review: 'queue' }, 'Reject', 'Queue'],
    ['escalate_flags', { escalate_flags: ['escalate', 'high_value', 'pii'] }, 'legal', 'pii'],
    ['reasons', { reasons: [...before.reasons].reverse() }, null, 'new order'],
    ['media_hosts', { media_hosts: ['images.example.com'] }, null, 'images.example.com'],
    ['sensitive_flags', { sensitive_flags: ['violence'] }, null, 'violence'],
    ['sensitive_pictures', { sensitive_pictures: 'grey' }, 'Blurred', 'In greyscale'],
    ['content_kinds', { content_kinds: ['/input: markdown'] }, null, '/input: markdown'],
    ['webhook_url', { webhook_url: 'https://x.example' }, 'none', 'https://x.example'],
    ['webhook_events', { webhook_events: ['item.decided', 'item.withdrawn'] }, 'item.expired, decision.revised', null],
    ['guidelines', { guidelines: 'long' }, null, 'edited'],
    ['answer_schema', { answer_schema: '{"type":"object"}' }, null, 'edited'],
    ['answer_schema', { answer_schema: '' }, null, 'removed'],
  ] as const)('describes the change of %s', (field, change, from, to) => {
    expect(describeChange(field, before, typed(change as Partial<Draft>))).toMatchObject({ from, to });
  });
});

describe('tabs (PM)', () => {
  const nobody = Object.fromEntries(ABILITIES.map((ability) => [ability, false])) as Abilities;
  const names = (abilities: Partial<Abilities>) => tabsFor({ ...nobody, ...abilities }).map(({ tab }) => tab);

  it('include only those the user may use', () => {
    expect(names({})).toEqual(['overview', 'rules', 'guidelines', 'schema', 'people']);
    expect(names({ see_deliveries: true })).toEqual([
      'overview',
      'rules',
      'guidelines',
      'schema',
      'people',
      'deliveries',
    ]);
    expect(names({ change_settings: true })).toContain('preview');
    expect(names({ manage_webhook: true })).toEqual(expect.arrayContaining(['webhook', 'notifications']));
    expect(names({ manage_project: true }).slice(-3)).toEqual(['keys', 'changes', 'danger']);
    expect(tabsFor(Object.fromEntries(ABILITIES.map((ability) => [ability, true])) as Abilities)).toHaveLength(12);
  });

  it('open the first tab for a URL that names a hidden one', () => {
    const seen = tabsFor(nobody);
    expect(tabOf('keys', seen)).toBe('overview');
    expect(tabOf('people', seen)).toBe('people');
    expect(tabOf(undefined, seen)).toBe('overview');
  });
});
