// Presents an inbound source in the wire format: its URL, never its secret.
import { receiveInbound } from '@countersign/shared/routes/inbound';
import type { InboundSource as WireSource } from '@countersign/shared/schemas/inbound';
import type { InboundSource } from '../db/entities/inbound-source.ts';

/** `baseUrl` is the base URL of this service, without a trailing slash. */
export function presentInboundSource(source: InboundSource, baseUrl: string): WireSource {
  return {
    id: source.id,
    name: source.name,
    url: baseUrl + receiveInbound.path.replace(':source_id', source.id),
    created_at: source.createdAt.toISOString(),
    last_used_at: source.lastUsedAt?.toISOString() ?? null,
    abilities: { remove: !source.removedAt },
  };
}
