// Tests the submitter of the demo's pipeline.
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeServices,
  failed,
  fakeService,
  ITEM,
  PROJECT,
  refuse,
  take,
} from '../../../shared/src/client/fake-service.fixture.ts';
import { sampleSubmitter } from './api.ts';

afterEach(closeServices);

const SAMPLE = { input: 'Where is my parcel?', suggestion: 'It arrives tomorrow.', confidence: 0.82 };

describe('sampleSubmitter', () => {
  it('submits to the project, and leaves no open connection that would delay a stop', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) => take(response, 'queued'));
    const submit = sampleSubmitter({ base: url, projectId: PROJECT, apiKey: 'csk_demo' });
    expect(await submit(SAMPLE)).toMatchObject({ id: ITEM, status: 'queued' });
    expect(requests[0]?.headers).toMatchObject({ connection: 'close', 'x-api-key': 'csk_demo' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ project_id: PROJECT, ...SAMPLE });
  });

  it('leaves retries to the pipeline, and reports the service’s message', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) =>
      refuse(response, { status: 429, code: 'rate_limited', retryAfter: '1' }),
    );
    const submit = sampleSubmitter({ base: url, projectId: PROJECT, apiKey: 'csk_demo' });
    expect(await failed(submit(SAMPLE))).toMatchObject({ message: 'rate_limited: about rate_limited' });
    expect(requests).toHaveLength(1);
  });
});
