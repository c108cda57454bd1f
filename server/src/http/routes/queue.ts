// The live queue: lists, claims and decisions.
import * as mistakes from '@countersign/shared/routes/mistakes';
import * as api from '@countersign/shared/routes/queue';
import { presentDomainEvent } from '../../presenters/domain-event.ts';
import { presentGrant, presentItem, presentQueue, presentNextGrant, presentBulkGrant } from '../../presenters/item.ts';
import { presentMistake, presentMistakeOfItem } from '../../presenters/mistake.ts';
import { readOwnFigures } from '../../usecases/analytics/read-own-figures.ts';
import { claim } from '../../usecases/claims/claim.ts';
import { claimNext } from '../../usecases/claims/claim-next.ts';
import { claimBulk } from '../../usecases/claims/claim-bulk.ts';
import type { Grant } from '../../usecases/claims/claim-row.ts';
import { decide } from '../../usecases/decisions/decide.ts';
import { answerMistake, listMistakes, readMistake, reportMistake } from '../../usecases/decisions/mistakes.ts';
import { listQueue } from '../../usecases/items/list-queue.ts';
import { listExpired } from '../../usecases/items/list-expired.ts';
import { listSimilar } from '../../usecases/items/list-similar.ts';
import { readHistory, readItem } from '../../usecases/items/read-item.ts';
import { search } from '../../usecases/items/search.ts';
import { releaseClaim, takeOver } from '../../usecases/claims/end-claim.ts';
import { renewClaim } from '../../usecases/claims/renew-claim.ts';
import { readMedia } from '../../usecases/items/read-media.ts';
import { revise } from '../../usecases/decisions/revise.ts';
import { extendDeadline } from '../../usecases/items/extend-deadline.ts';
import { reopen } from '../../usecases/decisions/reopen.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { undoDecision } from '../../usecases/decisions/undo-decision.ts';
import { Download } from '../response/download.ts';
import type { Binder } from '../route.ts';

export function bindQueue(bind: Binder, services: Services): void {
  bindReading(bind, services);
  bindMedia(bind, services);
  bindClaims(bind, services);
  bindDecisions(bind, services);
  bindMistakes(bind, services);
}

function bindReading(bind: Binder, services: Services): void {
  bind.member(api.listQueue, async ({ actor, query }) => {
    const { project_id: projectId, view, sort, after, limit, ...filter } = query;
    const snapshot = await listQueue(services, actor, { projectId, view, sort, filter, after, limit });
    return presentQueue(snapshot, { projectId, now: services.clock.now() });
  });
  bind.member(api.search, ({ actor, query }) => search(services, actor, { text: query.q }));
  bind.member(api.listExpiredItems, async ({ actor, params, query }) => {
    const { rows, nextCursor } = await listExpired(services, actor, {
      projectId: params.id,
      ...query,
      after: query.after,
    });
    const data = rows.map(({ projectId, expiredAt, ...row }) => {
      return { ...row, project_id: projectId, expired_at: expiredAt.toISOString() };
    });
    return { data, next_cursor: nextCursor };
  });
  bind.member(api.listSimilar, ({ actor, params }) => listSimilar(services, actor, params.id));
  bind.member(api.readQueueItem, async ({ actor, params }) => shown(services, actor, params.id));
  bind.member(api.readHistory, async ({ actor, params, query }) => {
    const { events, audited, hidden, nextCursor } = await readHistory(services, actor, {
      itemId: params.id,
      after: query.after,
    });
    return { data: events.map((event) => presentDomainEvent(event, { audited, hidden })), next_cursor: nextCursor };
  });
}

/** Ours alone: no header of the host comes through (MP5). */
const MEDIA_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  // A file of up to 25 MiB is read again: by an item that is opened again, and by the download of a PDF.
  'cache-control': 'private, max-age=300',
  vary: 'cookie, range',
};

function bindMedia(bind: Binder, services: Services): void {
  bind.member(api.readMedia, async ({ actor, params, query, ctx }) => {
    const range = ctx.get('range') || null;
    const { status, type, headers, chunks } = await readMedia(services, actor, { itemId: params.id, ...query, range });
    const file = { name: `media.${type.split('/')[1]}`, type, chunks, status, inline: true };
    return new Download(file, { ...headers, ...MEDIA_HEADERS });
  });
}

