/**
 * What it costs that customers' sites are served through Hostkeep: `npm run build && node dist/bench/sites.js [domains] [accounts] [part]`,
 * as root, with nginx, PHP-FPM, pebble and wrk installed. The parts are `page`, `domains`, `idle`, `neighbour` and `log`; without one,
 * all are run. Of the certificates, pebble issues those of domains
 * that are measured; the others are self-made, of the same shape. Instead of the broker's control groups, which take systemd and cgroup v2,
 * `neighbour` puts the processes of two accounts into groups of its own, with the processor limit of their plan.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endsWithTests } from '../test/support/child.ts';
import { Nginx } from '../test/support/nginx.ts';
import { until } from '../test/support/until.ts';
import { Pebble } from '../test/plugins/certificates/pebble.ts';
import { groupOfProcesses, type AccountGroup } from './support/account-group.ts';
import { ask } from './support/ask.ts';
import { interleaved, load, median, processorSeconds, type Load, type Target } from './support/load.ts';
import { addDomainsWithCertificates } from './support/many-certificates.ts';
import { proportionalMib } from './support/memory.ts';
import { writePhpPage } from './support/php-page.ts';
import { machineText, temporaryFolder } from './support/processes.ts';
import { seconds } from './support/seconds.ts';
import { nginxPids, PHP, SiteHouse, type Customer } from './support/site-house.ts';

const [DOMAINS = 1000, ACCOUNTS = 500] = process.argv.slice(2).filter(Number).map(Number);
const [WANTED] = process.argv.slice(2).filter((each) => Number.isNaN(Number(each)));
const ROUNDS = 5;
const SECONDS = 8;
/** Requests of a crowd at a time. */
const PARALLEL = 32;
/** Domains that are added when all others are there. */
const MEASURED = 7;
/** Accounts whose first request is measured. */
const FIRSTS = 50;
/** Processes of a pool, what each of its scripts may have, and what all of them have of a processor. */
const [WORKERS, MEMORY_MIB, CPU_PERCENT] = [4, 128, 100];
/** Lines of a live log whose way is measured, in each round. */
const PROBES = 40;
/** After its last request, a process of a pool stays for half a minute. */
const IDLE_MS = 45_000;

async function crowd<T>(list: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const left = list.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const each of left) await work(each);
    }),
  );
}

/** Starts PHP-FPM by hand with the settings of a pool, changed; resolves with its socket. */
async function startFpm(settings: string): Promise<{ readonly socket: string; readonly stop: () => void }> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const [file, socket] = [join(folder, 'fpm.conf'), join(folder, 'fpm.sock')];
  writeFileSync(file, settings.replace(/^listen = .*$/m, `listen = "${socket}"`));
  const child = endsWithTests(
    spawn(`php-fpm${PHP}`, ['--nodaemonize', '--fpm-config', file], { stdio: 'ignore' }),
    'SIGTERM',
  );
  await until('PHP-FPM has its socket', () => readdirSync(folder).includes('fpm.sock'));
  return { socket, stop: () => void child.kill() };
}

/** A virtual host as one writes it by hand. */
const byHand = (nginx: Nginx, name: string, root: string, more: string) => `server {
  listen ${nginx.port}; server_name ${name}; root ${root}; access_log logs/by-hand.log combined; error_log logs/by-hand-error.log;
  ${more} }\n`;

