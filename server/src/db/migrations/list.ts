// The migrations, oldest first. A released one never changes; the next is added at the end.
import { Initial } from './0001-initial.ts';

export const MIGRATIONS = [{ name: '0001-initial', class: Initial }];
