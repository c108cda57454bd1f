// The part of OpenAPI 3.1 that the page reads, and how references inside a document are resolved.
import { stepsOf } from '@countersign/shared/json/json-pointer';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  maxProperties?: number;
  pattern?: string;
  examples?: unknown[];
}

export interface Example {
  summary?: string;
  value?: unknown;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface Header {
  $ref?: string;
  description?: string;
  schema?: Schema;
}

export interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Media> };
  responses?: Record<string, Answer>;
}

export interface Document {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { securitySchemes?: Record<string, { type: string; in?: string; name?: string }> };
}

/** The content of a node with references resolved; members beside a reference override its target. */
export function follow<Node extends { $ref?: string }>(document: Document, node: Node): Node {
  const { $ref, ...own } = node;
  if ($ref === undefined) return node;
  const found = stepsOf($ref).reduce<unknown>(
    (at, part) => (at as Record<string, unknown> | undefined)?.[part],
    document,
  );
  const target = follow(document, (found ?? {}) as Node);
  return { ...target, ...own, $ref: undefined };
}