async function page(): Promise<void> {
  const house = await SiteHouse.start(1, { limits: { php_workers_limit: WORKERS } });
  const fpms: { stop: () => void }[] = [];
  try {
    const [ann] = house.customers as readonly [Customer];
    const { nginx } = house;
    await house.add(ann);
    await house.runPhp(ann);
    writePhpPage((file, text) => house.put(ann, file, text));
    const { settings } = house.pool(ann);
    const hands = {
      'by hand': settings,
      'by hand, apart from nobody': settings.replaceAll(
        /^php_admin_value\[(open_basedir|disable_functions)\].*\n/gm,
        '',
      ),
    };
    const targets: Target[] = [{ name: 'Hostkeep', url: `http://127.0.0.1:${nginx.port}/`, host: ann.domain }];
    for (const [i, [name, text]] of Object.entries(hands).entries()) {
      const fpm = await startFpm(text);
      fpms.push(fpm);
      const [host, php] = [`hand${i}.example`, `include /etc/nginx/fastcgi.conf; fastcgi_pass unix:${fpm.socket};`];
      const more = `index index.php; location / { try_files $uri $uri/ /index.php?$args; } location ~ \\.php$ { try_files $uri =404; ${php} }`;
      writeFileSync(join(nginx.vhostFolder, `zz-by-hand${i}.conf`), byHand(nginx, host, ann.docroot, more));
      targets.push({ name, url: `http://127.0.0.1:${nginx.port}/`, host });
    }
    await reload(nginx, 'hand1.example');
    const results = await interleaved(targets, { rounds: 7, seconds: 4, connections: WORKERS * 2 });
    const ours = results.get('Hostkeep');
    for (const [name, wanted] of [
      ['by hand', ' (wanted: at least 0.97)'],
      ['by hand, apart from nobody', ''],
    ] as const) {
      const theirs = results.get(name);
      if (ours === undefined || theirs === undefined || ours.errors + theirs.errors > 0)
        throw new Error(`requests failed: ${JSON.stringify([...results])}`);
      console.log(
        `  a page of PHP, ${name}: ${ours.requestsPerSecond.toFixed(0)} / ${theirs.requestsPerSecond.toFixed(0)} requests a second, ` +
          `p50 ${ours.p50Ms.toFixed(1)} / ${theirs.p50Ms.toFixed(1)} ms, ratio ${(ours.requestsPerSecond / theirs.requestsPerSecond).toFixed(3)}${wanted}`,
      );
    }
  } finally {
    for (const fpm of fpms) fpm.stop();
    await house.close();
  }
}

/** Reloads nginx, and resolves once it answers for a name of its new settings. */
async function reload(nginx: Nginx, host: string): Promise<void> {
  const [program = '', ...args] = nginx.command('-s', 'reload');
  endsWithTests(spawn(program, args, { stdio: 'inherit' }));
  await until(`nginx answers for ${host}`, async () => (await nginx.fetch(host)).status !== 0);
}

/** Resolves with whether a site answers over TLS to a client that trusts one authority only. */
const isServed = (port: number, host: string, ca: string) =>
  new Promise<boolean>((resolve) => {
    const options = { port, host: '127.0.0.1', servername: host, headers: { host }, agent: false, ca };
    get(options, (response) => resolve(response.resume().complete || true)).on('error', () => resolve(false));
  });

async function domains(): Promise<void> {
  let pebble: Pebble | undefined;
  const names = Array.from({ length: DOMAINS }, (_, i) => `site${i}.example`);
  const house = await SiteHouse.start(Math.ceil(DOMAINS / 100), {
    settings: async (nginx) => {
      pebble = await Pebble.start(nginx.port);
      return { certificates: { ...pebble.settings, check_seconds: 60 } };
    },
    fill: (core, customers) =>
      addDomainsWithCertificates(
        core,
        customers.map(({ id }) => id),
        names,
      ),
  });
  try {
    const { nginx } = house;
    const [ann] = house.customers as readonly [Customer];
    const root = (await pebble?.root()) ?? '';
    const files = () => readdirSync(nginx.vhostFolder).filter((name) => name.startsWith('hostkeep-site'));
    await until('all domains have virtual hosts', () => files().length === DOMAINS);
    const [added, served, checks]: [number[], number[], number[]] = [[], [], []];
    const [program = '', ...check] = nginx.command('-t', '-q');
    for (let i = 0; i < MEASURED; i += 1) {
      const name = `measured${i}.example`;
      added.push(await seconds(() => house.add(ann, name)));
      const rest = await seconds(async () => {
        while (!(await isServed(nginx.tlsPort, name, root))) await delay(50);
      });
      served.push((added.at(-1) ?? 0) + rest);
      checks.push(await seconds(() => promisify(execFile)(program, check)));
    }
    console.log(
      `  a domain added to ${DOMAINS} until it is served over HTTPS: ${median(served).toFixed(2)} s, longest ${Math.max(...served).toFixed(2)} s ` +
        `(wanted: at most 3); over HTTP ${median(added).toFixed(2)} s; nginx alone reads its configuration in ${median(checks).toFixed(2)} s`,
    );
    await nginxMemory(house, names);
  } finally {
    await house.close();
    pebble?.remove();
  }
}

/** Locations by hand that do what Hostkeep's virtual hosts do: proofs for the authority, refused files, a page for closed folders. */
const GUARDED = `location /.well-known/acme-challenge/ { root /var/www/acme; }
  location ~ /\\. { return 404; } location ~* \\.(sql|dump|bak|old|orig|log|key|pem|env|ini)(\\.(gz|zip))?$ { return 404; }
  location ~* \\.(php|phtml|inc)$ { return 404; } error_page 403 /closed.html; location = /closed.html { internal; root /var/www; }`;

