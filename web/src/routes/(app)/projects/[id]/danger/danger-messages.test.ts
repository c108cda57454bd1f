// The texts of the danger tab name a project's contents.
import { describe, expect, it } from 'vitest';
import type { ProjectContents } from '@countersign/shared/api/lifecycle';
import { contentLines } from './danger-messages.ts';

const NOTHING: ProjectContents = {
  ...{ items: 0, waiting: 0, provisional: 0, decisions: 0, learnings: 0, deliveries: 0, undelivered: 0 },
  ...{ members: 1, api_keys: 0, inbound_sources: 0, invites: 0 },
};

describe('AR2: the contents of a project as text', () => {
  it('name existing things, with their numbers', () => {
    const full = {
      ...{ items: 2640, waiting: 41, provisional: 2, decisions: 2599, learnings: 12, deliveries: 90, undelivered: 3 },
      ...{ members: 4, api_keys: 1, inbound_sources: 2, invites: 1 },
    };
    const thousands = (2640).toLocaleString();
    expect(contentLines(full)).toEqual([
      `${thousands} items, 41 waiting for review, ${(2599).toLocaleString()} decisions and 12 learnings`,
      '2 decisions not final yet and 3 deliveries not delivered yet: will be discarded',
      '4 members, 1 API key, 2 sources and 1 open invite',
    ]);
  });

  it('the contents of a project as text omit missing things', () => {
    expect(contentLines(NOTHING)).toEqual(['1 member']);
    expect(contentLines({ ...NOTHING, items: 1, undelivered: 1 })).toEqual([
      '1 item',
      '1 delivery not delivered yet: will be discarded',
      '1 member',
    ]);
  });
});
