/** The containers plugin with a real Docker Engine; its replies are compared with the output of the docker CLI. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../../support/assert.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import type { ContainerRecord, DiskUsage, StatsTotals } from '../../../../plugins/containers/schema.ts';
import { dockerMissing, NETWORK, TestDocker } from '../../../support/docker.ts';
import { fakeEngine, json } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';
import { pick } from '../../../support/lists.ts';

const missing = dockerMissing();
const test = testSuite('containers-docker');
const MIB = 2 ** 20;
/** Between two samples, and after one that failed. */
const ROUND_MS = 2000;

test('an absent engine is a 503', async () => {
  const server = await TestServer.start({ config: { containers: { socket: '/nonexistent/docker.sock' } } });
  assert.is((await server.ask('/api/docker_stats', { token: (await server.user('ann')).token })).status, 503);
});

const CACHE = [
  { ID: 'a1', Type: 'source.local', Description: '', Size: 0, CreatedAt: '2026-11-20T12:20:16Z', UsageCount: 0 },
  {
    ...{ ID: 'b2', Parent: 'a1', Type: 'regular', Description: 'mount / from exec "x"', InUse: true, Shared: true },
    ...{ Size: 1_234_567, CreatedAt: '2026-11-20T12:20:16.123450000Z', LastUsedAt: '2026-11-21T08:00:00.500Z' },
    UsageCount: 3,
  },
];
if (missing === undefined)
  test('the build cache is shown as the docker CLI does, for an own engine only', async () => {
    const socket = join(temporaryFolder(), 'engine.sock');
    const engine = await fakeEngine(socket, (path, response) => {
      response.setHeader('Api-Version', '1.41');
      if (path.endsWith('/system/df')) json(response, { LayersSize: 0, BuildCache: CACHE });
      else json(response, []);
    });
    const server = await TestServer.start({ config: { containers: { socket, sockets: {} }, ids: { first: 0 } } });
    const own = await TestServer.start({
      config: { containers: { socket: '', sockets: { ann: socket } }, ids: { first: 0 } },
    });
    try {
      const cacheOn = async (on: TestServer) => {
        const { token } = await on.user('ann');
        const ask = () => on.ask<DiskUsage>('/api/container/df', { token });
        const { body } = await eventually('the disk usage', ask, ({ status }) => status === 200);
        return body.data[0]?.BuildCache;
      };
      const { stdout } = await promisify(execFile)('docker', ['system', 'df', '-v', '--format', 'json'], {
        env: { ...process.env, DOCKER_HOST: `unix://${socket}` },
      });
      const { BuildCache: printed } = JSON.parse(stdout) as Usage;
      const withoutAge = (records: Usage['BuildCache'] = []) =>
        records
          .map((record) => ({ ...record, CreatedSince: '', LastUsedSince: '' }))
          .toSorted((a, b) => (a.ID < b.ID ? -1 : 1));
      const shown = await cacheOn(own);
      assert.equal(withoutAge(shown), withoutAge(printed));
      assert.equal(
        shown?.map(({ ID }) => ID),
        ['b2*', 'a1'],
      );
      assert.match(shown?.[0]?.LastUsedSince ?? '', / ago$/);
      assert.equal(await cacheOn(server), []);
    } finally {
      await server.close();
      await own.close();
      await engine.close();
    }
  });

if (missing === undefined) withDocker();
else reportSkipped(missing);

type Usage = DiskUsage['data'][number];
interface User {
  account: Account;
  token: string;
}

