// Tests which methods each path has: its own, also where another endpoint would take it for a parameter.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
beforeAll(async () => void (served = await serve(inside.services)));
afterAll(() => served.close());

const endpointsByPath = Map.groupBy(
  ENDPOINTS.map(([, endpoint]) => endpoint),
  ({ path }) => path,
);
const PATHS = [...endpointsByPath].map(([path, endpoints]) => {
  const methods = endpoints.flatMap(({ method, recordsAccess }) =>
    method === 'GET' && !recordsAccess ? ['GET', 'HEAD'] : [method],
  );
  return { path, methods: methods.sort() };
});
const ID = '0198c2f1-0c3e-7a55-9b1d-6f7e8d9c0a1b';
const allowed = (header: string | null) => header?.split(', ').sort();

it.each(PATHS)('$path has $methods', async ({ path, methods }) => {
  const address = path.replaceAll(/:\w+/g, ID);
  const options = await ask(served, { method: 'OPTIONS', path: address });
  expect([options.status, allowed(options.headers.get('allow'))]).toEqual([200, methods]);
  for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'].filter((each) => !methods.includes(each))) {
    const { status, headers, text } = await ask(served, { method, path: address });
    expect([method, status, allowed(headers.get('allow'))]).toEqual([method, 405, methods]);
    expect(JSON.parse(text)).toMatchObject({ code: 'method_not_allowed' });
  }
});