function bindClaims(bind: Binder, services: Services): void {
  bind.member(api.claimNext, async ({ actor, body }) => {
    const taken = await claimNext(services, actor, { projectId: body?.project_id });
    return taken === null ? undefined : presentNextGrant(actor, taken);
  });
  bind.member(api.claimBulk, async ({ actor, body }) => {
    const taken = await claimBulk(services, actor, { projectId: body.project_id, itemIds: body.item_ids });
    return { data: taken.map((grant) => presentBulkGrant(actor, grant)) };
  });
  bind.member(api.claimItem, async ({ actor, params }) =>
    granted(services, actor, await claim(services, actor, params.id)),
  );
  bind.member(api.renewClaim, async ({ actor, params, body }) =>
    granted(services, actor, await renewClaim(services, actor, { itemId: params.id, fence: body.fence })),
  );
  bind.member(api.takeOver, async ({ actor, params }) =>
    granted(services, actor, await takeOver(services, actor, params.id)),
  );
  bind.member(api.releaseClaim, async ({ actor, params, body }) => {
    await releaseClaim(services, actor, { itemId: params.id, fence: body.fence });
    return undefined;
  });
}

/** Parsed from its text, because the copy of the schema drops a key called __proto__. */
function outputOf(raw: ReadonlyMap<string, string>): { value: unknown; raw: string } | null {
  const output = raw.get('output');
  return output === undefined ? null : { value: JSON.parse(output) as unknown, raw: output };
}

function bindDecisions(bind: Binder, services: Services): void {
  bind.member(api.decideItem, async ({ actor, params, body, raw }) => {
    await decide(services, actor, {
      itemId: params.id,
      fence: body.fence,
      action: body.action,
      output: outputOf(raw),
      reason: body.reason ?? null,
      note: body.note ? body.note : null,
      response: body.response ?? null,
    });
    return shown(services, actor, params.id);
  });
  bind.member(api.undoDecision, async ({ actor, params, body }) => {
    const named = body?.undo_until;
    await undoDecision(
      services,
      actor,
      named === undefined ? params.id : { itemId: params.id, undoUntil: new Date(named) },
    );
    return shown(services, actor, params.id);
  });
  bind.member(api.reviseItem, async ({ actor, params, body, raw }) => {
    const { action, reason, note, revises } = body;
    await revise(services, actor, {
      ...{ itemId: params.id, action, reason, revises, output: outputOf(raw) },
      note: note ? note : null,
    });
    return shown(services, actor, params.id);
  });
  bind.member(api.extendDeadline, async ({ actor, params, body }) => {
    await extendDeadline(services, actor, { itemId: params.id, seconds: body.seconds });
    return shown(services, actor, params.id);
  });
  bind.member(api.reopenItem, async ({ actor, params, body }) => {
    await reopen(services, actor, { itemId: params.id, reason: body?.reason ?? null });
    return shown(services, actor, params.id);
  });
}

function bindMistakes(bind: Binder, services: Services): void {
  const reported = async (actor: MemberActor, itemId: string) =>
    presentMistakeOfItem(await readMistake(services, actor, itemId));
  bind.member(mistakes.listMistakes, async ({ actor, query }) => {
    const page = await listMistakes(services, actor, { after: undefined, ...query });
    return { data: page.rows.map(presentMistake), next_cursor: page.nextCursor };
  });
  bind.member(mistakes.readMistake, ({ actor, params }) => reported(actor, params.id));
  bind.member(mistakes.reportMistake, async ({ actor, params, body }) => {
    await reportMistake(services, actor, { itemId: params.id, note: body?.note ? body.note : null });
    return reported(actor, params.id);
  });
  bind.member(mistakes.answerMistake, async ({ actor, params, body }) => {
    await answerMistake(services, actor, { itemId: params.id, overturned: body.overturned });
    return reported(actor, params.id);
  });
  bind.member(mistakes.readOwnFigures, ({ actor, query }) => readOwnFigures(services, actor, query.time_zone));
}

async function shown(services: Services, actor: MemberActor, itemId: string) {
  const view = await readItem(services, actor, itemId);
  return presentItem(view, { userId: actor.userId, role: view.role });
}

async function granted(services: Services, actor: MemberActor, grant: Grant) {
  const view = await readItem(services, actor, grant.item.id);
  return presentGrant(view, { userId: actor.userId, role: view.role }, grant);
}
