// Tests that the specification names every route of the service, and no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../shared/src/contract/endpoints.ts';

const SPEC = join(import.meta.dirname, '../../../docs/spec');
const ROUTE = /`((?:GET|POST|PATCH|DELETE) \/api\/[^`\s?]+)[^`]*`/g;

const routesIn = (page: string) =>
  [...readFileSync(join(SPEC, page), 'utf8').matchAll(ROUTE)].map((match) => match[1] ?? '');
const isPublic = (route: string) => route.includes(' /api/public/');
const answered = ENDPOINTS.map(([, { method, path }]) => `${method} ${path}`);

describe('the specification', () => {
  it.each([
    ['public-api.md', answered.filter(isPublic)],
    ['dashboard-api.md', answered.filter((route) => !isPublic(route))],
  ])('lists each route once in %s', (page, routes) => {
    expect(routesIn(page).sort()).toEqual(routes.sort());
  });
});
