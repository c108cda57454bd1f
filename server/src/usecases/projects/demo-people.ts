// The people of the demo's history: members of its projects whose wallets nobody has the key of.
import type { Role } from '@countersign/shared/enums';
import { nobodysAddress } from '../../crypto/ed25519.ts';
import { addMember, findOrCreateUser } from '../access/add-member.ts';
import { acceptOffer } from '../access/offers.ts';
import type { MemberActor, Services } from '../services.ts';

/** How many people a history may have. */
const MOST = 12;
const addressOf = (index: number): string => nobodysAddress(`Countersign demo, person ${index}`);

/** The addresses of all people that a history may have. */
export const demoAddresses = (): string[] => Array.from({ length: MOST }, (_, index) => addressOf(index));

/**
 * Finds or creates these people and makes them members of the projects, by offers of their hosts. In
 * the order given.
 */
export async function joinDemoPeople(
  services: Services,
  {
    projects,
    people,
  }: {
    projects: readonly { projectId: string; host: MemberActor }[];
    people: readonly { name: string; role: Role }[];
  },
): Promise<MemberActor[]> {
  const actors: MemberActor[] = [];
  for (const [index, { name, role }] of people.entries()) {
    const address = addressOf(index);
    const { id: userId } = await services.db.write((tx) => findOrCreateUser(services, tx, { address, name }));
    const who = { kind: 'member' as const, userId, address, name, sessionId: '', expiresAt: services.clock.now() };
    for (const { projectId, host } of projects) {
      const added = await addMember(services, host, { projectId, address, role });
      if (added.kind === 'offer') await acceptOffer(services, who, added.offer.id);
    }
    actors.push(who);
  }
  return actors;
}
