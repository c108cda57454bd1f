// Every endpoint of the contract: paths, methods, schemas and callers are consistent.
/// <reference types="node" />
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AREA_NAMES, endpointOf, ENDPOINTS } from './endpoints.ts';
import { listQueue } from '../routes/queue.ts';
import { submission } from '../schemas/public.ts';
import * as schemas from '../schemas/queue.ts';

const UUID = '0197f1a0-0000-7000-8000-000000000001';

describe('the endpoints', () => {
  it.each(['routes', 'schemas'])('every area of %s is part of the contract', (folder) => {
    const files = readdirSync(`${import.meta.dirname}/../${folder}`).filter((name) =>
      /^(?!route\.)[a-z]+\.ts$/.test(name),
    );
    expect(AREA_NAMES.map((name) => `${name}.ts`).sort()).toEqual(files.sort());
  });

  it('has names that are unique among all areas', () => {
    expect(new Set(ENDPOINTS.map(([name]) => name)).size).toBe(ENDPOINTS.length);
  });

  it('are found by their route, which has schemas or is refused', () => {
    expect(endpointOf(listQueue)).toEqual({ ...listQueue, ...schemas.listQueue });
    expect(() => endpointOf({ method: 'GET', path: '/api/elsewhere' })).toThrow('GET /api/elsewhere has no schemas');
  });

  it('has a unique method and path, regardless of the parameters are called', () => {
    const places = ENDPOINTS.map(([, { method, path }]) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it('has no path that matches another one of its method', () => {
    const literal = ENDPOINTS.filter(([, { path }]) => !path.includes(':'));
    const open = ENDPOINTS.filter(([, { path }]) => path.includes(':'));
    for (const [, one] of literal)
      for (const [, other] of open) {
        const pattern = new RegExp(`^${other.path.replaceAll(/:\w+/g, '[^/]+')}$`);
        expect(one.method === other.method && pattern.test(one.path), `${one.path} ${other.path}`).toBe(false);
      }
  });

  it.each(ENDPOINTS)('%s: has a valid path', (_, { path, params }) => {
    expect(path).toMatch(/^\/api(\/:?[a-z_][a-z_-]*)+(\.json)?$/);
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
    if (named.length === 0) return expect(params).toBeNull();
    expect(params?.safeParse(Object.fromEntries(named.map((name) => [name, UUID]))).success).toBe(true);
    for (const missing of named) {
      const rest = named.filter((name) => name !== missing);
      expect(params?.safeParse(Object.fromEntries(rest.map((name) => [name, UUID]))).success).toBe(false);
    }
  });

  it.each(ENDPOINTS)('%s: shows in its path who may call', (_, { path, auth }) => {
    const isPublic = path.startsWith('/api/public/');
    expect(auth !== 'none' && auth !== 'session').toBe(isPublic && !path.endsWith('.json'));
    expect(auth === 'bearer').toBe(path === '/api/public/mcp');
    expect(auth === 'signature').toBe(path.startsWith('/api/public/inbound/'));
    if (auth === 'none') expect(path).toMatch(/^\/api\/(auth\/|meta$|public\/openapi\.json$)/);
  });

  it.each(ENDPOINTS)('%s: has a matching method, body and status', (_, { method, body, status, reply }) => {
    if (method === 'GET') {
      expect(body).toBeNull();
      expect(status).toBe(200);
    }
    expect([200, 201, 202, 204]).toContain(status);
    expect(status === 204).toBe(reply === null);
  });

  /** Minimal bodies of endpoints that accept several kinds. */
  const KIND: Record<string, object> = { changeCluster: { action: 'restore' } };

  it.each(ENDPOINTS.filter(([, { body }]) => body !== null))('%s: refuses an unknown field', (name, { body }) => {
    const result = body?.safeParse({ ...KIND[name], no_such_field: 1 });
    expect(result?.success).toBe(false);
    expect(JSON.stringify(result?.error?.issues)).toContain('unrecognized_keys');
  });

  it.each(ENDPOINTS)('%s: has a one-sentence summary', (_, { summary }) => {
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(summary).not.toContain('\n');
  });

  it.each(ENDPOINTS)('%s: has schemas that convert to JSON Schema', (_, { query, body, reply }) => {
    for (const schema of [query, body, reply]) {
      if (schema) expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
    }
  });

  it('takes an integer of a query in digits only, as its schema says', () => {
    const seen = new Set<string>();
    for (const [name, { query }] of ENDPOINTS) {
      const { properties = {} } = query ? z.toJSONSchema(query, { io: 'input' }) : {};
      for (const [field, schema] of Object.entries(properties)) {
        if (typeof schema !== 'object' || schema.type !== 'integer') continue;
        seen.add(field);
        const faulty = (text: string) =>
          query?.safeParse({ [field]: text }).error?.issues.some(({ path }) => path[0] === field) ?? false;
        for (const text of ['', ' ', ' 5', '+5', '5.0', '5e0', '0x5', '٥'])
          expect(faulty(text), `${name} ${field} ${text}`).toBe(true);
        expect(faulty('5'), `${name} ${field}`).toBe(false);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['limit', 'wait', 'after']));
  });

  it('returns lists as {data, next_cursor} with bounded limits', () => {
    for (const [name, { query, reply, method }] of ENDPOINTS) {
      const shape = reply instanceof z.ZodObject ? Object.keys(reply.shape) : [];
      if (method === 'GET' && shape.includes('data')) expect(shape, name).toContain('next_cursor');
      if (!(query instanceof z.ZodObject) || !('limit' in query.shape)) continue;
      for (const limit of ['0', '-1', '1.5', '501', 'all', '1e9']) {
        expect(query.safeParse({ limit }).success, `${name} ${limit}`).toBe(false);
      }
      expect(query.parse({})).toMatchObject({ limit: expect.any(Number) as number });
    }
  });
});

const FIFTY_KEYS = Array.from({ length: 50 }, (_, index) => `"k${index}":1`).join();

describe('a submission', () => {
  const item = { project_id: UUID, input: 'q', suggestion: 'a', confidence: 0.5 };
  const accepts = (change: object) => submission.safeParse({ ...item, ...change }).success;

  it.each([
    [{}],
    [{ project_id: UUID.toUpperCase() }],
    [{ confidence: 0 }],
    [{ confidence: 1 }],
    [{ input: null, suggestion: null }],
    [{ suggestion: { any: ['JSON', 1] } }],
    [{ risk_flags: [] }],
    [{ risk_flags: Array.from({ length: 50 }, () => 'f') }],
    [{ risk_flags: ['f'.repeat(100)] }],
    [{ metadata: {} }],
    [{ metadata: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index])) }],
    [{ deadline: '2026-11-29T10:00:00Z' }],
    [{ deadline: '2026-11-29t10:00:00z' }],
    [{ deadline: '2026-11-29t10:00:00.5+01:00' }],
    [{ deadline: null }],
  ])('a submission with %j is accepted', (change) => {
    expect(accepts(change)).toBe(true);
  });

  it.each([
    [{ risk_flag: ['legal'] }],
    [{ project_id: 'demo' }],
    [{ confidence: '0.5' }],
    [{ confidence: 1.000_000_000_000_000_2 }],
    [{ confidence: -Number.MIN_VALUE }],
    [{ confidence: null }],
    [{ input: undefined }],
    [{ suggestion: undefined }],
    [{ risk_flags: 'legal' }],
    [{ risk_flags: [''] }],
    [{ risk_flags: [1] }],
    [{ risk_flags: Array.from({ length: 51 }, () => 'f') }],
    [{ risk_flags: ['f'.repeat(101)] }],
    [{ metadata: null }],
    [{ metadata: ['a'] }],
    [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, index])) }],
    [{ metadata: JSON.parse(`{${FIFTY_KEYS},"__proto__":1}`) as object }],
    [{ deadline: '2026-11-29T10:00:00' }],
    [{ deadline: '2026-11-29 10:00:00Z' }],
    [{ deadline: 1_796_000_000 }],
  ])('a submission with %j is refused', (change) => {
    expect(accepts(change)).toBe(false);
  });
});
