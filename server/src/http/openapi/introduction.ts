// The text that opens the OpenAPI document: what holds for every operation.
import { LIMITS } from '@countersign/shared/api/public';

const KIB = 1024;

export const INTRODUCTION = `A pipeline submits what it suggests; the answer says at once whether that is approved or waits for a person. Decisions by people leave by a signed webhook, and can be read here.

**Keys.** Send \`x-api-key\`. A key belongs to one project: ids of other projects are 404, and an item for another project is refused. Cookies are ignored.

**JSON is kept byte for byte.** \`input\`, \`suggestion\` and \`metadata\` are kept as the text that was sent, and come back so in answers and webhooks: number spelling and key order included.

**Limits.** An item has at most ${LIMITS.itemBytes / KIB} KiB, a batch ${LIMITS.batchBytes / KIB / KIB} MiB, counted after inflation (\`content-encoding\` gzip, deflate or br). JSON is nested at most ${LIMITS.depth} deep, has at most ${LIMITS.nodes} values per item and keys of at most ${LIMITS.keyLength} characters. It is I-JSON (RFC 7493): no NUL, no lone surrogates, no integers beyond 2^53-1, no numbers that overflow. Unknown fields are refused.

**Repeats.** With an \`Idempotency-Key\` a request can be sent again without a second item, or a second regression run.

**Errors** are \`application/problem+json\` (RFC 9457). \`code\` is from a closed list; \`detail\` says what to do; \`errors\` points at the fields with JSON pointers into the body. Give \`request_id\` to the operator when something is our fault.

**Rate limits** count per key: \`RateLimit\` and \`RateLimit-Policy\` tell what is left, 429 and 503 come with \`Retry-After\`.`;
