// The description of the public API, for tools and for the documentation page.
import { type OpenApi, readOpenApi } from '@countersign/shared/api/openapi';
import { rawJson } from '../../domain/items/decision.ts';
import type { Services } from '../../usecases/services.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Binder } from '../route.ts';

export function bindOpenApi(bind: Binder, services: Services): void {
  // Serialized once: it does not change while the process runs.
  const document = rawJson<OpenApi>(JSON.stringify(openApiDocument(services.baseUrl)));
  bind.open(readOpenApi, () => Promise.resolve(document));
}
