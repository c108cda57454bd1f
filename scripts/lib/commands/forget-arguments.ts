// The command line of `npm run forget`.
import { parseArgs } from 'node:util';
import { UsageError } from '../submit/arguments.ts';

export const FORGET_USAGE = `Usage: npm run forget -- --wallet ADDRESS [--yes]

  Prints what is stored about a wallet. With --yes it is forgotten: its sessions and memberships end, and its name and address
  are replaced by a pseudonym everywhere. What it decided stays, under that pseudonym.

Works on the database that DATABASE_URL or DATA_DIR names, with the service's own environment; it may run beside the service.`;

export interface ForgetArguments {
  address: string;
  /** False: only report what is stored. */
  yes: boolean;
}

/** Reads the command line. Errors: `UsageError`. */
export function readForgetArguments(args: string[]): ForgetArguments | 'help' {
  const { wallet, yes = false, help = false } = parse(args);
  if (help) return 'help';
  if (wallet === undefined || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(wallet))
    throw new UsageError('Give the address of the wallet with --wallet.');
  return { address: wallet, yes };
}

function parse(args: string[]) {
  try {
    const flag = { type: 'boolean' } as const;
    const options = { wallet: { type: 'string' }, yes: flag, help: { ...flag, short: 'h' } } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
