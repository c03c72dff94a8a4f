/** Services in containers, with a real engine: the shipped recipe with an image that answers as Elasticsearch does, and Redis. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { ServiceContainers } from '../../../../plugins/services/programs/service-containers.ts';
import type { Service } from '../../../../plugins/services/schema.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { askAs, openHouse, processesOf, type Customer } from '../house.ts';
import { makeRedisImage, makeSearchImage } from '../images.ts';
import { hasServices } from '../programs.ts';

const test = testSuite('services-contained');
const SEARCH = 'elasticsearch';
const IMAGE = 'elasticsearch:8.19.0';
const LIMIT_S = 2;
const ADD = 'PUT /shop/_doc/1 HTTP/1.1\r\nHost: x\r\n\r\n';
const READ = 'GET /_cluster/health HTTP/1.1\r\nHost: x\r\n\r\n';
let docker: TestDocker;
let house: Awaited<ReturnType<typeof openHouse>>;

/** The recipe of Redis, run from an image. */
function redisRecipe(): string {
  const shipped = JSON.parse(readFileSync(join(projectDir, 'config/services/redis.json'), 'utf8')) as object;
  const folder = temporaryFolder();
  const command = ['/usr/bin/redis-server', '--bind', '127.0.0.1', '--save', '', '--maxmemory', '{memory_mib}mb'];
  const run = {
    ...{ image: 'redis:local', command: [...command, '--dir', '/tmp'], environment: {}, port: 6379 },
    ...{ storage: '', scratch: ['/tmp'], own_mib: 64, processes: 32, processors: 1 },
  };
  writeFileSync(join(folder, 'redis.json'), JSON.stringify({ ...shipped, run }));
  return folder;
}

async function switchedOn(customer: Customer, service: string): Promise<Service & { socket: string }> {
  const { status, body } = await customer.change(service, true);
  assert.is(status, 200, JSON.stringify(body));
  return body as Service & { socket: string };
}

const idsOf = async (username: string): Promise<string[]> =>
  (await docker.cli('ps', '-aq', '--no-trunc', '--filter', `label=hostkeep.account=${username}`))
    .split('\n')
    .filter((id) => id !== '');
const searching = (customer: Customer) =>
  eventually(
    'it answers',
    () => customer.shown(SEARCH),
    ({ is_running: runs }) => runs,
  );

