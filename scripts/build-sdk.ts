// Builds the npm packages of sdk/ from the sources of the service: JavaScript, source maps and type declarations.
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const SDK = join(ROOT, 'sdk');
const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');

/** Each package, with its entry points and whether it runs in Node alone. */
const PACKAGES = {
  typescript: { inputs: { client: 'shared/src/client.ts', webhook: 'shared/src/webhook.ts' }, platform: 'neutral' },
  mcp: { inputs: { main: 'sdk/mcp/src/main.ts' }, platform: 'node' },
} as const;

/** Builds `sdk/<name>/dist`. */
async function buildPackage(name: keyof typeof PACKAGES): Promise<void> {
  const { inputs, platform } = PACKAGES[name];
  const folder = join(SDK, name);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: object };
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const packages = Object.keys(dependencies);
  await build({
    input: Object.fromEntries(Object.entries(inputs).map(([entry, file]) => [entry, join(ROOT, file)])),
    platform,
    external: (id) => packages.some((each) => id === each || id.startsWith(`${each}/`)),
    output: { dir: join(folder, 'dist'), format: 'esm', sourcemap: true, chunkFileNames: '[name].js' },
  });
}

/** The types of the client; imports name the files as they are called there. */
function declareTypes(): void {
  execFileSync(process.execPath, [COMPILER, '-p', join(SDK, 'typescript')], { stdio: 'inherit' });
  for (const file of globSync('typescript/dist/types/**/*.d.ts', { cwd: SDK })) {
    const path = join(SDK, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'),
    );
  }
}

await buildPackage('typescript');
declareTypes();
await buildPackage('mcp');
chmodSync(join(SDK, 'mcp/dist/main.js'), 0o755);
