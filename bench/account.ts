/**
 * What the pages of an account and its login cost: `npm run build && node dist/bench/account.js`. Reads stand beside
 * the plan of the account, whose answer is ready; a login beside one bare verification of the same password.
 */
import { describeLoad, interleaved, load, median, percentile } from './support/load.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor } from './support/processes.ts';

const PASSWORD = 'correct horse battery staple';
const PLAN = { name: 'plan (ready)', path: '/system/hosting/plan' };
const PAGES = [
  { name: 'favorites, 50', path: '/api/favorites' },
  { name: 'login history, 20', path: '/api/account/login-history' },
  { name: 'activity, first page', path: '/api/account/activity' },
  { name: 'activity, page 400', path: '/api/account/activity?page=400' },
  { name: 'activity, searched', path: '/api/account/activity?search=THING%2099' },
];

const data = temporaryFolder();
await (await startHostkeep(data)).stop(); // its plugins make their tables
const core = await coreOf(data);
const { accounts, events, passwords, store } = core;
const passwordHash = await passwords.hash(PASSWORD);
const account = await accounts.create({ username: 'ann', role: 'user', plan: 'developer', passwordHash });
await store.write(async (tx) => {
  for (let i = 0; i < 10_000; i += 1)
    await events.record(tx, { type: 'logout', account, text: `did the thing ${i}`, ip: '203.0.113.5' });
  for (let i = 0; i < 50; i += 1)
    await tx.run(
      'insert into favorites (account_id, link, title) values (?, ?, ?)',
      account.id,
      `/page/${i}`,
      `Page ${i}`,
    );
  for (let i = 0; i < 100; i += 1)
    await tx.run(
      'insert into login_history (account_id, at, ip) values (?, ?, ?)',
      account.id,
      Date.now(),
      `8.8.${i}.8`,
    );
});
const token = await tokenFor(core, account);
const server = await startHostkeep(data);

console.log(`Account bench: ${machineText()}\n\nReads of an account with 10,000 events`);
const reads = await interleaved(
  [PLAN, ...PAGES].map(({ name, path }) => ({ name, url: server.url + path, token, pid: server.child.pid })),
  { seconds: 1, rounds: 3 },
);
for (const [name, result] of reads) console.log(`  ${describeLoad(name, result)}`);
const ready = reads.get(PLAN.name)?.requestsPerSecond ?? Number.NaN;
for (const { name } of PAGES)
  console.log(
    `  ${`${name} / plan`.padEnd(40)} ${((reads.get(name)?.requestsPerSecond ?? Number.NaN) / ready).toFixed(3)}`,
  );

/** One request after the other, and a bare verification between each two. */
async function logins(name: string, password: string, count: number, wanted: number): Promise<void> {
  const times = { login: [] as number[], bare: [] as number[] };
  for (let i = 0; i < count; i += 1) {
    let started = performance.now();
    const response = await fetch(`${server.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ann', password }),
    });
    await response.arrayBuffer();
    if (response.status !== wanted) throw new Error(`${name} answered ${response.status}`);
    times.login.push(performance.now() - started);
    started = performance.now();
    await passwords.verify(PASSWORD, passwordHash);
    times.bare.push(performance.now() - started);
  }
  console.log(
    `  ${name.padEnd(28)} p50 ${median(times.login).toFixed(2)} ms   p99 ${percentile(times.login, 0.99).toFixed(2)} ms   / verification, p50 ${(median(times.login) / median(times.bare)).toFixed(2)}`,
  );
}

console.log('\nLogins, one after the other');
await logins('right', PASSWORD, 50, 200);
await logins('wrong', 'wrong', 5, 401);
await logins('over the budget', 'wrong', 50, 429);

const idle = await load({ name: PLAN.name, url: server.url + PLAN.path, token }, { seconds: 1, connections: 8 });
console.log(`\nAfterwards\n  ${describeLoad(PLAN.name, idle)}`);
await server.stop();
await core.close();
process.exit(0);
