import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { endsWithTests } from '../../../support/child.ts';
import { atEnd } from '../../../support/ending.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { freePort } from '../../../support/port.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { ACCOUNTS, Customer, hasPrograms, lose, start } from '../customer.ts';

await needs('backups');
const test = testSuite('copies of backups');
if (!hasPrograms) reportSkipped('copies of backups; install the programs with apt-get install -y restic rclone');

/** A server of SFTP, and the configuration with which rclone reaches it. */
class Sftp {
  readonly folder = temporaryFolder();
  readonly configFile = join(temporaryFolder(), 'rclone.conf');
  readonly #port: number;
  #child: ReturnType<typeof spawn> | undefined;

  private constructor(port: number) {
    this.#port = port;
    const password = execFileSync('rclone', ['obscure', 'secret'], { encoding: 'utf8' }).trim();
    const lines = [
      '[offsite]',
      'type = sftp',
      'host = 127.0.0.1',
      `port = ${port}`,
      'user = node',
      `pass = ${password}`,
    ];
    writeFileSync(this.configFile, [...lines, 'shell_type = none', ''].join('\n'), { mode: 0o600 });
  }

  static async start(): Promise<Sftp> {
    const sftp = new Sftp(await freePort());
    await sftp.up();
    return sftp;
  }

