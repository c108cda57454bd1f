// Texts of the notice about sample data of the demo, and of its removal.
import { count } from '#lib/format/format.ts';

const inProjects = (projects: number): string => (projects === 1 ? 'this project' : `${count(projects)} projects`);

export const samplesMessages = {
  label: 'Sample data',
  making: 'The demo is making three weeks of sample data. Figures and lists change until it is complete.',
  ready: (projects: number): string =>
    `Sample data from the demo in ${inProjects(projects)}: three weeks of made-up items.`,
  remove: 'Remove it…',
  question: {
    title: 'Remove the sample data?',
    projects: 'It is removed from these projects:',
    effects: [
      'Deleted for good: the sample items with their decisions, learnings and deliveries, and the six made-up people.',
      'Kept: the projects, their settings, and every item that you or other people submitted or worked on.',
      'Figures are counted again from what is left.',
    ],
    confirmLabel: 'Remove',
    failed: "Couldn't remove all of the sample data",
  },
} as const;
