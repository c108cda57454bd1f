// Tests the OpenAPI document against the service: the same routes, and responses that match their schemas.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { bindRoutes } from '../../../src/http/app.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { redoclyFaults } from '../../openapi-lint.ts';
import { walkPublicApi, type Step } from '../../public-api-walkthrough.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

interface Response {
  headers: Record<string, { $ref: string }>;
  content: Record<string, { examples: Record<string, { value: unknown }> }>;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response | undefined>;
}
interface Document {
  components: { headers: Record<string, { schema: { pattern?: string; enum?: string[] } }> };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

const inside = useServices();
let served: Served;
let project: OpenProject;
let itemId: string;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
  itemId = (await project.pipeline.submit(aSubmission())).id;
  await review(project.owner, itemId, 'edit');
  await finalizeOnce(inside.services);
  await relayOnce(inside.services, inside.signals);
});
afterAll(() => served.close());

const documentOf = () => structuredClone(openApiDocument(inside.services.baseUrl)) as unknown as Document;
const operationsOf = (document: Document) => Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('the OpenAPI document', () => {
  it('is public, and names the address of this service', async () => {
    const answer = await ask(served, { method: 'GET', path: readOpenApi.path });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(documentOf())));
    expect(documentOf().servers).toMatchObject([{ url: inside.services.baseUrl }]);
  });

  it('is not readable by pages of other sites', async () => {
    const headers = { origin: 'https://elsewhere.test' };
    const answer = await ask(served, { method: 'GET', path: readOpenApi.path, headers });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('describes every route that the server binds under /api/public, and no other', () => {
    const bound = bindRoutes(inside.services).stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
    );
    const described = Object.entries(documentOf().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual(bound.filter((route) => route.includes(' /api/public/')).sort());
  });
});

/** Headers that every response of the server has, or that HTTP itself defines: no part of the API. */
const USUAL =
  /^(connection|keep-alive|date|content-(type|length|security-policy)|cache-control|vary|etag|allow|transfer-encoding|strict-transport-security|referrer-policy|x-(content-type|dns|download|frame|permitted|xss).*|cross-origin-.*)$/;

/** Adds the response to the document as an example of its operation. Fails when the document does not declare it. */
function placeAnswer(document: Document, step: Step, { status, headers, text }: Raw): void {
  const at = `${step.operationId}, ${step.name}`;
  expect(status, `${at}: ${text}`).toBe(step.status);
  const response = operationsOf(document).find(({ operationId }) => operationId === step.operationId)?.responses[
    status
  ];
  if (response === undefined) throw new Error(`${at}: the document has no ${status}.`);
  const [type = ''] = headers.get('content-type')?.split(';') ?? [];
  const examples = response.content[type]?.examples;
  if (examples === undefined) throw new Error(`${at}: the document has no ${type} for ${status}.`);
  const value = JSON.parse(text) as { code?: string };
  if (status >= 400) {
    expect(Object.keys(examples), `${at}: its code`).toContain(value.code);
    const { value: shown } = examples[value.code ?? ''] as { value: object };
    expect(Object.keys(shown), `${at}: what its example lacks`).toEqual(expect.arrayContaining(Object.keys(value)));
  }
  examples[at] = { value };
  holdHeaders(document, response, { headers, at });
}

interface Named {
  headers: Headers;
  at: string;
}

/** Checks that the document declares every header of the response, and that it matches. */
function holdHeaders({ components }: Document, response: Response, { headers, at }: Named): void {
  const known = new Map(Object.entries(response.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
  for (const [name, value] of headers) {
    if (USUAL.test(name)) continue;
    const component = known.get(name)?.replace('#/components/headers/', '');
    if (component === undefined) throw new Error(`${at}: the document has no ${name}.`);
    const schema = components.headers[component]?.schema;
    expect(value, `${at}: ${name}`).toMatch(new RegExp(schema?.pattern ?? ''));
    if (schema?.enum) expect(schema.enum).toContain(value);
  }
}

describe('the responses of the server', () => {
  it('match the document, for every operation and every refusal that a request can cause', async () => {
    const document = documentOf();
    const steps = await walkPublicApi(project, itemId);
    for (const step of steps) placeAnswer(document, step, await ask(served, step));
    const visited = new Set(steps.map(({ operationId }) => operationId));
    expect([...visited].sort()).toEqual(
      operationsOf(document)
        .map(({ operationId }) => operationId)
        .sort(),
    );
    const faults = await redoclyFaults(document);
    expect(faults.filter((fault) => fault.startsWith('no-invalid-media-type-examples'))).toEqual([]);
  });
});
