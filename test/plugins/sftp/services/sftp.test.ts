import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import { endsWithTests } from '../../../support/child.ts';
import { atEnd } from '../../../support/ending.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasProftpd, Proftpd, type Ran } from '../proftpd.ts';

const test = testSuite('sftp');
const FIRST = 200_000;
const LOGINS = '/api/sftp/logins';

type Body = Record<string, unknown>;
interface Login {
  readonly login: string;
  readonly folder: string;
  readonly has_password: boolean;
  readonly last_login_at: string | null;
  readonly last_login_from: string | null;
  readonly keys: readonly { readonly key_id: number; readonly fingerprint: string; readonly comment: string }[];
}
interface Connection {
  readonly connection_id: string;
  readonly login: string;
  readonly address: string;
  readonly protocol: string;
}

let proftpd: Proftpd;
let server: TestServer;

class Customer {
  readonly id: number;
  readonly name: string;
  readonly root: string;
  readonly #token: string;

  constructor({ account, token }: Awaited<ReturnType<TestServer['user']>>) {
    this.id = account.id;
    this.name = account.username;
    this.root = account.filesRoot;
    this.#token = token;
  }

  ask(method: string, path: string, body?: object) {
    return server.ask<Body>(path, { method, token: this.#token, ...(body !== undefined && { body }) });
  }

  async refused(method: string, path: string, body?: object): Promise<string> {
    const answer = await this.ask(method, path, body);
    assert.ok(answer.status >= 400, `${method} ${path} ${JSON.stringify(body)}: ${answer.status}`);
    return `${answer.status} ${String(answer.body['error'])}`;
  }

  /** Adds a login, and returns its name and its password. */
  async add(name: string, more: object = {}): Promise<{ login: string; password: string }> {
    const { status, body } = await this.ask('POST', LOGINS, { name, ...more });
    assert.is(status, 201, JSON.stringify(body));
    return { login: (body['login'] as Login).login, password: body['password'] as string };
  }

  async logins(): Promise<Login[]> {
    return (await this.ask('GET', '/api/sftp')).body['logins'] as Login[];
  }

  async connections(): Promise<Connection[]> {
    return (await this.ask('GET', '/api/sftp/connections')).body['connections'] as Connection[];
  }

  /** Makes a folder in the account's files. */
  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    chownSync(path, FIRST + this.id, FIRST + this.id);
    return path;
  }

  put(file: string, text: string): void {
    writeFileSync(join(this.root, file), text);
    chownSync(join(this.root, file), FIRST + this.id, FIRST + this.id);
  }
}

async function customer(name: string, plan?: string): Promise<Customer> {
  const made = await server.user(name, plan);
  await server.hostkeep.core.jobs.makeRoot(made.account);
  return new Customer(made);
}

const canLogIn = async (login: string, secret: { password?: string; key?: string }): Promise<boolean> =>
  (await proftpd.run(login, secret, ['pwd'])).isOk;
const sees = ({ isOk, output }: Ran): string => {
  assert.ok(isOk, output);
  return output;
};

function newKey(type: string): { readonly file: string; readonly line: string } {
  const file = join(temporaryFolder(), type);
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'ann at home', '-f', file]);
  return { file, line: readFileSync(`${file}.pub`, 'utf8') };
}

