// Chooses the user that PostgreSQL runs as: it refuses to run as root, which is the user in containers and CI.
import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { EmbeddedError } from './embedded-error.ts';

export interface Identity {
  /** For the log: how PostgreSQL runs. */
  readonly how: 'as this user' | 'in a user namespace' | 'as another user';
  /** The owner of its files as seen from here. Undefined where systems have no user IDs. */
  readonly owner: Owner | undefined;
  /** The command that runs a program as this identity, with the PID of the program itself. */
  wrap(program: string, args: readonly string[]): Command;
}

export interface Owner {
  uid: number;
  gid: number;
}

export interface Command {
  file: string;
  args: string[];
  /** The user that Node switches to before it runs `file`. */
  user: Partial<Owner>;
}

const NOBODY = 65_534;
/**
 * util-linux: inside, the program runs as nobody; outside, its files belong to root; it replaces the wrapper instead of
 * being its child.
 */
const NAMESPACE = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
/** util-linux: the kernel signals the server to shut down when our process ends, for any reason. */
const WITH_PARENT = ['--pdeathsig', 'INT', '--'];

/** Runs programs as the user of this process. */
function thisUser(): Identity {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const owner = uid === undefined || gid === undefined ? undefined : { uid, gid };
  return { how: 'as this user', owner, wrap: (file, args) => ({ file, args: [...args], user: {} }) };
}

function inNamespace(): Identity {
  return {
    how: 'in a user namespace',
    owner: { uid: 0, gid: process.getgid?.() ?? 0 },
    wrap: (program, args) => ({ file: 'unshare', args: [...NAMESPACE, program, ...args], user: {} }),
  };
}

function asUser(owner: Owner): Identity {
  return {
    how: 'as another user',
    owner,
    wrap: (file, args) => ({ file, args: [...args], user: owner }),
  };
}

/**
 * Chooses the identity that runs PostgreSQL. `dataOwner`: the owner of an existing data folder, because PostgreSQL must
 * own it. Errors: `EmbeddedError` when the data belongs to another user, or root has no user to run it as or may not
 * switch users.
 */
export function chooseIdentity(dataOwner: Owner | undefined): Identity {
  const self = process.getuid?.();
  if (self !== 0) {
    if (dataOwner !== undefined && self !== undefined && dataOwner.uid !== self)
      throw new EmbeddedError(
        `The embedded database belongs to the user with the ID ${dataOwner.uid}: start as that user, or choose another DATA_DIR.`,
      );
    return thisUser();
  }
  if (dataOwner !== undefined && dataOwner.uid !== 0) return becoming(dataOwner);
  return runs({ file: 'unshare', args: [...NAMESPACE, 'true'] }) ? inNamespace() : becoming(unprivilegedUser());
}

function becoming(owner: Owner): Identity {
  const identity = asUser(owner);
  if (runs(identity.wrap('true', []))) return identity;
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and root cannot switch to the user with the ID ${owner.uid} here: start as another user, or set DATABASE_URL.`,
  );
}

/** Ends the program with our process, where the system supports that. */
export function tieToParent(command: Command): Command {
  if (process.platform !== 'linux' || !runs({ file: 'setpriv', args: [...WITH_PARENT, 'true'] })) return command;
  // `unshare … -- postgres` becomes `unshare … -- setpriv … -- postgres`: the process that receives the signal must
  // request it.
  const at = command.file === 'unshare' ? NAMESPACE.length : 0;
  const inner = at === 0 ? [command.file, ...command.args] : command.args.slice(at);
  const tied = ['setpriv', ...WITH_PARENT, ...inner];
  const whole = at === 0 ? tied : [command.file, ...command.args.slice(0, at), ...tied];
  return { ...command, file: whole[0] ?? '', args: whole.slice(1) };
}

/** Whether this identity can enter `folder`, and can run `program`. */
export function reaches(identity: Identity, { folder, program }: { folder?: string; program?: string }): boolean {
  if (identity.how === 'as this user') return true;
  const script = folder === undefined ? 'test -x "$0"' : 'cd "$0"';
  return runs(identity.wrap('/bin/sh', ['-c', script, folder ?? program ?? '']));
}

/** Makes PostgreSQL's user the owner of `path`. */
export function giveTo({ how, owner }: Identity, path: string): void {
  if (how === 'as another user' && owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

/**
 * The user that root runs PostgreSQL as if there is no better choice. Errors: `EmbeddedError` when there is no such
 * user.
 */
export function unprivilegedUser(): Owner {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new EmbeddedError(
    'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody": start as another user, or set DATABASE_URL.',
  );
}

const runs = ({ file, args, user = {} }: Pick<Command, 'file' | 'args'> & Partial<Command>): boolean =>
  spawnSync(file, args, { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
