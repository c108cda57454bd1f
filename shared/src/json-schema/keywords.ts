// The keywords of JSON Schema draft 2020-12: which are supported, and what value each must have.
import type { Json } from '../json/json.ts';
import { compareNumbers, digitsOf, isInteger, isNumber } from './exact-numbers.ts';

/** What the value of a keyword contains: schemas to compile, or nothing. */
export type Contains = 'schema' | 'list of schemas' | 'map of schemas' | 'nothing';

interface Keyword {
  contains: Contains;
  /** What is wrong with a value of another shape, as a sentence. */
  must: string;
  accepts: (value: Json) => boolean;
}

type JsonObject = { [key: string]: Json };

/** Read only own members of it: names such as `__proto__` or `constructor` come from the schema or the value. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value);
const isText = (value: Json): value is string => typeof value === 'string';
const isNames = (value: Json): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

export const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const;
const isType = (value: Json): boolean => (TYPES as readonly Json[]).includes(value);

/** Enough for any real step; longer ones would make a division slow. */
const MAX_STEP_DIGITS = 100;

const nothing = (must: string, accepts: (value: Json) => boolean): Keyword => ({ contains: 'nothing', must, accepts });
const ANYTHING = nothing('', () => true);
const TEXT = nothing('This must be a string.', isText);
const FLAG = nothing('This must be true or false.', (value) => typeof value === 'boolean');
const NUMBER = nothing('This must be a number.', isNumber);
const COUNT = nothing(
  'This must be an integer of 0 or more.',
  (value) => isNumber(value) && isInteger(value) && compareNumbers(value, 0) >= 0,
);
const NAMES = nothing('This must be an array of different names.', isNames);
const LIST = nothing('This must be an array.', Array.isArray);
const SCHEMA: Keyword = {
  contains: 'schema',
  must: 'This must be a schema: an object, true or false.',
  accepts: () => true,
};
const SCHEMAS: Keyword = {
  contains: 'list of schemas',
  must: 'This must be an array of at least one schema.',
  accepts: (value) => Array.isArray(value) && value.length > 0,
};
const SCHEMA_MAP: Keyword = {
  contains: 'map of schemas',
  must: 'This must be an object of schemas.',
  accepts: isObject,
};

/** `definitions` is the former name of `$defs`, which the draft still reads. */
export const KEYWORDS = {
  $schema: nothing(
    'Only draft 2020-12 is supported: https://json-schema.org/draft/2020-12/schema',
    (value) => isText(value) && /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(value),
  ),
  $id: nothing('This must be an address without a fragment.', (value) => isText(value) && /^[^#]+#?$/.test(value)),
  $anchor: nothing('This must be a name.', (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)),
  $ref: TEXT,
  $defs: SCHEMA_MAP,
  definitions: SCHEMA_MAP,
  $comment: TEXT,
  type: nothing(
    `This must be one of ${TYPES.join(', ')}, or an array of them.`,
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && isNames(value) && value.every(isType)),
  ),
  enum: LIST,
  const: ANYTHING,
  multipleOf: nothing(
    `This must be a number above 0 with at most ${MAX_STEP_DIGITS} digits.`,
    (value) => isNumber(value) && compareNumbers(value, 0) > 0 && digitsOf(value) <= MAX_STEP_DIGITS,
  ),
  maximum: NUMBER,
  exclusiveMaximum: NUMBER,
  minimum: NUMBER,
  exclusiveMinimum: NUMBER,
  maxLength: COUNT,
  minLength: COUNT,
  pattern: TEXT,
  maxItems: COUNT,
  minItems: COUNT,
  uniqueItems: FLAG,
  prefixItems: SCHEMAS,
  items: SCHEMA,
  contains: SCHEMA,
  maxContains: COUNT,
  minContains: COUNT,
  maxProperties: COUNT,
  minProperties: COUNT,
  required: NAMES,
  dependentRequired: nothing(
    'This must be an object of arrays of names.',
    (value) => isObject(value) && Object.values(value).every(isNames),
  ),
  properties: SCHEMA_MAP,
  patternProperties: SCHEMA_MAP,
  additionalProperties: SCHEMA,
  propertyNames: SCHEMA,
  dependentSchemas: SCHEMA_MAP,
  allOf: SCHEMAS,
  anyOf: SCHEMAS,
  oneOf: SCHEMAS,
  not: SCHEMA,
  if: SCHEMA,
  then: SCHEMA,
  else: SCHEMA,
  unevaluatedItems: SCHEMA,
  unevaluatedProperties: SCHEMA,
  title: TEXT,
  description: TEXT,
  default: ANYTHING,
  examples: LIST,
  deprecated: FLAG,
  readOnly: FLAG,
  writeOnly: FLAG,
  // Annotations, as the draft has it: they describe a text and refuse none.
  format: TEXT,
  contentEncoding: TEXT,
  contentMediaType: TEXT,
  contentSchema: SCHEMA,
} as const satisfies Record<string, Keyword>;

export type SupportedKeyword = keyof typeof KEYWORDS;

/** Keywords of the draft that would change what a schema means, with what to write instead. */
export const UNSUPPORTED_KEYWORDS: Readonly<Record<string, string>> = {
  $dynamicRef: 'Dynamic references are not supported. Use $ref.',
  $dynamicAnchor: 'Dynamic references are not supported. Use $anchor.',
  $recursiveRef: 'Recursive references are not supported. Use $ref.',
  $recursiveAnchor: 'Recursive references are not supported. Use $anchor.',
  $vocabulary: 'Vocabularies are not supported. Remove it.',
  dependencies: 'Use dependentRequired or dependentSchemas.',
  additionalItems: 'Use items, after prefixItems.',
};

/** The declaration of a supported keyword; null for any other name. */
export const keywordOf = (name: string): Keyword | null =>
  Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name as SupportedKeyword] : null;
