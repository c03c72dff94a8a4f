import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import services from '../../../plugins/services/index.ts';
import { programArguments, programName, serviceNamed } from '../../../plugins/services/programs/service-program.ts';
import { findProgram, missingProgram } from '../../../plugins/services/missing.ts';
import { readRecipes, type ProgramRun, type Recipe } from '../../../plugins/services/recipes.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('recipes of services');
const shipped = readRecipes();
const redis = shipped.get('redis') as Recipe & { readonly run: ProgramRun };
const TEXT = readFileSync(join(projectDir, 'config/services/redis.json'), 'utf8');

test('each shipped recipe has a feature, and each feature a recipe', () => {
  assert.equal([...shipped.keys()].toSorted(), services.features.toSorted());
});

test('a faulty recipe is refused with the name of its file', () => {
  for (const [name, text] of [
    ['redis', TEXT.replace('"title"', '"label"')],
    ['redis', TEXT.replace('"redis.sock"', '"../redis.sock"')],
    ['redis', TEXT.replace('["valkey-server", "redis-server"]', '["../sbin/init"]')],
    ['redis', TEXT.replace('(\\\\d+)', '(\\\\d+')],
    ['redis', TEXT.replace('"own_mib": 128', '"own_mib": 0')],
    ['redis', TEXT.replace('"own_mib": 128', '"own_mib": 128, "sites": "all"')],
    [
      'redis',
      TEXT.replace('{ "send": "PING\\r\\n", "until": "+PONG\\r\\n" }', '{ "program": "../sh", "arguments": [] }'),
    ],
    ['redis', TEXT.slice(1)],
    ['Redis 7', TEXT],
  ] as const) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${name}.json`), text);
    assert.throws(() => readRecipes(folder), new RegExp(`${name}\\.json: `));
  }
});

test('arguments name the folder of the service, and what the plan lets it store', () => {
  const args = programArguments(redis, redis.run, { root: '/srv/ann', memoryMib: 32 });
  for (const each of ['/srv/ann/.services/redis', '/srv/ann/.services/redis/redis.sock', '32mb'])
    assert.ok(args.includes(each), each);
  assert.not.ok(args.some((each) => each.includes('{')));
});

test('a program has another name with other limits or another recipe', () => {
  const size = { memoryMib: 32, sites: null };
  const name = programName(redis, size);
  assert.is(serviceNamed(name), 'redis');
  assert.is(programName({ ...redis }, { ...size }), name);
  assert.is.not(programName(redis, { ...size, memoryMib: 33 }), name);
  assert.is.not(programName({ ...redis, run: { ...redis.run, own_mib: 1 } }, size), name);
  const sites = { host: '127.0.0.1', port: 80, key: 'a' };
  assert.is.not(programName(redis, { ...size, sites }), name);
});

test('the first installed program is taken, and a missing one is told with its package', () => {
  const folder = temporaryFolder();
  assert.is(findProgram(redis.run, [folder]), undefined);
  const { detail, remedy } = missingProgram(redis, redis.run);
  assert.match(detail, /it needs valkey-server or redis-server$/);
  assert.is(remedy, 'apt-get install redis-server');
  writeFileSync(join(folder, 'redis-server'), '');
  assert.is(findProgram(redis.run, [folder]), undefined, 'it is no program');
  chmodSync(join(folder, 'redis-server'), 0o755);
  assert.is(findProgram(redis.run, [folder]), join(folder, 'redis-server'));
  writeFileSync(join(folder, 'valkey-server'), '', { mode: 0o755 });
  assert.is(findProgram(redis.run, [folder]), join(folder, 'valkey-server'));
});
