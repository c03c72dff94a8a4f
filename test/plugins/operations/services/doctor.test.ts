import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep } from '../../../support/command.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { freePort } from '../../../support/port.ts';
import { testSuite } from '../../../support/suite.ts';
import { assertNone } from '../../../support/lists.ts';

const test = testSuite('doctor');

interface Diagnosis {
  readonly plugin: string;
  readonly state: string;
  readonly remedy?: string;
}

/** What needs nothing from outside. */
const PLUGINS = {
  containers: false,
  databases: false,
  screenshots: false,
  search: false,
  sftp: false,
  webserver: false,
};

test('doctor exits with 1 for a failure, for a warning only with --strict', async () => {
  const webhooks = {
    endpoints: [{ url: `http://127.0.0.1:${await freePort()}/`, secret: `whsec_${'A'.repeat(32)}` }],
    allow_private: true,
    backlog: 2,
    backoff_ms: 600_000,
  };
  const server = await TestServer.start({ config: { webhooks, plugins: PLUGINS } });
  const config = join(server.data, 'settings.json');
  const run = (settings: object, ...args: string[]) => {
    writeFileSync(config, JSON.stringify({ plugins: PLUGINS, ...settings }), { mode: 0o600 });
    return hostkeep(server.data, ['--config', config, 'doctor', ...args]);
  };
  const diagnosed = async (settings: object, plugin: string, ...args: string[]) => {
    const { code, stdout } = await run(settings, '--json', ...args);
    const all = JSON.parse(stdout) as Diagnosis[];
    const missing = all.filter(({ state }) => state === 'missing');
    assert.is(code, missing.length === 0 ? 0 : 1, stdout);
    return { missing, ...all.find((each) => each.plugin === plugin) };
  };

  const missing = await diagnosed({ quota: { du: '/nonexistent/du' } }, 'quota');
  assert.equal([missing.missing.length, missing.state], [1, 'missing']);
  assert.match(missing.remedy ?? '', /install the GNU coreutils/);
  const good = await diagnosed({}, 'quota');
  assert.equal([good.missing, good.state, good.remedy], [[], 'ok', undefined]);
  for (const plugin of ['plans', 'webserver'])
    // one that needs nothing, and one that is switched off
    assert.is((await diagnosed({}, plugin)).state, 'untried', plugin);

  await server.account('ann'); // which the endpoint does not learn
  const warned = await diagnosed({ webhooks }, 'webhooks');
  assert.equal([warned.missing, warned.state], [[], 'warn']);
  assert.match(warned.remedy ?? '', /find out why the endpoint does not answer/);
  assert.is((await run({ webhooks }, '--strict')).code, 1);
});

test('doctor names what lies among the files roots and is of no account', async () => {
  const server = await TestServer.start({ config: { plugins: PLUGINS } });
  await server.account('ann');
  for (const name of ['ann', 'dave\n']) mkdirSync(join(server.data, 'files', name), { recursive: true });
  const config = join(server.data, 'settings.json');
  writeFileSync(config, JSON.stringify({ plugins: PLUGINS }));
  const { stdout } = await hostkeep(server.data, ['--config', config, 'doctor', '--json']);
  const found = (JSON.parse(stdout) as (Diagnosis & { name: string; detail: string })[]).find(
    ({ name }) => name === 'files of nobody',
  );
  assert.is(found?.state, 'warn');
  const uid = process.getuid?.() ?? 0;
  assert.is(found?.detail, `of no account: ${join(server.data, 'files')}/dave\\x0a (user id ${uid})`);
});

test('lines are as wide as the terminal, and a remedy stands below what it is for', async () => {
  const server = await TestServer.start({ config: { plugins: PLUGINS } });
  const config = join(server.data, 'settings.json');
  writeFileSync(config, JSON.stringify({ plugins: PLUGINS, quota: { du: '/nonexistent/du' } }));
  for (const [columns, width] of [
    ['', 80],
    ['60', 60],
  ] as const) {
    const args = ['--config', config, 'doctor'];
    const { stdout } = await hostkeep(server.data, args, '', undefined, { COLUMNS: columns });
    const lines = stdout.split('\n').filter((line) => line.trim().includes(' ')); // what has no space is not broken
    assert.ok(lines.length > 15);
    assertNone(lines, (line) => line.length > width);
    assert.match(stdout, /^MISSING +quota, du: .+(\n {10}.+)*\n {10}→ install the GNU coreutils/m);
    const ready = [...stdout.matchAll(/^not tried +\d+ ready, .*(?:\n {10}.*)*/gm)].map(([all]) => all);
    assert.is(ready.length, 1, 'what needs nothing stands together');
    assert.match(ready[0] ?? '', /\bplans\b[^]*\busage\b/);
    assert.match(stdout, /^\d+ ok, \d+ not tried, \d+ warn, 1 missing\n$/m);
  }
});
