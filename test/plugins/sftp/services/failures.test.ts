import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasProftpd, Proftpd } from '../proftpd.ts';

const test = testSuite('sftp: failures');

if (hasProftpd())
  // threat weak-limiter: an account sees who tries passwords of its logins, and nobody fills its log
  test('who is refused at a login is told once, and who is let in is not', async () => {
    const proftpd = await Proftpd.prepare({ loginSeconds: 5 });
    const server = await TestServer.start({ plugins: [sftp], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
    const owner = async (username: string) => {
      const { account, token } = await server.user(username);
      await server.hostkeep.core.jobs.makeRoot(account);
      const { body } = await server.ask<{ login: { login: string }; password: string }>('/api/sftp/logins', {
        ...{ method: 'POST', token, body: { name: 'web' } },
      });
      const told = async () => (await server.hostkeep.core.events.page(account.id, 'refused', 0, 9)).lines;
      const logIn = (password = body.password) => proftpd.run(body.login.login, { password }, ['pwd']);
      return { logIn, told };
    };
    const [ann, bob] = [await owner('ann'), await owner('bob')];
    const forged = `x\n1 192.0.2.9 PASS 530 7 - bob_web\n`;
    assert.not.ok((await proftpd.run(forged, { password: 'wrong' }, ['pwd'])).isOk);
    for (let i = 0; i < 3; i += 1) assert.not.ok((await ann.logIn('wrong')).isOk);
    assert.ok((await bob.logIn()).isOk);
    const [line = ''] = await eventually('it is told', ann.told, (lines) => lines.length > 0);
    assert.match(line, /The server refused a login as ann_web from 127\.0\.0\.1$/);
    assert.equal([(await ann.told()).length, await bob.told()], [1, []]);
  });
