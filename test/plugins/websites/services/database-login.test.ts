/** The logins by which sites reach their databases: checked, and renewed in their configuration files, with a real MariaDB. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import type { DomainDirectory } from '../../../../kernel/areas/sites/domain-directory.ts';
import websites from '../../../../plugins/websites/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

const [databases, mysql] = await needs('databases', 'mysql');
const test = testSuite('websites, database logins');
const PATH = '/api/database_info/login';

/** Stands in for the plugin of domains: each account has one. */
const fakeDomains = definePlugin({
  name: 'domains',
  features: ['domains'],
  routes: {},
  setup: () => ({
    handlers: {},
    service: {
      list: ({ id, username }) => [
        { id, accountId: id, name: `${username}.test`, docroot: '/', components: ['site'], createdAt: 0 },
      ],
      all: async function* all() {},
      onChange: () => () => undefined,
    } satisfies DomainDirectory,
  }),
});

type Who = Awaited<ReturnType<TestServer['user']>>;
interface Login {
  site: string;
  database_name: string;
  database_user: string;
  state: string;
}
interface Secret {
  name: string;
  password: string;
}

let mariaDb: MariaDb;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start('create user operator@localhost identified by "x"');
    server = await TestServer.start({
      plugins: [fakeDomains, databases, mysql, websites],
      config: { databases: mariaDb.settings, mysql: { users_limit: 3 }, websites: { check_seconds: 0 } },
    });
    [ann, ben] = [await server.user('ann'), await server.user('ben')];
    for (const who of [ann, ben]) await post('/api/databases', { name: 'shop' }, who);
  });
  test.before.each(async () => {
    for (const name of await usersOf(ann)) await mariaDb.sql(`drop user ${name}`);
    rmSync(join(ann.account.filesRoot, 'site'), { recursive: true, force: true });
    write('site/wp-includes/version.php', "<?php $wp_version = '6.5';");
  });

  const write = (path: string, text: string | Buffer, { account } = ann) => {
    mkdirSync(dirname(join(account.filesRoot, path)), { recursive: true });
    writeFileSync(join(account.filesRoot, path), text);
  };
  const config = (path = 'site/wp-config.php') => readFileSync(join(ann.account.filesRoot, path), 'latin1');
  const post = async <T>(path: string, body: unknown, who = ann) =>
    server.ask<T & Record<string, unknown>>(path, { token: who.token, method: 'POST', body });
  const check = (domain = 'ann.test', who = ann) =>
    server.ask<Login & Record<string, unknown>>(`${PATH}?domain=${domain}`, { token: who.token });
  const renew = (domain = 'ann.test', who = ann) => post<Login>(PATH, { domain }, who);
  const info = async () =>
    (await server.ask<Record<string, string>>('/api/database_info?domain=ann.test', { token: ann.token })).body;
  const usersOf = async ({ account }: Who) =>
    (
      await mariaDb.sql(
        `select concat(user, '@', quote(host)) from mysql.user where user like '${account.username}\\_%'`,
      )
    )
      .split('\n')
      .filter((line) => line !== '');
  const makeUser = async (isGranted = true) => {
    const { body } = await post<Secret>('/api/database-users', { name: 'app' });
    const access = { token: ann.token, method: 'PUT', body: { privileges: ['SELECT'] } };
    if (isGranted) await server.ask('/api/database-users/ann_app/databases/ann_shop', access);
    return body;
  };
  const php = (name: string, user: string, password: string, more = '', host = "'localhost'") =>
    `<?php\n/* define('DB_PASSWORD', ${password}); */\ndefine( 'DB_NAME', ${name} );\ndefine('DB_USER', ${user});\r\n` +
    `define("DB_PASSWORD", ${password}); // define('DB_PASSWORD', ${password});\ndefine('DB_HOST', ${host});\n` +
    `define('AUTH_KEY', ${password});\n$table_prefix = 'wp_';\n${more}`;
  /** Fails unless both requests are refused, or the second alone, and neither file nor server change. */
  const refused = async (code: string, status: number, mayCheck = false) => {
    const picture = async () => [
      config(),
      await mariaDb.sql("select user, host, sha2(priv, 256) from mysql.global_priv where user like 'ann%'"),
      await mariaDb.sql('select * from mysql.db order by db, user, host'),
    ];
    const before = await picture();
    if (!mayCheck) assert.equal([(await check()).status, (await check()).body['error']], [status, code]);
    const { status: got, body } = await renew();
    assert.equal([got, body['error']], [status, code]);
    assert.equal(await picture(), before);
    return String(body['detail']);
  };

  test('what is not a site of the account, or names no database, is refused', async () => {
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'"));
    for (const domain of ['', 'x'.repeat(3000)]) {
      assert.is((await renew(domain)).status, 400);
      assert.is((await check(domain)).status, 400);
    }
    for (const domain of ['none.test', 'ann.test/blog', '../ann.test']) assert.is((await renew(domain)).status, 404);
    assert.is((await renew('ann.test', ben)).body['error'], 'database_info_not_found');
    assert.is((await check('ann.test', ben)).body['error'], 'database_info_not_found');
    const secret = join(ben.account.filesRoot, 'wp-config.php');
    write('wp-config.php', php("'ben_shop'", "'ben_app'", "'old'"), ben);
    rmSync(join(ann.account.filesRoot, 'site/wp-config.php'));
    symlinkSync(secret, join(ann.account.filesRoot, 'site/wp-config.php'));
    assert.is((await renew()).body['error'], 'database_info_not_found', 'no link is followed');
    assert.match(readFileSync(secret, 'utf8'), /'old'/);
  });

  // threat: a configuration file that names what is another's
  test('databases of others, other servers and other kinds of servers are refused', async () => {
    await makeUser();
    for (const name of ['ben_shop', 'mysql', 'ann_none', '', "ann_shop' or '1"]) {
      write('site/wp-config.php', php(JSON.stringify(name), "'ann_app'", "'old'"));
      assert.match(await refused('database_not_own', 409), /which is not yours/);
    }
    for (const host of ['db.example', '192.0.2.1:3306', 'localhost:/tmp/other.sock', '[::1', 'localhost@x']) {
      write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'", '', `'${host}'`));
      await refused('login_elsewhere', 409);
    }
    rmSync(join(ann.account.filesRoot, 'site/wp-includes'), { recursive: true });
    for (const path of ['site/artisan', 'site/bootstrap/app.php', 'site/wp-config.php']) write(path, '');
    write(
      'site/.env',
      'DB_CONNECTION=pgsql\nDB_HOST=localhost\nDB_DATABASE=ann_shop\nDB_USERNAME=ann_app\nDB_PASSWORD=x\n',
    );
    assert.match(await refused('login_elsewhere', 409), /another kind: pgsql/);
  });

  test('what the file computes is refused before anything is changed', async () => {
    await makeUser();
    for (const password of ["getenv('X')", "'a' . 'b'", '12345', '"o{$x}ld"', "FOO ? 'a' : 'b'"]) {
      write('site/wp-config.php', php("'ann_shop'", "'ann_app'", password));
      await refused('login_not_literal', 409, true);
    }
    write(
      'site/wp-config.php',
      php("'ann_shop'", "'ann_app'", 'PW', '').replace('<?php', "<?php define('PW', <<<'E'\nold\nE\n);"),
    );
    await refused('login_not_literal', 409, true);
    write('site/wp-config.php', php("'ann_shop'", "'o' . 'perator'", "'old'"));
    await refused('login_not_literal', 409, true);
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", 'DB_NAME'));
    await refused('login_not_literal', 409, true);
    write('site/wp-config.php', `<?php define('DB_PASSWORD', $p = ${'['.repeat(600)}`);
    assert.is((await renew()).body['error'], 'file_too_complex');
  });

  test('only the password in the file is another one, and it is valid', async () => {
    const { name } = await makeUser();
    const quoted = `'it\\'s "a\\\\b" \\x'`;
    const before = `\ufeff${php("'ann_shop'", "'ann_app'", quoted, "# \u00e9\r\necho 'done';")}`;
    write('site/wp-config.php', Buffer.from(before, 'latin1'));
    chmodSync(join(ann.account.filesRoot, 'site/wp-config.php'), 0o640);
    assert.equal((await check()).body, {
      ...{ site: 'ann.test', database_name: 'ann_shop', database_user: 'ann_app', state: 'refused' },
    });
    const { status, body } = await renew();
    assert.equal([status, body['state'], body['database_user']], [200, 'valid', name]);
    const { database_password: password = '' } = await info();
    assert.equal(
      config(),
      Buffer.from(before, 'latin1')
        .toString('latin1')
        .replace(`define("DB_PASSWORD", ${quoted})`, `define("DB_PASSWORD", '${password}')`),
    );
    assert.is(statSync(join(ann.account.filesRoot, 'site/wp-config.php')).mode & 0o777, 0o640);
    assert.match(await mariaDb.query('ann_app', password, 'show grants'), /GRANT SELECT ON `ann/);
    assert.is((await check()).body['state'], 'valid');
    const { lines } = await server.hostkeep.core.events.page(ann.account.id, '', 0, 2);
    assert.match(lines[0] ?? '', /User 'ann' renewed the login of ann.test to the database ann_shop from IP/);
    assert.not(lines.join('').includes(password));
  });

  test('a user without rights gets them, and one who is gone is made again', async () => {
    await makeUser(false);
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'"));
    await renew();
    const { database_password: password = '' } = await info();
    await mariaDb.query('ann_app', password, 'create table ann_shop.t (id int); drop table ann_shop.t');
    await mariaDb.sql('revoke all on `ann\\_shop`.* from ann_app@localhost');
    assert.is((await check()).body['state'], 'no_rights');
    await mariaDb.sql('drop user ann_app@localhost');
    assert.is((await check()).body['state'], 'other_user');
    assert.is((await renew()).body.database_user, 'ann_app');
    assert.is((await check()).body['state'], 'valid');
    assert.equal(await usersOf(ann), ["ann_app@'localhost'"]);
  });

  // threat: a configuration file that names a user who is another's
  test('a user of others is left alone: the site gets one of the account', async () => {
    const digest = () =>
      mariaDb.sql("select user, sha2(priv, 256) from mysql.global_priv where user in ('operator', 'root')");
    const before = await digest();
    for (const user of ['operator', 'root', 'ben_app', '', 'ann_', "ann_x'@'%"]) {
      write('site/wp-config.php', php("'ann_shop'", JSON.stringify(user), "'x'"));
      assert.is((await check()).body['state'], 'other_user', 'its password is not tried');
      const { status, body } = await renew();
      assert.is(status, 200, user);
      assert.match(body.database_user, /^ann_shop_[0-9a-f]{4}$/);
      assert.is((await check()).body['state'], 'valid');
      assert.match(config(), new RegExp(`define\\('DB_USER', '${body.database_user}'\\)`));
      await mariaDb.sql(`drop user ${body.database_user}@localhost`);
    }
    assert.is(await digest(), before);
    for (const name of ['a', 'b', 'c']) await post('/api/database-users', { name });
    await refused('database_users_limit_reached', 409, true);
  });

  test('a file that is changed meanwhile stays as it is then', async () => {
    const { account } = ann;
    const change = (type: string) => {
      const stop = server.hostkeep.core.events.listen((event) => {
        if (event.type === type) write('site/wp-config.php', php("'ann_shop'", "'new'", "'new'"));
      });
      return renew().finally(stop);
    };
    write('site/wp-config.php', php("'ann_shop'", "'operator'", "'old'"));
    assert.is((await change('database_user.created')).body['error'], 'file_changed');
    assert.equal(await usersOf(ann), [], 'the user that was made is gone');
    await makeUser();
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'"));
    const { status, body } = await change('database_user.password_changed');
    assert.equal([status, body['error']], [409, 'login_not_written']);
    assert.match(String(body['detail']), /new password already.*renew it again/);
    assert.match(config(), /'new'/);
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'"));
    assert.is((await renew()).body['state'], 'valid');
    assert.equal(readdirSync(join(account.filesRoot, '.hostkeep/uploads')), [], 'nothing is left over');
  });

  test('where the file cannot be replaced, the password stays', async () => {
    const cleo = await server.user('cleo');
    const own = (path: string) => join(cleo.account.filesRoot, path);
    await post('/api/databases', { name: 'shop' }, cleo);
    const app = (await post<Secret>('/api/database-users', { name: 'app' }, cleo)).body;
    write('site/wp-includes/version.php', '', cleo);
    write('site/wp-config.php', php("'cleo_shop'", "'cleo_app'", "'old'"), cleo);
    // root may write everywhere, and the process of an account has the id of its folder
    if (process.getuid?.() === 0)
      for (const path of ['', 'site', 'site/wp-config.php']) chownSync(own(path), 70_001, 70_001);
    chmodSync(own('site'), 0o555);
    const { status, body } = await renew('cleo.test', cleo);
    assert.equal([status, body['error']], [403, 'permission_denied']);
    await mariaDb.query('cleo_app', app.password, 'select 1');
    chmodSync(own('site'), 0o755);
    assert.is((await renew('cleo.test', cleo)).status, 200);
    assert.is((await check('cleo.test', cleo)).body['state'], 'valid');
  });

  test('of several at once, the last one is valid', async () => {
    await makeUser();
    write('site/wp-config.php', php("'ann_shop'", "'ann_app'", "'old'"));
    const all = await Promise.all([renew(), renew(), renew()]);
    assert.equal(
      all.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.is((await check()).body['state'], 'valid');
  });
}
