import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { hasProftpd, Proftpd } from '../proftpd.ts';

const test = testSuite('sftp: uploads');

if (hasProftpd())
  test('uploads and renames through a login are told, with their place in the account', async () => {
    const told: string[] = [];
    const listener = definePlugin({
      name: 'listener',
      features: [],
      routes: {},
      setup: () => ({
        handlers: {},
        provides: { uploaded: (account, path) => void told.push(`${account.username}:${path.join('/')}`) },
      }),
    });
    const proftpd = await Proftpd.prepare();
    const server = await TestServer.start({ plugins: [sftp, listener], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'text');
    const owner = async (username: string, folder: string) => {
      const { account, token } = await server.user(username);
      await server.hostkeep.core.jobs.makeRoot(account);
      const { uid, gid } = statSync(account.filesRoot);
      if (folder !== '') {
        mkdirSync(join(account.filesRoot, folder));
        chownSync(join(account.filesRoot, folder), uid, gid);
      }
      const { body } = await server.ask<{ login: { login: string }; password: string }>('/api/sftp/logins', {
        ...{ method: 'POST', token, body: { name: 'web', folder } },
      });
      return (...commands: string[]) => proftpd.run(body.login.login, { password: body.password }, commands);
    };
    const [ann, bob] = [await owner('ann', 'site'), await owner('bob', '')];
    assert.ok((await ann(`put ${file} "two words.php"`, `put ${file} x.part`, 'rename x.part ü.php', 'mkdir d')).isOk);
    assert.not.ok((await bob(`put ${file} nowhere/file`)).isOk);
    assert.ok((await bob('mkdir .hostkeep', `put ${file} .hostkeep/own`, `put ${file} last`)).isOk);
    await until('the last upload is told', () => told.includes('bob:last'));
    assert.equal(told, ['ann:site/two words.php', 'ann:site/x.part', 'ann:site/ü.php', 'bob:last']);
  });
