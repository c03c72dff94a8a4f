/** The list of pools with real masters of PHP-FPM behind nginx. */
import { chownSync, statSync } from 'node:fs';
import * as assert from '../../../support/assert.ts';
import { isRunning } from '../../../../kernel/kit/programs/process-id.ts';
import { needs } from '../../../support/needs.ts';
import type { Page } from '../../../support/page.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasHouse, openHouse, VERSION } from '../house.ts';

await needs('domains', 'webserver', 'php');
const test = testSuite('php-pools: served');
const MIB = 2 ** 20;
/** Waits for the file `go`. */
const WAITS = '<?php while (!file_exists(__DIR__ . "/go")) { usleep(20000); clearstatcache(); } echo "done";';

if (hasHouse()) {
  test('a pool is shown with what it takes, and its status to no visitor', async () => {
    const { customer, list, pool } = await openHouse();
    const [ann, bea] = [await customer('ann'), await customer('bea')];
    for (const each of [ann, bea]) each.put('index.php', '<?php echo "here";');
    for (let i = 0; i < 5; i += 1) assert.is((await ann.get()).body, 'here');
    assert.is((await bea.get()).body, 'here');
    const shown = await eventually(
      '5 requests',
      () => pool('ann'),
      ({ requests, active }) => requests === 5 && active === 0, // the last one is being finished when its answer is there
    );
    assert.equal(
      [shown.domains, shown.version, shown.state, shown.problem],
      [['ann.example'], VERSION, 'running', null],
    );
    assert.equal([shown.active, shown.idle, shown.limit_reached], [0, shown.processes, 0]);
    assert.ok(shown.processes >= 1 && shown.memory_bytes > 4 * MIB && shown.memory_bytes < 100 * MIB);
    assert.is((await pool('bea')).requests, 1);
    const { sums, pools } = await list();
    assert.equal([sums.pools, sums.running, sums.asleep, pools.length], [2, 2, 0, 2]);
    for (const path of [
      '/hostkeep-status',
      '/index.php/hostkeep-status',
      '/hostkeep-status.php',
      '/hostkeep-status?full',
    ])
      assert.not.match((await ann.get(path)).body, /accepted conn|active processes/, path);
  });

  test('a pool falls asleep while it is watched, and sleeps on', async () => {
    const { customer, pool, list, files } = await openHouse({ idle_seconds: 2 });
    const ann = await customer('ann');
    ann.put('index.php', '<?php echo "here";');
    assert.is((await ann.get()).body, 'here');
    await until('it is asleep', async () => (await pool('ann')).state === 'asleep');
    await until('the master before is gone', () => !files(ann, '.ending').some(isRunning));
    const since = performance.now();
    const states = new Set<string>();
    await until('two more measurements', async () => {
      states.add((await pool('ann')).state);
      return performance.now() - since > 4500;
    });
    assert.equal([...states], ['asleep']);
    assert.equal(files(ann, '.master').filter(isRunning), [], 'nothing was started');
    const { memory_bytes, processes, running_seconds, requests } = await pool('ann');
    assert.equal([memory_bytes, processes, running_seconds, requests], [0, 0, 0, null]);
    assert.is((await list()).sums.asleep, 1);
    assert.is((await ann.get()).body, 'here');
    const awake = await eventually(
      'it is awake',
      () => pool('ann'),
      ({ state }) => state === 'running',
    );
    assert.ok(awake.memory_bytes > 4 * MIB);
  });

  test('a pool whose processes are all at work is busy, and keeps nobody waiting', async () => {
    const { server, customer, pool } = await openHouse();
    const features = ['domains', 'php'];
    await server.hostkeep.core.plans.create('small', { limits: { php_workers_limit: 2 } }, features);
    const ann = await customer('ann', 'small');
    ann.put('index.php', WAITS);
    const answers = Promise.all(Array.from({ length: 4 }, () => ann.get()));
    const busy = await eventually(
      'it is busy',
      () => pool('ann'),
      ({ state }) => state === 'busy',
    );
    assert.equal([busy.processes, busy.active, busy.idle, busy.most_processes], [2, 2, 0, 2]);
    const since = performance.now();
    for (let i = 0; i < 3; i += 1) await pool('ann');
    assert.ok(performance.now() - since < 5000, 'the list comes all the same');
    ann.put('go', '');
    assert.equal(
      (await answers).map(({ body }) => body),
      Array.from({ length: 4 }, () => 'done'),
    );
    const after = await eventually(
      'it answers',
      () => pool('ann'),
      ({ requests }) => requests !== null && requests >= 4,
    );
    assert.equal(
      [after.requests, after.state, after.active],
      [4, 'running', 0],
      'those by which it was asked do not count',
    );
  });

  test('memory that a script takes is seen, at the account whose script it is', async () => {
    const { customer, pool } = await openHouse();
    const [ann, bea] = [await customer('ann'), await customer('bea')];
    await bea.get();
    const [before, other] = [await pool('ann'), await pool('bea')];
    ann.put('index.php', `<?php $held = str_repeat("x", 60 << 20); ?>${WAITS}`);
    const answer = ann.get();
    const grown = (least: number) => (each: { memory_bytes: number }) =>
      each.memory_bytes > before.memory_bytes + least;
    await eventually('it has grown', () => pool('ann'), grown(55 * MIB));
    assert.ok((await pool('bea')).memory_bytes < other.memory_bytes + 10 * MIB);
    ann.put('go', '');
    assert.is((await answer).body, 'done');
    await eventually(
      'it has shrunk',
      () => pool('ann'),
      (each) => !grown(10 * MIB)(each),
    );
  });

  test('a restart replaces processes under load, without a lost request', async () => {
    const { customer, pool, restart, files } = await openHouse();
    const ann = await customer('ann');
    ann.put('index.php', '<?php usleep(20000); echo "done";');
    ann.put('stuck.php', `<?php touch(__DIR__ . "/begun"); ?>${WAITS}`);
    const stuck = ann.get('/stuck.php');
    // FPM starts no further process for requests that come before the first one has its request
    await until('it is stuck', () => ann.has('begun'));
    const end = new AbortController();
    const answers: Page[] = [];
    const visit = async () => {
      while (!end.signal.aborted) answers.push(await ann.get());
    };
    const visitors = [visit(), visit(), visit()];
    await until('visits', () => answers.length > 10);
    const [master = ''] = files(ann, '.master');
    const shown = await pool('ann');
    assert.is(await restart(shown), 200);
    await until('another master', () => files(ann, '.master').some((each) => each !== master && isRunning(each)));
    const before = answers.length;
    await until('visits by it', () => answers.length > before + 10);
    assert.equal([await restart(shown), isRunning(master)], [409, true], 'the one before still has a request');
    ann.put('go', '');
    assert.is((await stuck).body, 'done');
    end.abort();
    await Promise.all(visitors);
    assert.equal(
      answers.filter(({ body }) => body !== 'done'),
      [],
    );
  });

  test('a pool that cannot be started is missing until it can', async () => {
    const { customer, pool, list, files } = await openHouse();
    const ann = await customer('ann');
    ann.put('index.php', '<?php echo "here";');
    const { uid, gid } = statSync(ann.filesRoot);
    chownSync(ann.filesRoot, 1, 1);
    const [master = ''] = files(ann, '.master');
    process.kill(Number.parseInt(master, 10), 'SIGKILL');
    const missing = await eventually(
      'it is missing',
      () => pool('ann'),
      ({ state }) => state === 'missing',
    );
    assert.equal([missing.processes, missing.memory_bytes, (await list()).sums.missing], [0, 0, 1]);
    chownSync(ann.filesRoot, uid, gid);
    await until('it is there again', async () => (await list()).sums.missing === 0);
    await until('it answers', async () => (await ann.get()).body === 'here');
  });
}
