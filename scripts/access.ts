// `npm run access -- list|block|unblock|end-sessions`: controls who may sign in, beside the running service (A20).
import { openForCommand } from '../server/src/open-for-command.ts';
import {
  type Blocked,
  blockWallet,
  endSessionsOf,
  listAccess,
  unblockWallet,
} from '../server/src/usecases/access/operator-access.ts';
import type { Services } from '../server/src/usecases/services.ts';
import { ACCESS_USAGE, readAccessArguments } from './lib/commands/access-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';
import { UsageError } from './lib/submit/arguments.ts';

async function main(): Promise<void> {
  const options = readAccessArguments(process.argv.slice(2));
  if (options === 'help') return console.log(ACCESS_USAGE);
  const { services, close } = await openForCommand();
  try {
    if (options.subcommand === 'list') await list(services);
    else await { block, unblock, 'end-sessions': endSessions }[options.subcommand](services, options.address);
  } finally {
    await close();
  }
}

async function list(services: Services): Promise<void> {
  const wallets = await listAccess(services);
  if (wallets.length === 0) console.log('No wallet is blocked or signed in.');
  for (const { address, name, blockedAt, sessions } of wallets) {
    const state = blockedAt === null ? '' : `, blocked since ${blockedAt.toISOString()}`;
    console.log(`${address}${name === null ? '' : ` (${name})`}: ${counted(sessions, 'session')}${state}`);
  }
}

async function block(services: Services, address: string): Promise<void> {
  const done = await blockWallet(services, address);
  console.log(`${address} is blocked: ${endedWith(done)}.`);
  for (const { id, name } of done.ownedAlone)
    console.log(`  ${name} (${id}) has no other owner: nobody can change its settings or people meanwhile.`);
}

const endedWith = ({ sessions, claims, projects }: Blocked): string =>
  `${counted(sessions, 'session')} ended, ${counted(claims, 'claim')} given back, a member of ${counted(projects, 'project')}`;

async function unblock(services: Services, address: string): Promise<void> {
  const was = await unblockWallet(services, address);
  if (!was) throw new UsageError(`${address} is not blocked.`);
  console.log(`${address} may sign in again.`);
}

async function endSessions(services: Services, address: string): Promise<void> {
  const ended = await endSessionsOf(services, address);
  if (ended === null) throw new UsageError(`${address} has never signed in here.`);
  console.log(`${address}: ${counted(ended, 'session')} ended.`);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

await runCommand(main);
