// `npm run forget`: erases the person behind a wallet (KE6), or reports what is stored of them.
import { openForCommand } from '../server/src/open-for-command.ts';
import { findTrace, forgetWallet, type Trace } from '../server/src/usecases/access/forget-wallet.ts';
import { Refusal } from '../shared/src/errors.ts';
import { FORGET_USAGE, readForgetArguments } from './lib/commands/forget-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';

async function main(): Promise<void> {
  const options = readForgetArguments(process.argv.slice(2));
  if (options === 'help') return console.log(FORGET_USAGE);
  const { services, close } = await openForCommand();
  try {
    const trace = await findTrace(services, options.address);
    if (trace === null) return console.log('Nothing is known of this wallet.');
    printTrace(trace);
    if (trace.blocked) {
      process.exitCode = 1;
      return console.error(
        'This wallet is blocked, and could sign in again once it is erased. Unblock it first: npm run access.',
      );
    }
    if (trace.projects.some(({ onlyOwner }) => onlyOwner)) {
      process.exitCode = 1;
      return console.error('Make somebody else an owner of those projects, or delete them, and try again.');
    }
    if (!options.yes) return console.log('Nothing was changed. Add --yes to forget this wallet.');
    await forgetWallet(services, options.address, trace);
    console.log(`Forgotten. What stays is by ${trace.pseudonym}.`);
    if (trace.unfinished && (await findTrace(services, options.address)) !== null)
      console.log(
        'Somebody signed in with this wallet after the earlier run. To forget them too, run the command again.',
      );
  } finally {
    await close();
  }
}

function printTrace({ userId, sessions, decisions, projects, unfinished }: Trace): void {
  if (unfinished) console.log('An earlier run was cut off and has not renamed this person everywhere.');
  console.log(`Person ${userId}: ${sessions} sessions, ${decisions} decisions, member of ${projects.length} projects`);
  for (const { id, name, role, onlyOwner } of projects)
    console.log(`  ${name} (${id}): ${onlyOwner ? 'its only owner who is not blocked' : role}`);
}

await runCommand(main, { usage: FORGET_USAGE, userErrors: [Refusal] });
