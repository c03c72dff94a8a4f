import * as assert from '../support/assert.ts';
import { SiteChanges } from '../../kernel/areas/sites/site-changes.ts';
import { Semaphores } from '../../kernel/workers/semaphores.ts';
import type { DomainPart } from '../../kernel/contract/points/domain-part.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('changes of sites');
const domain = { id: 7, name: 'shop.example' } as DomainPart;

/** Returns what is served although nothing is stored. */
const wanted = (changes?: SiteChanges<string>) => changes?.served([domain.id], new Map()).get(domain.id);

/** Changes that a web server answers in this order; an error is what it refuses. */
function changing(...answers: readonly (Error | undefined)[]) {
  const served: (string | undefined)[] = [];
  const semaphores = new Semaphores();
  let changes: SiteChanges<string> | undefined;
  const host = {
    store: { write: (work: (tx: never) => Promise<unknown>) => work(undefined as never) },
    workers: { acquire: (name: string, most: number) => semaphores.acquire(name, most) },
    gather: async () => {
      const error = answers[served.length];
      served.push(wanted(changes));
      return [error === undefined ? { ok: true as const } : { ok: false as const, error }];
    },
  };
  changes = new SiteChanges<string>(host as never, 'redirects');
  return { changes, served };
}
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: Error) => error.message,
  );

test('what the web server refuses is told as such, also where it refuses everything', async () => {
  for (const undone of [undefined, new Error('refused again')]) {
    const { changes, served } = changing(new Error('refused'), undone);
    assert.is(await messageOf(changes.serve(domain, 'new', async () => 'stored')), 'refused');
    assert.equal(served, ['new', undefined]);
    assert.is(wanted(changes), undefined);
  }
});

test('what is served and cannot be stored is served no longer, or told', async () => {
  const fails = async () => {
    throw new Error('no room');
  };
  const undone = changing();
  assert.is(await messageOf(undone.changes.serve(domain, 'new', fails)), 'no room');
  assert.equal(undone.served, ['new', undefined]);
  const stuck = changing(undefined, new Error('refused'));
  assert.is(await messageOf(stuck.changes.serve(domain, 'new', fails)), 'a change of redirects could not be undone');
});

test('what is stored is served, unless something takes its place', async () => {
  const { changes } = changing();
  const stored = new Map([
    [domain.id, 'old'],
    [8, 'other'],
    [9, 'of a domain that nobody asks for'],
  ]);
  const during = () => Promise.resolve([...changes.served([domain.id, 8, 10], stored)]);
  assert.equal(await changes.serve(domain, 'new', during), [
    [domain.id, 'new'],
    [8, 'other'],
  ]);
  assert.equal([...changes.served([domain.id], stored)], [[domain.id, 'old']]);
});

test('what another process had served before it was stored is looked at again', async () => {
  const { changes, served } = changing(undefined, new Error('refused'));
  assert.is(await changes.serve(domain, 'new', async () => 'stored'), 'stored', 'what is stored stays');
  assert.equal(served, ['new', undefined]);
});

test('what is kept of a removed domain is removed after what a change stores of it', async () => {
  const { changes } = changing();
  const done: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const change = changes.inTurn(domain, () => changes.serve(domain, 'new', () => held.then(() => done.push('stored'))));
  const forgotten = changes.forget(domain.id, async () => done.push('removed'));
  release();
  await Promise.all([forgotten, change]);
  assert.equal(done, ['stored', 'removed']);
});
