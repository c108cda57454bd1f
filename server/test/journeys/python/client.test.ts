// Runs the tests of the Python package that need a service: pytest in sdk/python/tests/live against a real server.
import { expect, describe, it } from 'vitest';
import { openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { PYTHON, runPython, setStage } from './python.ts';

describe.runIf(PYTHON !== undefined)('the Python package (where PYTHON_SDK names an environment)', () => {
  const testEnv = useTestEnvironment({ processes: 1 });

  it('passes its tests against this server', { timeout: 900_000 }, async ({ signal }) => {
    const project = await openProject(await person(testEnv));
    const stage = await setStage(testEnv, project);
    try {
      const { code, output } = await runPython(['-m', 'pytest', '--durations=5', 'tests/live'], stage.env, { signal });
      expect(code, output).toBe(0);
      expect(output).toMatch(/^[1-9]\d* passed in/m);
    } finally {
      await stage.close();
    }
  });
});
