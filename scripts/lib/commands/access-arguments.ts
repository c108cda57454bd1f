// The command line of `npm run access`.
import { parseArgs } from 'node:util';
import { decodeAddress } from '../../../server/src/crypto/ed25519.ts';
import { UsageError } from '../submit/arguments.ts';

export const ACCESS_USAGE = `Usage: npm run access -- list
       npm run access -- block|unblock|end-sessions ADDRESS

  list          the wallets that are blocked or signed in
  block         ends the wallet's sessions at once, releases its claims, ends its open invites and offers, and refuses
                its sign-in; it stays a member of its projects
  unblock       lets a blocked wallet sign in again
  end-sessions  signs the wallet out everywhere; it may sign in again

Works on the database that DATABASE_URL or DATA_DIR names, with the service's own environment; it may run beside the service.`;

const ON_WALLETS = ['block', 'unblock', 'end-sessions'] as const;

export type AccessArguments = { subcommand: 'list' } | { subcommand: (typeof ON_WALLETS)[number]; address: string };

/** Reads the command line. Errors: `UsageError`. */
export function readAccessArguments(args: string[]): AccessArguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [given, address, ...rest] = positionals;
  if (given === 'list' && address === undefined) return { subcommand: 'list' };
  const subcommand = ON_WALLETS.find((name) => name === given);
  if (subcommand === undefined || rest.length > 0) throw new UsageError('Say list, block, unblock or end-sessions.');
  if (address === undefined) throw new UsageError(`Say whose: npm run access -- ${subcommand} ADDRESS.`);
  if (decodeAddress(address) === null) throw new UsageError(`${address} is not a Solana wallet address.`);
  return { subcommand, address };
}

function parse(args: string[]) {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
