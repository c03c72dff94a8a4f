/** Backups go with their account from one node to another, and stay where they are whatever fails. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { FIRST_ID } from '../../../support/broker.ts';
import { start } from '../../../support/command.ts';
import { killedAfter, runEnded, TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('fleet', 'moves', 'backups');
const test = testSuite('moves of backups');
const hasRestic = existsSync('/usr/bin/restic');
if (!hasRestic) reportSkipped('moves of backups; install the program with apt-get install -y restic');
const CONFIG = { ids: { first: FIRST_ID, count: 1000 }, backups: { reserve_mib: 0 } };
const settings = join(temporaryFolder(), 'settings.json');
writeFileSync(settings, JSON.stringify(CONFIG));

type Body = Readonly<Record<string, unknown>>;
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];

const command = ['--config', settings, 'account', 'move'];
const move = (at: FleetMember, ...args: readonly string[]) => fleet.run(at.data, [...command, ...args]);

/** An account at the first node, with a file of which there is a backup, in the state before. */
class Customer {
  readonly account: Account;
  readonly #token: string;

  private constructor(account: Account, token: string) {
    this.account = account;
    this.#token = token;
  }

  static async make(name: string): Promise<Customer> {
    const { account, token } = await first.user(name);
    const customer = new Customer(account, token);
    mkdirSync(account.filesRoot, { recursive: true });
    chownSync(account.filesRoot, FIRST_ID + account.id, FIRST_ID + account.id);
    customer.write('page.html', 'yesterday');
    customer.write('large', Buffer.from(Array.from({ length: 4 << 20 }, () => Math.floor(Math.random() * 256))));
    await customer.backUp(first);
    customer.write('page.html', 'today');
    return customer;
  }

  write(name: string, content: string | Buffer): void {
    const path = join(this.account.filesRoot, name);
    writeFileSync(path, content);
    chownSync(path, FIRST_ID + this.account.id, FIRST_ID + this.account.id);
  }

