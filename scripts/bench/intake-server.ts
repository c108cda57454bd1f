// One server process of the intake bench: the whole service as `npm start` runs it, with our intake or a rival's.
import { start } from '../../server/src/start.ts';
import { seedDemo } from '../../server/src/usecases/projects/seed-demo.ts';
import { RIVALS } from './intake-rivals.ts';

/** What the bench needs to know of a server that is ready. */
export interface Ready {
  projectId: string;
  apiKey: string;
}

const running = await start();
const { projectId, apiKey } = await seedDemo(running.services, {
  name: 'Bench',
  webhookUrl: 'https://receiver.invalid/',
  settings: {},
});
const rival = RIVALS[process.env.BENCH_RIVAL as keyof typeof RIVALS] as
  | (typeof RIVALS)[keyof typeof RIVALS]
  | undefined;
if (rival) running.services.intake = rival(running.services, process.env.DATABASE_URL ?? '');
process.send?.({ projectId, apiKey } satisfies Ready);
process.once('disconnect', () => process.exit(0));
