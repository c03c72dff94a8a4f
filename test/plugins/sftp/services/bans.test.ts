import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { hasProftpd, Proftpd } from '../proftpd.ts';

const test = testSuite('sftp: bans');

if (hasProftpd())
  // threat weak-limiter: who tries passwords is kept out, also from logins that exist
  test('three connections of wrong passwords ban an address, and right ones do not', async () => {
    const proftpd = await Proftpd.prepare({ banMinutes: 1 });
    const server = await TestServer.start({ plugins: [sftp], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    assert.not.ok(existsSync(join(proftpd.folder, 'sftp/bans')), 'a trial would leave bans in shared memory');
    await proftpd.up();
    const { account, token } = await server.user('ann');
    await server.hostkeep.core.jobs.makeRoot(account);
    const { body } = await server.ask<{ login: { login: string }; password: string }>('/api/sftp/logins', {
      ...{ method: 'POST', token, body: { name: 'web' } },
    });
    const logIn = (login: string, password: string) => proftpd.run(login, { password }, ['pwd']);
    const right = () => logIn(body.login.login, body.password);
    for (const login of [body.login.login, 'nobody'])
      assert.match((await logIn(login, 'wrong')).output, 'Permission denied');
    for (let i = 0; i < 3; i += 1) assert.ok((await right()).isOk, 'two are not enough');
    assert.match((await logIn('nobody', 'wrong')).output, 'Permission denied');
    const { isOk, output } = await right();
    assert.not.ok(isOk);
    assert.not.match(output, 'Permission denied'); // the password is not even asked for
    assert.is(await proftpd.answers(), '', 'no banner');
  });
