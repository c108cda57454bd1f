// Helpers that read offers and memberships: the open offers of a project and of a wallet, and the role of a person.
import type { Role } from '@countersign/shared/enums';
import { listOffers, listOwnOffers } from '../../../src/usecases/access/list-offers.ts';
import { readPool } from '../../../src/usecases/access/list-members.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import type { ProjectFixture } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

/** The maximum of a page. */
const ALL = { after: undefined, limit: 200 };

/** The open offers of a project, as its owner sees them. */
export const openOffers = async (
  { services }: ServicesEnvironment,
  { owner, projectId }: Pick<ProjectFixture, 'owner' | 'projectId'>,
) => (await listOffers(services, owner, { projectId, ...ALL })).rows;

/** The open offers to a person's wallet, as they see them. */
export const ownOffers = async ({ services }: ServicesEnvironment, who: MemberActor) =>
  (await listOwnOffers(services, who, ALL)).rows;

/** The role of a person in a project; null for a non-member. */
export async function roleIn(
  { services }: ServicesEnvironment,
  { owner, projectId }: Pick<ProjectFixture, 'owner' | 'projectId'>,
  who: MemberActor,
): Promise<Role | null> {
  const { members } = await readPool(services, owner, projectId);
  return members.find(({ user }) => user.id === who.userId)?.role ?? null;
}
