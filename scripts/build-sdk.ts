// Builds the npm packages of sdk/ from the sources of the service: JavaScript, source maps and type declarations.
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { readFlags } from './lib/commands/read-flags.ts';

const ROOT = join(import.meta.dirname, '..');
const SDK = join(ROOT, 'sdk');
const COMPILER = join(ROOT, 'node_modules/@typescript/native/bin/tsc');

/** Each package, with its entry points and whether it runs in Node alone. */
const PACKAGES = {
  typescript: { inputs: { client: 'shared/src/client.ts', webhook: 'shared/src/webhook.ts' }, platform: 'neutral' },
  'ai-sdk': { inputs: { index: 'sdk/ai-sdk/src/index.ts' }, platform: 'neutral' },
  mcp: { inputs: { main: 'sdk/mcp/src/main.ts' }, platform: 'node' },
} as const;

/** The client has another name outside of this repository. A package that depends on it imports it, and does not contain it. */
const CLIENT = { here: '@countersign/shared/client', outside: '@countersign/client' };

const importClient: Plugin = {
  name: 'import-client',
  resolveId: (id) => (id === CLIENT.here ? { id: CLIENT.outside, external: true } : null),
};

interface Manifest {
  dependencies?: object;
  peerDependencies?: object;
}

/** Builds `sdk/<name>/dist`. */
async function buildPackage(name: keyof typeof PACKAGES): Promise<void> {
  const { inputs, platform } = PACKAGES[name];
  const folder = join(SDK, name);
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const packages = Object.keys({ ...dependencies, ...peerDependencies });
  await build({
    input: Object.fromEntries(Object.entries(inputs).map(([entry, file]) => [entry, join(ROOT, file)])),
    platform,
    plugins: packages.includes(CLIENT.outside) ? [importClient] : [],
    external: (id) => packages.some((each) => id === each || id.startsWith(`${each}/`)),
    output: { dir: join(folder, 'dist'), format: 'esm', sourcemap: true, chunkFileNames: '[name].js' },
  });
}

/** The types of a package; imports name files and packages as they are called there. */
function declareTypes(config: string): void {
  execFileSync(process.execPath, [COMPILER, '-p', join(SDK, config)], { stdio: 'inherit' });
  for (const file of globSync(`${dirname(config)}/dist/types/**/*.d.ts`, { cwd: SDK })) {
    const path = join(SDK, file);
    const text = readFileSync(path, 'utf8').replaceAll(CLIENT.here, CLIENT.outside);
    writeFileSync(path, text.replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'));
  }
}

readFlags(`Usage: npm run build:sdk

  Builds the npm packages of sdk/ into their dist folders.`);

await buildPackage('typescript');
declareTypes('typescript/tsconfig.json');
await buildPackage('ai-sdk');
declareTypes('ai-sdk/tsconfig.build.json');
await buildPackage('mcp');
chmodSync(join(SDK, 'mcp/dist/main.js'), 0o755);