if (hasServices() && dockerMissing() === undefined) {
  test.before(async () => {
    docker = await TestDocker.start({ isOfOneProcessor: true });
    house = await openHouse({
      services: { engine_socket: docker.socket, recipes_folder: redisRecipe() },
      containers: { socket: docker.socket },
    });
  });
  test.after(() => docker.stop());

  test('an image that the operator has not provided is told, and nothing is started', async () => {
    const ann = await house.customer('ann');
    const { status, body } = await ann.change(SEARCH, true);
    assert.equal([status, body.error], [502, 'service_failed']);
    assert.match(body.detail ?? '', /Elasticsearch is not installed on this server: its image is missing/);
    assert.is((await ann.shown(SEARCH)).is_installed, false);
    const finding = (await house.server.gathered('doctor')).find(({ name }) => name === SEARCH);
    assert.equal([finding?.isWarning, finding?.remedy], [true, `docker pull ${IMAGE}`]);
    assert.equal([await idsOf('ann'), existsSync(join(house.folder, 'stored'))], [[], false]);
    await makeSearchImage(docker, IMAGE);
    await makeRedisImage(docker, 'redis:local');
    assert.is((await ann.shown(SEARCH)).is_installed, true);
  });

  // threat other-accounts: nobody but the account reaches what runs in a container of its own
  test('it runs without network or rights, and answers on a socket for its account alone', async () => {
    const [ann, bea] = [await house.customer('ann1'), await house.customer('bea1')];
    const { socket, speaks_http: speaksHttp, keeps } = await switchedOn(ann, SEARCH);
    assert.equal([speaksHttp, keeps, statSync(socket).uid], [true, true, ann.uid]);
    assert.match(await askAs(ann.uid, socket, READ, LIMIT_S), /"status":"green"/);
    assert.match(await askAs(bea.uid, socket, READ), /PermissionError/);
    const [id = ''] = await idsOf('ann1');
    const [{ Config, HostConfig, NetworkSettings }] = JSON.parse(await docker.cli('inspect', id));
    assert.equal(
      [Config.User, HostConfig.NetworkMode, HostConfig.ReadonlyRootfs],
      [`${ann.uid}:${ann.uid}`, 'none', true],
    );
    assert.equal([HostConfig.CapDrop, HostConfig.SecurityOpt], [['ALL'], ['no-new-privileges']]);
    const bytes = (512 * 1.5 + 384) * 2 ** 20;
    assert.equal([HostConfig.Memory, HostConfig.MemorySwap, HostConfig.PidsLimit], [bytes, bytes, 512]);
    assert.is(HostConfig.CpuQuota / HostConfig.CpuPeriod, 2);
    assert.equal([HostConfig.Privileged, NetworkSettings.Ports], [false, {}]);
    assert.ok(Config.Env.includes('ES_JAVA_OPTS=-Xms512m -Xmx512m -Xlog:disable'));
    const forwarder = processesOf(ann.uid).find(({ command }) => command.startsWith('/usr/bin/socat'));
    const status = readFileSync(`/proc/${forwarder?.pid}/status`, 'utf8');
    assert.match(status, /^CapPrm:\s+0+$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    const reached = docker.inNetwork('busybox', 'nc', '-w', '1', '127.0.0.1', '9200').then(
      () => true,
      () => false,
    );
    assert.is(await reached, false);
    assert.is((await ann.change(SEARCH, false)).status, 200);
    assert.equal([await idsOf('ann1'), processesOf(ann.uid)], [[], []]);
  });

  test('it tells figures, is emptied, and stores until it is switched off', async () => {
    const ann = await house.customer('ann2');
    const stored = join(house.folder, 'stored', String(ann.id), SEARCH);
    const { socket } = await switchedOn(ann, SEARCH);
    await askAs(ann.uid, socket, ADD, LIMIT_S);
    const { figures } = await ann.shown(SEARCH);
    assert.equal([figures?.indices, figures?.documents, figures?.memory_bytes], [1, 1, 7_340_032]);
    assert.ok((figures?.stored_bytes ?? 0) > 0);
    assert.equal([statSync(stored).uid, statSync(dirname(stored)).mode & 0o777], [ann.uid, 0o700]);
    const before = await idsOf('ann2');
    assert.is((await ann.post(SEARCH, 'restart')).body.figures?.indices, 1);
    assert.is.not((await idsOf('ann2'))[0], before[0]);
    assert.is((await ann.post(SEARCH, 'flush')).body.figures?.indices, 0);
    await askAs(ann.uid, socket, ADD, LIMIT_S);
    assert.is((await ann.change(SEARCH, false)).body.figures, null);
    assert.equal([existsSync(stored), await idsOf('ann2')], [false, []]);
    assert.is((await switchedOn(ann, SEARCH)).figures?.indices, 0);
    assert.is((await ann.change(SEARCH, false)).status, 200);
  });

  test('a container or a forwarder that was killed comes back with what was stored', async () => {
    const max = await house.customer('max');
    const { socket } = await switchedOn(max, SEARCH);
    await askAs(max.uid, socket, ADD, LIMIT_S);
    for (const [killed, kill] of Object.entries<() => unknown>({
      container: async () => docker.cli('kill', ...(await idsOf('max'))),
      both: async () => docker.cli('rm', '-f', ...(await idsOf('max'))),
      forwarder: async () =>
        process.kill(processesOf(max.uid).find(({ command }) => command.startsWith('/usr/bin/socat'))?.pid ?? 0, 9),
    })) {
      const [before] = await idsOf('max');
      await kill();
      await until('another one runs', async () => {
        const [id] = await idsOf('max');
        return id !== undefined && id !== before;
      });
      assert.is((await searching(max)).figures?.indices, 1);
      assert.is((await idsOf('max')).length, 1);
      const hasStoredItsLast = existsSync(join(house.folder, 'stored', String(max.id), SEARCH, '.ended'));
      assert.is(hasStoredItsLast, killed === 'forwarder', killed);
    }
    assert.is((await max.change(SEARCH, false)).status, 200);
  });

  test('what a killed broker left, started by half or stored, is removed', async () => {
    const pat = await house.customer('pat');
    await switchedOn(pat, SEARCH);
    const [id = ''] = await idsOf('pat');
    const labels = JSON.parse(await docker.cli('inspect', '-f', '{{json .Config.Labels}}', id)) as Record<
      string,
      string
    >;
    await house.server.hostkeep.core.store.write((tx) =>
      tx.run('delete from services_on where account_id = ?', pat.id),
    );
    await until('it has ended', async () => (await idsOf('pat')).length === 0);
    await until('nothing is stored', () => !existsSync(join(house.folder, 'stored', String(pat.id))));
    const options = Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
    const half = await docker.run('trap exit TERM; sleep 3600 & wait', '--network', 'none', ...options);
    const others = options.map((text) => text.replace(house.run, '/elsewhere'));
    const other = await docker.run('sleep 3600', '--network', 'none', ...others);
    await until('the half is gone', async () => !(await idsOf('pat')).includes(half));
    assert.equal(await idsOf('pat'), [other], 'that of another installation stays');
    await docker.cli('rm', '-f', other);
  });

  test('what stores its last is let be while its end is awaited', async () => {
    const zoe = await house.customer('zoe');
    await switchedOn(zoe, SEARCH);
    const stored = join(house.folder, 'stored', String(zoe.id), SEARCH);
    writeFileSync(join(stored, '.held'), '');
    const restarted = zoe.post(SEARCH, 'restart');
    await until('it is to end', async () => !(await zoe.shown(SEARCH)).is_running);
    assert.is((await idsOf('zoe')).length, 1);
    rmSync(join(stored, '.held'));
    assert.is((await restarted).status, 200);
    assert.ok(existsSync(join(stored, '.ended')));
    assert.is((await zoe.change(SEARCH, false)).status, 200);
  });

  test('a restart waits for who removes its container at the same time', async () => {
    const ida = await house.customer('ida');
    await switchedOn(ida, 'redis');
    for (let i = 0; i < 5; i += 1) {
      const [id = ''] = await idsOf('ida');
      const removed = docker.cli('rm', '-f', id).catch((error: unknown) => {
        if (!/already in progress|No such container/.test(String(error))) throw error; // the restart was first
      });
      const [answer] = await Promise.all([ida.post('redis', 'restart'), removed]);
      assert.is(answer.status, 200, JSON.stringify(answer.body));
    }
    assert.is((await ida.change('redis', false)).status, 200);
  });

  test('of two that remove a container at once, one has what it printed', async () => {
    const containers = new ServiceContainers({ engineSocket: docker.socket, storage: '', installation: '' });
    const id = await docker.run('echo printed; sleep 3600', '--network', 'none');
    await until('it printed', async () => (await docker.cli('logs', id)).includes('printed'));
    const printed = await Promise.all([1, 2, 3, 4].map(() => containers.removeOne({ id }, 0)));
    assert.equal(
      printed.filter((text) => text !== ''),
      ['printed\n'],
    );
  });

  test('Redis runs from an image by a recipe of the operator', async () => {
    const kim = await house.customer('kim');
    const { socket, keeps } = await switchedOn(kim, 'redis');
    assert.is(keeps, false);
    await askAs(kim.uid, socket, 'SET greeting hello\r\n');
    assert.match(await askAs(kim.uid, socket, 'GET greeting\r\n'), /hello/);
    const { figures } = await kim.shown('redis');
    assert.equal([figures?.keys, figures?.hits], [1, 1]);
    const log = async () => {
      const { lines = [] } = (await kim.log('redis')).body;
      return lines.filter((line) => /^\d+:M .*ready to accept connections/i.test(line)).length;
    };
    await until('the log has what the container printed', async () => (await log()) === 1);
    assert.is((await kim.post('redis', 'restart')).status, 200);
    await until('the log has what the one before printed, too', async () => (await log()) === 2);
    await askAs(kim.uid, socket, 'SET greeting hello\r\n');
    assert.is((await kim.post('redis', 'flush')).body.figures?.keys, 0);
    assert.is((await idsOf('kim')).length, 1);
    assert.is((await kim.change('redis', false)).status, 200);
    assert.equal([await idsOf('kim'), processesOf(kim.uid)], [[], []]);
  });

  test('containers list it once, do not change it, and let its account move', async () => {
    const joe = await house.customer('joe');
    const { token } = joe;
    await switchedOn(joe, SEARCH);
    const { body } = await house.server.ask<{ containers: { id: string; name: string }[] }>('/api/docker-containers', {
      token,
    });
    assert.equal(
      body.containers.map(({ name }) => name),
      ['joe-elasticsearch'],
    );
    const path = `/api/docker-containers/${body.containers[0]?.id}`;
    const refused = await house.server.ask(`${path}/stop`, { method: 'POST', token });
    assert.equal([refused.status, refused.body['error']], [409, 'container_change_refused']);
    const account = await house.server.hostkeep.core.accounts.get('joe');
    const parts = await house.server.hostkeep.plugins.gather('move');
    const obstacles = await Promise.all(parts.map((part) => (part.ok ? part.value.obstacles(account) : ['failed'])));
    assert.not.ok(
      obstacles.flat().some((text) => /containers/.test(text)),
      obstacles.flat().join(),
    );
    const left = await Promise.all(parts.map((part) => (part.ok ? part.value.leftToDo?.(account, 'two') : [])));
    assert.equal(
      left.flat().filter((text) => text?.includes('Elasticsearch')),
      [`see that two has Elasticsearch (docker pull ${IMAGE}); until then, what it has stored waits there`],
    );
  });

  test('suspension ends it and keeps what it stores; removal leaves nothing', async () => {
    const joe = { id: (await house.server.hostkeep.core.accounts.get('joe')).id };
    const stored = join(house.folder, 'stored', String(joe.id));
    await house.server.hostkeep.core.accounts.suspend('joe');
    await until('no container', async () => (await idsOf('joe')).length === 0);
    assert.equal(readdirSync(stored), [SEARCH]);
    await house.server.hostkeep.core.accounts.unsuspend('joe');
    await until('it runs again', async () => (await idsOf('joe')).length === 1);
    const { token } = await house.server.admin();
    const removal = { method: 'DELETE', token, address: 'admin' } as const;
    assert.is((await house.server.ask('/api/accounts/joe?purge=true', removal)).status, 200);
    await until('no container', async () => (await idsOf('joe')).length === 0);
    await until('nothing stored', () => !existsSync(stored));
  });

  test('while the engine is gone, other services run, and this one comes back with it', async () => {
    const una = await house.customer('una');
    await switchedOn(una, SEARCH);
    await switchedOn(una, 'memcached');
    await docker.down();
    assert.is((await una.shown('memcached')).is_running, true);
    const { is_running: isRunning, is_installed: isInstalled } = await una.shown(SEARCH);
    assert.equal([isRunning, isInstalled], [false, false]);
    assert.is((await una.post(SEARCH, 'restart')).status, 502);
    await docker.up();
    await searching(una);
    assert.is((await idsOf('una')).length, 1);
    for (const service of [SEARCH, 'memcached']) assert.is((await una.change(service, false)).status, 200);
  });
} else reportSkipped(dockerMissing() ?? 'services in containers');
