// Tests that installing runs no script of any package (SU1), while our own scripts still run.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const RC = join(ROOT, '.npmrc');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-install-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without npm's own variables for scripts, which would override a project's file. */
const plain = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);
/** A recent npm asks before it runs a script, an older one does not: this one must behave like the older. */
const env = { ...plain, npm_config_dangerously_allow_all_scripts: 'true' };

/** Installs, in a project with this `.npmrc`, a package with every install script. Returns whether one ran. */
function runsScripts(name: string, rc: string | null): boolean {
  const [project, mark] = [join(folder, name), join(folder, `${name}.ran`)];
  mkdirSync(join(project, 'hostile'), { recursive: true });
  const script = `node -e "require('fs').writeFileSync('${mark}', '')"`;
  const moments = ['preinstall', 'install', 'postinstall', 'prepare'];
  const scripts = Object.fromEntries(moments.map((moment) => [moment, script]));
  const write = (path: string, value: object) => writeFileSync(join(project, path), JSON.stringify(value));
  write('hostile/package.json', { name: 'hostile', version: '1.0.0', scripts });
  write('package.json', { name: 'project', version: '1.0.0', dependencies: { hostile: 'file:hostile' } });
  if (rc !== null) copyFileSync(rc, join(project, '.npmrc'));
  execFileSync('npm', ['install', '--install-links', '--offline', '--no-audit'], { cwd: project, env, stdio: 'pipe' });
  expect(existsSync(join(project, 'node_modules/hostile/package.json'))).toBe(true);
  return existsSync(mark);
}

describe('SU1: an installation', () => {
  it('runs no script of a package, by our .npmrc', () => {
    expect(runsScripts('ours', RC)).toBe(false);
    expect(runsScripts('any', null), 'is what a project without it does').toBe(true);
  });

  it('has the same .npmrc in the image', () => {
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(
      /^COPY package\.json package-lock\.json \.npmrc \.\/$/m,
    );
  });

  it('skips no script of ours: npm would skip one that is named after another', () => {
    for (const place of ['', 'shared', 'server', 'web']) {
      const text = readFileSync(join(ROOT, place, 'package.json'), 'utf8');
      const names = Object.keys((JSON.parse(text) as { scripts?: object }).scripts ?? {});
      const hooks = names.filter((name) => /^(pre|post)/.test(name));
      expect(hooks, place).toEqual([]);
      expect(
        names.filter((name) => ['install', 'prepare', 'dependencies'].includes(name)),
        place,
      ).toEqual([]);
    }
  });

  it('knows every package with an install script: a new one is reviewed before it is added here', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: true }>;
    };
    const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      allowScripts: Record<string, boolean>;
    };
    const would = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    expect(would.sort()).toEqual(Object.keys(allowScripts).sort());
    expect(Object.values(allowScripts).every((allowed) => !allowed)).toBe(true);
  });
});
