/**
 * What it costs that customers' sites are served through Hostkeep: `npm run build && node dist/bench/sites.js [domains] [accounts] [part]`,
 * as root, with nginx, PHP-FPM, pebble and wrk installed. The parts are `page`, `domains`, `idle`, `neighbour` and `log`; without one,
 * all are run. All certificates are issued by pebble. Instead of the broker's control groups, which take systemd and cgroup v2,
 * `neighbour` puts the processes of two accounts into groups of its own, with the processor limit of their plan.
 */
import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endsWithTests } from '../test/support/child.ts';
import { Nginx } from '../test/support/nginx.ts';
import { until } from '../test/support/until.ts';
import { Pebble } from '../test/plugins/certificates/pebble.ts';
import { groupOfProcesses } from './support/account-group.ts';
import { ask } from './support/ask.ts';
import { interleaved, load, median, processorSeconds, type Target } from './support/load.ts';
import { proportionalMib } from './support/memory.ts';
import { writePhpPage } from './support/php-page.ts';
import { machineText, temporaryFolder } from './support/processes.ts';
import { seconds } from './support/seconds.ts';
import { PHP, SiteHouse, withChildren, type Customer } from './support/site-house.ts';

const [DOMAINS = 1000, ACCOUNTS = 500] = process.argv.slice(2).filter(Number).map(Number);
const [WANTED] = process.argv.slice(2).filter((each) => Number.isNaN(Number(each)));
/** Processes of a pool. */
const WORKERS = 4;
const CPU_LIMIT = 1;
/** Requests or changes of a crowd that are on their way at once. */
const AT_ONCE = 32;
/** After its last request, a process of a pool stays for half a minute. */
const IDLE_MS = 45_000;

async function crowd<T>(list: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const left = list.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
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
  const child = endsWithTests(spawn(`php-fpm${PHP}`, ['--nodaemonize', '--fpm-config', file], { stdio: 'ignore' }), 'SIGTERM');
  await until('PHP-FPM has its socket', () => readdirSync(folder).includes('fpm.sock'));
  return { socket, stop: () => void child.kill() };
}

/** A virtual host as one writes it by hand. */
const byHand = (nginx: Nginx, name: string, root: string, more: string) => `server {
  listen ${nginx.port}; server_name ${name}; root ${root}; access_log logs/by-hand.log combined; error_log logs/by-hand-error.log;
  ${more} }\n`;

async function page(): Promise<void> {
  const house = await SiteHouse.start(1, { php_workers_limit: WORKERS });
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
      'by hand, apart from nobody': settings.replaceAll(/^php_admin_value\[(open_basedir|disable_functions)\].*\n/gm, ''),
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
      if (ours === undefined || theirs === undefined || ours.errors + theirs.errors > 0) throw new Error(`requests failed: ${JSON.stringify([...results])}`);
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
  const house = await SiteHouse.start(Math.max(1, Math.round(DOMAINS / 100)), { names_limit: 0 }, async (nginx) => {
    pebble = await Pebble.start(nginx.port);
    return { certificates: { ...pebble.settings, check_seconds: 60, parallel: 32 } };
  });
  try {
    const { nginx, customers } = house;
    const root = (await pebble?.root()) ?? '';
    const names = Array.from({ length: DOMAINS }, (_, i) => `site${i}.example`);
    const owner = (i: number) => customers[i % customers.length] as Customer;
    const added = await seconds(async () => {
      await crowd([...names.entries()], ([i, name]) => house.add(owner(i), name));
    });
    const pems = () => new Set(readdirSync(nginx.vhostFolder).filter((name) => name.endsWith('.pem')));
    const issued = await seconds(() => until('the certificates', async () => pems().size >= DOMAINS && isServed(nginx.tlsPort, names.at(-1) ?? '', root)));
    console.log(`  ${DOMAINS} domains added in ${added.toFixed(0)} s, their certificates were there ${issued.toFixed(0)} s later`);
  } finally {
    await house.close();
    pebble?.remove();
  }
}

const PARTS = { page, domains };
console.log(`Sites bench: ${machineText()}`);
for (const [name, run] of Object.entries(PARTS)) if (WANTED === undefined || WANTED === name) await run();
process.exit(0);
