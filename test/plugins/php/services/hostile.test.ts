/** A customer who runs native code in PHP, by the way around disabled functions, and takes all that the machine has. */
import { execFileSync } from 'node:child_process';
import { existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { armed, hasCompiler } from '../../../support/native-code.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { atEnd } from '../../../support/ending.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { FIRST, inHouse, nginx, processesOf, type Serving } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver');
const [version = ''] = await installedVersions();
const test = testSuite('php: a hostile customer');

const SECRET = 'secret-of-bea';
/** Requests while files and links change places. */
const RACES = 200;
/** Of a pool, and of what else its account may run; see php-fpm.ts. */
const [WORKERS, OTHERS] = [4, 256];
/** Requests at once that do not end by themselves, those of them whose bodies do not come, and those of a neighbour meanwhile. */
const [SLOW, TRICKLES, ASKED] = [500, 50, 20];

/** Sends a request whose body does not come. */
function trickle(port: number, host: string): Socket {
  const head = `POST /index.php HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\n`;
  const socket = connect(port, '127.0.0.1', () => socket.write(`${head}some=`));
  return socket.on('error', () => socket.destroy());
}

const DISK_MIB = 32;
/** Writes so many MiB, or GiB without content, in the place of what was written before, and says how many it could. */
const WRITES = `<?php
  error_reporting(0);
  $file = fopen(__DIR__ . '/written', 'w');
  if (isset($_GET['sparse'])) exit(ftruncate($file, $_GET['sparse'] << 30) ? strval(fstat($file)['size'] >> 30) : '0');
  for ($n = 0; $n < $_GET['mib'] && fwrite($file, str_repeat('x', 1 << 20)) === 1 << 20;) $n += 1;
  echo $n;`;

/** Has the files of accounts be on a file system of their own, where one can be mounted. */
async function onSmallDisk(): Promise<Serving | undefined> {
  const serving = await nginx();
  const folder = dirname(String(serving.config['files_root']));
  const image = join(temporaryFolder(), 'image');
  const as = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    mkdirSync(folder);
    as('truncate', '-s', `${DISK_MIB}M`, image);
    as('mkfs.ext4', '-q', '-F', image);
    as('mount', '-o', 'loop', image, folder);
  } catch (error) {
    await serving.remove();
    reportSkipped(`a file system cannot be mounted here (${errorMessage(error).split('\n')[0]})`);
    return undefined;
  }
  const remove = async () => {
    as('umount', folder);
    await serving.remove();
  };
  return { ...serving, remove };
}

/** Makes a queue of messages that everybody may use, until the test ends, and returns its key. */
function openQueue(): string {
  const made = execFileSync('ipcmk', ['--queue', '--mode', '0666'], { encoding: 'utf8' });
  const id = /(\d+)\s*$/.exec(made)?.[1] ?? '';
  const rows = readFileSync('/proc/sysvipc/msg', 'utf8').split('\n');
  const [key = ''] = rows.map((row) => row.trim().split(/\s+/)).find((row) => row[1] === id) ?? [];
  atEnd(() => execFileSync('ipcrm', ['--queue-id', id]));
  return key;
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
        `queue ${queue}`,
        'write /proc/sys/kernel/core_pattern',
        'take rights of root',
      ];
      const left = ['/dev/shm', '/var/tmp', '/run/lock'].filter((folder) => existsSync(folder));
      const mark = `of-ann-${process.pid}`;
      const asked = ports.map((port) => `ask ${port} /api/accounts`);
      const told = await does([
        ...closed,
        ...asked,
        ...left.map((folder) => `leave ${folder}/${mark}`),
        'ids',
        'others',
        'descriptors',
      ]);
      assert.equal(
        told.filter((line) => / (open|closed)$/.test(line)),
        [...closed.map((task) => `${task}: closed`), ...left.map((folder) => `leave ${folder}/${mark}: open`)],
      );
      for (const folder of left) assert.not(existsSync(join(folder, mark)), `${folder} is its own`);
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

  // threat crowding-out: what one account's site takes is its own share
  test('an account that takes all it can keeps nobody waiting for ever, and works again', () =>
    inHouse(nginx, async ({ server, customer: open, change }) => {
      await server.hostkeep.core.plans.create('hostile', { limits: { php_workers_limit: WORKERS } }, [
        'domains',
        'php',
      ]);
      const [ann, bea] = [await open('ann', 'hostile'), await open('bea')];
      const uid = FIRST + ann.id;
      for (const each of [ann, bea]) assert.is((await each.set('version', { version })).status, 200);
      ann.put('index.php', '<?php echo "ann";');
      ann.put(
        'loop.php',
        '<?php for (clearstatcache(); !file_exists("go"); clearstatcache()) hash("sha256", "x"); echo "slow";',
      );
      bea.put('index.php', '<?php echo "bea";');
      const assertServed = async (what: string) => {
        for (let n = 0; n < ASKED; n += 1) assert.is((await bea.get()).body, 'bea', what);
        assert.is((await server.ask('/api/php', { token: bea.token })).status, 200, what);
        assert.ok(processesOf(uid).length <= WORKERS + OTHERS, what);
      };
      const does = armed({ put: ann.put, get: async (path) => (await ann.get(path)).body });
      await does(['bomb']);
      await until('no further process is to be had', () => existsSync(join(ann.docroot, 'full')));
      await assertServed('beside a fork bomb');
      await change('ann', 'suspend');
      await until('nothing of it runs', () => processesOf(uid).length === 0);
      await change('ann', 'unsuspend');
      await until('it works again', async () => (await ann.get()).body === 'ann');

      const end = new AbortController();
      const answers = new Map<number, number>();
      const insist = async () => {
        while (!end.signal.aborted) {
          const { status } = await ann.get('/loop.php');
          answers.set(status, (answers.get(status) ?? 0) + 1);
          if (status !== 200) await delay(50);
        }
      };
      const visitors = Array.from({ length: SLOW - TRICKLES }, insist);
      const trickles = Array.from({ length: TRICKLES }, () => trickle(ann.port, ann.domain));
      try {
        await until('some are refused', () => processesOf(uid).length === WORKERS && answers.size > 0);
        await assertServed('beside slow requests');
      } finally {
        end.abort();
        ann.put('go', '');
        await Promise.all(visitors);
        for (const each of trickles) each.destroy();
      }
      assert.ok(answers.has(200), 'those that were taken are answered');
      await until('it works again', async () => (await ann.get()).body === 'ann');
    }));

  // threat crowding-out: what is left where a quota keeps nobody from filling the disk
  test('a customer whose files fill the disk ends no site, and works again', async () => {
    const serving = await onSmallDisk();
    if (serving === undefined) return;
    await inHouse(
      async () => serving,
      async ({ server, customer: open }) => {
        const [ann, bea] = [await open('ann'), await open('bea')];
        for (const each of [ann, bea]) assert.is((await each.set('version', { version })).status, 200);
        ann.put('index.php', WRITES);
        bea.put('index.php', '<?php echo "bea";');
        assert.is((await ann.get('/?sparse=10')).body, '10', 'GiB, which take nothing');
        const written = Number((await ann.get(`/?mib=${2 * DISK_MIB}`)).body);
        assert.ok(written > 0 && written < DISK_MIB, `${written} MiB`);
        for (let n = 0; n < ASKED; n += 1) assert.is((await bea.get()).body, 'bea', 'beside a full disk');
        assert.is((await server.ask('/api/php', { token: bea.token })).status, 200);
        assert.is((await ann.get('/?mib=2')).body, '2', 'it has room again');
      },
    );
  });
}
