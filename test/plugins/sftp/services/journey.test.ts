/**
 * What a customer does with files, from the first to the last: a site is dropped on the page, broken and mended by a backup; by SFTP,
 * by requests and by uploads that resume, more is added; then all is lost, and restored.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { selfSigned } from '../../../support/certificate.ts';
import * as assert from '../../../support/assert.ts';
import { BreakingProxy } from '../../../support/breaking-proxy.ts';
import { FIRST_ID } from '../../../support/broker.ts';
import { browserSuite, dropFiles } from '../../../support/chromium.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { PageDriver } from '../../../support/page-driver.ts';
import { reportSkipped } from '../../../support/suite.ts';
import { sendByTus } from '../../../support/tus-upload.ts';
import { eventually, LIMIT_MS, until } from '../../../support/until.ts';
import { hasProftpd, Proftpd } from '../proftpd.ts';

await needs('files', 'uploads', 'backups', 'pages');
const test = browserSuite('sftp: the journey of files', 'to drop files in');
const run = promisify(execFile);
const FILES = 2000;
const FOLDERS = 20;
const SMALL = 30;
const MIB = 1 << 20;
const CONTENT = Buffer.from(Array.from({ length: 12 * MIB + 3 }, (_, i) => (i * 11) % 253));
const CUTS = [100, MIB, 3, 700 * 1024, MIB + 1, 900, 512 * 1024, 1, 2 * MIB];
const PROGRAMS = ['/usr/bin/restic', '/usr/bin/lftp'];
const isInstalled = PROGRAMS.every((path) => existsSync(path));
if (!isInstalled) reportSkipped('the journey of files; install programs with apt-get install -y restic lftp');

/** Makes a folder of small files below it. */
function tree(at: string, files: number): string {
  for (let i = 0; i < files; i += 1) {
    const inside = join(at, `part-${i % FOLDERS}`);
    if (i < FOLDERS) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${i}.html`), `page ${i}\n`);
  }
  writeFileSync(join(at, 'index.html'), 'welcome\n');
  return at;
}

/** What is in a folder: a line for each file, with what it has in it. */
const contentOf = (at: string): string =>
  execFileSync('sh', ['-c', 'find . -path ./.hostkeep -prune -o -type f -exec sha256sum {} + | sort -k 2'], {
    ...{ cwd: at, encoding: 'utf8', maxBuffer: 16 * MIB },
  });

if (hasProftpd() && isInstalled)
  test('files come in every way, are broken and mended, lost and restored', async (browser) => {
    const proftpd = await Proftpd.prepare();
    const { cert, key } = selfSigned('ftp.example');
    execFileSync('cp', [cert, proftpd.certificate]);
    execFileSync('cp', [key, proftpd.key]);
    const server = await TestServer.start({
      config: { ...proftpd.config, ids: { first: FIRST_ID, count: 1000 }, backups: { reserve_mib: 0 } },
    });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
    const { account, token } = await server.user('anna');
    await server.hostkeep.core.jobs.makeRoot(account);
    const here = (path: string) => join(account.filesRoot, path);
    const own = temporaryFolder();
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await server.ask<Record<string, unknown>>(path, { method, token, ...(body && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const done = async (path: string, body?: object) => {
      const { id } = await ask('POST', path, body);
      const task = () => ask('GET', `/api/backup-tasks/${String(id)}`);
      const { state, error } = await eventually('the task has ended', task, (each) => each['state'] !== 'running');
      assert.equal([state, error], ['done', null]);
    };
    const newest = async () => ((await ask('GET', '/api/backups'))['backups'] as { id: string }[])[0]?.id ?? '';

    // in the browser
    const dropped = tree(join(own, 'site'), FILES);
    const driver = await PageDriver.entered(browser, server, 'user', 'anna');
    const { page } = driver;
    await driver.goto('/home/files');
    await driver.says('This folder is empty');
    await dropFiles(page, [dropped]);
    const all = `document.body.innerText.includes('${(FILES + 1).toLocaleString('en')} files were uploaded')`;
    await page.waitForFunction(all, { timeout: 4 * LIMIT_MS });
    assert.is(contentOf(here('site')), contentOf(dropped));

    await driver.goto('/home/backups');
    await driver.press('Back up now');
    const first = await eventually('a backup', newest, (id) => id !== '');
    await driver.goto('/home/files#folder=site');
    await driver.press('index.html');
    await page.waitForSelector('dialog[open] .editor >>> .cm-content');
    await driver.replace('dialog[open] .editor >>> .cm-content', 'broken');
    await driver.press('Save');
    await driver.says('index.html was saved');
    assert.match(readFileSync(here('site/index.html'), 'utf8'), /^broken\s*$/);
    await driver.goto(`/home/backups#backup=${first}&folder=site`);
    await driver.press('Restore index.html');
    await page.click('dialog[open] .dialog-end .button.primary');
    await until('it is mended', () => readFileSync(here('site/index.html'), 'utf8') === 'welcome\n');
    await driver.finish();

    // by SFTP, with OpenSSH's client and lftp's
    const login = async (name: string) => {
      const { login: made, password } = await ask('POST', '/api/sftp/logins', { name });
      return { login: (made as { login: string }).login, password: String(password) };
    };
    const ssh = await login('ssh');
    const small = tree(join(own, 'small'), SMALL);
    const sftp = async (...commands: string[]) => {
      const { isOk, output } = await proftpd.run(ssh.login, ssh, commands);
      assert.ok(isOk, output);
    };
    writeFileSync(join(own, 'broken'), 'broken');
    await sftp('mkdir small', `put -r ${small}`);
    await done('/api/backups');
    await sftp(`put ${join(own, 'broken')} small/index.html`);
    assert.is(readFileSync(here('small/index.html'), 'utf8'), 'broken');
    await done(`/api/backups/${await newest()}/restore`, { path: 'small/index.html', to: null });
    mkdirSync(join(own, 'back'));
    await sftp(`get -r small ${join(own, 'back')}`);
    assert.is(contentOf(join(own, 'back/small')), contentOf(small));
    const other = await login('lftp');
    const connect = `ssh -a -x -o StrictHostKeyChecking=no -o UserKnownHostsFile=${own}/known_hosts`;
    const script = [
      ...['set cmd:fail-exit yes', 'set net:max-retries 2', `set sftp:connect-program "${connect}"`],
      `open -u ${other.login},${other.password} sftp://127.0.0.1:${proftpd.port}`,
      `mirror -R --parallel=3 ${small} mirrored`,
      `mirror mirrored ${join(own, 'mirrored')}`,
    ].join('\n');
    writeFileSync(join(own, 'script'), `${script}\n`, { mode: 0o600 });
    await run('lftp', ['-f', join(own, 'script')], { timeout: 2 * LIMIT_MS });
    assert.equal([contentOf(here('mirrored')), contentOf(join(own, 'mirrored'))], [contentOf(small), contentOf(small)]);

    // by curl, and by uploads that resume
    const url = server.hostkeep.url('user');
    writeFileSync(join(own, 'film.bin'), CONTENT);
    const head = join(own, 'head');
    writeFileSync(head, `Authorization: Bearer ${token}\n`, { mode: 0o600 });
    await run('curl', [
      '-sSf',
      '-H',
      `@${head}`,
      '-T',
      join(own, 'film.bin'),
      `${url}/api/files/content?path=by-curl.bin`,
    ]);
    const proxy = await BreakingProxy.start(() => url, CUTS);
    await sendByTus(CONTENT, token, { endpoint: `${proxy.url}/api/uploads`, metadata: { path: 'by-tus.bin' } });
    assert.is(proxy.broken, CUTS.length);
    for (const name of ['by-curl.bin', 'by-tus.bin']) assert.ok(readFileSync(here(name)).equals(CONTENT), name);

    // all is lost
    await done('/api/backups');
    const before = contentOf(account.filesRoot);
    assert.is(before.split('\n').length, FILES + 1 + 2 * (SMALL + 1) + 2 + 1);
    for (const name of readdirSync(account.filesRoot)) rmSync(here(name), { recursive: true, force: true });
    await done(`/api/backups/${await newest()}/restore`, { path: '', to: null });
    assert.is(contentOf(account.filesRoot), before);
  });
