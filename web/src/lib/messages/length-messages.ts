// Texts on the length of what is typed.
import { count } from '#lib/format/format.ts';

const characters = (number: number): string => (number === 1 ? '1 character' : `${count(number)} characters`);

export const lengthMessages = {
  left: (left: number) => `${characters(left)} left`,
  over: (excess: number, longest: number) => `${characters(excess)} too long. The limit is ${characters(longest)}.`,
} as const;
