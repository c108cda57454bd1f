// Tests versioned settings, checked by RT5, changed on top of the version seen; and the stored webhook secret rotation.
import { describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { decrypt } from '../../../src/crypto/key-ring.ts';
import { secretContext, secretsOf, signingSecrets } from '../../../src/domain/webhooks/signing.ts';
import { WebhookEndpoint } from '../../../src/db/entities/webhook-endpoint.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { settingsOf } from '../../../src/usecases/projects/settings.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { passTime, withClockOff } from '../support/deadline-clock.ts';

const testEnv = useServices();
const HOUR = 3_600_000;
const fixture = useProjectFixture(testEnv);

const change = (changes: Partial<ProjectSettings>, settingsVersion = 1) =>
  changeSettings(testEnv.services, fixture.owner, { projectId: fixture.projectId, settingsVersion, changes });
const now = async () => {
  const { project } = await readProject(testEnv.services, fixture.owner, fixture.projectId);
  return { version: project.settingsVersion, settings: settingsOf(project) };
};
const versions = () =>
  testEnv.sql<{ version: number; changed_by: string }>(
    'select version, changed_by from project_settings where project_id = ? order by version',
    [fixture.projectId],
  );

describe('a change of settings', () => {
  it('RT6: is a new version; omitted settings stay, the author is stored, and an event is appended', async () => {
    const before = await now();
    await change({ auto_threshold: 0.9, escalate_flags: ['fraud'] });
    expect(await now()).toEqual({
      version: 2,
      settings: { ...before.settings, auto_threshold: 0.9, escalate_flags: ['fraud'] },
    });
    expect(await versions()).toEqual([1, 2].map((version) => ({ version, changed_by: fixture.owner.userId })));
    expect((await eventLogOf(testEnv, fixture.projectId)).at(-1)).toMatchObject({
      type: 'project.changed',
      data: { settings_version: 2, changed: ['settings'] },
    });
  });

  it('of nothing creates no new version and no event', async () => {
    const eventLog = await eventLogOf(testEnv, fixture.projectId);
    await change({});
    await change({ auto_threshold: 0.95, escalate_flags: ['escalate', 'legal', 'high_value'] });
    expect((await now()).version).toBe(1);
    expect(await versions()).toHaveLength(1);
    expect(await eventLogOf(testEnv, fixture.projectId)).toEqual(eventLog);
  });

  it.each<[string, Partial<ProjectSettings>]>([
    ['a review threshold above the auto-approve threshold', { review_threshold: 0.96 }],
    ['an auto-approve threshold below the review threshold', { auto_threshold: 0.69 }],
    ['a threshold above 1', { auto_threshold: 1.01 }],
    ['a threshold below 0', { review_threshold: -0.01 }],
  ])('RT5: %s is refused, here and for a new project', async (_, changes) => {
    const fault = { code: 'validation_failed', extras: { errors: [{ pointer: '#/review_threshold', code: 'RT5' }] } };
    await expect(change(changes)).rejects.toMatchObject(fault);
    await expect(createProject(testEnv.services, fixture.owner, { name: 'x', ...changes })).rejects.toMatchObject(
      fault,
    );
    expect((await now()).version).toBe(1);
  });

  it('RT5: both thresholds may be equal, and reach 0 and 1', async () => {
    await change({ auto_threshold: 0.7 });
    await change({ auto_threshold: 1, review_threshold: 0 }, 2);
    expect((await now()).settings).toMatchObject({ auto_threshold: 1, review_threshold: 0 });
  });

  it('based on an outdated version is refused, and overwrites nothing', async () => {
    await change({ name: 'Second' });
    await expect(change({ name: 'Third' })).rejects.toMatchObject({ code: 'stale_settings' });
    await expect(change({ name: 'Third' }, 3)).rejects.toMatchObject({ code: 'stale_settings' });
    expect((await now()).settings.name).toBe('Second');
  });

  it('ST2 to ST4: stores how content is shown, and every member reads it', async () => {
    const content: Partial<ProjectSettings> = {
      media_hosts: ['images.example.com', 'xn--bcher-kva.example'],
      sensitive_flags: ['violence, mild', 'gore'],
      sensitive_pictures: 'grey',
      content_kinds: { '/input/body': 'markdown', '/suggestion': 'diff' },
    };
    expect((await now()).settings).toMatchObject({
      ...{ media_hosts: [], sensitive_flags: [], sensitive_pictures: 'blur', content_kinds: {} },
    });
    await change(content);
    expect((await now()).settings).toMatchObject(content);
    const [{ settings } = { settings: {} }] = await testEnv.sql<{ settings: object }>(
      'select settings from project_settings where project_id = ? and version = 2',
      [fixture.projectId],
    );
    expect(settings).toMatchObject(content);
  });

  it('made ten times at once on one version: one succeeds, the others are stale', async () => {
    const changes = Array.from({ length: 10 }, (_, index) => change({ target_minutes: 100 + index }));
    const results = await Promise.allSettled(changes);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'stale_settings' });
    }
    expect((await now()).version).toBe(2);
    expect(await versions()).toHaveLength(2);
  });

  it('a change of settings that is overtaken during its own request is stale too', async () => {
    const lock: [string, unknown[]] = ['select id from project where id = ? for update', [fixture.projectId]];
    const results = await withOpenTransaction(testEnv, lock, async (commit) => {
      const changes = Promise.allSettled([change({ target_minutes: 7 }), change({ target_minutes: 8 })]);
      await waitForBlocked(testEnv, 2);
      await commit();
      return changes;
    });
    const reasons = results.map((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : 'done',
    );
    expect(reasons.sort()).toEqual(['done', 'stale_settings']);
    expect(await versions()).toHaveLength(2);
  });

  it.each([
    'https://169.254.169.254/x',
    'https://10.0.0.1/',
    'ftp://example.com/',
    'nonsense',
    'http://u:p@127.0.0.1:8080/',
  ])('a webhook URL that the guard refuses: %s', async (webhook_url) => {
    await expect(change({ webhook_url })).rejects.toMatchObject({
      code: 'webhook_url_refused',
      extras: { errors: [{ pointer: '#/webhook_url' }] },
    });
  });
});