/** Compares what nginx takes with what it takes of as many server blocks by hand, with the same certificates. */
async function nginxMemory({ nginx }: SiteHouse, names: readonly string[]): Promise<void> {
  await until('one worker is left', () => nginxPids(nginx).length === 2);
  const grown = proportionalMib(nginxPids(nginx));
  const sides = [{ name: 'Hostkeep', server: nginx, mib: [] as number[] }];
  for (const [name, more] of [
    ['by hand', 'location ~ /\\. { return 404; }'],
    ['by hand, guarded', GUARDED],
  ] as const) {
    const server = await Nginx.start('www-data');
    const blocks = names.map((domain) => {
      const file = readFileSync(join(nginx.vhostFolder, `hostkeep-${domain}.conf`), 'utf8');
      const pem = /ssl_certificate "([^"]+)"/.exec(file)?.[1];
      const tls = `listen ${server.tlsPort} ssl; ssl_certificate ${pem}; ssl_certificate_key ${pem};`;
      return byHand(server, `${domain} www.${domain}`, `/srv/${domain}`, `${tls} index index.html; ${more}`);
    });
    writeFileSync(join(server.vhostFolder, 'by-hand.conf'), blocks.join(''));
    sides.push({ name, server, mib: [] });
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { server, mib } of sides) {
      await server.stop();
      await server.up();
      mib.push(proportionalMib(nginxPids(server)));
    }
  const [ours = Number.NaN, ...hands] = sides.map(({ mib }) => median(mib));
  for (const [i, mib] of hands.entries())
    console.log(
      `  nginx with ${names.length} domains, ${sides[i + 1]?.name}: ${ours.toFixed(1)} / ${mib.toFixed(1)} MiB, ratio ${(ours / mib).toFixed(2)}` +
        (i === 0 ? ' (wanted: at most 1.1)' : ''),
    );
  console.log(`  nginx after all these reloads, before it was started again: ${grown.toFixed(1)} MiB`);
  for (const { server } of sides.slice(1)) await server.remove();
}

async function idle(): Promise<void> {
  const house = await SiteHouse.start(ACCOUNTS);
  try {
    const { customers, server } = house;
    await crowd(customers, (each) => house.add(each));
    for (const each of customers) house.put(each, 'index.php', '<?php echo "a page of ", $_SERVER["SERVER_NAME"];');
    const used = () => [[server.child.pid ?? 0], nginxPids(house.nginx)].map(proportionalMib);
    await delay(IDLE_MS);
    const before = used();
    const started = await seconds(() => crowd(customers, (each) => house.runPhp(each)));
    console.log(`  ${ACCOUNTS} accounts run PHP after ${started.toFixed(0)} s`);
    await delay(IDLE_MS);
    const [node = 0, nginx = 0] = used().map((mib, i) => mib - (before[i] ?? 0));
    const masters = customers.flatMap((each) => house.pool(each).pids);
    const own = proportionalMib(masters);
    console.log(
      `  ${ACCOUNTS} accounts with PHP, idle: ${(node + nginx + own).toFixed(0)} MiB more (wanted: at most 60): ` +
        `node ${node.toFixed(0)}, nginx ${nginx.toFixed(0)}, ${masters.length} processes of PHP-FPM ${own.toFixed(0)}, ` +
        `which is ${(own / masters.length).toFixed(2)} each`,
    );
    const firsts: number[] = [];
    for (const each of customers.slice(0, FIRSTS)) firsts.push(1000 * (await seconds(() => house.visit(each))));
    console.log(
      `  first request after that: ${median(firsts).toFixed(1)} ms, longest of ${firsts.length} ${Math.max(...firsts).toFixed(1)} ms (wanted: at most 150)`,
    );
  } finally {
    await house.close();
  }
}

/** Keeps a processor busy, and as much memory as its limit lets it. */
const HOG = `<?php
  $kept = str_repeat('x', ${MEMORY_MIB - 8} << 20);
  for ($end = microtime(true) + (float) $_GET['seconds'], $sum = 0; microtime(true) < $end;) for ($i = 0; $i < 100000; $i += 1) $sum += $i;
  echo 'done';`;

