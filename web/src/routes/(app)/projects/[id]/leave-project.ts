// Leaves the pages of a project that the user has no access to any more, for the list of projects.
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { isUnder } from '#lib/shell/addresses.ts';

/** Does nothing where the user has gone elsewhere before the answer came. */
export async function leaveProject(id: string): Promise<void> {
  const own = resolve('/(app)/projects/[id]/[[tab]]', { id });
  if (isUnder(location.pathname, own)) await goto(resolve('/(app)/projects'));
}
