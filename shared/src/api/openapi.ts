// The description of the public API, served as OpenAPI 3.1 (docs/spec/public-api.md).
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** As much of an OpenAPI document as its readers may count on; the rest is OpenAPI's own word. */
export const openApi = z
  .looseObject({
    openapi: z.string().regex(/^3\.1\.\d+$/),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ description: 'An OpenAPI 3.1 document' });
export type OpenApi = z.infer<typeof openApi>;

export const readOpenApi = endpoint({
  method: 'GET',
  path: '/api/public/openapi.json',
  auth: 'none',
  summary: 'This document',
  description: 'Generated from the very schemas that check requests. No key is needed.',
  reply: openApi,
});
