/** A customer who runs native code in PHP, by the way around disabled functions, and takes all that the machine has. */
import { execFileSync } from 'node:child_process';
import { existsSync, lchownSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { armed, hasCompiler } from '../../../support/native-code.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { FIRST, inHouse, nginx } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver');
const [version = ''] = await installedVersions();
const test = testSuite('php: a hostile customer');

const SECRET = 'secret-of-bea';
/** Requests while files and links change places. */
const RACES = 200;
/** Makes a queue of messages that everybody may use, and returns its key and how to remove it. */
function openQueue(): { readonly key: string; readonly remove: () => void } {
  const made = execFileSync('ipcmk', ['--queue', '--mode', '0666'], { encoding: 'utf8' });
  const id = /(\d+)\s*$/.exec(made)?.[1] ?? '';
  const rows = readFileSync('/proc/sysvipc/msg', 'utf8').split('\n');
  const [key = ''] = rows.map((row) => row.trim().split(/\s+/)).find((row) => row[1] === id) ?? [];
  return { key, remove: () => execFileSync('ipcrm', ['--queue-id', id]) };
}

if (hasPhp() && hasNginx() && hasCompiler()) {
  // threat other-accounts: whatever PHP closes, native code of an account has its rights and no others
  test('native code of one account reaches nothing of another, or of the server', () =>
    inHouse(nginx, async ({ server, run, customer: open }) => {
      const [ann, bea] = [await open('ann'), await open('bea')];
      bea.put('config.php', `<?php $password = '${SECRET}'; echo 'bea';`);
      for (const each of [ann, bea]) assert.is((await each.set('version', { version })).status, 200);
      assert.is((await bea.get('/config.php')).body, 'bea');
      const does = armed({ put: ann.put, get: async (path) => (await ann.get(path)).body });
      const [secret, nginxFolder] = [join(bea.docroot, 'config.php'), join(bea.filesRoot, '../..')];
      const [sockets, queue] = [[ann, bea].map(({ id }) => join(run, String(id))), openQueue()];
      const ports = (['user', 'admin'] as const).map((address) => new URL(server.hostkeep.url(address)).port);
      const closed = [
        ...[secret, '/etc/shadow'].flatMap((path) => [`read ${path}`, `write ${path}`, `root ${path}`]),
        ...['environ', 'maps', 'mem', 'root/etc/shadow'].map((file) => `read /proc/${process.pid}/${file}`),
        ...['environ', 'maps', 'mem', 'root/etc/shadow'].map((file) => `read /proc/1/${file}`),
        ...readdirSync(server.data).map((file) => `read ${join(server.data, file)}`),
        ...[bea.docroot, bea.filesRoot, ...sockets, server.data, '/root', '/proc/1/fd'].map((path) => `list ${path}`),
        ...[bea.docroot, dirname(bea.filesRoot), run, join(nginxFolder, 'logs'), join(nginxFolder, 'vhosts')].map(
          (folder) => `make ${folder}/new`,
        ),
        ...sockets.flatMap((folder) => readdirSync(folder).map((file) => `connect ${join(folder, file)}`)),
        // also beside those who share them
        ...ports.map((port) => `listen ${port}`),
        `queue ${queue.key}`,
        'write /proc/sys/kernel/core_pattern',
        'take rights of root',
      ];
      const left = ['/dev/shm', '/var/tmp', '/run/lock'].filter((folder) => existsSync(folder));
      const asked = ports.map((port) => `ask ${port} /api/accounts`);
      const told = await does([
        ...closed,
        ...asked,
        ...left.map((folder) => `leave ${folder}/of-ann`),
        'ids',
        'others',
        'descriptors',
      ]);
      queue.remove();
      assert.equal(
        told.filter((line) => / (open|closed)$/.test(line)),
        [...closed.map((task) => `${task}: closed`), ...left.map((folder) => `leave ${folder}/of-ann: open`)],
      );
      for (const folder of left) assert.not(existsSync(join(folder, 'of-ann')), `${folder} is its own`);
      const uid = FIRST + ann.id;
      assert.equal(
        told.filter((line) => line.startsWith('ids')),
        [`ids: ${Array(7).fill(uid).join(' ')}, gains none, core 0`],
      );
      assert.equal(
        told.filter((line) => line.startsWith('ask')),
        [`${asked[0]}: HTTP/1.1 404 Not Found`, `${asked[1]}: HTTP/1.1 401 Unauthorized`],
      );
      assert.equal(
        told.filter((line) => line.startsWith('other')),
        ['others: 1'],
        'the master of its pool, of which nothing can be had',
      );
      for (const line of told.filter((each) => each.startsWith('descriptor')))
        assert.match(line, /: (socket:|pipe:|\/proc\b|\/dev\/null$)/, 'it inherits no file of the server');
    }));

  // threat served-links: a link that is there for a moment leads nowhere, nor do settings that a folder has
  test('links that come and go, and settings of a folder, open nothing', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const [ann, bea] = [await open('ann'), await open('bea')];
      for (const each of [ann, bea]) assert.is((await each.set('version', { version })).status, 200);
      bea.put('page.txt', SECRET);
      bea.put('config.php', `<?php echo '${SECRET}';`);
      const secret = join(bea.docroot, 'config.php');
      const show = '<?php echo ini_get("open_basedir"), function_exists("system") ? " system" : " none";';
      for (const folder of ['wider', 'before']) ann.put(`${folder}/index.php`, show);
      ann.put('wider/.user.ini', 'open_basedir = /\ndisable_functions =\n');
      ann.put('before/.user.ini', `auto_prepend_file = "${secret}"\n`);
      assert.is((await ann.get('/wider/')).body, `${ann.filesRoot}/:/usr/share/php/ none`);
      const { status, body } = await ann.get('/before/');
      assert.equal([status, body.includes(SECRET)], [500, false]);

      const does = armed({ put: ann.put, get: async (path) => (await ann.get(path)).body });
      const paths = { 'page.txt': '/page.txt', folder: '/folder/page.txt' };
      for (const [name, path] of Object.entries(paths)) {
        ann.put(path.slice(1), 'own');
        symlinkSync(join(bea.docroot, name === 'folder' ? '' : name), join(ann.docroot, `${name}-link`));
        lchownSync(join(ann.docroot, `${name}-link`), FIRST + ann.id, FIRST + ann.id);
      }
      await does(Object.keys(paths).map((name) => `exchange ${name}`));
      for (const path of Object.values(paths)) {
        const seen = new Set<string>();
        for (let n = 0; n < RACES || seen.size < 2; n += 1) seen.add((await ann.get(path)).body);
        assert.ok(seen.has('own') && ![...seen].some((each) => each.includes(SECRET)), path);
      }
    }));
}