async function neighbour(): Promise<void> {
  const house = await SiteHouse.start(2, { limits: { php_workers_limit: WORKERS, php_memory_limit_mib: MEMORY_MIB } });
  const groups: AccountGroup[] = [];
  try {
    const [ann, bob] = house.customers as readonly [Customer, Customer];
    for (const each of [ann, bob]) {
      await house.add(each);
      await house.runPhp(each);
      groups.push(groupOfProcesses(`${each.id}`, house.pool(each).pids, CPU_PERCENT));
    }
    writePhpPage((file, text) => house.put(bob, file, text));
    house.put(ann, 'hog.php', HOG);
    const target: Target = { name: 'a page', url: `http://127.0.0.1:${house.nginx.port}/`, host: bob.domain };
    const read = () => load(target, { seconds: SECONDS, connections: 4, perSecond: 50 });
    await read();
    const [quiet, beside]: [Load[], Load[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(await read());
      const hogs = Array.from({ length: WORKERS }, () => house.visit(ann, `/hog.php?seconds=${SECONDS + 2}`));
      await delay(1000);
      beside.push(await read());
      await Promise.all(hogs);
    }
    const errors = [...quiet, ...beside].reduce((sum, each) => sum + each.errors, 0);
    if (errors > 0) throw new Error(`${errors} requests failed`);
    const [a, b] = [quiet, beside].map((list) => ({
      p50: median(list.map(({ p50Ms }) => p50Ms)),
      p99: median(list.map(({ p99Ms }) => p99Ms)),
    })) as [Middle, Middle];
    console.log(
      `  pages beside an account at its limits: p99 ${b.p99.toFixed(1)} ms, idle ${a.p99.toFixed(1)} ms, ratio ${(b.p99 / a.p99).toFixed(2)} ` +
        `(wanted: at most 1.5); p50 ${b.p50.toFixed(1)} and ${a.p50.toFixed(1)} ms`,
    );
  } finally {
    await house.close();
    for (const group of groups) group.remove();
  }
}

interface Middle {
  readonly p50: number;
  readonly p99: number;
}

async function log(): Promise<void> {
  const house = await SiteHouse.start(1);
  const abort = new AbortController();
  try {
    const [ann] = house.customers as readonly [Customer];
    await house.add(ann);
    house.put(ann, 'index.html', 'a page');
    const arrivals = new Map<string, number>();
    const { body } = await ask(house.server, `/api/logs/stream?domain_url=${ann.domain}`, ann.token, {
      signal: abort.signal,
    });
    if (body === null) throw new Error('the live log has no body');
    const watched = watch(body, arrivals).catch(() => undefined);
    const { pid } = house.server.child;
    const cores = async (work: () => Promise<unknown>) => {
      const before = processorSeconds(pid);
      const took = await seconds(work);
      return (processorSeconds(pid) - before) / took;
    };
    const delays: number[] = [];
    let seen = 0;
    await delay(5000);
    const atRest = await cores(() => delay(SECONDS * 1000));
    const target = { name: 'a file', url: `http://127.0.0.1:${house.nginx.port}/`, host: ann.domain };
    const shares: number[] = [];
    let rate = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const sent = new Map<string, number>();
      shares.push(
        await cores(async () => {
          const measured = load(target, { seconds: SECONDS, connections: 50, perSecond: 1000 });
          for (let i = 0; i < PROBES; i += 1) {
            const path = `/?probe=${round}-${i}`;
            sent.set(path, performance.now());
            await house.visit(ann, path);
            await delay((SECONDS * 1000) / (PROBES + 10));
          }
          rate = (await measured).requestsPerSecond;
        }),
      );
      await delay(2000);
      for (const [path, at] of sent) {
        const arrival = arrivals.get(path);
        if (arrival !== undefined) delays.push(arrival - at);
      }
      seen += sent.size;
    }
    abort.abort();
    await watched;
    console.log(
      `  a live log at ${rate.toFixed(0)} requests a second: delay ${(median(delays) / 1000).toFixed(2)} s, longest ${(Math.max(...delays) / 1000).toFixed(2)} s of ` +
        `${delays.length} lines (wanted: at most 1); ${seen - delays.length} of ${seen} were left out as too many`,
    );
    console.log(
      `  processor time of the node meanwhile: ${(100 * median(shares)).toFixed(1)} % of a core (wanted: at most 3), ${(100 * atRest).toFixed(1)} % at rest`,
    );
  } finally {
    abort.abort();
    await house.close();
  }
}

/** Notes when lines of requests with a mark arrive. */
async function watch(body: ReadableStream<Uint8Array>, arrivals: Map<string, number>): Promise<void> {
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    const end = text.lastIndexOf('\n\n') + 2;
    for (const [, path = ''] of text.slice(0, end).matchAll(/"path":"(\/\?probe=[\d-]+)"/g))
      arrivals.set(path, performance.now());
    text = text.slice(Math.max(0, end));
  }
}

const PARTS = { page, domains, idle, neighbour, log };
console.log(`Sites bench: ${machineText()}`);
for (const [name, run] of Object.entries(PARTS)) if (WANTED === undefined || WANTED === name) await run();
process.exit(0);
