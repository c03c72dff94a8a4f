import * as assert from '../../support/assert.ts';
import { NameParents } from '../../../plugins/search/name-index/name-parents.ts';
import { NameTable } from '../../../plugins/search/name-index/name-table.ts';
import { Fit, nameFit } from '../../../plugins/search/name-index/ranking.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('tables of names');
const LETTERS = [...'aAbB-_. 1éÜ日'];
const LONG = 200;

/** The same numbers in each run. */
let seed = 1;
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % below;
}
function text(maxLength: number): string {
  return Array.from({ length: 1 + random(maxLength) }, () => LETTERS[random(LETTERS.length)]).join('');
}

function found(table: NameTable, sought: string, ending: string, method: 'scan' | 'scanPrefix'): [number, Fit][] {
  const hits: [number, Fit][] = [];
  table[method](Buffer.from(sought), Buffer.from(ending), (id, fit) => hits.push([id, fit]));
  return hits;
}

test('a scan finds what a look at each name finds', () => {
  const names = Array.from({ length: 3000 }, (_, i) => text(i % 50 === 0 ? LONG : 14));
  const built = new NameTable();
  for (const name of names) built.add(name, 0);
  const removed = new Set([...names.keys()].filter((id) => id % 20 === 0));
  for (const id of removed) built.remove(id);
  const loaded = new NameTable(built.data);
  for (const table of [built, loaded])
    assert.equal(
      names.map((_, id) => table.name(id)),
      names,
    );
  for (let i = 0; i < 300; i += 1) {
    const sought = i % 5 === 4 ? '' : text(i % 7 === 0 ? LONG / 3 : 5).toLowerCase();
    const extension = i % 3 === 0 ? text(3).toLowerCase() : '';
    const expected = names.flatMap((name, id): [number, Fit][] => {
      const fit = removed.has(id) ? undefined : nameFit(name, { text: sought, extension });
      return fit === undefined ? [] : [[id, fit]];
    });
    const ending = extension === '' ? '' : `.${extension}`;
    for (const table of [built, loaded]) {
      assert.equal(found(table, sought, ending, 'scan'), expected, `${sought} ${ending}`);
      if (sought === '') continue;
      const beginning = expected.filter(([, fit]) => fit === Fit.whole || fit === Fit.prefix);
      assert.equal(found(table, sought, ending, 'scanPrefix'), beginning);
    }
  }
});

test('a part of a long name is found, and its fit is the best of all places', () => {
  const table = new NameTable();
  table.add(`${'ab'.repeat(100)}-ab`, 0);
  table.add(`x${'ab'.repeat(100)}`, 0);
  table.add(`${'b'.repeat(150)}ab`, 0);
  assert.equal(found(table, 'ab', '', 'scan'), [
    [0, Fit.prefix],
    [1, Fit.inside],
    [2, Fit.inside],
  ]);
  assert.equal(found(table, `${'ab'.repeat(100)}-`, '', 'scan'), [[0, Fit.prefix]]);
  assert.equal(found(table, 'b-ab', '', 'scan'), [[0, Fit.inside]]);
});

test('the parent of each name is known, whatever the order of the questions', () => {
  const parents = Array.from({ length: 4000 }, (_, id) => (id % 9 === 0 ? random(50) : id >> 3));
  const built = new NameParents();
  for (const parent of parents) built.add(parent);
  const removed = new Set(Array.from({ length: 500 }, () => random(parents.length)));
  for (const id of removed) built.remove(id);
  const loaded = new NameParents(parents.length, built.data);
  for (const table of [built, loaded]) {
    const ids = [...parents.keys()];
    const shuffled = ids.map(() => random(parents.length));
    for (const id of [...ids, ...shuffled, ...ids.toReversed()]) {
      assert.is(table.of(id), parents[id]);
      assert.is(table.isRemoved(id), removed.has(id));
    }
    assert.is(table.removedCount, removed.size);
  }
});
