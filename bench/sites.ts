/**
 * What it costs that customers' sites are served through Hostkeep: `npm run build && node dist/bench/sites.js [domains] [accounts] [part]`,
 * as root, with nginx, PHP-FPM, pebble and wrk installed. The parts are `page`, `domains`, `idle`, `neighbour` and `log`; without one,
 * all are run. Pebble issues the certificates of the domains that are measured; those of the others are self-made, of the same shape,
 * and in the store before it is served. Instead of the broker's control groups, which take systemd and cgroup v2, `neighbour` puts the
 * processes of both accounts into groups of its own, with the same limit of processor time.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Nginx } from '../test/support/nginx.ts';
import { fetchPage } from '../test/support/page.ts';
import { Pebble } from '../test/support/pebble.ts';
import { until } from '../test/support/until.ts';
import { groupOfProcesses, type AccountGroup } from './support/account-group.ts';
import { ask } from './support/ask.ts';
import { byHand, GUARDED, reload, startFpm } from './support/by-hand.ts';
import { describeLoad, interleaved, load, median, processorSeconds, type Load, type Target } from './support/load.ts';
import { addDomainsWithCertificates } from './support/many-certificates.ts';
import { proportionalMib } from './support/memory.ts';
import { writePhpPage } from './support/php-page.ts';
import { machineText } from './support/processes.ts';
import { seconds } from './support/seconds.ts';
import { nginxPids, SiteHouse, type Customer } from './support/site-house.ts';

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
/** Requests at once for scripts that keep processors busy. */
const SLOW = 500;
/** Lines of a live log whose way is measured, in each round. */
const PROBES = 40;
/** After its last request, a process of a pool stays for half a minute. */
const IDLE_MS = 45_000;
/** Of `php.idle_seconds`, which is longer unless set. */
const IDLE_SECONDS = 10;

async function crowd<T>(list: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const left = list.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const each of left) await work(each);
    }),
  );
}

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
    const trees = (fpm = 0) => [fpm, nginxPids(nginx)[0] ?? 0];
    const targets: Target[] = [
      {
        name: 'Hostkeep',
        url: `http://127.0.0.1:${nginx.port}/`,
        host: ann.domain,
        trees: trees(house.pool(ann).pids[0]),
      },
    ];
    for (const [i, [name, text]] of Object.entries(hands).entries()) {
      const fpm = await startFpm(text);
      fpms.push(fpm);
      const [host, php] = [`hand${i}.example`, `include /etc/nginx/fastcgi.conf; fastcgi_pass unix:${fpm.socket};`];
      const more = `index index.php; location / { try_files $uri $uri/ /index.php?$args; } location ~ \\.php$ { try_files $uri =404; ${php} }`;
      writeFileSync(join(nginx.vhostFolder, `zz-by-hand${i}.conf`), byHand(nginx, host, ann.docroot, more));
      targets.push({ name, url: `http://127.0.0.1:${nginx.port}/`, host, trees: trees(fpm.pid) });
    }
    await reload(nginx, 'hand1.example');
    const results = await interleaved(targets, { rounds: 7, seconds: 4, connections: WORKERS * 2 });
    for (const [name, each] of results) console.log(`  ${describeLoad(name, each)}`);
    const [ours, ...theirs] = [...results.values()];
    for (const [i, hand] of theirs.entries())
      console.log(
        `  a page of PHP, ${targets[i + 1]?.name}: ratio of requests ${((ours?.requestsPerSecond ?? 0) / hand.requestsPerSecond).toFixed(3)}` +
          `${i === 0 ? ' (wanted: at least 0.97)' : ''}, of processor time ${((ours?.processorUs ?? 0) / hand.processorUs).toFixed(3)}`,
      );
  } finally {
    for (const fpm of fpms) fpm.stop();
    await house.close();
  }
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
  const house = await SiteHouse.start(ACCOUNTS, { idleSeconds: IDLE_SECONDS });
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
    const php = proportionalMib(customers.flatMap((each) => house.pool(each).pids));
    console.log(
      `  ${ACCOUNTS} accounts with PHP, idle: ${(node + nginx + php).toFixed(0)} MiB more (wanted: at most 60): ` +
        `node ${node.toFixed(0)}, nginx ${nginx.toFixed(0)}, PHP-FPM ${php.toFixed(0)}, which is ${(php / ACCOUNTS).toFixed(1)} for each`,
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

/** Keeps a processor busy, and as much memory as its limit lets it. Those that wait meanwhile end at once then. */
const HOG = `<?php
  $kept = str_repeat('x', ${MEMORY_MIB - 8} << 20);
  for ($end = (float) $_GET['until'], $sum = 0; microtime(true) < $end;) for ($i = 0; $i < 100000; $i += 1) $sum += $i;
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
      const path = `/hog.php?until=${Date.now() / 1000 + SECONDS + 2}`;
      const hogs = Array.from({ length: SLOW }, () => fetchPage(house.nginx.port, ann.domain, path));
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
