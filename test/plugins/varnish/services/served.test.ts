/** Tests Varnish before sites that run PHP, in nginx. */
import { createHash } from 'node:crypto';
import { existsSync, lchownSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';
import { askSocket, customer, hasVarnish, openHouse, type Customer } from '../house.ts';

await needs('domains', 'webserver', 'services', 'php');
const test = testSuite('varnish-served');
/** Says another number for each time that it runs, and what it is told of the visitor. */
const PAGE = `<?php
header('Cache-Control: max-age=600');
$told = array_filter(array_keys($_SERVER), fn ($name) => str_contains($name, 'HOSTKEEP') && $_SERVER[$name] !== '');
echo hrtime(true), ' ', implode(' ', [$_SERVER['REMOTE_ADDR'], $_SERVER['HTTP_HOST'], $_SERVER['SERVER_PORT'],
  $_SERVER['HTTPS'] ?? 'plain', $_SERVER['HTTP_X_FORWARDED_HOST'] ?? 'none', count($told), $_SERVER['REQUEST_URI']]);`;
let house: Awaited<ReturnType<typeof openHouse>>;
let server: TestServer;

/** Resolves with whether a page is the same when it is asked for again. Throws for what is no page, or not as its header says. */
async function isKept({ get }: Customer, path = '/', headers = {}): Promise<boolean> {
  const [first, again] = [await get(path, headers), await get(path, headers)];
  const isHit = again.headers['x-cache'] === 'HIT';
  if (first.body !== '' && (first.body === again.body) === isHit) return isHit;
  throw new Error(`${first.status} ${first.body}, then ${again.status} ${again.body} (${again.headers['x-cache']})`);
}

/** Resolves once pages are kept, or no longer; workers of nginx that do not know yet may still answer some. */
const settles = (customer: Customer, kept: boolean) =>
  eventually(
    kept ? 'pages are kept' : 'no page is kept',
    async () => {
      for (let i = 0; i < 3; i++) if ((await isKept(customer).catch(() => undefined)) !== kept) return false;
      return true;
    },
    Boolean,
  );

async function cached(name: string): Promise<Customer> {
  const made = await customer(server, house.nginx, name);
  made.put('index.php', PAGE);
  await made.turn(true);
  await made.keep(true);
  await settles(made, true);
  return made;
}

if (hasVarnish() && hasNginx()) {
  test.before(async () => {
    house = await openHouse();
    server = await house.open();
  });
  test.after(async () => {
    await server.close();
    await house.nginx.remove();
  });

  test('pages are kept once the account and the site ask for it, and no longer', async () => {
    const ann = await customer(server, house.nginx, 'ann');
    ann.put('index.php', PAGE);
    assert.not.ok(await isKept(ann));
    await ann.keep(true);
    assert.not.ok(await isKept(ann), 'the service is off');
    assert.equal((await ann.ask('GET', '/api/site-cache'))['is_on'], false);
    await ann.turn(true);
    await settles(ann, true);
    const { sites, is_on: isOn } = await ann.ask('GET', '/api/site-cache');
    assert.equal([isOn, sites], [true, [{ domain_url: ann.domain, cached: true }]]);
    const bob = await customer(server, house.nginx, 'bob');
    bob.put('index.php', PAGE);
    assert.not.ok(await isKept(bob), "another account's site");
    await ann.keep(false);
    await settles(ann, false);
    await ann.keep(true);
    await settles(ann, true);
    const socket = join(house.run, String(ann.id), 'varnish.sock');
    assert.equal([statSync(socket).uid, statSync(socket).mode & 0o777], [0, 0o660]);
    await ann.turn(false);
    await settles(ann, false);
    assert.equal([existsSync(socket), (await ann.get()).headers['x-cache']], [false, undefined]);
  });

  test('a page is told of the visitor, and what is his alone is not kept', async () => {
    const cid = await cached('cid');
    const { port } = house.nginx;
    const { body } = await cid.get('/?a=b', { host: `cid.example:${port}`, 'x-forwarded-host': 'evil.example' });
    assert.match(body, new RegExp(`^\\d+ 127\\.0\\.0\\.1 cid\\.example:${port} ${port} plain none 0 /\\?a=b$`), body);
    assert.ok(await isKept(cid, '/', { cookie: '_ga=GA1.1; _fbp=fb.1.2' }), 'cookies that only scripts in pages read');
    for (const headers of [{ cookie: 'session=1' }, { cookie: '_ga=1; session=1' }, { authorization: 'Basic YTpi' }])
      assert.not.ok(await isKept(cid, '/', headers), JSON.stringify(headers));
    for (const method of ['POST', 'PURGE', 'BAN', 'DELETE']) await cid.get('/', {}, method);
    const [first, second] = [await cid.get('/', {}, 'POST'), await cid.get('/', {}, 'POST')];
    assert.is.not(first.body, second.body);
    assert.ok(await isKept(cid), 'a visitor empties nothing');
    cid.put('style.css', 'a {}');
    assert.is((await cid.get('/style.css')).headers['x-cache'], undefined, 'files are sent by nginx');
    cid.put('private.php', `<?php setcookie('session', '1'); echo hrtime(true);`);
    assert.not.ok(await isKept(cid, '/private.php'));
    cid.put('broken.php', `<?php http_response_code(500); echo hrtime(true);`);
    assert.not.ok(await isKept(cid, '/broken.php'));
    cid.put(
      'big.php',
      `<?php header('Content-Type: application/zip'); for ($i = 0; $i < 80; $i++) echo str_repeat('x', 1 << 20);`,
    );
    for (let i = 0; i < 2; i++) assert.is((await cid.get('/big.php')).body.length, 80 << 20, 'larger than the cache');
    const figures = (
      await server.ask<{ service: string; figures: object | null }[]>('/api/services', { token: cid.token })
    ).body;
    const { hits = 0, memory_bytes: memory = 0 } = (figures.find(({ service }) => service === 'varnish')?.figures ??
      {}) as Record<string, number>;
    assert.ok(hits > 0 && memory > 0 && memory < 64 << 20, JSON.stringify(figures));
  });

  // threat other-accounts: nobody but the account empties its cache, or has a page believe who the visitor is
  test('requests that only say that they come from the cache are those of visitors', async () => {
    const [dan, eve] = [await cached('dan'), await cached('eve')];
    const vhost = readFileSync(join(house.nginx.vhostFolder, `hostkeep-${dan.domain}.conf`), 'utf8');
    const [digest = ''] = /(?<=secure_link ")[\w-]{22}/.exec(vhost) ?? [];
    const key = (of: Customer) => server.hostkeep.core.keys.derive(`cache before the sites of the account ${of.id}`);
    assert.is(createHash('md5').update(key(dan)).digest('base64url'), digest);
    assert.not.ok(vhost.includes(key(dan)), 'everybody may read it');
    const forged = { 'x-hostkeep-address': '203.0.113.9', 'x-hostkeep-scheme': 'https', cookie: 'a=b' };
    for (const secret of ['', '1', digest, key(eve), 'x'.repeat(64)]) {
      const { body } = await dan.get('/', { ...forged, 'x-hostkeep-cache': secret });
      assert.match(body, /^\d+ 127\.0\.0\.1 dan\.example \d+ plain none 0 \//, secret);
    }
    assert.match((await dan.get('/', { ...forged, 'x-hostkeep-cache': key(dan) })).body, / 203\.0\.113\.9 .* on /);
    assert.is.not(key(dan), key(eve));
    const socket = join(dan.folder, 'varnish.sock');
    const before = (await dan.get()).body;
    assert.is(await askSocket(socket, 'PURGE', dan.domain, '/other'), 200);
    assert.is((await dan.get()).body, before);
    assert.is(await askSocket(socket, 'PURGE', dan.domain, '/'), 200);
    const after = (await dan.get()).body;
    assert.is.not(after, before);
    await dan.ask('POST', '/api/services/varnish/flush');
    assert.is.not((await dan.get()).body, after);
    assert.equal([statSync(dan.folder).mode & 0o777, statSync(socket).uid], [0o700, dan.uid]);
  });

  test('a site is served past a cache that has ended, or that leads elsewhere', async () => {
    const [fay, gus] = [await cached('fay'), await cached('gus')];
    assert.ok(await isKept(fay));
    const socket = join(fay.folder, 'varnish.sock');
    rmSync(socket);
    symlinkSync(join(gus.folder, 'varnish.sock'), socket);
    lchownSync(socket, fay.uid, fay.uid);
    assert.match((await fay.get('/a%20b/c%3Fd?e=f')).body, / fay\.example .* \/a%20b\/c%3Fd\?e=f$/);
    fay.put('.hidden', 'secret');
    fay.put('notes.php.bak', 'secret');
    for (const path of ['/.hidden', '/notes.php.bak', '/hostkeep-cache'])
      assert.is((await fay.get(path)).status, 404, path);
    assert.not.ok(await isKept(fay), 'nobody answers there');
    await fay.ask('POST', '/api/services/varnish/restart');
    assert.ok(await isKept(fay));
    const log = readFileSync(join(house.nginx.folder, 'logs/sites/access.log'), 'utf8');
    await fay.get('/once');
    const lines = () =>
      readFileSync(join(house.nginx.folder, 'logs/sites/access.log'), 'utf8')
        .slice(log.length)
        .match(/GET \/once/g) ?? [];
    await eventually('the visit is logged', lines, ({ length }) => length > 0);
    assert.is(lines().length, 1, 'once');
  });

  test('sites have their cache again at once when the server starts anew', async () => {
    const hal = await cached('hal');
    const file = join(house.nginx.vhostFolder, `hostkeep-${hal.domain}.conf`);
    const before = readFileSync(file, 'utf8');
    assert.match(before, /hostkeep-cache/);
    await server.close();
    server = await house.open();
    assert.is(readFileSync(file, 'utf8'), before);
    await eventually(
      'its scripts run',
      () => hal.get(),
      ({ status }) => status === 200,
    );
    await settles(hal, true);
  });
}