function withDocker(): void {
  let docker: TestDocker;
  let server: TestServer;
  let users: Record<'ann' | 'bob' | 'cleo' | 'eve' | 'own', User>;
  let ann: string[];

  test.before(async () => {
    docker = await TestDocker.start();
    const network = ['--network', NETWORK];
    await docker.cli('volume', 'create', '--label', 'hostkeep.account=ann', 'ann-unused');
    ann = await Promise.all([
      docker.run(
        'echo hello >/www/index.html; exec httpd -f -p 8080 -h /www',
        '--name',
        'ann-pma',
        '--label',
        'hostkeep.account=ann',
        '--label',
        'com.docker.compose.service=phpmyadmin',
        '--memory',
        '64m',
        ...network,
        '-p',
        '127.0.0.1::8080',
        '-v',
        'ann-data:/data',
      ),
      docker.run(
        'dd if=/dev/zero of=/data/x bs=1M count=2 2>/dev/null; while :; do :; done',
        '--name',
        'ann-busy',
        '--label',
        'com.docker.compose.project=ann',
        '--label',
        'com.docker.compose.project.working_dir=/srv/ann',
        '--label',
        'a.b=c d',
        '--cpus',
        '0.3',
        '--network',
        'none',
      ),
      docker.run(
        'sleep 1000 & exec sleep 1000',
        '--name',
        'ann-db',
        '--label',
        'hostkeep.account=ann',
        '--memory',
        '32m',
        ...network,
        '-p',
        '127.0.0.1::3306',
        '--expose',
        '33060',
        '-v',
        'ann-data:/data:ro',
        '-v',
        '/tmp:/host:ro',
      ),
    ]);
    await docker.run(
      'sleep 1000',
      '--name',
      'bob-one',
      '--label',
      'hostkeep.account=bob',
      ...network,
      '-v',
      'bob-data:/data',
    );
    await docker.run('sleep 1000', '--name', 'stranger', '--network', 'none');
    await docker.cli(
      'create',
      '--name',
      'ann-made',
      '--label',
      'hostkeep.account=ann',
      '--network',
      'none',
      'busybox:local',
      'true',
    );
    server = await TestServer.start({
      config: {
        containers: { socket: docker.socket, sockets: { own: docker.ownSocket }, df_seconds: 1 },
        files_root: '/srv/{username}/www',
        ids: { first: 0 },
      },
    });
    users = {
      ann: await server.user('ann'),
      bob: await server.user('bob'),
      cleo: await server.user('cleo'),
      eve: await server.user('eve'),
      own: await server.user('own'),
    };
  });

  test.after(async () => {
    await server?.close();
    await docker?.stop();
  });

  /** Asks again where the engine needed longer than a sample may take, as on a busy machine: these are tests of values. */
  const sample = async ({ token }: User): Promise<{ date: string; stats: StatsTotals }> => {
    type Sample = { container_stats: { date: string; stats: StatsTotals }; error?: string };
    const ask = () => server.ask<Sample>('/api/docker_stats', { token });
    const isThere = ({ body: { error } }: { body: Sample }) => error !== 'containers_unavailable';
    const { status, body } = await eventually('the engine answers in time', ask, isThere);
    assert.is(status, 200, JSON.stringify(body));
    return body.container_stats;
  };
  const stats = async (user: User): Promise<StatsTotals> => (await sample(user)).stats;
  /** Polls until a sample matches; there is one every two seconds. */
  const sampleWhere = async (
    user: User,
    isMatch: (sample: { date: string; stats: StatsTotals }) => boolean,
  ): Promise<{ date: string; stats: StatsTotals }> => {
    return eventually('the statistics are as wanted', () => sample(user), isMatch);
  };
  /** A sample whose processor use was counted from another new sample. */
  const newSample = async (user: User): Promise<StatsTotals> => {
    const { date } = await sample(user);
    const next = await sampleWhere(user, (now) => now.date !== date);
    return (await sampleWhere(user, (now) => now.date !== next.date)).stats;
  };

  /** Sums of what the CLI prints for containers. */
  const cliSums = async (...ids: string[]) => {
    const lines = (await docker.cli('stats', '--no-stream', '--format', 'json', ...ids))
      .split('\n')
      .map((line) => JSON.parse(line) as StatsTotals);
    const sum = (figure: (line: StatsTotals) => number) => lines.reduce((total, line) => total + figure(line), 0);
    return {
      containers: lines.length,
      pids: sum((line) => Number(line.PIDs)),
      cpu: sum((line) => Number.parseFloat(line.CPUPerc)),
      memory: sum((line) => bytes(line.MemUsage, 0)),
      limit: sum((line) => bytes(line.MemUsage, 1)),
      received: sum((line) => bytes(line.NetIO, 0)),
      sent: sum((line) => bytes(line.NetIO, 1)),
      read: sum((line) => bytes(line.BlockIO, 0)),
      written: sum((line) => bytes(line.BlockIO, 1)),
    };
  };

  /** Asserts that a sample lies between two outputs of the CLI, which rounds its figures. */
  const assertLikeCli = async (user: User, ...ids: string[]) => {
    type Sums = Awaited<ReturnType<typeof cliSums>>;
    const isBetween = (value: number, slack: number, ends: readonly number[]) =>
      value >= Math.min(...ends) * 0.99 - slack && value <= Math.max(...ends) * 1.01 + slack;
    const measure = async () => ({
      before: await cliSums(...ids),
      ours: await newSample(user),
      after: await cliSums(...ids),
    });
    // what containers get of the processors changes with what else runs on the machine
    const { before, ours, after } = await eventually('like shares of the processors', measure, (seen) =>
      isBetween(Number.parseFloat(seen.ours.CPUPerc), 15, [seen.before.cpu, seen.after.cpu]),
    );
    assert.is(ours.Container, String(before.containers));
    const between = (name: keyof Sums, value: number, slack: number) => {
      const ends = [before[name], after[name]];
      assert.ok(isBetween(value, slack, ends), `${name}: ${value} is not from ${ends.join(' to ')}`);
    };
    between('pids', ours.PIDs, 0);
    between('memory', bytes(ours.MemUsage, 0), 0.3 * MIB);
    between('limit', bytes(ours.MemUsage, 1), 0.01 * MIB);
    between('received', bytes(ours.NetIO, 0), 5);
    between('sent', bytes(ours.NetIO, 1), 5);
    between('read', bytes(ours.BlockIO, 0), 5);
    between('written', bytes(ours.BlockIO, 1), 5);
    const memoryPercent = (bytes(ours.MemUsage, 0) / bytes(ours.MemUsage, 1)) * 100;
    assert.ok(Math.abs(Number.parseFloat(ours.MemPerc) - memoryPercent) < 0.02, `${ours.MemPerc} of ${ours.MemUsage}`);
  };

  test('where control groups are readable, the engine gets no request for each container', async () => {
    const calls = async () => {
      const [metrics] = (await server.hostkeep.plugins.gather('metrics')).filter(
        ({ plugin }) => plugin === 'containers',
      );
      assert.ok(metrics?.ok);
      return (
        metrics.value.find(({ name }) => name === 'hostkeep_container_engine_calls_total')?.samples[0]?.value ??
        Number.NaN
      );
    };
    const [before, started] = [await calls(), performance.now()];
    assert.is((await stats(users.ann)).Container, '3');
    const after = await calls();
    assert.ok(after - before <= 2 + (performance.now() - started) / ROUND_MS, 'a list in each round of samples');
  });

  test('what containers take is told of each account for operators', async () => {
    const [part] = await server.hostkeep.plugins
      .gather('accountsLoad', [users.ann.account, users.cleo.account])
      .then((all) => all.filter(({ plugin }) => plugin === 'containers'));
    assert.ok(part?.ok);
    assert.ok((part.value.get(users.ann.account.id)?.memoryBytes ?? 0) > 0);
    assert.equal(part.value.get(users.cleo.account.id), { cpuPercent: 0, memoryBytes: 0 });
  });

  test('the sums are those of the docker CLI', () => assertLikeCli(users.ann, ...ann));

  test('memory is written as the docker CLI writes it', async () => {
    const units = (text: string) => text.replaceAll(/\d+(\.\d+)?/g, '0');
    for (const limit of ['16m', '64m', '1g']) {
      const name = `units-${limit}`;
      const id = await docker.run(
        'exec sleep 1000',
        ...['--name', name, '--label', `hostkeep.account=${users.eve.account.username}`],
        ...['--memory', limit, '--network', 'none'],
      );
      const { stats: ours } = await sampleWhere(users.eve, ({ stats: { Container } }) => Container === '1');
      const cli = JSON.parse(await docker.cli('stats', '--no-stream', '--format', 'json', id)) as StatsTotals;
      assert.is(ours.MemUsage.split(' / ')[1], cli.MemUsage.split(' / ')[1]);
      assert.is(units(ours.MemUsage), units(cli.MemUsage), `${ours.MemUsage}, and the CLI ${cli.MemUsage}`);
      await docker.cli('rm', '-f', id);
      await sampleWhere(users.eve, ({ stats: { MemUsage } }) => MemUsage === '0B / 0B');
    }
  });

  test('all containers of an own engine count for its account', async () => {
    const all = (await docker.cli('ps', '-q', '--no-trunc')).split('\n');
    assert.is(all.length, 5);
    await assertLikeCli(users.own, ...all);
  });

  test('two accounts see only their own containers, and a third sees none', async () => {
    assert.equal([(await stats(users.bob)).Container, (await stats(users.bob)).PIDs], ['1', 1]);
    assert.equal(await stats(users.cleo), {
      BlockIO: '0B / 0B',
      CPUPerc: '0.00 %',
      Container: '0',
      ID: '',
      MemPerc: '0.00 %',
      MemUsage: '0B / 0B',
      Name: '',
      NetIO: '0B / 0B',
      PIDs: 0,
    });
  });

  test('disk usage has the records that the docker CLI prints', async () => {
    const cli = JSON.parse(await docker.cli('system', 'df', '-v', '--format', '{{json .}}')) as Usage;
    const usageOf = async ({ token }: User) => {
      const ask = () => server.ask<{ data: [Usage] }>('/api/container/df', { token });
      const { body } = await eventually('the disk usage is measured', ask, ({ status }) => status === 200);
      const { data } = body;
      assert.is(data.length, 1);
      return data[0];
    };
    const mine = await usageOf(users.ann);
    const names = ['ann-busy', 'ann-db', 'ann-made', 'ann-pma'];
    assert.equal(comparable(mine.Containers), comparable(cli.Containers.filter(({ Names }) => names.includes(Names))));
    assert.equal(mine.Containers.map(({ Names }) => Names).toSorted(), names);
    const [image, cliImage] = [mine.Images[0], cli.Images[0]];
    assert.equal({ ...image, CreatedSince: '' }, { ...cliImage, CreatedSince: '', Containers: '4' });
    const byName = (usage: Usage) => usage.Volumes.toSorted((a, b) => (a.Name < b.Name ? -1 : 1));
    assert.equal(
      byName(mine),
      byName(cli).filter(({ Name }) => Name.startsWith('ann-')),
    );
    assert.equal(mine.Volumes.map(({ Name, Links }) => [Name, Links]).toSorted(), [
      ['ann-data', '2'],
      ['ann-unused', '0'],
    ]);
    assert.equal(pick((await usageOf(users.bob)).Containers, 'Names'), ['bob-one']);
    assert.equal(await usageOf(users.cleo), { BuildCache: [], Containers: [], Images: [], Volumes: [] });
    assert.equal(comparable((await usageOf(users.own)).Containers), comparable(cli.Containers));
  });

  test('the services answer at the published ports', async () => {
    const { body } = await server.ask<Record<string, number | null>>('/system/hosting/ports', {
      token: users.ann.token,
    });
    const port = async (name: string) => Number((await docker.cli('port', name)).split(':').at(-1));
    assert.equal(body, {
      phpmyadmin_port: await port('ann-pma'),
      remote_mysql_port: await port('ann-db'),
      remote_ssh_port: null,
      webterminal_port: null,
    });
    assert.is(await docker.inNetwork('curl', '--silent', `http://127.0.0.1:${body['phpmyadmin_port']}/`), 'hello\n');
    const bobs = await server.ask('/system/hosting/ports', { token: users.bob.token });
    assert.equal(bobs.body, {
      phpmyadmin_port: null,
      remote_mysql_port: null,
      remote_ssh_port: null,
      webterminal_port: null,
    });
  });

  test('no poll fails while containers start, restart, pause and end', async () => {
    const over = new AbortController();
    const polling = (async () => {
      while (!over.signal.aborted) {
        await stats(users.ann);
        await stats(users.own);
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const id = await docker.run('sleep 0.2', '--label', 'hostkeep.account=ann', '--network', 'none');
      await docker.cli('rm', '-f', id);
    }
    await docker.cli('restart', '-t', '0', 'ann-pma');
    await docker.cli('pause', 'ann-busy');
    over.abort();
    await polling;
    await sampleWhere(
      users.ann,
      ({ stats: { Container, CPUPerc } }) => Container === '3' && Number.parseFloat(CPUPerc) < 1,
    );
    await docker.cli('unpause', 'ann-busy');
    await assertLikeCli(users.ann, ...ann);
  });

  test('doctor and metrics report the engine', async () => {
    const [doctor] = (await server.hostkeep.plugins.gather('doctor')).filter(({ plugin }) => plugin === 'containers');
    assert.ok(doctor?.ok);
    assert.match(doctor.value[0]?.detail ?? '', /^Docker \d+\.\d+\.\S+ \(API 1\.\d+\) at /);
    assert.equal(
      doctor.value.map(({ name, ok }) => [name.replace(/ \/.*/, ''), ok]),
      [
        ['container engine', true],
        ['container made and removed', true],
        ['container engine', true],
        ['control groups', true],
      ],
      JSON.stringify(doctor.value),
    );
    for (const what of [['ps', '-a'], ['images']])
      assert.not.match(await docker.cli(...what), /hostkeep-doctor/, 'nothing is left behind');
    const [metrics] = (await server.hostkeep.plugins.gather('metrics')).filter(({ plugin }) => plugin === 'containers');
    assert.ok(metrics?.ok);
    assert.equal(
      metrics.value.find(({ name }) => name === 'hostkeep_container_engine_up')?.samples.map(({ value }) => value),
      [1, 1],
    );
  });

  test('the demo starts two containers without pulling an image, and leaves none', async () => {
    const demo = await TestServer.start({ config: { containers: { socket: docker.socket, timeout_ms: 10_000 } } });
    const before = await docker.cli('ps', '-aq');
    const volumes = await docker.cli('volume', 'ls', '-q');
    const results = await demo.hostkeep.plugins.gather('demoOutside', {
      demo: await demo.account('demo'),
      other: await demo.account('other'),
    });
    const part = results.find(({ plugin }) => plugin === 'containers');
    assert.is(part?.ok, true);
    const value = part?.ok === true ? part.value : undefined;
    assert.match(
      value?.uses?.join('\n') ?? '',
      /^containers: Docker \d[^\n]* at \S+; 2 small containers of demo, [^\n]*$/,
    );
    assert.is(value?.leftOut, undefined);
    assert.is((await docker.cli('ps', '-q', '--filter', 'label=hostkeep.account=demo')).split('\n').length, 2);
    assert.is(
      await docker.cli('volume', 'ls', '-q', '--filter', 'label=hostkeep.account=demo'),
      'hostkeep-demo-demo-data',
    );
    await docker.cli('kill', 'hostkeep-demo-demo-worker');
    const stopped = await docker.cli('ps', '-a', '--filter', 'status=exited', '--format', '{{.Names}}');
    assert.match(stopped, /^hostkeep-demo-demo-worker$/m, 'it can be started again');
    await demo.close();
    assert.is(await docker.cli('ps', '-aq'), before);
    assert.is(await docker.cli('volume', 'ls', '-q'), volumes);
    assert.is(await docker.cli('images', '-q', 'hostkeep-demo'), '');
  });

  // threat reused-names: a purge removes the containers and volumes that a new account of the name would find
  test("a purge removes the account's containers and volumes, and no other's", async () => {
    const project = ['--label', 'com.docker.compose.project=gus'];
    const folder = ['--label', 'com.docker.compose.project.working_dir=/srv/gus'];
    await docker.cli('volume', 'create', '--label', 'hostkeep.account=gus', 'gus-labelled');
    for (const name of ['gus_data', 'gus_old']) await docker.cli('volume', 'create', ...project, name);
    const sleep = (name: string, ...args: string[]) =>
      docker.run('sleep 1000', '--name', name, '--network', 'none', ...args);
    await sleep('gus-one', '--label', 'hostkeep.account=gus', '-v', '/anonymous');
    await sleep('gus-two', ...project, ...folder, '-v', 'gus_data:/data');
    await sleep('not-of-gus', ...project, '--label', 'com.docker.compose.project.working_dir=/srv/shop');
    const [before, volumes] = [await docker.cli('ps', '-aq'), await docker.cli('volume', 'ls', '-q')];
    const { account } = await server.user('gus');
    await server.hostkeep.core.accounts.remove('gus');
    const purge = async () => {
      const removed = { ...account, removedAt: Date.now() };
      const parts = await server.hostkeep.plugins.gather('purge', removed, new AbortController().signal);
      const part = parts.find(({ plugin }) => plugin === 'containers');
      if (part?.ok !== true) throw new Error(JSON.stringify(part));
      return part.value;
    };
    const problem = "no container uses gus_old of a compose project of this name: remove what is the account's";
    assert.equal(await purge(), [
      { what: 'containers', removed: 2 },
      { what: 'volumes', removed: 2, problem },
    ]);
    const left = (text: string) => text.split('\n').length;
    assert.is(left(await docker.cli('ps', '-aq')), left(before) - 2);
    assert.is(left(await docker.cli('volume', 'ls', '-q')), left(volumes) - 3, 'with the anonymous one');
    assert.ok((await docker.cli('ps', '--format', '{{.Names}}')).includes('not-of-gus'));
    await docker.cli('volume', 'rm', 'gus_old');
    assert.equal(await purge(), [
      { what: 'containers', removed: 0 },
      { what: 'volumes', removed: 0 },
    ]);
    await docker.cli('rm', '-f', 'not-of-gus');
    const own = await server.hostkeep.plugins.gather(
      'purge',
      { ...account, username: 'own', removedAt: 0 },
      new AbortController().signal,
    );
    assert.match(JSON.stringify(own.find(({ plugin }) => plugin === 'containers')), /has an engine of its own/);
  });

  test('a stopped engine is 503, and its containers return with it', async () => {
    await docker.down();
    const poll = () =>
      server.ask<{ error: string; container_stats: { stats: StatsTotals } }>('/api/docker_stats', {
        token: users.bob.token,
      });
    const answer = await eventually('the engine is missed', poll, ({ status }) => status !== 200);
    assert.equal([answer.status, answer.body.error], [503, 'containers_unavailable']);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    await docker.up();
    await docker.cli('start', 'bob-one');
    const isBack = ({ status, body }: Awaited<ReturnType<typeof poll>>) =>
      status === 200 && body.container_stats.stats.Container === '1';
    await eventually('its container is back', poll, isBack);
  });
}

/** Bytes on one side of a text like `1.2MB / 3.4kB` or `320.3MiB / 3GiB`. */
function bytes(pair: string, side: 0 | 1): number {
  const [, value, unit = ''] = /^([\d.e+]+)([kKMGT]?i?)B$/.exec(pair.split(' / ')[side] ?? '') ?? [];
  const power = 'kMGT'.indexOf(unit.charAt(0).replace('K', 'k')) + 1;
  return Number(value) * (unit.endsWith('i') ? 1024 : 1000) ** (unit === '' ? 0 : power);
}

/**
 * Removes what changes between two requests, and sorts lists, whose order the engine and the CLI leave to chance. Only
 * some versions of the CLI print the platform; ours is null, as its schema says.
 */
function comparable(records: readonly ContainerRecord[]): ContainerRecord[] {
  const sorted = (text: string) => text.split(',').toSorted().join(',');
  return records
    .map((record) => ({
      ...record,
      Platform: null,
      RunningFor: '',
      Status: record.Status.replace(/\d.*|About .*/, ''),
      Labels: sorted(record.Labels),
      Networks: sorted(record.Networks),
      Mounts: sorted(record.Mounts),
    }))
    .toSorted((a, b) => (a.ID < b.ID ? -1 : 1));
}
