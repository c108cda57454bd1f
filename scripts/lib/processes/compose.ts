// Reads the processes from docker-compose.yml and the Dockerfile, so that tests run what they define.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');

export interface ComposeService {
  image?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  secrets?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  volumes?: string[];
  networks?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
}

export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
  networks: Record<string, { internal?: boolean } | null>;
}

/** With anchors and `<<` resolved. Errors: the file is not YAML. */
export const readCompose = (): Compose =>
  parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;

/** The images that the Dockerfile builds on, without its own stages. */
export function baseImages(): string[] {
  const lines = [...readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
  const stages = new Set(lines.map(([, , stage]) => stage));
  return lines.flatMap(([, image = '']) => (stages.has(image) ? [] : [image]));
}

/** What the image runs: the `CMD` of its last stage, in the exec form. */
export function imageCommand(): string[] {
  const file = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const text = /^CMD (\[.*\])$/m.exec(file)?.[1];
  if (text === undefined) throw new Error('The Dockerfile has no CMD in the exec form.');
  return JSON.parse(text) as string[];
}

/** A service's environment as `docker compose` hands it out: `${NAME:-default}` and `${NAME}` filled in from `env`. */
export function environmentOf({ environment = {} }: ComposeService, env: NodeJS.ProcessEnv): Record<string, string> {
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise = '') => env[name] || String(otherwise));
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(String(value))]));
}
