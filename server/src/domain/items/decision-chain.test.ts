// I1: which chains of decisions are valid, as a table.
import { describe, expect, it } from 'vitest';
import { type ChainLink, chainFaults } from './decision-chain.ts';

const link = (revision: number, change: Partial<ChainLink> = {}): ChainLink => ({
  ...{ id: `d${revision}`, audit: false, revision, superseded: false },
  revises: revision > 1 ? `d${revision - 1}` : null,
  ...change,
});
const replaced = (revision: number, change: Partial<ChainLink> = {}) => link(revision, { superseded: true, ...change });
const verdict = (change: Partial<ChainLink> = {}) => link(1, { id: 'v', audit: true, ...change });

describe('I1: a chain of decisions', () => {
  it.each<[string, ChainLink[]]>([
    ['is empty', []],
    ['has one decision', [link(1)]],
    ['has revisions, in any order of the rows', [link(3), replaced(1), replaced(2)]],
    ['begins with a revision of what routing rejected', [replaced(2, { revises: null }), link(3)]],
    ['has a verdict beside it', [link(1), verdict()]],
    ['has a verdict that was revised with it', [replaced(1), verdict({ superseded: true }), link(2)]],
  ])('is valid where it %s', (_, links) => expect(chainFaults(links)).toEqual([]));

  it.each<[string, ChainLink[], RegExp]>([
    ['lacks a revision', [replaced(1), link(3)], /revision 3 of its decision does not revise/],
    ['has two revisions of one', [replaced(1), link(2), link(3, { revises: 'd1' })], /does not revise|is not replaced/],
    ['has two current decisions', [link(1), link(2)], /revision 1 of its decision is not replaced/],
    ['has no current decision', [replaced(1)], /revision 1 of its decision is replaced/],
    ['begins with revision 3', [link(3, { revises: null })], /does not revise/],
    ['begins with a decision that revises one', [link(1, { revises: 'x' })], /does not revise/],
    ['has a verdict that outlived the revision', [replaced(1), verdict(), link(2)], /verdict is not replaced/],
    ['has a replaced verdict without a revision', [link(1), verdict({ superseded: true })], /verdict is replaced/],
    ['has a revised verdict', [link(1), verdict({ revision: 2 })], /verdict has revision 2/],
  ])('is reported where it %s', (_, links, fault) => expect(chainFaults(links).join('; ')).toMatch(fault));
});
