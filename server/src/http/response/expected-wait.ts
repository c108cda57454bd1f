// The header of a response to a submission that says how long people will probably need (EW).
import type { Context } from 'koa';
import type { Submitted } from '@countersign/shared/schemas/public';
import { isOpen } from '../../domain/items/item.ts';
import type { Services } from '../../usecases/services.ts';

export const EXPECTED_WAIT = 'x-expected-wait-seconds';

/** Sets the header where one of the submitted items waits for people and the expectation is known. */
export async function setExpectedWait(
  { expectedWaits }: Pick<Services, 'expectedWaits'>,
  { projectId, ctx }: { projectId: string; ctx: Context },
  submitted: readonly Pick<Submitted, 'status'>[],
): Promise<void> {
  if (!submitted.some(({ status }) => isOpen(status))) return;
  const seconds = await expectedWaits.of(projectId);
  if (seconds !== null) ctx.set(EXPECTED_WAIT, String(seconds));
}
