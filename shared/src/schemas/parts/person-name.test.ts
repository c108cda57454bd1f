// What display names are allowed (PM4).
import { expect, it } from 'vitest';
import { personName } from './person-name.ts';

const accepts = (name: string) => personName.safeParse(name).success;
const WALLET = '7xKXtg2CWx8Q9fQ2bYcF3nVt5mZuJhRkLsPdGeWaTyUi';

it('PM4: a name is not a wallet address, full or shortened, also when spelled with dots', () => {
  for (const name of [WALLET, '7xKX…TyUi', '7xKX...TyUi', ' 7xKX…TyUi ']) expect(accepts(name), name).toBe(false);
  for (const name of ['Anna', 'Anna…', '7xKX', 'Wait… what', 'Jo…An']) expect(accepts(name), name).toBe(true);
});

it('PM4: a name does not resemble a wallet address in other letters, widths or dots', () => {
  for (const name of [
    '7хКХ…ТуUi',
    '７ｘＫＸ…ＴｙＵｉ',
    '7xKX⋯TyUi',
    '7xKX․․․TyUi',
    '7xKX···TyUi',
    '7xKX … TyUi',
    '7xKX‥TyUi',
  ])
    expect(accepts(name), name).toBe(false);
  for (const name of [WALLET.replace('K', 'К'), `７${WALLET.slice(1)}`]) expect(accepts(name), name).toBe(false);
  for (const name of [
    'Anna-Lena',
    'Jose.Mari',
    'Donaudampfschifffahrtsgesellschaftskapitän',
    'Wait … what',
    'ABCD EFGH',
  ])
    expect(accepts(name), name).toBe(true);
});

it('PM4: a name is not one that stands for someone else in the product', () => {
  for (const name of [
    'Operator',
    'SYSTEM',
    'You',
    'Former member 1a2b3c4d',
    'countersign',
    'No name',
    'Owner',
    'Demo host',
  ])
    expect(accepts(name), name).toBe(false);
  // By appearance: width, accents, letters of other alphabets, joiners, spaces and surrounding characters.
  for (const name of [
    'Ｏｐｅｒａｔｏｒ',
    'Ореrаtоr',
    'Öperator',
    '“Operator”',
    ' system ',
    '[System]',
    'Former  member x',
    'Υou',
    'You.',
  ])
    expect(accepts(name), name).toBe(false);
  for (const name of [
    'You Jing',
    'Operetta',
    'Systema',
    'Formerly Anna',
    'Owen',
    'Anna, supervisor',
    'Ольга',
    'Σωκράτης',
    'Meo',
  ])
    expect(accepts(name), name).toBe(true);
});

it('PM4: a name is visible, and contains nothing that makes it look like another name', () => {
  for (const name of ['\u2800', '\u2800\u2800x', '\u17b4x', 'A\u200dnna', 'An\u200cna'])
    expect(accepts(name)).toBe(false);
  // Letters of scripts that need joiners, and emoji.
  for (const name of ['क्\u200dष', 'می\u200cخواهم', '👩\u200d💻', '❤\ufe0f Anna'])
    expect(accepts(name), name).toBe(true);
});
