import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { LoginLog } from '../../../plugins/sftp/server/login-log.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('sftp: log of logins');

test('the last login of each name is read, and nothing else', async () => {
  const path = join(temporaryFolder(), 'attempts.log');
  const log = new LoginLog(path);
  assert.equal(await log.recent(), [], 'no file yet');
  writeFileSync(
    path,
    [
      '1795743824 127.0.0.1 USER 331 -',
      '1795743824 127.0.0.1 PASS 530 -',
      '1795743825 127.0.0.1 PASS 230 ann_web',
      '1795743826 2001:db8::7 PASS 230 bob_web',
      '1795743827 192.0.2.1 PASS 230 ann_web',
      '1795743828 192.0.2.2 PASS 530 ann_web',
      'x 192.0.2.2 PASS 230 ann_web',
      '1795743829 192.0.2.2 PASS 230 ann_web and more',
      '1795743829 192.0.2.2 PASS 230 ann_', // not written whole yet
    ].join('\n'),
  );
  const expected = [
    { login: 'ann_web', at: 1_795_743_827_000, address: '192.0.2.1' },
    { login: 'bob_web', at: 1_795_743_826_000, address: '2001:db8::7' },
  ];
  assert.equal(await log.recent(), expected);
  assert.equal(await log.recent(), expected, 'read again');
});

test('the file is begun anew, and kept for a while under another name', async () => {
  const path = join(temporaryFolder(), 'attempts.log');
  const log = new LoginLog(path);
  writeFileSync(path, '1795743825 127.0.0.1 PASS 230 ann_web\n');
  await log.recent();
  assert.not.ok(existsSync(path));
  writeFileSync(path, '1795743826 127.0.0.1 PASS 230 bob_web\n');
  assert.equal(
    (await log.recent()).map(({ login }) => login),
    ['ann_web', 'bob_web'],
  );
  assert.match(readFileSync(`${path}.old`, 'utf8'), 'ann_web', 'that one is still kept');
  writeFileSync(path, '1795743820 192.0.2.9 PASS 230 ann_web\n1795743826 127.0.0.1 PASS 230 bob_web\n');
  assert.is((await log.recent())[0]?.address, '127.0.0.1', 'the later one, in whichever file it is');
  writeFileSync(path, '1795743826 127.0.0.1 PASS 230 bob_web\n');
  await new LoginLog(path, -1).recent();
  assert.not.match(readFileSync(`${path}.old`, 'utf8'), 'ann_web');
  assert.equal(
    (await log.recent()).map(({ login }) => login),
    ['bob_web'],
  );
});
