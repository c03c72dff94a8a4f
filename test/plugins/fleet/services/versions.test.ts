/** Nodes of different versions in one fleet. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import * as assert from '../../../support/assert.ts';
import { openCore } from '../../../../kernel/run/core.ts';
import { createLog } from '../../../../kernel/log.ts';
import { minorsAhead, VERSION } from '../../../../kernel/kit/files/project-dir.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig } from '../../../support/hostkeep.ts';
import type { NodeProcess } from '../../../support/node-process.ts';
import { ownSchema } from '../../../support/postgres.ts';
import { ProjectCopy } from '../../../support/project-copy.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('fleet versions');
const MIGRATION = '9000-newer.sql';
const [major, minor] = VERSION.split('.').map(Number) as [number, number];
const later = (minors: number): string => `${major}.${minor + minors}.0`;
/** A plugin that no other version has. */
const PLUGIN = `export default {
  name: 'newer',
  features: [],
  routes: { look: { method: 'GET', path: '/api/newer', at: 'home', access: 'user', summary: 'x', reply: { type: 'object' } } },
  setup: () => ({ handlers: { look: ({ account }) => ({ of: account.username }) } }),
};
`;

let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [newer, older] = [] as unknown as [NodeProcess, NodeProcess];
let copy: ProjectCopy;

/** Gives the copy of the program a version. */
function become(version: string): void {
  const manifest = JSON.parse(readFileSync(copy.path('package.json'), 'utf8')) as object;
  writeFileSync(copy.path('package.json'), JSON.stringify({ ...manifest, version }));
}

async function query(statement: string): Promise<void> {
  const client = new Client({ connectionString: fleet.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

test.before(async () => {
  copy = new ProjectCopy(['dist']);
  become(later(1));
  const folder = copy.path('dist/plugins/newer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.js'), PLUGIN);
  for (const [path, type] of [
    [MIGRATION, 'integer'],
    [`postgres/${MIGRATION}`, 'bigint'],
  ])
    writeFileSync(copy.path(`kernel/store/migrations/${path}`), `alter table accounts add column newer ${type};\n`);
  ({ fleet, one, two } = await TestFleet.pair('versions'));
});

test('how far versions are apart', () => {
  assert.is(minorsAhead('0.2.0', '0.1.9'), 1);
  assert.is(minorsAhead('1.2.0-rc.1', '1.4.0'), -2);
  assert.ok(Number.isNaN(minorsAhead('1.0.0', '0.9.0')));
  assert.ok(Number.isNaN(minorsAhead('', '0.9.0')));
});

test('a node one minor version ahead works with the others', async () => {
  older = await fleet.start(two, { ben: 'user', root: 'admin' });
  newer = await fleet.start(one, { ann: 'user' }, { cli: copy.path('dist/kernel/run/main.js') });
  await older.end();
  older = await fleet.start(two);
  assert.match(older.output, new RegExp(`"level":"warn".*kernel/${MIGRATION}.*upgrade this one soon`));
  const tokens = { ann: await older.login('ann'), ben: await newer.login('ben') };
  for (const node of [newer, older])
    for (const token of Object.values(tokens)) {
      assert.is((await node.ask('/api/folders', { token })).status, 200);
      const body = { link: '/files', title: 'Files' };
      assert.is((await node.ask('/api/favorites', { method: 'PUT', token, body })).status, 200);
    }
  const admin = await older.login('root', undefined, 'admin');
  await query(`update fleet_heartbeats set sample = (sample::jsonb || '{"tasks": 5000}')::text`);
  for (const node of [newer, older])
    await until('each sees the version of the other', async () => {
      const { status, body } = await node.ask<{ nodes: { version: string }[] }>('/api/fleet', {
        token: admin,
        address: 'admin',
      });
      assert.is(status, 200);
      return body.nodes.map(({ version }) => version).join() === `${later(1)},${VERSION}`;
    });
  assert.equal((await newer.ask('/api/newer', { token: tokens.ann })).body, { of: 'ann' });
  // What only the newer version has is not there for accounts whose home is of the older one, whichever node they ask.
  for (const node of [newer, older]) {
    const { status, body } = await node.ask('/api/newer', { token: tokens.ben });
    assert.equal([status, body['error']], [404, 'not_found']);
  }
});

test('a node two minor versions apart neither joins nor starts', async () => {
  become(later(2));
  await until('the others were seen', async () => {
    const data = join(temporaryFolder(), 'data');
    const args = ['fleet', 'join', '--name', 'three', '--listen', '127.0.0.1:1'];
    const joined = await fleet.run(data, args, await fleet.invite(one), copy.path('dist/kernel/run/main.js'));
    assert.is(joined.code, 1);
    return joined.stderr.includes(
      `this is Hostkeep ${later(2)}, and two has ${VERSION}: they may be one minor version apart`,
    );
  });
  await query(`update migrations set version = '${later(2)}' where name = '${MIGRATION}'`);
  await older.end();
  const refused = await fleet.start(two).catch(String);
  assert.match(
    String(refused),
    new RegExp(`was migrated by a newer Hostkeep: this one, ${VERSION}, does not know kernel/${MIGRATION}`),
  );
});

test("a single node goes on with the next minor version's migrations only", async () => {
  const config = testConfig(temporaryFolder(), { store: { url: ownSchema('alone') } });
  const open = () => openCore(config, createLog('silent'));
  const migratedBy = async (version: string) => {
    const core = await open();
    const insert = "insert into migrations (owner, name, sha256, applied_at, version) values ('kernel', ?, '', 0, ?)";
    await core.store.write((tx) => tx.run(insert, `9000-${version}.sql`, version));
    await core.close();
  };
  await migratedBy(later(1));
  await migratedBy(later(2));
  const refusal = await open().then(
    () => '',
    (error: unknown) => String(error),
  );
  assert.match(refusal, /was migrated by a newer Hostkeep/);
});