/** Opens a connection that stays, and resolves with whether its process has ended. */
async function stay(who: Customer, { login, password }: { login: string; password: string }): Promise<() => boolean> {
  const env = { ...process.env, SSHPASS: password };
  const child = endsWithTests(
    spawn('sshpass', ['-e', 'sftp', ...proftpd.client(login)], { env, stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  atEnd(() => child.kill('SIGTERM'));
  const listed = await eventually(
    'the connection in the list',
    async () => (await who.connections()).find((each) => each.login === login),
    (each) => each !== undefined,
  );
  const pid = Number.parseInt(listed?.connection_id ?? '', 10);
  return () => !existsSync(`/proc/${pid}`);
}

if (hasProftpd()) {
  test.before(async () => {
    proftpd = await Proftpd.prepare();
    server = await TestServer.start({ plugins: [sftp], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
  });

  test('names, folders and keys that cannot be had are refused, and nothing changes', async () => {
    const [ann, bea] = [await customer('ann'), await customer('bea')];
    for (const name of ['', 'A', '-x', 'a b', 'a:b', 'a\nroot', 'a/b', '../a', 'ü', '%u', 'x'.repeat(25)])
      assert.match(await ann.refused('POST', LOGINS, { name }), /^400 (invalid_login_name|invalid_request)/);
    symlinkSync(bea.root, join(ann.root, 'link'));
    symlinkSync('/', join(ann.root, 'all'));
    ann.folder('a:b');
    ann.put('file', '');
    mkdirSync(join(ann.root, 'others'));
    for (const [folder, error] of [
      ['../bea', '400 invalid_path'],
      ['/etc', '400 invalid_path'],
      ['a\n:b', '400 invalid_path'],
      ['a:b', '400 invalid_path'],
      ['.hostkeep', '400 invalid_path'],
      ['missing', '404 folder_not_found'],
      ['file', '404 folder_not_found'],
      ['link', '404 folder_not_found'],
      ['all/etc', '404 folder_not_found'],
      ['others', '404 folder_not_found'],
    ])
      assert.is(await ann.refused('POST', LOGINS, { name: 'web', folder }), error, folder);
    const { line } = newKey('ed25519');
    for (const key of ['x', `command="sh" ${line}`, `${line}${line}`, `${line.trim()}\u0007`])
      assert.is(await ann.refused('POST', LOGINS, { name: 'web', public_key: key }), '400 invalid_public_key');
    assert.equal(await ann.logins(), []);
    assert.not.match(readFileSync(join(proftpd.folder, 'sftp/logins'), 'utf8'), /^ann/m);
  });

  // threat other-accounts: no account learns of or changes another's SFTP logins
  test('the logins and connections of another account are not there', async () => {
    const [cat, dan] = [await customer('cat'), await customer('dan')];
    const web = await cat.add('web', { public_key: newKey('ed25519').line });
    const [{ keys } = { keys: [] }] = await cat.logins();
    const path = `${LOGINS}/${web.login}`;
    assert.is(await dan.refused('PATCH', path, { folder: '' }), '404 login_not_found');
    assert.is(await dan.refused('POST', `${path}/password`), '404 login_not_found');
    assert.is(await dan.refused('DELETE', `${path}/keys/${keys[0]?.key_id}`), '404 login_not_found');
    assert.is(await dan.refused('POST', `${path}/keys`, { public_key: newKey('ed25519').line }), '404 login_not_found');
    assert.is(await dan.refused('DELETE', path), '404 login_not_found');
    assert.equal(await dan.logins(), []);
    const opened = await cat.add('open');
    const hasEnded = await stay(cat, opened);
    const [connection] = await cat.connections();
    assert.equal(await dan.connections(), []);
    const id = String(connection?.connection_id);
    assert.is(await dan.refused('DELETE', `/api/sftp/connections/${id}`), '404 connection_not_found');
    assert.is(await dan.refused('DELETE', `/api/sftp/connections/${process.pid}-1`), '404 connection_not_found');
    assert.not.ok(hasEnded());
    assert.equal([connection?.address, connection?.protocol], ['127.0.0.1', 'sftp']);
    assert.is((await cat.ask('DELETE', `/api/sftp/connections/${id}`)).status, 200);
    await until('the end of the connection', hasEnded);
    await until('an empty list', async () => (await cat.connections()).length === 0);
  });

  test('a login reads and writes its folder as the account, and sees nothing above', async () => {
    const eva = await customer('eva');
    eva.folder('site');
    eva.put('secret.txt', 'of eva');
    eva.put('site/page.html', 'a page');
    symlinkSync('../secret.txt', join(eva.root, 'site/up'));
    symlinkSync('/etc/passwd', join(eva.root, 'site/passwd'));
    const web = await eva.add('web', { folder: 'site' });
    assert.match(web.password, /^[\w-]{24}$/);
    const local = join(temporaryFolder(), 'new.txt');
    writeFileSync(local, 'new');
    const commands = ['pwd', 'ls -la', 'cd ..', 'pwd', 'ls -la', `put ${local} new.txt`, 'rename new.txt put.txt'];
    const output = sees(await proftpd.run(web.login, web, commands));
    assert.match(output, /page\.html/);
    assert.not.match(output, /secret\.txt/);
    assert.not.match(output, /working directory: \/.+/);
    const { uid, gid, mode } = statSync(join(eva.root, 'site/put.txt'));
    assert.equal([uid, gid, mode & 0o777], [FIRST + eva.id, FIRST + eva.id, 0o644]);
    assert.is(readFileSync(join(eva.root, 'site/put.txt'), 'utf8'), 'new');
    for (const name of ['up', 'passwd', '../secret.txt', '/etc/passwd'])
      assert.not.ok((await proftpd.run(web.login, web, [`get ${name} ${temporaryFolder()}/got`])).isOk, name);
    const all = await eva.add('all');
    assert.match(sees(await proftpd.run(all.login, all, ['ls'])), /secret\.txt/);
    assert.is((await eva.ask('PATCH', `${LOGINS}/${web.login}`, { folder: '/var/www/html' })).status, 200);
    assert.match(sees(await proftpd.run(web.login, web, ['ls'])), /secret\.txt/);
  });

  test('a broken upload is resumed', async () => {
    const ivo = await customer('ivo');
    const all = await ivo.add('all');
    const local = join(temporaryFolder(), 'large');
    writeFileSync(local, Buffer.alloc(300_000, 'hostkeep'));
    ivo.put('large', readFileSync(local).subarray(0, 100_000).toString());
    sees(await proftpd.run(all.login, all, [`reput ${local} large`]));
    assert.equal(readFileSync(join(ivo.root, 'large')), readFileSync(local));
  });

  // threat leaked-secrets: the password of a login is in no answer but the first, in no list of processes, file or log
  test('a password is shown once, and kept as a hash that only root reads', async () => {
    const fay = await customer('fay');
    const web = await fay.add('web');
    const file = join(proftpd.folder, 'sftp/logins');
    const [line = ''] = readFileSync(file, 'utf8')
      .split('\n')
      .filter((each) => each.startsWith('fay_'));
    const hash = line.split(':')[1] ?? '';
    assert.match(hash, /^\$y\$/);
    assert.equal([statSync(file).mode & 0o777, statSync(file).uid], [0o600, 0]);
    assert.is(statSync(join(proftpd.folder, 'sftp')).mode & 0o777, 0o700);
    for (const path of ['/api/sftp', '/api/account/activity'])
      for (const secret of [web.password, hash])
        assert.not.match(JSON.stringify((await fay.ask('GET', path)).body), secret);
    const { lines } = await server.hostkeep.core.events.page(fay.id, '', 0, 10);
    assert.match(lines.join('\n'), /added the SFTP login fay_web/);
    assert.not.ok(lines.join('\n').includes(web.password));
    assert.ok(await canLogIn(web.login, web));
    assert.not.ok(await canLogIn(web.login, { password: 'wrong' }));
    const { body } = await fay.ask('POST', `${LOGINS}/${web.login}/password`);
    assert.not.ok(await canLogIn(web.login, web));
    assert.ok(await canLogIn(web.login, { password: body['password'] as string }));
  });

  test('the last login is told with its address, and a wrong password is none', async () => {
    const eve = await customer('eve');
    const [web, other] = [await eve.add('web'), await eve.add('other')];
    const last = async () =>
      (await eve.logins()).map(({ login, last_login_at: at, last_login_from: from }) => [login, at !== null, from]);
    assert.not.ok(await canLogIn(other.login, { password: 'wrong' }));
    const before = Date.now() - 1000; // the log has whole seconds
    assert.ok(await canLogIn(web.login, web));
    await eventually('the last login', last, ([, found]) => found?.[1] === true);
    assert.equal(await last(), [
      [other.login, false, null],
      [web.login, true, '127.0.0.1'],
    ]);
    const [, told] = await eve.logins();
    assert.ok(Date.parse(told?.last_login_at ?? '') >= before);
    const second = Date.parse(told?.last_login_at ?? '');
    await eventually('the second of that login is over', Date.now, (now) => now >= second + 1000);
    await eve.ask('DELETE', `${LOGINS}/${web.login}`);
    await eve.add('web');
    const next = await eve.add('next');
    assert.ok(await canLogIn(next.login, next));
    const ofNext = async () => (await eve.logins()).find(({ login }) => login === next.login)?.last_login_at;
    await eventually('the log is read again', ofNext, (at) => typeof at === 'string');
    assert.is((await eve.logins()).find(({ login }) => login === web.login)?.last_login_at, null, 'of the removed one');
  });

  test('public keys open a login without a password, until they are removed', async () => {
    const gil = await customer('gil');
    const keys = ['ed25519', 'rsa', 'ecdsa'].map(newKey);
    const { login, password } = await gil.add('web', { public_key: keys[0]?.line });
    assert.is(password, null);
    for (const { line } of keys.slice(1))
      assert.is((await gil.ask('POST', `${LOGINS}/${login}/keys`, { public_key: line })).status, 201);
    assert.is(
      await gil.refused('POST', `${LOGINS}/${login}/keys`, { public_key: keys[0]?.line }),
      '409 public_key_exists',
    );
    for (const { file } of keys) sees(await proftpd.run(login, { key: file }, ['pwd']));
    assert.not.ok(await canLogIn(login, { key: newKey('ed25519').file }));
    for (const secret of ['*', '']) assert.not.ok(await canLogIn(login, { password: secret }));
    const [shown] = await gil.logins();
    assert.equal(
      pickKeys(shown),
      keys.map(() => 'ann at home'),
    );
    assert.is(shown?.has_password, false);
    const [first] = shown?.keys ?? [];
    assert.is((await gil.ask('DELETE', `${LOGINS}/${login}/keys/${first?.key_id}`)).status, 200);
    assert.equal(
      [await canLogIn(login, { key: keys[0]?.file ?? '' }), await canLogIn(login, { key: keys[1]?.file ?? '' })],
      [false, true],
    );
  });
  const pickKeys = (login: Login | undefined) => login?.keys.map(({ comment }) => comment);

  test('a plan bounds the logins, and says whether keys are among what it has', async () => {
    await server.hostkeep.core.plans.create('small', { limits: { ftp_limit: 1 } }, ['ftp']);
    const hal = await customer('hal', 'small');
    const { line } = newKey('ed25519');
    assert.is(await hal.refused('POST', LOGINS, { name: 'web', public_key: line }), '403 ssh_keys_disabled');
    await hal.add('web');
    assert.is(await hal.refused('POST', LOGINS, { name: 'web' }), '409 login_exists');
    assert.is(await hal.refused('POST', LOGINS, { name: 'two' }), '409 ftp_limit_reached');
    assert.is(await hal.refused('POST', `${LOGINS}/hal_web/keys`, { public_key: line }), '403 feature_disabled');
    const both = await Promise.all([1, 2].map(() => hal.ask('DELETE', `${LOGINS}/hal_web`)));
    assert.equal(both.map(({ status }) => status).toSorted(), [200, 404]);
    const added = await Promise.all(['a', 'b', 'c'].map((name) => hal.ask('POST', LOGINS, { name })));
    assert.equal(added.map(({ status }) => status).toSorted(), [201, 409, 409]);
  });

  // threat served-links: a folder that is exchanged for a link after its login was made opens nothing of another account
  test('a folder that became a link opens nothing that the account may not open', async () => {
    const [joe, kim] = [await customer('joe'), await customer('kim')];
    kim.put('secret.txt', 'of kim');
    const site = joe.folder('site');
    const web = await joe.add('web', { folder: 'site' });
    const all = await joe.add('all');
    assert.ok(await canLogIn(web.login, web));
    renameSync(site, `${site}.aside`);
    for (const target of [kim.root, '/', '/root']) {
      symlinkSync(target, site);
      for (const file of ['secret.txt', `${kim.root}/secret.txt`, '/etc/shadow', '/shadow'])
        for (const { login, password } of [web, all]) {
          const got = join(temporaryFolder(), 'got');
          await proftpd.run(login, { password }, [`get ${file} ${got}`]);
          assert.not.ok(existsSync(got), `${file} by ${target}`);
        }
      assert.is(await joe.refused('PATCH', `${LOGINS}/${web.login}`, { folder: 'site' }), '404 folder_not_found');
      rmSync(site);
    }
    renameSync(`${site}.aside`, site);
    assert.ok(await canLogIn(web.login, web));
  });

  test('suspension and removal end connections, and close the door', async () => {
    const { accounts } = server.hostkeep.core;
    const lea = await customer('lea');
    const web = await lea.add('web');
    const closed = async (close: () => Promise<unknown>, open?: () => Promise<unknown>) => {
      const hasEnded = await stay(lea, web);
      await close();
      await until('the end of the connection', hasEnded);
      await until('a closed door', async () => !(await canLogIn(web.login, web)));
      await open?.();
      if (open !== undefined) await until('an open door', () => canLogIn(web.login, web));
    };
    await closed(
      () => accounts.suspend('lea'),
      () => accounts.unsuspend('lea'),
    );
    const again = new Customer(await reopened('lea'));
    assert.equal((await again.logins()).length, 1);
    await accounts.setFeature('lea', 'ftp', false);
    await until('a closed door', async () => !(await canLogIn(web.login, web)));
    await accounts.setFeature('lea', 'ftp', undefined);
    await until('an open door', () => canLogIn(web.login, web));
    assert.is((await again.ask('DELETE', `${LOGINS}/${web.login}`)).status, 200);
    assert.not.ok(await canLogIn(web.login, web));
  });
  const reopened = async (username: string) => {
    const account = await server.hostkeep.core.accounts.byUsername(username);
    assert.ok(account);
    return server.as(account);
  };

  test('what was lost, added by somebody else or left by a kill is mended', async () => {
    const mia = await customer('mia');
    const web = await mia.add('web', { public_key: newKey('ed25519').line });
    const folder = join(proftpd.folder, 'sftp');
    const logins = () => readFileSync(join(folder, 'logins'), 'utf8');
    const before = logins();
    const foreign = before.replaceAll('mia_web', 'mia_other').replace(/^(?!mia).*\n/gm, '');
    writeFileSync(join(folder, 'logins'), foreign);
    writeFileSync(join(folder, 'keys/mia_gone'), '');
    writeFileSync(join(folder, 'keys/.mia_web.1:1.00.tmp'), '');
    await server.hostkeep.core.accounts.suspend('mia');
    await server.hostkeep.core.accounts.unsuspend('mia');
    const sorted = (text: string) => text.split('\n').toSorted();
    await eventually(
      'the same logins',
      () => sorted(logins()),
      (lines) => String(lines) === String(sorted(before)),
    );
    await until('no other keys', () => !readdirSync(join(folder, 'keys')).some((name) => /gone|tmp/.test(name)));
    assert.ok(existsSync(join(folder, `keys/${web.login}`)));
  });

  test('of a removed account nothing is left', async () => {
    const ned = await customer('ned');
    const web = await ned.add('web');
    const hasEnded = await stay(ned, web);
    await server.hostkeep.core.accounts.remove('ned');
    await until('the end of the connection', hasEnded);
    await until('no line', () => !/^ned_/m.test(readFileSync(join(proftpd.folder, 'sftp/logins'), 'utf8')));
    assert.not.ok(await canLogIn(web.login, web));
    const [purged] = (
      await server.hostkeep.plugins.gather('purge', { id: ned.id, username: 'ned' } as never, AbortSignal.timeout(5000))
    ).filter(({ plugin }) => plugin === 'sftp');
    assert.equal(purged?.ok === true && purged.value, [{ what: 'SFTP logins', removed: 0 }]);
  });
}

test('while nothing tells who is logged in, that is an error and not nobody', async () => {
  const ann = await customer('blind');
  const scoreboard = join(proftpd.folder, 'scoreboard');
  const answer = async () => {
    const { status, body } = await ann.ask('GET', '/api/sftp/connections');
    return String(body['error'] ?? status);
  };
  renameSync(scoreboard, `${scoreboard}.away`);
  try {
    await eventually('it is not known', answer, (each) => each === 'connections_unknown');
  } finally {
    renameSync(`${scoreboard}.away`, scoreboard);
  }
  await eventually('it is known', answer, (each) => each === '200');
});
