/**
 * What pictures cost: `npm run build && node dist/bench/screenshots.js`. Needs the browser. Every figure is measured
 * beside a yardstick in the same run: a bare handler that writes the same bytes, a bare script that takes the same picture.
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { launch } from 'puppeteer-core';
import { chromiumPath } from '../test/support/chromium.ts';
import { describeLoad, interleaved, median } from './support/load.ts';
import { coreOf, machineText, startBare, startHostkeep, temporaryFolder, tokenFor } from './support/processes.ts';

const DOMAIN = 'pictures.example';
const ROUNDS = Number(process.argv[2] ?? 5);
const PICTURES = 15;
const PAGES = 3;
const MANY = 50;
/** Between two pictures, so that what one leaves to be done does not burden the next. */
const PAUSE_MS = 500;

function report(figure: string, value: number, bound: string): void {
  console.log(`  ${figure.padEnd(64)} ${value.toFixed(2).padStart(7)}   (wanted: ${bound})`);
}

let openAtSite = 0;
let mostAtSite = 0;
const site = createServer((request, response) => {
  openAtSite += 1;
  mostAtSite = Math.max(mostAtSite, openAtSite);
  response.on('close', () => (openAtSite -= 1));
  const page = `<!doctype html><title>Bench</title><body style="background:#e8eef4;font:20px sans-serif"><h1>${request.url ?? ''}</h1>${'<p>The quick brown fox jumps over the lazy dog.</p>'.repeat(20)}`;
  void setTimeout(request.url?.startsWith('/slow') === true ? 50 : 0).then(() =>
    response.setHeader('Content-Type', 'text/html').end(page),
  );
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const address = `127.0.0.1:${(site.address() as AddressInfo).port}`;

const data = temporaryFolder();
const hostkeep = await startHostkeep(data, { screenshots: { site_address: address, pages: PAGES, idle_seconds: 600 } });
const core = await coreOf(data);
const account = await core.accounts.create({
  username: 'ann',
  role: 'user',
  plan: 'developer',
  passwordHash: await core.passwords.hash('correct horse battery'),
});
const token = await tokenFor(core, account);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const added = await fetch(`${hostkeep.url}/api/domains/new`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ domain_url: DOMAIN }),
});
if (added.status !== 201) throw new Error(`the domain could not be added: ${await added.text()}`);

async function shoot(path: string): Promise<{ readonly ms: number; readonly png: Buffer }> {
  const started = performance.now();
  const response = await fetch(`${hostkeep.url}/api/screenshot/${DOMAIN}/${path}`, { headers });
  const png = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${png.toString()}`);
  return { ms: performance.now() - started, png };
}

console.log(machineText());
console.log('\nFirst picture of a static page, browser warm');
const browser = await launch({
  executablePath: chromiumPath() ?? '',
  args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP * ${address}`],
});
async function bare(path: string): Promise<number> {
  const started = performance.now();
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`http://${DOMAIN}/${path}`, { waitUntil: 'load' });
  await page.screenshot();
  await page.close();
  return performance.now() - started;
}
const [ours, theirs]: [number[], number[]] = [[], []];
for (let i = -2; i < PICTURES; i += 1) {
  const { ms } = await shoot(`page${i}`);
  await setTimeout(PAUSE_MS);
  const bareMs = await bare(`page${i}`);
  await setTimeout(PAUSE_MS);
  if (i < 0) continue; // warm-up, not counted
  ours.push(ms);
  theirs.push(bareMs);
}
await browser.close();
console.log(`  p50 ${median(ours).toFixed(0)} ms, bare script ${median(theirs).toFixed(0)} ms`);
report('p50 to that of a bare script', median(ours) / median(theirs), 'at most 1.5');

console.log(`\n${MANY} different pages at once, ${PAGES} open at most`);
mostAtSite = 0;
let mostMib = 0;
const watch = setInterval(() => (mostMib = Math.max(mostMib, browserMib())), 250);
const started = performance.now();
const shots = await Promise.all(Array.from({ length: MANY }, (_, i) => shoot(`slow${i}`)));
clearInterval(watch);
console.log(
  `  all answered in ${((performance.now() - started) / 1000).toFixed(1)} s; the browser took ${mostMib.toFixed(0)} MiB at most (private memory, all its processes)`,
);
report('answered', shots.length, String(MANY));
report('most pages open at the site', mostAtSite, `at most ${PAGES}`);

/** What the processes of Hostkeep's browser hold for themselves. */
function browserMib(): number {
  const pids = execFileSync('pgrep', ['-f', `hostkeep-browser-${hostkeep.child.pid ?? 0}-`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const status = pids
    .map((pid) =>
      execFileSync('sh', ['-c', 'cat "/proc/$1/status" 2>/dev/null || true', 'sh', pid], { encoding: 'utf8' }),
    )
    .join('');
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].reduce(
    (sum, match) => sum + Number(match[1]) / 1024,
    0,
  );
}

console.log('\nFrom the cache');
const { png } = await shoot('page0');
const yardstick = await startBare(`/api/screenshot/${DOMAIN}/page0`, token, png, 'image/png');
const path = `/api/screenshot/${DOMAIN}/page0`;
const loads = await interleaved(
  [
    { name: 'bare', url: yardstick.url + path, token, pid: yardstick.child.pid },
    { name: 'hostkeep', url: hostkeep.url + path, token, pid: hostkeep.child.pid },
  ],
  { rounds: ROUNDS },
);
for (const [name, load] of loads) console.log(`  ${describeLoad(name, load)}`);
report(
  `share of a bare handler (${Math.round(png.length / 1024)} KiB)`,
  (loads.get('hostkeep')?.requestsPerSecond ?? 0) / (loads.get('bare')?.requestsPerSecond ?? 1),
  'at least 0.5',
);

await Promise.all([yardstick.stop(), hostkeep.stop(), core.close()]);
site.close();
