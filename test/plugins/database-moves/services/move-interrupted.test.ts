/** A move with databases that is interrupted at each of its steps: the old home goes on, and the same command again finishes it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { start } from '../../../support/command.ts';
import { DatabaseClients } from '../../../support/database-clients.ts';
import { DatabaseFleet, has, write } from '../../../support/database-fleet.ts';
import { isSqlError } from '../../../../kernel/kit/databases/mysql-text.ts';
import { killedAfter, runEnded, type FleetMember } from '../../../support/fleet.ts';
import { hasMariaDb, type MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { assertNone } from '../../../support/lists.ts';

const [databases] = await needs('databases');
const test = testSuite('interrupted moves of databases');
const hasReal = hasMariaDb();
const ROWS = 60;
/** There is no such database, or table. */
const NOT_THERE = [1049, 1146];
let fleet: DatabaseFleet;
let [here, there] = [] as unknown as [MariaDb, MariaDb];
let clients: DatabaseClients;
let one = undefined as unknown as FleetMember;

test.before(async () => {
  if (!hasReal) return;
  fleet = await DatabaseFleet.start('databases_interrupted');
  ({ here, there, one } = fleet);
  clients = await DatabaseClients.start(databases, here.socket);
  await here.sql('create database commons; create table commons.t (n int)');
});
test.after(async () => {
  await (clients as DatabaseClients | undefined)?.close();
  await (fleet as DatabaseFleet | undefined)?.close();
});

/**
 * An account with a database of so many megabytes, a user, one whom the operator has locked, and one who has rights elsewhere,
 * too, and stays.
 */
async function customer(name: string): Promise<void> {
  await fleet.customer(name, ROWS);
  await here.sql(`
    create user ${name}_old@localhost identified by 'secret' account lock; grant select on \`${name}\\_a\`.* to ${name}_old@localhost;
    create user far_${name}@localhost identified by 'secret'; grant select, insert on \`${name}\\_a\`.* to far_${name}@localhost;
    grant select on commons.* to far_${name}@localhost;
  `);
}

const lockedOf = (at: MariaDb, name: string) =>
  at.sql(
    `select user from mysql.global_priv where user in ('${name}', '${name}_old') and json_value(priv, '$.account_locked') = '1' order by user`,
  );

/** Starts the command, and kills it without a word when that is so; it is stopped there `meanwhile`. */
async function killedWhen(
  name: string,
  isSo: () => Promise<boolean>,
  state: string,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const env = { HOSTKEEP_STORE_URL: fleet.fleet.url };
  const { child } = await start(one.data, [...fleet.argsOf(one), name, '--to', 'two'], /^/, env);
  await until(`the move of ${name} is so far`, isSo);
  await killedAfter(fleet.first.hostkeep.core, name, child, async () => {
    await meanwhile();
    assert.is(await fleet.stateOf(name), state, 'it was interrupted in time');
  });
}

/** Runs the command once the run before counts as ended. */
async function finish(name: string, ...more: readonly string[]): Promise<void> {
  let last = '';
  await runEnded(fleet.first.hostkeep.core, name);
  await until(`the move of ${name} is finished`, async () => {
    const { code, stderr } = await fleet.move(one, name, '--to', 'two', ...more);
    last = stderr;
    if (code !== 0) assert.match(stderr, /is being moved, or was a moment ago/, stderr);
    return code === 0;
  }).catch((error: unknown) => assert.unreachable(`${String(error)}: ${last}`));
  assert.is(await fleet.homeOf(name), 'two');
  assert.not(await has(here, name));
  assert.is(await here.sql(`select user from mysql.global_priv where user like '${name}%'`), '');
  assert.is(await lockedOf(there, name), `${name}_old\n`);
  assert.is(await there.sql(`select count(*), sum(length(body)) from ${name}_a.large`), `${ROWS}\t${ROWS}000000\n`);
  assert.is(await there.sql("select user from mysql.global_priv where user like 'hostkeep%'"), '');
  assert.equal(await fleet.closed(), []);
  assert.equal(await fleet.movesLeft(), []);
}