describe('rotating the webhook secret', () => {
  const rotate = () => rotateWebhookSecret(testEnv.services, fixture.owner, { projectId: fixture.projectId });
  const promote = () => promoteWebhookSecret(testEnv.services, fixture.owner, fixture);
  const signing = async () => {
    const row = await testEnv.services.db.read((em) =>
      em.findOneOrFail(WebhookEndpoint, { projectId: fixture.projectId }),
    );
    const reveal = (encrypted: string) =>
      decrypt(testEnv.services.keyRing, encrypted, secretContext(fixture.projectId));
    return signingSecrets(secretsOf(row), testEnv.clock.now()).map(reveal);
  };

  it('the first secret shown to a person signs at once; the next waits in second place', async () => {
    const first = await rotate();
    expect(first).toMatchObject({ phase: 'current', promoteAt: null });
    expect(await signing()).toEqual([first.secret]);
    const second = await rotate();
    expect(second.phase).toBe('next');
    expect((second.promoteAt?.getTime() ?? 0) - testEnv.clock.now().getTime()).toBeGreaterThan(23 * HOUR);
    expect(await signing()).toEqual([first.secret, second.secret]);
  });

  it('a second one is refused until the first rotation completes, by hand or by time', async () => {
    const first = await rotate();
    const second = await rotate();
    await expect(rotate()).rejects.toMatchObject({ code: 'rotation_in_progress' });
    await promote();
    expect(await signing()).toEqual([second.secret, first.secret]);
    const third = await rotate();
    expect(await signing()).toEqual([second.secret, third.secret]);
    await passTime(testEnv, 24 * HOUR);
    expect(await signing()).toEqual([third.secret, second.secret]);
    const fourth = await rotate();
    expect(await signing()).toEqual([third.secret, fourth.secret]);
    await passTime(testEnv, -24 * HOUR);
  });

  it('ends no rotation early where the clock of the process is a week ahead', async () => {
    const first = await rotate();
    const second = await rotate();
    const ahead = withClockOff(testEnv, 7 * 24 * HOUR);
    await expect(rotateWebhookSecret(ahead, fixture.owner, fixture)).rejects.toMatchObject({
      code: 'rotation_in_progress',
    });
    await promoteWebhookSecret(ahead, fixture.owner, fixture);
    expect(await signing()).toEqual([second.secret, first.secret]);
  });

  it('takes as long as was chosen, in both phases, and the change log says so', async () => {
    const first = await rotate();
    const second = await rotateWebhookSecret(testEnv.services, fixture.owner, {
      ...{ projectId: fixture.projectId, overlapHours: 2 },
    });
    await passTime(testEnv, 2 * HOUR);
    expect(await signing()).toEqual([second.secret, first.secret]);
    await passTime(testEnv, 2 * HOUR);
    expect(await signing()).toEqual([second.secret]);
    await passTime(testEnv, -4 * HOUR);
    const [{ after } = {}] = await testEnv.sql<{ after?: unknown }>(
      `select after from project_change where project_id = ? and action = 'webhook.secret_made' order by position desc limit 1`,
      [fixture.projectId],
    );
    expect(after).toMatchObject({ phase: 'next', overlap_hours: 2 });
  });

  it('promoting without a pending secret changes nothing', async () => {
    const { secret } = await rotate();
    await promote();
    expect(await signing()).toEqual([secret]);
  });

  it('ten at once: one starts', async () => {
    await rotate();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => rotate()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await signing()).toHaveLength(2);
  });

  it('is stored encrypted, and decrypts for this project alone', async () => {
    const { secret } = await rotate();
    const rows = await testEnv.sql<{ current: string }>('select * from webhook_endpoint where project_id = ?', [
      fixture.projectId,
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
    const other = secretContext(testEnv.services.ids.uuid());
    expect(() => decrypt(testEnv.services.keyRing, rows[0]?.current ?? '', other)).toThrow();
  });
});
