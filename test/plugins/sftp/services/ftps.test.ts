import { execFile } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { atEnd } from '../../../support/ending.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasProftpd, Proftpd, type Ran } from '../proftpd.ts';

const test = testSuite('sftp: FTP over TLS');
const FIRST = 200_000;

let proftpd: Proftpd;
let server: TestServer;

interface Customer {
  readonly uid: number;
  readonly root: string;
  readonly login: string;
  readonly password: string;
  readonly ask: (method: string, path: string) => Promise<Record<string, unknown>>;
}

/** Adds an account with a login for the folder `site`, and a file beside that. */
async function customer(name: string): Promise<Customer> {
  const { account, token } = await server.user(name);
  await server.hostkeep.core.jobs.makeRoot(account);
  const uid = FIRST + account.id;
  const root = account.filesRoot;
  mkdirSync(join(root, 'site'));
  writeFileSync(join(root, 'secret.txt'), `of ${name}`);
  for (const file of ['site', 'secret.txt']) chownSync(join(root, file), uid, uid);
  const { status, body } = await server.ask<Record<string, unknown>>('/api/sftp/logins', {
    ...{ method: 'POST', token, body: { name: 'web', folder: 'site' } },
  });
  assert.is(status, 201, JSON.stringify(body));
  const ask = async (method: string, path: string) =>
    (await server.ask<Record<string, unknown>>(path, { method, token })).body;
  return { uid, root, login: `${name}_web`, password: String(body['password']), ask };
}

/** Runs curl with a login. Every certificate is good for it. */
function curl(
  { login, password }: Pick<Customer, 'login' | 'password'>,
  path: string,
  ...flags: string[]
): Promise<Ran> {
  const url = `ftp://127.0.0.1:${proftpd.ftpsPort}/${path}`;
  return new Promise((resolve) => {
    const child = execFile('curl', ['-sSk', '--path-as-is', '-K', '-', ...flags, url], (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: stdout + stderr }),
    );
    child.stdin?.end(`user = "${login}:${password}"\n`);
    atEnd(() => child.kill());
  });
}
const secured = (who: Customer, path: string, ...flags: string[]) => curl(who, path, '--ssl-reqd', ...flags);

const shownPort = async ({ ask }: Customer) =>
  ((await ask('GET', '/api/sftp')) as { server: { ftps_port: number | null } }).server.ftps_port;

async function findings(of = server) {
  const [found] = (await of.hostkeep.plugins.gather('doctor')).filter(({ plugin }) => plugin === 'sftp');
  assert.ok(found?.ok);
  return found.value;
}

function use({ cert, key }: ReturnType<typeof selfSigned>): void {
  copyFileSync(key, proftpd.key);
  copyFileSync(cert, proftpd.certificate);
}

