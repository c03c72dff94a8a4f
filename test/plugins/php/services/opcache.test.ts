/** Compiled scripts, which PHP keeps in memory that the processes of one master share. */
import { symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { inHouse, nginx, type Customer } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver');
const [version = ''] = await installedVersions();
const test = testSuite('php: compiled scripts');

/** PHP keeps no script compiled that is younger than two seconds. */
const LONG_AGO = new Date('2026-01-01');
const SECRET = 'secret-of-bea';
/** Says what is compiled, and what becomes of scripts that it asks for. */
const PROBE = `<?php
  error_reporting(0);
  $asked = json_decode($_GET['asked'] ?? '[]');
  $tried = fn($try) => array_map(fn($path) => $try($path), $asked);
  ini_set('opcache.file_cache', __DIR__);
  echo json_encode([
    'compiles' => $tried('opcache_compile_file'),
    'includes' => $tried(fn($path) => include $path),
    'forgets' => $tried(fn($path) => opcache_invalidate($path, true)),
    'cached' => $tried('opcache_is_script_cached'),
    'scripts' => array_keys(opcache_get_status(true)['scripts'] ?? []),
    'folder' => ini_get('opcache.file_cache'),
  ]);`;

interface Probed {
  readonly compiles: readonly boolean[];
  readonly includes: readonly unknown[];
  readonly forgets: readonly boolean[];
  readonly cached: readonly boolean[];
  readonly scripts: readonly string[];
  readonly folder: string;
}

const probe = async ({ get }: Customer, asked: readonly string[] = [], path = '/probe.php') =>
  JSON.parse((await get(`${path}?asked=${encodeURIComponent(JSON.stringify(asked))}`)).body) as Probed;

if (hasPhp() && hasNginx())
  // threat other-accounts: memory with compiled scripts is one account's, and no file of it is another's
  test('PHP of one account sees, runs and forgets no compiled script of another', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const [ann, bea] = [await open('ann'), await open('bea')];
      for (const each of [ann, bea]) {
        assert.is((await each.set('version', { version })).status, 200);
        each.put('probe.php', PROBE);
        each.put('config.php', `<?php return '${SECRET}';`);
        for (const name of ['probe.php', 'config.php']) utimesSync(join(each.docroot, name), LONG_AGO, LONG_AGO);
      }
      const [own, secret] = [ann, bea].map(({ docroot }) => join(docroot, 'config.php')) as [string, string];
      const link = join(ann.docroot, 'link.php');
      symlinkSync(secret, link);
      const hers = await probe(bea, [secret]);
      assert.equal([hers.compiles, hers.includes], [[true], [SECRET]]);
      assert.ok((await probe(bea)).scripts.includes(join(bea.docroot, 'probe.php')), 'scripts are kept compiled');
      await bea.get('/config.php');
      const isKept = async () => (await probe(bea)).scripts.includes(secret);
      assert.ok(await isKept());

      const { scripts, folder, ...tried } = await probe(ann, [own, secret, link]);
      assert.equal(tried, {
        compiles: [true, false, false],
        includes: [SECRET, false, false],
        forgets: [true, false, false],
        cached: [false, false, false],
      });
      const all = [...scripts, ...(await probe(ann)).scripts];
      assert.ok(all.includes(join(ann.docroot, 'probe.php')));
      assert.equal(
        all.filter((path) => !path.startsWith(`${ann.filesRoot}/`)),
        [],
      );
      assert.ok(await isKept(), 'nobody else makes PHP forget it');

      assert.is(folder, '', 'no file has compiled scripts');
      ann.put('folder/.user.ini', `opcache.file_cache = "${ann.docroot}"\nopcache.file_cache_only = 1\n`);
      ann.put('folder/probe.php', PROBE);
      assert.is((await probe(ann, [], '/folder/probe.php')).folder, '', 'nor do settings of a folder change that');
      const set = await ann.set('ini', { content: `opcache.file_cache = ${ann.docroot}` });
      assert.equal([set.status, set.body['error']], [422, 'invalid_php_ini']);
    }));
