// Makes the JSON Schema that zod writes plainer, for the OpenAPI document and the MCP tools.
import type { z } from 'zod';

interface Written {
  jsonSchema: { format?: string | undefined; pattern?: string | undefined; additionalProperties?: unknown };
  zodSchema: z.core.$ZodTypes;
  io: 'input' | 'output';
}

/** Removes from one schema what says less than it costs. It changes the schema in place, as zod's `override` asks for. */
export function makePlainer({ jsonSchema, zodSchema, io }: Written): void {
  // The format is enough; zod's pattern for it is very long.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  // A response may gain members: only shapes that are closed by contract say so.
  const { def } = zodSchema._zod;
  if (io === 'output' && def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}
