/** Keys of repositories, as real restic writes and reads them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeyQuick } from '../../../../plugins/backups/repository/quick-key.ts';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testSuite } from '../../../support/suite.ts';
import { hasRestic } from '../backup-client.ts';

const test = testSuite('backups: keys of repositories');
const PASSWORD = 'bGlrZSBhIHJhbmRvbSBrZXk';

if (hasRestic) {
  const restic = (folder: string, password: string, ...args: string[]): string => {
    const env = { RESTIC_REPOSITORY: folder, RESTIC_PASSWORD: password };
    return execFileSync('restic', ['--no-cache', ...args], { env, encoding: 'utf8', stdio: 'pipe' });
  };
  const keyFile = (folder: string) => {
    const names = readdirSync(join(folder, 'keys'));
    assert.is(names.length, 1);
    return join(folder, 'keys', String(names[0]));
  };
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<'N' | 'r' | 'p' | 'salt', unknown>;
  let folder: string;
  test.before.each(() => {
    folder = temporaryFolder();
    restic(folder, PASSWORD, 'init');
  });

  test('restic opens a repository with the quick key, and with no other password', async () => {
    const [before, config] = [read(keyFile(folder)), restic(folder, PASSWORD, 'cat', 'config')];
    await makeKeyQuick({ folder, key: PASSWORD });
    const { N, r, p, salt } = read(keyFile(folder));
    assert.equal([N, r, p], [1024, 8, 1]);
    assert.is.not(salt, before.salt);
    assert.is(restic(folder, PASSWORD, 'cat', 'config'), config);
    assert.throws(() => restic(folder, `${PASSWORD}x`, 'cat', 'config'), /wrong password or no key found/);
  });

  test('what does not open with the password stays as it is', async () => {
    const path = keyFile(folder);
    const content = readFileSync(path, 'utf8');
    const refusal = async (key: string) =>
      makeKeyQuick({ folder, key }).then(
        () => 'written',
        (error: Error) => error.message,
      );
    assert.match(await refusal(`${PASSWORD}x`), /do not open with its password/);
    assert.is(readFileSync(keyFile(folder), 'utf8'), content);
    const damaged = content.replace(/"data":"(.)/, (_, first) => `"data":"${first === 'A' ? 'B' : 'A'}`);
    rmSync(path); // it cannot be written
    writeFileSync(path, damaged);
    assert.match(await refusal(PASSWORD), /do not open with its password/);
    assert.is(readFileSync(keyFile(folder), 'utf8'), damaged);
  });
}