if (hasReal) {
  test('killed while tables are copied: a second run starts over', async () => {
    await customer('ann');
    await killedWhen('ann', () => has(there, 'ann'), 'copying');
    assert.is(await write(here, 'ann', 1), '1\n');
    await here.sql('drop table ann_a.notes; create table ann_a.notes (n int primary key, later int default 5)');
    await here.sql('insert into ann_a.notes (n) values (2)');
    await finish('ann');
    assert.is(await there.query('ann', 'secret', 'select * from ann_a.notes'), '2\t5\n');
  });

  test('killed during the window: locked users can log in again by themselves', async () => {
    await customer('ben');
    const files = join(one.data, 'files/ben');
    mkdirSync(files, { recursive: true });
    const isClosed = async () => {
      if ((await fleet.stateOf('ben')) !== 'read_only') return false;
      writeFileSync(join(files, 'changes'), `${Date.now()}`); // so that the last differences are not all
      return (await lockedOf(here, 'ben')) === 'ben\nben_old\n';
    };
    await killedWhen('ben', isClosed, 'read_only', async () =>
      assert.equal(await fleet.closed(), ['ben', 'ben_a', 'ben_old']),
    );
    assert.is(await write(here, 'ben', 0, 'far_ben'), '1\n');
    await until('ben can log in again', async () => (await lockedOf(here, 'ben')) === 'ben_old\n');
    assert.is(await write(here, 'ben', 1), '2\n');
    await until('nothing is closed', async () => (await fleet.closed()).length === 0);
    assert.is(await fleet.homeOf('ben'), 'one');
    const undone = await fleet.move(one, 'ben', '--undo');
    assert.is(undone.code, 0, undone.stderr);
    assert.not(await has(there, 'ben'));
    assert.is(await there.sql("select user from mysql.global_priv where user like 'ben%'"), '');
    assert.is(await write(here, 'ben', 2, 'far_ben'), '3\n');
    await finish('ben');
    assert.is(await write(there, 'ben', 3), '4\n');
  });

  test('killed after the switch: a second run drops what nobody changed', async () => {
    await customer('cat');
    const reader = await clients.connect();
    await reader.query('begin');
    await reader.query('select * from cat_a.notes'); // for which the drop waits
    await killedWhen('cat', async () => (await fleet.stateOf('cat')) === 'switched', 'switched');
    assert.is(await fleet.homeOf('cat'), 'two');
    assert.is(await write(there, 'cat', 1), '1\n');
    assert.ok(await has(here, 'cat'));
    await write(here, 'cat', 1).then(
      () => assert.unreachable('a write at the old home'),
      (error: Error) => assert.match(error.message, /account is locked/i),
    );
    await reader.close();
    assert.is(await write(here, 'cat', 7, 'far_cat'), '1\n');
    await until('the run counts as ended, and the change is found', async () => {
      const { code, stderr } = await fleet.move(one, 'cat', '--to', 'two');
      assert.is(code, 1);
      return /^hostkeep: cat lives at two, .*changed after they had moved: cat_a\.notes; .*--force/.test(stderr);
    });
    assert.is(await here.sql('select n from cat_a.notes'), '7\n');
    await finish('cat', '--force');
    assert.is(await write(there, 'cat', 2), '2\n');
  });

  test('no confirmed write of a user with rights elsewhere is lost', async () => {
    await customer('eva');
    const rights = await here.sql('show grants for far_eva@localhost');
    const writer = await clients.connect({ user: 'far_eva', password: 'secret' });
    const confirmed: number[] = [];
    const ending = new AbortController();
    const writing = (async () => {
      for (let n = 1; !ending.signal.aborted; n += 1)
        try {
          await writer.query(`insert into eva_a.notes values (${n})`);
          confirmed.push(n);
        } catch (error) {
          if (isSqlError(error) && NOT_THERE.includes(error.errno)) return;
        }
    })();
    try {
      const { code, stderr } = await fleet.move(one, 'eva', '--to', 'two');
      if (code === 0) await writing;
      else
        assert.match(stderr, /eva lives at two, .*changed after they had moved: eva_a\.notes;/, 'a write slipped in');
      const soFar = [...confirmed]; // who slipped in goes on
      const kept = await there.sql('select n from eva_a.notes');
      const left = code === 0 ? '' : await here.sql('select n from eva_a.notes');
      const found = new Set(`${kept}${left}`.split('\n').map(Number));
      assert.ok(soFar.length > 0);
      assertNone(soFar, (n) => !found.has(n));
      if (code !== 0) await finish('eva', '--force');
      await writing;
      assert.is(await here.sql('show grants for far_eva@localhost'), rights);
    } finally {
      ending.abort();
    }
  });

  test("the target's server and the target end: the old home goes on", async () => {
    await customer('dan');
    const moving = fleet.move(one, 'dan', '--to', 'two');
    const rows =
      "select table_rows > 0 from information_schema.tables where table_schema = 'dan_a' and table_name = 'large'";
    await until('rows arrive', async () => (await there.sql(rows)) === '1\n');
    await there.stop('SIGKILL');
    const { code, stderr } = await moving;
    assert.is(code, 1);
    assert.match(
      stderr,
      /^hostkeep: two: the database server does not answer: .+; dan stays here, and two keeps what it has got/,
      stderr,
    );
    assert.is(await write(here, 'dan', 1), '1\n');
    await there.up();
    const again = fleet.move(one, 'dan', '--to', 'two');
    await until('tables are copied', () => has(there, 'dan'));
    await fleet.second.close();
    assert.is((await again).code, 1);
    assert.is(await write(here, 'dan', 2, 'far_dan'), '2\n');
    assert.is(await fleet.homeOf('dan'), 'one');
    fleet.second = await fleet.serve(fleet.two);
    await fleet.fleet.areUp(one);
    await finish('dan');
    assert.is(await write(there, 'dan', 3), '3\n');
  });
}