  async up(): Promise<void> {
    const address = `127.0.0.1:${this.#port}`;
    const args = ['serve', 'sftp', '--addr', address, '--user', 'node', '--pass', 'secret', this.folder];
    this.#child = endsWithTests(spawn('rclone', [...args, '--dir-cache-time=0s'], { stdio: 'ignore' }));
    await until('the SFTP server answers', () => answers(this.#port));
  }

  async down(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await until('the SFTP server is gone', async () => !(await answers(this.#port)));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

if (hasPrograms) {
  const data = temporaryFolder();
  let [sftp, server, anna, bob] = [] as unknown as [Sftp, TestServer, Customer, Customer];

  test.before(async () => {
    sftp = await Sftp.start();
    atEnd(() => sftp.down());
    server = await start(data, { remote: 'offsite:node1', config_file: sftp.configFile });
    const { token } = await server.admin();
    anna = await Customer.make(server, 'anna', token);
    bob = await Customer.make(server, 'bob', token);
  });

  test('nothing is copied or fetched where there is nothing', async () => {
    const copied = await bob.done('copy');
    assert.equal([copied['state'], copied['error']], ['failed', 'nothing_to_copy']);
    const fetched = await bob.asked('POST', 'fetch', { name: 'bob.1.0123456789abcdef' });
    assert.equal([fetched.status, fetched.body['error']], [404, 'copy_not_found']);
    assert.is((await bob.asked('GET', 'tasks/none')).body['error'], 'task_not_found');
    assert.equal(await bob.own('/api/backup-copy'), { copied_at: null, newest_at: null, backups: 0 });
    assert.equal(await bob.stored(), []);
  });

  // threat leaked-secrets: whoever reads the place of the copies reads no backup
  test('a new backup is copied by itself, and the remote can read none of it', async () => {
    await anna.backedUp();
    assert.is((await anna.copied())['backups'], 1);
    assert.match(await anna.activity(), 'The server copied 1 backups to another place');
    const [stored] = await anna.stored();
    assert.match(String(stored?.['name']), new RegExp(`^anna\\.${anna.id}\\.[0-9a-f]{16}$`));
    const files = readdirSync(sftp.folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    assert.ok(files.length > 4, String(files.length));
    for (const { parentPath, name } of files)
      assert.not.match(readFileSync(join(parentPath, name), 'latin1'), /a page|page\.html|anna/);
    assert.equal(readdirSync(join(data, 'backups')), [String(anna.id)], 'no picture of the repository stays');
  });

  test('what the machine loses comes back from the copy', async () => {
    anna.write('page.html', 'another page');
    const second = await anna.backedUp();
    assert.is((await anna.copied())['backups'], 2);
    const before = await anna.backups();
    await lose(anna);
    assert.equal(await anna.backups(), []);
    const [stored] = await anna.stored();
    const task = await anna.done('fetch', { name: stored?.['name'] });
    assert.equal([task['state'], task['detail'], task['files']], ['done', null, 2]);
    assert.equal(await anna.backups(), before);
    assert.is(await anna.own(`/api/backups/${second}/content?path=page.html`), 'another page');
    assert.match(await anna.activity(), 'had 2 backups fetched from another place');
    await anna.backedUp();
    assert.is((await anna.copied())['backups'], 3);
    assert.is((await anna.stored()).length, 1, 'in the same copy');
  });

  // threat other-accounts: a copy gives an account the backups of no other one
  test('backups that are there stay, and a copy is for its own account', async () => {
    const name = (await anna.stored())[0]?.['name'];
    const before = await anna.backups();
    const refused = await anna.done('fetch', { name });
    assert.equal([refused['state'], refused['error']], ['failed', 'backups_exist']);
    assert.equal(await anna.backups(), before);
    const other = await bob.asked('POST', 'fetch', { name });
    assert.equal([other.status, other.body['error']], [409, 'copy_of_other']);
    assert.is((await anna.done('fetch', { name, replace: true }))['state'], 'done');
    assert.equal(await anna.backups(), before);
  });

  test('a repository that lost a snapshot leaves its copy as it is', async () => {
    const snapshots = join(data, 'backups', String(anna.id), 'snapshots');
    const lost = String((await anna.backups())[0]?.['id']);
    const name = String((await anna.stored())[0]?.['name']);
    const copy = join(sftp.folder, 'node1/repositories', name, 'snapshots');
    rmSync(join(snapshots, lost));
    const task = await anna.done('copy');
    assert.equal([task['state'], task['error']], ['failed', 'backup_unreadable']);
    assert.ok(readdirSync(copy).includes(lost));
    assert.match(await anna.activity(), 'The server could not copy the backups to another place: ');
    assert.is((await anna.done('fetch', { name, replace: true }))['state'], 'done');
    assert.ok(readdirSync(snapshots).includes(lost));
    assert.is((await anna.done('copy'))['state'], 'done');
  });

  // threat hostile-files: the place of the copies can send neither more nor anything else than was put there
  test('a copy that the remote has changed is not taken', async () => {
    const name = String((await anna.stored())[0]?.['name']);
    const before = await anna.backups();
    const [repository, manifests] = ['repositories', 'manifests'].map((each) => join(sftp.folder, 'node1', each, name));
    const junk = join(repository ?? '', 'data/junk');
    writeFileSync(junk, Buffer.alloc(4 << 20));
    const larger = await anna.done('fetch', { name, replace: true });
    assert.equal([larger['state'], larger['error']], ['failed', 'copies_unavailable']);
    rmSync(junk);
    const config = join(repository ?? '', 'config');
    const whole = readFileSync(config);
    writeFileSync(config, Buffer.alloc(whole.length, 1));
    const damaged = await anna.done('fetch', { name, replace: true });
    assert.equal([damaged['state'], damaged['error']], ['failed', 'backups_unavailable']);
    writeFileSync(config, whole);
    const [manifest = ''] = readdirSync(manifests ?? '');
    const sealed = readFileSync(join(manifests ?? '', manifest));
    writeFileSync(join(manifests ?? '', manifest), sealed.subarray(0, 100));
    assert.is((await anna.asked('POST', 'fetch', { name, replace: true })).body['error'], 'copy_not_found');
    writeFileSync(join(manifests ?? '', manifest), sealed);
    assert.equal(await anna.backups(), before);
    assert.equal(readdirSync(join(data, 'backups')), [String(anna.id)]);
  });

  test('a remote that is gone is told, and the copy is made once it is back', async () => {
    await sftp.down();
    anna.write('third.html', 'a third page');
    await anna.backedUp();
    await until('health tells', async () => (await server.health('backup-copies')).length === 1);
    const [finding] = await server.health('backup-copies');
    assert.match(String(finding?.detail), /^rclone mkdir ended with 1: /);
    assert.is((await anna.done('copy'))['error'], 'copies_unavailable');
    assert.match(await anna.activity(), 'could not copy the backups to another place: rclone copy ended with 1');
    await sftp.up();
    const { backups } = await anna.copied();
    assert.is(backups, (await anna.backups()).length);
    assert.equal(await server.health('backup-copies'), []);
    const parts = await server.hostkeep.plugins.gather('metrics');
    const metrics = parts.find(({ plugin }) => plugin === 'backup-copies');
    assert.equal(
      metrics?.ok === true ? metrics.value.map(({ name, samples }) => [name, Number(samples[0]?.value) < 60]) : [],
      [
        ['hostkeep_backup_copies_oldest_age_seconds', true],
        ['hostkeep_backup_copies_failed', true],
      ],
    );
  });

  test('the backups of an account that is gone can be given to a new one, for some days', async () => {
    await bob.backedUp();
    await bob.copied();
    const name = String((await bob.stored())[0]?.['name']);
    await server.hostkeep.core.accounts.remove('bob');
    const heir = await Customer.make(server, 'heir', bob.tokens.admin);
    assert.is((await heir.done('fetch', { name }))['state'], 'done');
    const [backup] = await heir.backups();
    assert.is(await heir.own(`/api/backups/${String(backup?.['id'])}/content?path=page.html`), 'a page');
    await heir.copied();
    const names = () => readdirSync(join(sftp.folder, 'node1/repositories'));
    assert.ok(names().includes(name));
    await server.close();
    await start(data, { remote: 'offsite:node1', config_file: sftp.configFile, removed_days: 0 });
    await until('the copy of the removed account is gone', () => !names().includes(name));
    await until('and its manifest', () => !readdirSync(join(sftp.folder, 'node1/manifests')).includes(name));
    assert.is(names().length, 2, 'those of the others stay');
  });

  test('without a place for copies, or without the program, the plugin says so', async () => {
    const none = await start(temporaryFolder(), {});
    const { token } = await none.admin();
    const ask = async (path: string) => (await none.ask(`/api/backup-copies${path}`, { token, address: 'admin' })).body;
    assert.equal(await ask(''), { remote: '', copies: [] });
    assert.equal(await ask('/stored'), { stored: [] });
    const copy = { method: 'POST', token, address: 'admin' } as const;
    const refused = await none.ask(`${ACCOUNTS}/root/fetch`, { ...copy, body: { name: 'root.1.0123456789abcdef' } });
    assert.is(refused.body['error'], 'copy_not_found');
    const other = await start(temporaryFolder(), { remote: temporaryFolder(), program: '/nowhere/rclone' });
    const doctor = (await other.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'backup-copies');
    assert.is(doctor?.ok === true ? doctor.value[0]?.detail : '', '/nowhere/rclone is not installed on this server');
  });
}
