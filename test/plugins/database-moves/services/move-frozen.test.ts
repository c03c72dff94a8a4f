/** A move with databases while a database server is frozen, so that its connections stay open, and nothing comes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { DatabaseClients } from '../../../support/database-clients.ts';
import { DatabaseFleet, has, write } from '../../../support/database-fleet.ts';
import { hasMariaDb, type MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [databases] = await needs('databases');
const test = testSuite('moves of frozen databases');
const hasReal = hasMariaDb();
const ROWS = 100;
let fleet: DatabaseFleet;
let clients: DatabaseClients;
let [here, there] = [] as unknown as [MariaDb, MariaDb];

test.before(async () => {
  if (!hasReal) return;
  fleet = await DatabaseFleet.start('databases_frozen');
  ({ here, there } = fleet);
  clients = await DatabaseClients.start(databases, here.socket);
});
test.after.each(() => {
  for (const server of [here, there] as (MariaDb | undefined)[]) server?.resume();
});
test.after(async () => {
  await (clients as DatabaseClients | undefined)?.close();
  await (fleet as DatabaseFleet | undefined)?.close();
});

const move = (name: string) => fleet.move(fleet.one, name, '--to', 'two');

/** Runs the command until no run before is in its way. */
async function assertMoves(name: string): Promise<void> {
  let last = '';
  await until(`${name} has moved`, async () => {
    const { code, stderr } = await move(name);
    last = stderr;
    return code === 0;
  }).catch((error: unknown) => assert.unreachable(`${String(error)}: ${last}`));
  assert.is(await there.sql(`select count(*) from ${name}_a.large`), `${ROWS}\n`);
  assert.not(await has(here, name));
  assert.is(await there.sql("select user from mysql.global_priv where user like 'hostkeep%'"), '');
}

if (hasReal) {
  test("the target's server freezes: the command says so and the old home goes on", async () => {
    await fleet.customer('ann', ROWS);
    const moving = move('ann');
    await until('rows arrive', () =>
      there.sql('select count(*) from ann_a.large').then(
        (count) => count !== '0\n',
        () => false,
      ),
    );
    there.freeze();
    const { code, stderr } = await moving;
    assert.is(code, 1);
    assert.match(stderr, /two: the database server does not answer.*two keeps what it has got/s, stderr);
    assert.is(await write(here, 'ann', 1), '1\n');
    const claims = async () =>
      (await fleet.first.hostkeep.core.store.all<{ claim: string }>('select claim from moves'))[0]?.claim;
    const before = await claims();
    const again = move('ann');
    await until('the next run has begun', async () => (await claims()) !== before);
    await fleet.second.close();
    assert.is((await again).code, 1);
    there.resume();
    fleet.second = await fleet.serve(fleet.two);
    await fleet.fleet.areUp(fleet.one);
    await assertMoves('ann');
    assert.is(await write(there, 'ann', 2), '2\n');
  });

  test('the own server freezes during the window: the node stays up and reopens', async () => {
    await fleet.customer('ben', ROWS);
    const { store } = fleet.first.hostkeep.core;
    const files = join(fleet.one.data, 'files/ben');
    mkdirSync(files, { recursive: true });
    const moving = move('ben');
    await until('the databases are closed', async () => {
      if ((await fleet.stateOf('ben')) === 'read_only') writeFileSync(join(files, 'changes'), `${Date.now()}`); // so that the last differences are not all
      return (await fleet.closed()).length > 0 && (await fleet.stateOf('ben')) === 'read_only';
    });
    const holder = await clients.connect();
    await holder.query('select 1');
    here.freeze();
    const { code, stderr } = await moving;
    assert.is(code, 1, stderr);
    assert.match(stderr, /the database server does not answer/);
    assert.is(await fleet.homeOf('ben'), 'one');
    const held = holder.query('flush tables with read lock'); // as backups do: nobody can be unlocked
    here.resume(); // the lock comes before the node, which has to connect first
    await held;
    const waits = "select count(*) from information_schema.processlist where info like 'alter user%unlock'";
    await until('the node waits until it may open them', async () => (await here.sql(waits)) !== '0\n');
    const beats = new Set<number>();
    await until('it goes on to say that it is there', async () => {
      assert.is((await fleet.fleet.statesSeenBy(fleet.two))['one'], 'up');
      const [beat] = await store.all<{ seen_at: number }>("select seen_at from fleet_heartbeats where node = 'one'");
      beats.add(beat?.seen_at ?? 0);
      return beats.size > 3;
    });
    await holder.close();
    await until('ben can log in again', () =>
      write(here, 'ben', 1).then(
        () => true,
        () => false,
      ),
    );
    await until('nothing is closed', async () => (await fleet.closed()).length === 0);
    await assertMoves('ben');
    assert.is(await write(there, 'ben', 2), '2\n');
  });
}
