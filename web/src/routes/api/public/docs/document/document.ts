// Turns the document into the content of the page: operations by tag, webhooks, errors by code.
import { fieldOf, fieldsOf, type Field } from './fields.ts';
import { follow, type Answer, type Document, type Header, type Media, type Operation } from './openapi.ts';
import { GUIDE } from './guide.ts';
import { messages } from '../messages.ts';

export interface ShownExample {
  name: string;
  /** JSON, indented. */
  code: string;
}

export interface ShownAnswer {
  status: string;
  description: string;
  headers: Field[];
  fields: Field[];
  examples: ShownExample[];
}

export interface ShownError {
  status: string;
  code: string;
  title: string;
  /** The advice of one answer. */
  detail: string;
}

export interface ShownParameter extends Field {
  place: 'path' | 'query' | 'header';
}

export interface ShownOperation {
  /** Anchor of its section. */
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** How a caller authenticates. */
  auth: 'key' | 'signature' | 'none';
  parameters: ShownParameter[];
  body: { fields: Field[]; examples: ShownExample[] } | null;
  answers: ShownAnswer[];
  errors: ShownError[];
}

export interface ShownTag {
  name: string;
  description: string;
  operations: ShownOperation[];
}

export interface Shown {
  title: string;
  version: string;
  /** Without a trailing slash. */
  baseUrl: string;
  tags: ShownTag[];
  webhooks: ShownOperation[];
  /** Every code that an operation can return, by status. */
  errors: ShownError[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Reads the document; `origin` is the base URL where the document names none. `pause` is awaited before each operation, so that
 * a large document does not block the page.
 */
export async function show(document: Document, origin: string, pause: () => Promise<void>): Promise<Shown> {
  const operations = await read(document, { paths: document.paths ?? {}, pause });
  const names = new Set([...(document.tags ?? []).map(({ name }) => name), ...operations.map(({ tag }) => tag)]);
  const tags = [...names].map((name) => ({
    name,
    description: document.tags?.find((tag) => tag.name === name)?.description ?? '',
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const errors = new Map(operations.flatMap((operation) => operation.errors).map((error) => [error.code, error]));
  const webhooks = await read(document, { paths: document.webhooks ?? {}, pause });
  return {
    title: document.info.title,
    version: document.info.version,
    baseUrl: (document.servers?.[0]?.url ?? origin).replace(/\/$/, ''),
    tags: tags.filter(({ operations: all }) => all.length > 0),
    webhooks: webhooks.map(asReceived),
    errors: [...errors.values()].sort((a, b) => a.status.localeCompare(b.status)),
  };
}

async function read(
  document: Document,
  { paths, pause }: { paths: Record<string, Record<string, Operation>>; pause: () => Promise<void> },
): Promise<ShownOperation[]> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      METHODS.includes(method) ? [{ path, method, operation }] : [],
    ),
  );
  const operations: ShownOperation[] = [];
  for (const one of all) {
    await pause();
    operations.push(shown(document, one));
  }
  return operations;
}

function shown(document: Document, given: { method: string; path: string; operation: Operation }): ShownOperation {
  const { method, path, operation } = given;
  const answers = Object.entries(operation.responses ?? {}).map(([status, answer]) => ({
    status,
    answer: follow(document, answer),
  }));
  const media = mediaOf(operation.requestBody?.content);
  const summary = operation.summary ?? `${method} ${path}`;
  const description = operation.description ?? '';
  return {
    id: operation.operationId ?? `${method}-${path.replaceAll(/\W+/g, '-')}`,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? '',
    summary,
    description: description === `${summary}.` ? '' : description,
    auth: authOf(document, operation),
    parameters: parametersOf(document, operation),
    body: media && { fields: fieldsOf(document, media.schema ?? {}), examples: examplesOf(media) },
    answers: answers.filter(({ status }) => !isRefusal(status)).map((one) => answerOf(document, one)),
    errors: answers.filter(({ status }) => isRefusal(status)).flatMap(errorsOf),
  };
}

/** For a webhook the receiver answers, so every status is an answer. */
function asReceived(operation: ShownOperation): ShownOperation {
  const answers = operation.errors.map(({ status, detail }) => ({
    status,
    description: detail,
    headers: [],
    fields: [],
    examples: [],
  }));
  const all = [...operation.answers, ...answers];
  return { ...operation, answers: all.sort((a, b) => a.status.localeCompare(b.status)), errors: [] };
}

const isRefusal = (status: string): boolean => /^[45]/.test(status);

function authOf(document: Document, { security = [] }: Operation): ShownOperation['auth'] {
  const schemes = security.flatMap((one) => Object.keys(one));
  const headers = schemes.map((name) => document.components?.securitySchemes?.[name]?.name ?? name);
  if (headers.includes('x-api-key')) return 'key';
  return headers.length > 0 ? 'signature' : 'none';
}

function parametersOf(document: Document, { parameters = [] }: Operation): ShownParameter[] {
  return parameters
    .map((parameter) => follow(document, parameter))
    .flatMap((parameter) =>
      parameter.in === 'cookie' ? [] : [{ ...fieldOf(document, parameter), place: parameter.in }],
    );
}

function answerOf(document: Document, { status, answer }: { status: string; answer: Answer }): ShownAnswer {
  const media = mediaOf(answer.content);
  const headers = Object.entries(answer.headers ?? {}).map(([name, header]: [string, Header]) =>
    fieldOf(document, { name, ...follow(document, header) }),
  );
  return {
    status,
    description: answer.description ?? '',
    headers,
    fields: media ? fieldsOf(document, media.schema ?? {}) : [],
    examples: media ? examplesOf(media) : [],
  };
}

/** One error for each example, as they are named by their code; only the description where there are none. */
function errorsOf({ status, answer }: { status: string; answer: Answer }): ShownError[] {
  const examples = Object.entries(mediaOf(answer.content)?.examples ?? {});
  if (examples.length === 0) return [{ status, code: '', title: '', detail: answer.description ?? '' }];
  return examples.map(([name, example]) => ({ status, ...problemOf(name, example) }));
}

/** A problem (RFC 9457), or the error of a protocol inside the body (JSON-RPC), which has a number and a sentence. */
function problemOf(
  name: string,
  { summary, value }: { summary?: string; value?: unknown },
): Omit<ShownError, 'status'> {
  const body = (value ?? {}) as Partial<ShownError> & { error?: { code: number; message: string } };
  if (body.error) return { code: String(body.error.code), title: summary ?? name, detail: body.error.message };
  const { code = name, title = '', detail = '' } = body;
  return { code, title, detail };
}

const mediaOf = (content: Record<string, Media> | undefined): Media | null => Object.values(content ?? {})[0] ?? null;

function examplesOf(media: Media): ShownExample[] {
  const named = Object.entries(media.examples ?? {}).map(([name, { summary, value }]) => ({
    name: summary ?? name,
    code: JSON.stringify(value, null, 2),
  }));
  if (named.length > 0 || media.example === undefined) return named;
  return [{ name: 'Example', code: JSON.stringify(media.example, null, 2) }];
}

export interface Part {
  /** The anchor. */
  id: string;
  title: string;
  /** The title is code: a method and a path, an event. */
  mono: boolean;
  parts: Part[];
}

export const GUIDE_ID = 'how-it-works';
export const GUIDE_TITLE = 'How it works';
/** All paths begin with it, so the contents omit it. */
const PREFIX = '/api/public';

/** The anchor of a group of operations. */
export const tagId = (name: string): string => `tag-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;

/** The parts of the page in reading order, for the contents and the anchors of URLs. */
export function partsOf(shown: Shown): Part[] {
  const leaf = ({ id, title }: { id: string; title: string }): Part => ({ id, title, mono: false, parts: [] });
  const code = (id: string, title: string): Part => ({ ...leaf({ id, title }), mono: true });
  return [
    {
      ...leaf({ id: messages.start.id, title: messages.start.nav }),
      parts: [
        leaf({ id: messages.languages.id, title: messages.languages.heading }),
        leaf({ id: messages.start.statusesId, title: messages.start.statuses }),
      ],
    },
    { ...leaf({ id: GUIDE_ID, title: GUIDE_TITLE }), parts: GUIDE.map(leaf) },
    ...shown.tags.map(({ name, operations }) => ({
      ...leaf({ id: tagId(name), title: name }),
      parts: operations.map(({ id, method, path }) => code(id, `${method} ${path.replace(PREFIX, '')}`)),
    })),
    {
      ...leaf({ id: messages.webhook.id, title: messages.webhook.nav }),
      parts: [
        ...shown.webhooks.map(({ id, path }) => code(id, path)),
        leaf({ id: 'verify', title: messages.webhook.verify }),
      ],
    },
    leaf({ id: messages.errors.id, title: messages.errors.nav }),
  ];
}
