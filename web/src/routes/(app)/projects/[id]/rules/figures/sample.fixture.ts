// A sample of 100 arrivals for tests: 20 at 0.3, 30 at 0.8, 50 at 0.95 of which 10 are flagged legal.
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';

export const aSample = (): ThresholdSample => ({
  from: '2026-10-28T12:00:00.000Z',
  to: '2026-11-27T12:00:00.000Z',
  server_time: '2026-11-27T12:00:00.000Z',
  settings: {
    auto_threshold: 0.9,
    review_threshold: 0.7,
    below_review: 'queue',
    escalate_flags: ['legal'],
    audit_rate: 0.1,
    settings_version: 4,
  },
  flags: [
    { flag: 'legal', escalates: true, arrived: 10 },
    { flag: 'odd', escalates: false, arrived: 20 },
  ],
  flag_sets: [[], [0], [1]],
  kinds: [
    { kind: 'queued', audit_rate: null },
    { kind: 'automatic', audit_rate: 0.1 },
    { kind: 'escalated', audit_rate: null },
  ],
  cells: [
    [0.3, 2, 0, 20, 20, 10],
    [0.8, 0, 0, 30, 30, 3],
    [0.95, 0, 1, 40, 4, 0],
    [0.95, 1, 2, 10, 10, 1],
  ],
  dispersion: { arrivals: 1, wrong: 1 },
  arrivals: { n: 100, limited: false, since: '2026-10-28T12:00:00.000Z' },
  decisions: { n: 64, limited: false, since: '2026-10-28T12:00:00.000Z' },
  median: { n: 64, seconds: 337.5 },
});
