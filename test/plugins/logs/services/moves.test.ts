/** The lines of a site go with its account to another node, whose nginx adds newer ones. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { atEnd } from '../../../support/ending.ts';
import { TestFleet } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver', 'fleet', 'moves');
const test = testSuite('logs: moves with nginx');
const DOMAIN = 'ann.example';

if (hasNginx())
  test('the lines of before are there, once, and older than those of the new home', async () => {
    const [here, there] = [await Nginx.start(), await Nginx.start()];
    for (const nginx of [here, there]) atEnd(() => nginx.remove());
    const { fleet, one, two } = await TestFleet.pair('log_moves');
    const first = await fleet.serve(one, undefined, { webserver: here.settings });
    const second = await fleet.serve(two, undefined, { webserver: there.settings });
    await fleet.areUp(one);
    await first.hostkeep.core.plans.create('plain', {}, ['domains', 'errors', 'goaccess']);
    const { account, token } = await first.user('ann', 'plain');
    const added = await first.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: DOMAIN } });
    assert.is(added.status, 201, JSON.stringify(added.body));
    const paths = async (server: TestServer): Promise<(string | null)[]> => {
      const how = `/api/logs/lines?domain_url=${DOMAIN}&limit=1000`;
      const { body } = await server.ask<{ lines: { path: string | null }[] }>(how, { token });
      return body.lines.map(({ path }) => path).toReversed();
    };
    const visits = Array.from({ length: 300 }, (_, i) => `/before-${i}`);
    for (const path of visits) await here.fetch(DOMAIN, path);
    const sql = "select sum(size) as size from logs_sites where kind = 'access'";
    const counted = async () => (await first.hostkeep.core.local.get<{ size: number | null }>(sql))?.size ?? 0;
    const written = async () => {
      const { body } = await first.ask<{ logs: { access_bytes: number }[] }>('/api/logs', { token });
      return body.logs[0]?.access_bytes;
    };
    await until(
      'all lines count',
      async () => (await paths(first)).length === 300 && (await counted()) === (await written()),
    );
    const file = join(temporaryFolder(), 'settings.json');
    writeFileSync(file, JSON.stringify({ webserver: here.settings }));
    const { code, stderr } = await fleet.run(one.data, ['--config', file, 'account', 'move', 'ann', '--to', 'two']);
    assert.is(code, 0, stderr);
    await until('the new home has them', async () => (await paths(second)).length === 300);
    await there.fetch(DOMAIN, '/after');
    await until('the new home adds to them', async () => (await paths(second)).length > 300);
    assert.equal(await paths(second), [...visits, '/after']);
    assert.equal(await paths(first), await paths(second), 'by any node');
    assert.not(existsSync(join(two.data, 'logs/arriving', String(account.id))));
    await until('the old home has none', () =>
      readdirSync(join(one.data, 'logs')).every((name) => !/^\d+$/.test(name)),
    );
  });