if (hasProftpd()) {
  test.before(async () => {
    proftpd = await Proftpd.prepare();
    server = await TestServer.start({ plugins: [sftp], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
  });

  test('without a certificate SFTP is served alone, and doctor says why', async () => {
    const ann = await customer('ann');
    assert.ok((await proftpd.run(ann.login, ann, ['pwd'])).isOk);
    assert.not.ok((await secured(ann, '')).isOk);
    assert.is(await shownPort(ann), null);
    const [found] = await findings();
    assert.equal([found?.ok, /ftps\.pem/.test(found?.detail ?? '')], [false, true]);
  });

  test('a key of another certificate is not taken; what was served stays', async () => {
    use(selfSigned('ftp.example'));
    writeFileSync(proftpd.key, readFileSync(selfSigned('other.example').key));
    assert.match((await findings())[0]?.detail ?? '', /do not belong together/);
    use(selfSigned('ftp.example'));
    const text = () => readFileSync(join(proftpd.folder, 'sftp/proftpd.conf'), 'utf8');
    await eventually('FTPS is answered', findings, (found) => found.length === 2 && found.every(({ ok }) => ok));
    const served = text();
    writeFileSync(proftpd.certificate, 'no certificate');
    assert.not.ok((await findings())[0]?.ok);
    assert.is(text(), served);
  });

  test('settings that ProFTPD refuses are not served, and doctor says why', async () => {
    use(selfSigned('ftp.example'));
    const folder = temporaryFolder();
    const { sftp: own, files_root } = proftpd.config as { sftp: { ftps: object }; files_root: string };
    const settings = { ...own, folder, ftps: { ...own.ftps, passive_ports: '60000-50000' } };
    const refused = await TestServer.start({ plugins: [sftp], config: { files_root, sftp: settings } });
    assert.match((await findings(refused))[0]?.detail ?? '', /PassivePorts/);
    assert.not.ok(existsSync(join(folder, 'proftpd.conf')));
  });

  test('a new certificate in the same files is served', async () => {
    use(selfSigned('ftp.example'));
    const ben = await customer('ben');
    const issuer = async () => /^\*\s+issuer: CN=(.*)$/m.exec((await secured(ben, '', '-v')).output)?.[1];
    await findings();
    await eventually('the certificate', issuer, (name) => name === 'ftp.example');
    use(selfSigned('new.example'));
    await findings();
    await eventually('the new certificate', issuer, (name) => name === 'new.example');
  });

  // threat leaked-secrets: no password is taken before the connection is encrypted
  test('nobody logs in without TLS, with a wrong password or with none', async () => {
    const cat = await customer('cat');
    assert.ok((await secured(cat, '')).isOk);
    assert.is(await shownPort(cat), proftpd.ftpsPort);
    assert.match((await curl(cat, '')).output, /denied|550/i);
    for (const password of ['wrong', '*', ''])
      assert.not.ok((await secured({ ...cat, password }, '')).isOk, `by ${JSON.stringify(password)}`);
  });

  test('a login reads and writes its folder as the account, and sees nothing above', async () => {
    const dan = await customer('dan');
    symlinkSync('../secret.txt', join(dan.root, 'site/up'));
    symlinkSync('/etc/passwd', join(dan.root, 'site/passwd'));
    const local = join(temporaryFolder(), 'new.txt');
    writeFileSync(local, Buffer.alloc(300_000, 'hostkeep'));
    const put = await secured(dan, 'new.txt', '-T', local);
    assert.ok(put.isOk, put.output);
    const { uid, gid, mode } = statSync(join(dan.root, 'site/new.txt'));
    assert.equal([uid, gid, mode & 0o777], [dan.uid, dan.uid, 0o644]);
    assert.equal(readFileSync(join(dan.root, 'site/new.txt')), readFileSync(local));
    const { output } = await secured(dan, '');
    assert.match(output, /new\.txt/);
    assert.not.match(output, /\ssecret\.txt/);
    for (const path of ['up', 'passwd', '../secret.txt', '%2Fetc/passwd', '..%2F..%2Fetc/passwd']) {
      const read = await secured(dan, path);
      assert.not.ok(read.isOk, path);
      assert.not.match(read.output, /of dan|root:/);
    }
  });

  test('a connection is listed, and ends with the suspension of its account', async () => {
    const eva = await customer('eva');
    const large = join(temporaryFolder(), 'large');
    writeFileSync(large, Buffer.alloc(4 << 20));
    const upload = secured(eva, 'large', '-T', large, '--limit-rate', '50k');
    type Listed = { connections: { login: string; protocol: string; address: string }[] };
    const listed = async () => ((await eva.ask('GET', '/api/sftp/connections')) as unknown as Listed).connections;
    const [connection] = await eventually('the connection', listed, (all) => all.length > 0);
    assert.equal([connection?.login, connection?.protocol, connection?.address], ['eva_web', 'ftps', '127.0.0.1']);
    await server.hostkeep.core.accounts.suspend('eva');
    assert.not.ok((await upload).isOk);
    assert.not.ok((await secured(eva, '')).isOk);
  });
}
