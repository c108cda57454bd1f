// What a forecast of the entries means (SK5): whom they would reserve items for, and who of these people is active now.
import type { SkillForecast } from '@countersign/shared/schemas/previews';
import type { SkillMatch } from '@countersign/shared/skills';
import type { SkillEntry } from '../../settings/skill-entries.ts';

export interface EffectRow {
  match: SkillMatch;
  reserved: number;
  /** How many of `people` are active now; null while that is unknown. */
  active: number | null;
  /** How many of its people are members and not blocked. With 0 the entry reserves nothing (SK2). */
  people: number;
  minutes: number;
}

export interface SkillEffect {
  rows: EffectRow[];
  /** Items that would be for everybody at once. */
  everybody: number;
  /** Items that would be reserved for people who are all inactive, and after how many minutes others may have them; null: none. */
  unattended: { items: number; least: number; most: number } | null;
  /** Items that others may have sooner, because of their deadlines. */
  early: number;
}

/** @param isActive Whether the user with this ID is active now; null while that is unknown. */
export function skillEffect(
  entries: readonly SkillEntry[],
  forecast: SkillForecast,
  isActive: ((userId: string) => boolean) | null,
): SkillEffect {
  const counted = entries.map(({ match, after_minutes: minutes }, at) => {
    const { reserved = 0, early = 0, people = [] } = forecast.entries[at] ?? {};
    const active = isActive && people.filter(isActive).length;
    const row = { match, active, people: people.length, minutes };
    return people.length === 0 ? { ...row, reserved: 0, early: 0 } : { ...row, reserved, early };
  });
  const unattended = counted.filter(({ reserved, active }) => reserved > 0 && active === 0);
  const times = unattended.map(({ minutes }) => minutes);
  return {
    rows: counted.map(({ early: _, ...row }) => row),
    everybody: forecast.queued - sumOf(counted.map(({ reserved }) => reserved)),
    early: sumOf(counted.map(({ early }) => early)),
    unattended:
      unattended.length === 0
        ? null
        : {
            items: sumOf(unattended.map(({ reserved }) => reserved)),
            least: Math.min(...times),
            most: Math.max(...times),
          },
  };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
