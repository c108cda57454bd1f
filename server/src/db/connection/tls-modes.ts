// The TLS parameters of a database URL, with the meaning they have in libpq.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { DatabaseUrlError } from './database-url-error.ts';

/** False: without TLS. */
export type Tls = false | ConnectionOptions;

/** The parameters that this module reads; all are optional. */
export const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslnegotiation'] as const;
export type TlsParameters = Partial<Record<(typeof TLS_PARAMETERS)[number], string>>;

/** What each mode tries in order, as in libpq. */
const MODES: Record<string, (of: TlsParameters) => readonly [Tls, ...Tls[]]> = {
  disable: () => [false],
  allow: (of) => [false, unverified(of)],
  prefer: (of) => [unverified(of), false],
  // With a root certificate, libpq verifies the certificate.
  require: (of) => [of.sslrootcert === undefined ? unverified(of) : chainVerified(of)],
  'verify-ca': (of) => [chainVerified(of)],
  'verify-full': (of) => [fullyVerified(of)],
};

const DEFAULT_MODE = 'prefer';
/** Modes that fall back to no TLS, or may have none. */
const LAX: readonly string[] = ['disable', 'allow', 'prefer'];

/** The ways to connect that these parameters allow, preferred one first. Errors: `DatabaseUrlError`. */
export function tlsCandidates(parameters: TlsParameters): readonly [Tls, ...Tls[]] {
  const { sslmode = DEFAULT_MODE, sslnegotiation, sslrootcert, sslcert, sslkey } = parameters;
  const candidates = Object.hasOwn(MODES, sslmode) ? MODES[sslmode] : undefined;
  if (candidates === undefined) throw new DatabaseUrlError(`sslmode must be one of ${Object.keys(MODES).join(', ')}`);
  refuseIgnored(parameters, sslmode);
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new DatabaseUrlError('sslcert and sslkey must be set together');
  if (sslrootcert === 'system' && sslmode !== 'verify-full')
    throw new DatabaseUrlError('sslrootcert=system requires sslmode=verify-full');
  if (sslnegotiation === 'direct' && LAX.includes(sslmode))
    throw new DatabaseUrlError('sslnegotiation=direct requires sslmode=require or a stricter one');
  if (!['direct', 'postgres', undefined].includes(sslnegotiation))
    throw new DatabaseUrlError('sslnegotiation must be postgres or direct');
  return candidates(parameters);
}

/** An operator who sets a certificate expects it to protect the connection: libpq would ignore it silently. */
function refuseIgnored(parameters: TlsParameters, sslmode: string): void {
  if (parameters.sslrootcert !== undefined && LAX.includes(sslmode))
    throw new DatabaseUrlError(`sslrootcert is ignored with sslmode=${sslmode}: set sslmode=verify-full`);
  const ignored = (['sslcert', 'sslkey', 'sslpassword'] as const).find((name) => parameters[name] !== undefined);
  if (sslmode === 'disable' && ignored !== undefined)
    throw new DatabaseUrlError(`${ignored} is ignored with sslmode=disable: remove it, or set sslmode=verify-full`);
}

const unverified = (of: TlsParameters): Tls => ({ ...clientCertificate(of), rejectUnauthorized: false });

/** Verifies the issuer of the certificate, but not the host name. */
function chainVerified(of: TlsParameters): Tls {
  if (of.sslrootcert === undefined) throw new DatabaseUrlError('sslmode=verify-ca requires sslrootcert');
  return { ...fullyVerified(of), checkServerIdentity: () => undefined };
}

/** Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off. */
function fullyVerified(of: TlsParameters): ConnectionOptions {
  const { sslrootcert } = of;
  const known = sslrootcert === undefined || sslrootcert === 'system';
  return {
    ...clientCertificate(of),
    ...(!known && { ca: contentOf('sslrootcert', sslrootcert) }),
    rejectUnauthorized: true,
  };
}

function clientCertificate({ sslcert, sslkey, sslpassword }: TlsParameters): ConnectionOptions {
  if (sslcert === undefined || sslkey === undefined) return {};
  return {
    cert: contentOf('sslcert', sslcert),
    key: contentOf('sslkey', sslkey),
    ...(sslpassword !== undefined && { passphrase: sslpassword }),
  };
}

function contentOf(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new DatabaseUrlError(`${parameter} must be a file that this process can read; ${path} is not`);
  }
}
