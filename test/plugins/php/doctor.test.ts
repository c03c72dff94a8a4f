import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findings, unknownVersions } from '../../../plugins/php/doctor.ts';
import type { PhpVerbs } from '../../../plugins/php/pools/php-verbs.ts';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('doctor of PHP');

test('pools that run as the web server, and so read all accounts, are told', async () => {
  const pools = temporaryFolder();
  for (const [path, lines] of [
    ['8.2/fpm/pool.d/www.conf', '[www]\nuser = www-data\n'],
    ['8.2/fpm/pool.d/quoted.conf', '[quoted]\nuser = app\n group="www-data"\n'],
    ['8.4/fpm/pool.d/app.conf', '[app]\nuser = app\n;user = www-data\n'],
    ['8.4/fpm/php.ini', 'user = www-data\n'],
  ] as const) {
    mkdirSync(dirname(join(pools, path)), { recursive: true });
    writeFileSync(join(pools, path), lines);
  }
  const told = async (folder: string) =>
    (await findings({} as PhpVerbs, [], 'www-data', folder)).map((each) => each.detail);
  assert.equal(
    (await told(pools)).toSorted(),
    ['quoted', 'www'].map(
      (name) =>
        `scripts of the pool in ${pools}/8.2/fpm/pool.d/${name}.conf run as www-data, and read the files of all accounts`,
    ),
  );
  assert.equal(await told(join(pools, 'none')), []);
});

test('a version of the configuration that nobody can choose is told', () => {
  const detail = (versions: string[], default_version: string, offered: string[]) =>
    unknownVersions({ versions, default_version }, offered).map((each) => each.detail);
  for (const given of ['', 'newest', '8.4']) assert.equal(detail([], given, ['8.4']), []);
  assert.equal(detail(['8.4', '5.2'], '5.2', ['8.4']), ['the configuration names PHP 5.2, which nobody can choose']);
  assert.equal(detail(['8.4'], '8.2', ['8.4']), ['the configuration names PHP 8.2, which nobody can choose']);
});
