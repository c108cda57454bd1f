// Generates submissions as text: every spelling of numbers and strings, odd keys, any order of members.
import fc from 'fast-check';

const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '-0.0', '1.0E-1', '0.1', '1E+2', '100.000', '1e308', '-1e308', '5e-324', '1e-400'),
  fc.constantFrom('9007199254740991', '-9007199254740991', '0.10000000000000000555', '9007199254740993.0', '1e300'),
  // Large ones have an exponent: digits alone would be an integer beyond 2^53-1.
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((number) => (Math.abs(number) > Number.MAX_SAFE_INTEGER ? number.toExponential() : JSON.stringify(number))),
);

/** Text that JSON can carry and a database can store: anything but NUL. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\u0000', '\u0001')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\u2028',
    '\ufffe',
    '\ufeff',
    '😀',
    'e\u0301',
    "'; drop table item; --",
    '\\u0000',
    '$1',
    '?',
    '??',
  ),
  fc.nat(9000).map((length) => 'é'.repeat(length)),
);

const escapedUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** One text in one of its spellings. */
const spelled = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.nat(5))
    .map(([value, how]) =>
      how === 0 && value.length < 100 ? `"${value.replace(/[^]/g, escapedUnit)}"` : JSON.stringify(value),
    );

const keyText = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', 'then', 'length', '', '0', '10'),
  fc.constantFrom('a/b', '~', 'é', '😀', 'x'.repeat(256), 'input', 'question', ' '),
  anyText.map((text) => text.slice(0, 20).toWellFormed()),
);
const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ');

const { value: valueText, object: objectText } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(numberText, spelled(anyText), fc.constantFrom('null', 'true', 'false', '{}', '[]')),
    tie('object'),
    tie('list'),
  ),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
    .map(([values, gap]) => `[${gap}${values.join(`${gap},${gap}`)}${gap}]`),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(spelled(keyText), tie('value')), {
        maxLength: 5,
        selector: ([key]) => JSON.parse(key) as string,
      }),
      space,
    )
    .map(
      ([members, gap]) =>
        `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`${gap},`)}${gap}}`,
    ),
}));

/** A value nested to 32 levels. */
const deepest = fc
  .tuple(fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}'], ['[1,', ',2]']), numberText)
  .map(([[open, close], leaf]) => open.repeat(32) + leaf + close.repeat(32));

/** Any valid JSON text with at most this many levels. */
const payloadText = fc.oneof({ weight: 8, arbitrary: valueText }, { weight: 1, arbitrary: deepest });

export interface SubmissionTexts {
  input: string;
  suggestion: string;
  confidence: string;
  risk_flags: string | null;
  metadata: string | null;
}

/** The members of a valid submission, each as its text; null: omitted. Flags never escalate. */
export const submissionTexts: fc.Arbitrary<SubmissionTexts> = fc.record({
  input: payloadText,
  suggestion: payloadText,
  confidence: fc.constantFrom(
    '0.7',
    '7.0E-1',
    '75e-2',
    '0.9499999999999999',
    '0.80000000000000004',
    '1',
    '1.0',
    '0.99',
    '-0',
    '5e-324',
  ),
  risk_flags: fc.option(
    fc
      .array(spelled(anyText.map((text) => `x${text}`.slice(0, 100).toWellFormed())), { maxLength: 4 })
      .map((flags) => `[${flags.join(', ')}]`),
  ),
  metadata: fc.option(objectText),
});

/** The body with its members in this order (any numbers are valid), with white space around them. */
export function bodyText(projectId: string, texts: Partial<SubmissionTexts>, order: number[] = []): string {
  const members = Object.entries({ project_id: JSON.stringify(projectId), ...texts })
    .filter(([, text]) => text !== null)
    .map(([name, text], n) => ({ text: `${JSON.stringify(name)} : ${text}`, rank: order[n] ?? n }));
  return `{ ${members
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ text }) => text)
    .join(' ,\n')} }`;
}
