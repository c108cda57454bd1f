// Records what a person reads and receives of a project, normalized so that two records can be compared.
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import type { Route } from '@countersign/shared/routes/route';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { listQueue } from '@countersign/shared/routes/queue';
import type { Person } from '../../client.ts';

const READS = ENDPOINTS.filter(([, { auth, method }]) => auth === 'session' && method === 'GET');

export class VisibleHistory {
  readonly lines: string[] = [];
  readonly #viewer: Person;
  readonly #ids: readonly string[];
  readonly #numbers: readonly number[];

  /** `ids` and `numbers` are replaced by their positions: they differ between two records. */
  constructor(viewer: Person, ids: readonly string[], numbers: readonly number[]) {
    this.#viewer = viewer;
    this.#ids = ids;
    this.#numbers = numbers;
  }

  readonly ask = async (name: string, route: Route, args: object = {}) => {
    const answer = await this.#viewer.attempt(route, args);
    this.#addLine(name, answer.status, answer.text);
    return answer;
  };

  /** Every read route, for this project and these items, and the queue filtered by confidences around a number. */
  async readAll(of: { projectId: string; itemIds: readonly string[]; around: number }): Promise<void> {
    for (const [name, endpoint] of READS)
      for (const own of endpoint.path.startsWith('/api/items/') ? of.itemIds : [of.projectId]) {
        const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, at = '']) => [at, own]));
        await this.ask(name, endpoint, { params });
      }
    const { around } = of;
    for (const query of [
      { min_confidence: around },
      { max_confidence: around },
      { min_confidence: 0 },
      { text: 'Twins' },
    ])
      for (const view of ['available', 'mine', 'all'] as const)
        await this.ask(`queue of ${Object.keys(query).join()}`, listQueue, { query: { ...query, view } });
  }

  /** What the socket received; earlier changes of the project may still arrive. */
  addEvents(events: readonly DomainEvent[]): void {
    for (const sent of events.filter(({ type }) => type !== 'project.changed'))
      this.#addLine('event', 0, JSON.stringify(sent));
  }

  #addLine(name: string, status: number, text: string): void {
    let line = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
    for (const [place, each] of this.#numbers.entries()) line = line.replaceAll(String(each), `<confidence ${place}>`);
    for (const [place, each] of this.#ids.entries()) {
      line = line.replaceAll(each, `<id ${place}>`);
      line = line.replaceAll(`${each.slice(0, 4)}…${each.slice(-4)}`, `<name ${place}>`);
    }
    // Ids of requests, sessions and events, and cursors.
    line = line
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<other id>')
      .replaceAll(/"next_cursor":"[^"]*"/g, '"next_cursor":"…"');
    this.lines.push(`${name} ${status} ${line}`);
  }
}
