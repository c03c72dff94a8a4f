import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import sftp from '../../../../plugins/sftp/index.ts';
import { archivedPart, putBack, putBackLive, refusal } from '../../../support/carried.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasProftpd, Proftpd } from '../proftpd.ts';

const test = testSuite('SFTP logins in archives');
const FIRST = 200_000;
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKSUTyz1HwHReFVvD5obVsALAgJRNarH4TRpNePnAS ann at home';

if (hasProftpd()) {
  // threat path-prefix: the folder of a login of an archive is in the files of the account
  test('logins keep passwords and keys, and what is hostile is refused', async () => {
    const proftpd = await Proftpd.prepare();
    const server = await TestServer.start({ plugins: [sftp], config: proftpd.config });
    await until('what ProFTPD reads', () => existsSync(join(proftpd.folder, 'sftp/proftpd.conf')));
    await proftpd.up();
    await server.hostkeep.core.plans.create('few', { limits: { ftp_limit: 1 } }, ['ftp']);
    const ask = await customer(server, 'ann');
    const added = await ask('POST', '/api/sftp/logins', { name: 'web', folder: 'site' });
    assert.is(added.status, 201, JSON.stringify(added.body));
    assert.is((await ask('POST', '/api/sftp/logins', { name: 'robot', public_key: KEY })).status, 201);
    const askBob = await customer(server, 'bob', 'few');
    const saved = await archivedPart<Record<string, unknown>[]>(server, 'ann', 'sftp');
    const web = saved.find(({ name }) => name === 'web') ?? {};

    for (const [wrong, reason] of [
      [{ secret: 'plain' }, /secret must match/],
      [{ secret: `${String(web['secret'])}:0:0::/:/bin/sh` }, /secret must match/],
      [{ login: 'root' }, /login is not known here/],
      [{ public_keys: KEY }, /public_keys must be array/],
    ] as const)
      assert.match(await refusal(server, 'bob', 'sftp', [{ ...web, ...wrong }]), reason);
    for (const [wrong, reason] of [
      [{ folder: '../ann' }, /the SFTP login web: .*\.\./],
      [{ folder: 'none' }, /no such folder/],
      [{ name: 'x:0:0' }, /a name has 1 to 24/],
      [{ public_keys: [KEY] }, /the plan has no public keys/],
    ] as const)
      assert.match((await putBack(server, 'bob', 'sftp', [{ ...web, ...wrong }])).missing.join(), reason);
    assert.equal((await askBob('GET', '/api/sftp')).body['logins'], []);
    const few = await putBack(server, 'bob', 'sftp', [web, { ...web, name: 'more' }]);
    assert.equal(few.missing, ['the SFTP login more: the account can have 1 login']);

    await server.hostkeep.core.accounts.update('bob', { plan: 'developer' });
    assert.equal(await putBack(server, 'bob', 'sftp', saved), { missing: [], next: [] });
    const bare = async (asks: typeof ask) =>
      ((await asks('GET', '/api/sftp')).body['logins'] as { login: string; keys: Record<string, unknown>[] }[]).map(
        ({ login, keys, ...rest }) => ({
          ...{ login: login.split('_')[1], keys: keys.map(({ fingerprint, comment }) => [fingerprint, comment]) },
          ...Object.fromEntries(Object.entries(rest).filter(([name]) => /^folder|^has/.test(name))),
        }),
      );
    assert.equal(await bare(askBob), await bare(ask));
    const password = String(added.body['password']);
    await eventually(
      'the password of before',
      async () => (await proftpd.run('bob_web', { password }, ['pwd'])).isOk,
      (isOk) => isOk,
    );

    for (const [method, path, body] of [
      ['POST', '/bob_web/password', undefined],
      ['PATCH', '/bob_web', { folder: '' }],
      ['DELETE', '/bob_robot', undefined],
      ['POST', '', { name: 'later' }],
    ] as const)
      assert.match(String((await askBob(method, `/api/sftp/logins${path}`, body)).status), /^20/, path);
    assert.equal((await putBackLive(server, 'bob', 'sftp', saved)).missing, []);
    const own = await archivedPart<{ name: string }[]>(server, 'bob', 'sftp');
    assert.equal(
      own.filter(({ name }) => name !== 'later'),
      saved,
    );
    assert.is(own.length, 3, 'what was added since stays');
    await eventually(
      'the password of before, once more',
      async () => (await proftpd.run('bob_web', { password }, ['pwd'])).isOk,
      (isOk) => isOk,
    );
  });
}

async function customer(server: TestServer, name: string, plan?: string) {
  const { account } = await server.user(name, plan);
  await server.hostkeep.core.jobs.makeRoot(account);
  const site = join(account.filesRoot, 'site');
  mkdirSync(site);
  chownSync(site, FIRST + account.id, FIRST + account.id);
  return async (method: string, path: string, body?: object) =>
    server.ask(path, { method, token: await server.token(account), ...(body && { body }) });
}
