// Checks the chain of decisions on one item (I1): a first one, and revisions, each the next of the one before.

/** A stored decision, or the verdict on an audited item. */
export interface ChainLink {
  id: string;
  audit: boolean;
  revision: number;
  revises: string | null;
  superseded: boolean;
}

/** Sentences about what is wrong; empty for a valid chain. A chain without a first decision begins with revision 2 (RV3). */
export function chainFaults(links: readonly ChainLink[]): string[] {
  const verdicts = links.filter(({ audit }) => audit);
  const chain = links.filter(({ audit }) => !audit).toSorted((one, other) => one.revision - other.revision);
  const revised = chain.some(({ revision }) => revision > 1);
  return [
    ...chain.flatMap((link, index) => linkFaults(link, { before: chain[index - 1], last: index === chain.length - 1 })),
    ...verdicts.flatMap(({ revision, superseded }) => [
      ...(revision === 1 ? [] : [`its verdict has revision ${revision}`]),
      ...(superseded === revised ? [] : [`its verdict is ${superseded ? '' : 'not '}replaced`]),
    ]),
  ];
}

function linkFaults(link: ChainLink, { before, last }: { before: ChainLink | undefined; last: boolean }): string[] {
  const { revision, revises, superseded } = link;
  const place = `revision ${revision} of its decision`;
  const follows =
    before === undefined
      ? revision <= 2 && revises === null
      : revision === before.revision + 1 && revises === before.id;
  return [
    ...(follows ? [] : [`${place} does not revise the one before`]),
    ...(superseded === !last ? [] : [`${place} is ${superseded ? '' : 'not '}replaced`]),
  ];
}
