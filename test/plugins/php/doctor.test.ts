import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findings, unknownVersions } from '../../../plugins/php/doctor.ts';
import type { PhpVerbs } from '../../../plugins/php/pools/php-verbs.ts';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('doctor of PHP');

test('pools that run as the web server, and so read all accounts, are told', async () => {
  const root = temporaryFolder();
  const put = (path: string, lines = '') => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines);
  };
  for (const [path, lines] of [
    ['8.2/fpm/pool.d/www.conf', '[www]\nuser = www-data\n'],
    ['8.2/fpm/pool.d/quoted.conf', '[quoted]\nuser = app\n group="www-data"\n'],
    ['8.3/fpm/pool.d/www.conf', '[www]\nuser = www-data\n'],
    ['8.4/fpm/pool.d/app.conf', '[app]\nuser = app\n;user = www-data\n'],
    ['8.4/fpm/php.ini', 'user = www-data\n'],
  ] as const)
    put(`etc/php/${path}`, lines);
  const told = async (folder: string) => {
    const found = await findings({} as PhpVerbs, [], 'www-data', folder);
    for (const { remedy } of found) assert.match(remedy ?? '', /^systemctl disable --now php8\.[23]-fpm,/);
    return found.map(({ detail }) => detail.replace(`${root}/etc/php/`, '')).toSorted();
  };
  const of = (pool: string) =>
    `scripts of the pool in ${pool}.conf run as www-data, and read the files of all accounts`;
  assert.equal(await told(root), [], 'no service reads them');
  put('run/php/php8.2-fpm.pid');
  put('run/php/php8.4-fpm.pid');
  assert.equal(await told(root), ['8.2/fpm/pool.d/quoted', '8.2/fpm/pool.d/www'].map(of));
  rmSync(join(root, 'run/php/php8.2-fpm.pid'));
  put('etc/systemd/system/multi-user.target.wants/php8.3-fpm.service');
  assert.equal(await told(root), [of('8.3/fpm/pool.d/www')], 'which starts with the system');
  assert.equal(await told(join(root, 'none')), []);
});

test('a version of the configuration that nobody can choose is told', () => {
  const detail = (versions: string[], default_version: string, offered: string[]) =>
    unknownVersions({ versions, default_version }, offered).map((each) => each.detail);
  for (const given of ['', 'newest', '8.4']) assert.equal(detail([], given, ['8.4']), []);
  assert.equal(detail(['8.4', '5.2'], '5.2', ['8.4']), ['the configuration names PHP 5.2, which nobody can choose']);
  assert.equal(detail(['8.4'], '8.2', ['8.4']), ['the configuration names PHP 8.2, which nobody can choose']);
});
