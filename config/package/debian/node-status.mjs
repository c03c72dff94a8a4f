// What the scripts of the package ask about the node: `data`, `url` and `addresses` print the data folder, the address of
// /readyz and the two addresses; `ready <url> <ms>` waits until the server answers there, and fails once it has ended or the time is over;
// `steady <url> <ms>` asks for that time, and fails if the server ends, or leaves several questions without the right answer;
// `own-store` is a condition of systemd's: it exits with 1 if the store is not in the data folder, and with 255 if that cannot be told.
import { execFileSync } from 'node:child_process';
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const STEADY_POLL_MS = 250;
/** A worker that is replaced, or a busy moment, may cost some answers. */
const MISSES = 4;

function setting(name) {
  const main = join(import.meta.dirname, 'current/dist/kernel/run/main.js');
  const shown = execFileSync(process.execPath, [main, 'config', 'show', '--json'], { encoding: 'utf8' });
  return JSON.parse(shown).find((each) => each.setting === name)?.value;
}

const isReady = (url) =>
  new Promise((resolve) => {
    const ask = url.startsWith('https:') ? getSecurely : get;
    ask(url, { rejectUnauthorized: false, timeout: 1000, agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    })
      .on('timeout', (request) => request?.destroy())
      .on('error', () => resolve(false));
  });

// A service that ended is started again by systemd, which counts that.
const hasEnded = () =>
  execFileSync('systemctl', ['show', '-p', 'NRestarts', '-p', 'ActiveState', 'hostkeep.service'], { encoding: 'utf8' })
    .split('\n')
    .some((line) => /^(NRestarts=[1-9]|ActiveState=(failed|inactive))/.test(line));

function ownStore() {
  try {
    if (setting('store.url') === '') return 0;
    console.log('the store is in PostgreSQL, whose own tools back it up; keep a copy of keys.json with what they make');
    return 1;
  } catch (error) {
    console.error(error.message);
    return 255;
  }
}

const [what, url, limitMs] = process.argv.slice(2);
if (what === 'own-store') process.exit(ownStore());
else if (what === 'data') console.log(setting('data'));
else if (what === 'addresses') console.log(setting('listen'), setting('admin_listen'));
else if (what === 'url') {
  const scheme = setting('tls.cert') === '' ? 'http' : 'https';
  console.log(`${scheme}://${setting('admin_listen').replace(/^0\.0\.0\.0|^\[::\]/, 'localhost')}/readyz`);
} else if (what === 'steady') {
  let misses = 0;
  for (const end = Date.now() + Number(limitMs); Date.now() < end; await delay(STEADY_POLL_MS)) {
    if (!(await isReady(url))) misses += 1;
    if (misses > MISSES || hasEnded()) process.exit(1);
  }
} else
  for (const end = Date.now() + Number(limitMs); !(await isReady(url)); await delay(POLL_MS))
    if (Date.now() > end || hasEnded()) process.exit(1);
