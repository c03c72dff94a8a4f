import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { LoginLog } from '../../../plugins/sftp/server/login-log.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('sftp: log of logins');

const MARK = 'abc123';
const LOGIN_MS = 60_000;
const write = (path: string, ...lines: readonly string[]) =>
  writeFileSync(path, lines.map((line) => `${MARK} ${line}\n`).join(''));

test('the last login of each name is read, and nothing else', async () => {
  const path = join(temporaryFolder(), 'attempts.log');
  const log = new LoginLog(path, LOGIN_MS);
  assert.equal(await log.recent(MARK), { logins: [], failures: [] }, 'no file yet');
  write(
    path,
    '1795743824 127.0.0.1 USER 331 7 - ann_web',
    '1795743825 127.0.0.1 PASS 230 8 ann_web ann_web',
    '1795743826 2001:db8::7 PASS 230 9 bob_web bob_web',
    '1795743827 192.0.2.1 PASS 230 10 ann_web ann_web',
    'x 192.0.2.2 PASS 230 11 ann_web ann_web',
    '1795743829 192.0.2.2 PASS 230 12 ann_web ann_web and more',
  );
  appendFileSync(path, 'ABC123 1795743829 192.0.2.9 PASS 230 13 ann_web ann_web\n'); // as a client could send it as its name
  appendFileSync(path, `${MARK} 1795743829 192.0.2.2 PASS 230 14 ann_web ann_`); // not written whole yet
  const expected = [
    { login: 'ann_web', at: 1_795_743_827_000, address: '192.0.2.1' },
    { login: 'bob_web', at: 1_795_743_826_000, address: '2001:db8::7' },
  ];
  assert.equal((await log.recent(MARK)).logins, expected);
  assert.equal((await log.recent(MARK)).logins, expected, 'read again');
  assert.equal((await log.recent('other')).logins, [], 'of another mark');
});

test('a connection that was refused is read once it can no longer log in', async () => {
  const path = join(temporaryFolder(), 'attempts.log');
  const [now, late] = [Math.floor(Date.now() / 1000), Math.floor((Date.now() - LOGIN_MS) / 1000) - 2];
  write(
    path,
    `${late - 5} 192.0.2.1 PASS 530 7 - ann_web`,
    `${late} 192.0.2.2 PASS 530 8 - ann_web`,
    `${late} 192.0.2.3 PASS 530 9 - bob_web`, // a key, before
    `${late + 1} 192.0.2.3 PASS 230 9 bob_web bob_web`,
    `${now} 192.0.2.4 PASS 530 10 - eve_web`,
    `${late} 192.0.2.5 PASS 530 11 - a b`,
  );
  appendFileSync(path, `ABC123 ${late} 192.0.2.9 PASS 530 12 - fay_web\n`);
  assert.equal((await new LoginLog(path, LOGIN_MS).recent(MARK)).failures, [
    { login: 'ann_web', at: late * 1000, address: '192.0.2.2' },
  ]);
});

test('the file is begun anew, and kept for a while under another name', async () => {
  const path = join(temporaryFolder(), 'attempts.log');
  const log = new LoginLog(path, LOGIN_MS);
  const seen = async () => (await log.recent(MARK)).logins;
  write(path, '1795743825 127.0.0.1 PASS 230 7 ann_web ann_web');
  await seen();
  assert.not.ok(existsSync(path));
  write(path, '1795743826 127.0.0.1 PASS 230 8 bob_web bob_web');
  assert.equal(
    (await seen()).map(({ login }) => login),
    ['ann_web', 'bob_web'],
  );
  assert.match(readFileSync(`${path}.old`, 'utf8'), 'ann_web', 'that one is still kept');
  const bob = '1795743826 127.0.0.1 PASS 230 8 bob_web bob_web';
  write(path, '1795743820 192.0.2.9 PASS 230 9 ann_web ann_web', bob);
  assert.is((await seen())[0]?.address, '127.0.0.1', 'the later one, in whichever file it is');
  write(path, bob);
  await new LoginLog(path, 0, -1).recent(MARK);
  assert.not.match(readFileSync(`${path}.old`, 'utf8'), 'ann_web');
  assert.equal(
    (await seen()).map(({ login }) => login),
    ['bob_web'],
  );
});