  async ask<T = Body>(server: TestServer, method: string, path: string, body?: unknown): Promise<T> {
    const how = { method, token: this.#token, ...(body !== undefined && { body }) };
    const answer = await server.ask<T>(`/api/${path}`, how);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  }

  async done(server: TestServer, path: string, body?: unknown): Promise<void> {
    const { id } = await this.ask(server, 'POST', path, body);
    const read = () => this.ask(server, 'GET', `backup-tasks/${String(id)}`);
    const { state, detail } = await eventually('the task has ended', read, (task) => task['state'] !== 'running');
    assert.equal([state, detail], ['done', null]);
  }

  backUp(server: TestServer): Promise<void> {
    return this.done(server, 'backups');
  }

  async ids(server: TestServer): Promise<unknown[]> {
    const { backups } = await this.ask<{ backups: Body[] }>(server, 'GET', 'backups');
    return backups.map(({ id }) => id);
  }

  /** What a node has of the backups. */
  async at({ data }: FleetMember, { hostkeep }: TestServer): Promise<[files: string[], rows: number]> {
    const names = existsSync(join(data, 'backups')) ? readdirSync(join(data, 'backups')) : [];
    const own = names.filter((name) => name.split('-').at(-1) === String(this.account.id));
    const sql = `select id from backups where account_id = ?
      union all select 'size' from backup_repositories where account_id = ?`;
    return [own, (await hostkeep.core.local.all(sql, this.account.id, this.account.id)).length];
  }

  async assertStays(): Promise<void> {
    const { id, username } = this.account;
    assert.is((await first.hostkeep.core.accounts.get(username)).home, 'one');
    assert.equal(await this.at(one, first), [[String(id)], 2]);
    assert.equal(await this.at(two, second), [[], 0]);
  }
}

if (hasRestic) {
  test.before(async () => {
    ({ fleet, one, two } = await TestFleet.pair('backup_moves'));
    first = await fleet.serve(one, undefined, CONFIG);
    second = await fleet.serve(two, undefined, { ...CONFIG, backups: { reserve_mib: 0, program: '/no/restic' } });
    await fleet.areUp(one);
  });

  test('where backups cannot come, the account stays; nothing is overwritten', async () => {
    const eve = await Customer.make('eve');
    const refused = async (pattern: RegExp) => {
      const { code, stderr } = await move(one, 'eve', '--to', 'two');
      assert.is(code, 1, stderr);
      assert.match(stderr, pattern, stderr);
    };
    await refused(/two: \/no\/restic is not installed on this server; eve stays here/);
    await eve.assertStays();
    await second.close();
    second = await fleet.serve(two, undefined, CONFIG);
    await fleet.areUp(one);
    const theirs = join(two.data, 'backups', String(eve.account.id));
    mkdirSync(theirs, { recursive: true });
    writeFileSync(join(theirs, 'config'), 'of before');
    await refused(/two: there are backups of it in .* already, and nothing is overwritten/);
    assert.is(readFileSync(join(theirs, 'config'), 'utf8'), 'of before');
    renameSync(theirs, join(temporaryFolder(), 'theirs'));
    const own = join(one.data, 'backups', String(eve.account.id));
    renameSync(join(own, 'config'), join(own, 'gone'));
    await refused(/the repository of its backups is gone or damaged/);
    renameSync(join(own, 'gone'), join(own, 'config'));
    await eve.assertStays();
    await eve.done(first, `backups/${String((await eve.ids(first))[0])}/restore`, { path: 'page.html', to: null });
    assert.is(readFileSync(join(eve.account.filesRoot, 'page.html'), 'utf8'), 'yesterday');
  });

  test('killed once the backups have come: they stay, and an undone move leaves none', async () => {
    const ben = await Customer.make('ben');
    const { child } = await start(one.data, [...command, 'ben', '--to', 'two'], /^/, { HOSTKEEP_STORE_URL: fleet.url });
    const { core } = first.hostkeep;
    const sql = "select state from moves where username = 'ben'";
    const state = async () => (await core.store.get<{ state: string }>(sql))?.state;
    await until('the last differences are taken', async () => (await state()) === 'read_only');
    await killedAfter(core, 'ben', child, async () => {
      assert.is(await state(), 'read_only', 'it was interrupted in time');
      assert.is((await ben.at(two, second))[1], 2, 'the backups have come');
    });
    await runEnded(core, 'ben');
    const undone = await move(one, 'ben', '--undo');
    assert.is(undone.code, 0, undone.stderr);
    await ben.assertStays();
    await core.store.write((tx) =>
      tx.run('update leases set until = until - 60000 where name = ?', `backups ${ben.account.id}`),
    ); // as a minute later
    await ben.backUp(first);
    assert.is((await ben.ids(first)).length, 2);
  });

  test('history, sizes and the schedule go along, and what is restored is of before', async () => {
    const ann = await Customer.make('ann');
    const { id } = ann.account;
    await ann.ask(first, 'PATCH', 'backup-schedule', { schedule: 'weekly', kept: 5 });
    const before = await ann.ask(first, 'GET', 'backups');
    const lease = await first.hostkeep.core.leases.acquire(`backups ${id}`, 60_000);
    const moving = await start(one.data, [...command, 'ann', '--to', 'two', '--json'], /waiting for other work/, {
      HOSTKEEP_STORE_URL: fleet.url,
    });
    await lease?.release();
    await moving.line(/"state":"moved"/);
    await until('nothing is left', async () => (await ann.at(one, first))[0].length === 0);
    assert.equal(await ann.at(one, first), [[], 0]);
    assert.equal((await ann.at(two, second))[1], 2);
    assert.equal(await ann.ask(second, 'GET', 'backups'), before);
    const [backup] = await ann.ids(second);
    await ann.done(second, `backups/${String(backup)}/restore`, { path: 'page.html', to: null });
    assert.is(readFileSync(join(two.data, 'files/ann/page.html'), 'utf8'), 'yesterday');
    await ann.backUp(second);
    const [newest] = (await ann.ask<{ backups: Body[] }>(second, 'GET', 'backups')).backups;
    assert.ok(Number(newest?.['added_bytes']) < 1 << 20, 'the repository goes on');
    const back = await move(two, 'ann', '--to', 'one');
    assert.is(back.code, 0, back.stderr);
    assert.is((await ann.ids(first)).length, 2);
    assert.equal(await ann.at(two, second), [[], 0]);
  });
}
