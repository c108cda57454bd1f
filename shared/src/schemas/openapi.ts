// The description of the public API, served as OpenAPI 3.1 (docs/spec/public-api.md).
import { z } from 'zod';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

/** The parts of an OpenAPI document that its readers rely on; OpenAPI defines the rest. */
export const openApi = z
  .looseObject({
    openapi: z.string().regex(/^3\.1\.\d+$/),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ description: 'An OpenAPI 3.1 document' });
export type OpenApi = z.infer<typeof openApi>;

export const readOpenApi = endpointSchemas({
  auth: 'none',
  summary: 'This document',
  description: 'Generated from the schemas that validate requests. No API key is needed.',
  reply: openApi,
});
