// The delivery log: its list, a single delivery, and replays.
import * as api from '@countersign/shared/api/deliveries';
import { listDeliveries as listEndpoint } from '@countersign/shared/api/learnings';
import { presentDelivery, presentDeliveryDetail, presentReplay } from '../../presenters/delivery.ts';
import { listDeliveries } from '../../usecases/webhooks/list-deliveries.ts';
import { listReplays } from '../../usecases/webhooks/list-replays.ts';
import { readDelivery } from '../../usecases/webhooks/read-delivery.ts';
import { cancelReplay, replayDelivery, startReplay } from '../../usecases/webhooks/replay-deliveries.ts';
import { sendDeliveryNow } from '../../usecases/webhooks/send-delivery-now.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

/** For a delivery that was deleted while the page was read (KE4). */
const GONE = { durationMs: null, redacted: true };

export function bindDeliveries(bind: Binder, services: Services): void {
  bind.member(listEndpoint, async ({ actor, params, query }) => {
    const page = await listDeliveries(services, actor, { ...query, projectId: params.id, after: query.after });
    const data = page.rows.map((row) => presentDelivery(row, page, page.asides.get(row.id) ?? GONE));
    return { data, next_cursor: page.nextCursor };
  });
  const shown = async (actor: MemberActor, id: string) => {
    const view = await readDelivery(services, actor, id);
    return presentDeliveryDetail(view);
  };
  bind.member(api.readDelivery, ({ actor, params }) => shown(actor, params.id));
  bind.member(api.replayDelivery, async ({ actor, params }) => {
    await replayDelivery(services, actor, params.id);
    return shown(actor, params.id);
  });
  bind.member(api.sendDeliveryNow, async ({ actor, params }) => {
    await sendDeliveryNow(services, actor, params.id);
    return shown(actor, params.id);
  });
  bindReplays(bind, services);
}

function bindReplays(bind: Binder, services: Services): void {
  bind.member(api.replayDeliveries, async ({ actor, params, body }) => {
    const time = (text: string | undefined) => (text === undefined ? null : new Date(text));
    const { status = 'dead', from, to } = body ?? {};
    const filter = { projectId: params.id, status, from: time(from), to: time(to) };
    return presentReplay(await startReplay(services, actor, filter));
  });
  bind.member(api.listReplays, async ({ actor, params }) => {
    const replays = await listReplays(services, actor, params.id);
    return { data: replays.map(presentReplay), next_cursor: null };
  });
  bind.member(api.cancelReplay, async ({ actor, params }) =>
    presentReplay(await cancelReplay(services, actor, params.id)),
  );
}
