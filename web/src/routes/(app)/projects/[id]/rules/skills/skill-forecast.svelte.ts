// Loads what the entries and rules of the form would do with the newest items, again soon after each change.
import { call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { forecastSkills } from '@countersign/shared/routes/previews';
import type { SkillForecast } from '@countersign/shared/schemas/previews';
import { readSkillEntry, sentSkills, type SkillEntry } from '../../settings/skill-entries.ts';
import type { RoutingRules } from '../figures/effect.ts';

/** A threshold that is dragged changes the form many times a second. In milliseconds. */
const SPACING_MS = 400;

interface Asked {
  entries: readonly string[];
  rules: RoutingRules;
}

interface Answer {
  /** The entries that the forecast is about: the form may have others by now. */
  entries: SkillEntry[];
  forecast: SkillForecast;
}

/** Has to be created while a component initializes. */
export class SkillForecasts {
  readonly answer: Resource<Answer>;

  /** @param asked is JSON text of `Asked`, so that only what differs is asked again. */
  constructor(projectId: string, asked: () => string) {
    this.answer = new Resource(async (signal) => {
      const { entries, rules } = JSON.parse(asked()) as Asked;
      const body = {
        skills: sentSkills(entries),
        ...{ auto_threshold: rules.auto, review_threshold: rules.review, below_review: rules.below },
        escalate_flags: [...rules.flags],
      };
      const forecast = await call(forecastSkills, { params: { id: projectId }, body, signal });
      return { entries: entries.map(readSkillEntry), forecast };
    });
    let isFirst = true;
    $effect(() => {
      asked();
      const timer = setTimeout(() => void this.answer.load(), isFirst ? 0 : SPACING_MS);
      isFirst = false;
      return () => clearTimeout(timer);
    });
    $effect(() => () => this.answer.cancel());
  }
}
