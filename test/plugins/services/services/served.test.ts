import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { isMissing } from '../../../../kernel/kit/files/files-root.ts';
import { runProgram } from '../../../../kernel/kit/programs/run-program.ts';
import type { Service } from '../../../../plugins/services/schema.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { hasServices } from '../programs.ts';
import { askAs, openHouse, processesOf, type Customer } from '../house.ts';

const test = testSuite('services-served');
/** By service: what sets a key, what reads it, and what of the answer says that it is there. */
const KEYS = {
  redis: ['SET greeting hello\r\n', 'GET greeting\r\n', 'hello\r\n'],
  memcached: ['set greeting 0 0 5\r\nhello\r\n', 'get greeting\r\n', 'hello\r\nEND\r\n'],
} as const;
let house: Awaited<ReturnType<typeof openHouse>>;

/** Returns the limits of a process as the kernel lists them; `''` if it has ended since it was listed. */
function systemLimits(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

async function switchedOn(customer: Customer, service: string): Promise<Service & { socket: string }> {
  const { status, body } = await customer.change(service, true);
  assert.is(status, 200, JSON.stringify(body));
  assert.type(body.socket, 'string');
  return body as Service & { socket: string };
}

if (hasServices()) {
  test.before(async () => {
    house = await openHouse();
  });

  test('what cannot be had is refused, and nothing is started', async () => {
    await house.server.hostkeep.core.plans.create('cache', {}, ['redis']);
    const eve = await house.customer('eve', 'cache');
    const { body: listed } = await house.server.ask<Service[]>('/api/services', { token: eve.token });
    assert.equal(
      listed.map(({ service, is_on: isOn }) => [service, isOn]),
      [['redis', false]],
    );
    const answers = [
      await eve.change('memcached', true),
      await eve.change('postfix', true),
      await eve.change('..%2fredis', true),
      await eve.post('redis', 'flush'),
      await eve.post('redis', 'restart'),
    ];
    assert.equal(
      answers.map(({ status, body }) => [status, body.error]),
      [
        [403, 'feature_disabled'],
        [404, 'service_not_found'],
        [404, 'service_not_found'],
        [409, 'service_off'],
        [409, 'service_off'],
      ],
    );
    assert.equal([existsSync(join(house.run, String(eve.id))), processesOf(eve.uid)], [false, []]);
  });

  for (const [service, [set, get, told]] of Object.entries(KEYS))
    // threat other-accounts: nobody but the account reaches its service
    test(`${service} keeps keys for its account alone, says its figures, and is emptied and restarted`, async () => {
      const [ann, bea] = [await house.customer(`ann${service}`), await house.customer(`bea${service}`)];
      const { socket, memory_mib: memory } = await switchedOn(ann, service);
      const other = await switchedOn(bea, service);
      assert.is(memory, 64);
      assert.is.not(other.socket, socket);
      assert.is(statSync(dirname(socket)).mode & 0o777, 0o700);
      assert.equal([statSync(socket).uid, statSync(dirname(socket)).uid], [ann.uid, ann.uid]);
      await askAs(ann.uid, socket, set);
      assert.ok((await askAs(ann.uid, socket, get)).endsWith(told));
      assert.match(await askAs(bea.uid, socket, get), /PermissionError/);
      assert.not.ok((await askAs(bea.uid, other.socket, get)).endsWith(told), 'each has keys of its own');
      const { figures, is_running: isRunning } = await ann.shown(service);
      assert.is(isRunning, true);
      assert.equal([figures?.keys, figures?.hits, figures?.misses], [1, 1, 0]);
      assert.ok((figures?.memory_bytes ?? 0) > 0);
      const flushed = await ann.post(service, 'flush');
      assert.is(flushed.status, 200);
      assert.not.ok((await askAs(ann.uid, socket, get)).endsWith(told));
      await askAs(ann.uid, socket, set);
      const [before] = processesOf(ann.uid);
      const restarted = await ann.post(service, 'restart');
      assert.equal([restarted.status, restarted.body.figures?.keys], [200, 0]);
      const after = processesOf(ann.uid);
      assert.is(after.length, 1);
      assert.is.not(after[0]?.pid, before?.pid);
      const { is_running: stillRuns, socket: none } = (await ann.change(service, false)).body;
      assert.equal([stillRuns, none], [false, null]);
      assert.equal([processesOf(ann.uid), existsSync(socket)], [[], false]);
      await house.server.hostkeep.core.accounts.update(`ann${service}`, { locale: 'de' });
      const { body } = await house.server.ask<{ events: { summary: string }[] }>('/api/account/events', {
        token: ann.token,
      });
      const title = service === 'redis' ? 'Redis' : 'Memcached';
      assert.equal(
        body.events.map(({ summary }) => summary).filter((summary) => summary.includes(title)),
        ['ausgeschaltet', 'neu gestartet', 'geleert', 'eingeschaltet'].map((done) => `${title} ${done}`),
      );
      assert.is((await ann.post(service, 'flush')).status, 409);
      assert.is((await bea.shown(service)).is_running, true, 'the other one goes on');
      assert.is((await bea.change(service, false)).status, 200);
    });

  test('redis closes commands that change how it runs, and evicts what is too much', async () => {
    await house.server.hostkeep.core.plans.create('tiny', { limits: { service_memory_limit_mib: 4 } }, ['redis']);
    const kim = await house.customer('kim', 'tiny');
    const { socket } = await switchedOn(kim, 'redis');
    for (const command of [
      'CONFIG GET *',
      'DEBUG SLEEP 0',
      'MODULE LIST',
      'REPLICAOF 127.0.0.1 1',
      'SLAVEOF 127.0.0.1 1',
      'ACL LIST',
      'SHUTDOWN',
      'SAVE',
      'BGSAVE',
      'PSYNC ? -1',
    ])
      assert.match(await askAs(kim.uid, socket, `${command}\r\n`), /^-ERR unknown command/, command);
    const value = 'x'.repeat(1000);
    const sets = Array.from({ length: 8000 }, (_, i) => `SET key${i} ${value}\r\n`).join('');
    for (let i = 0; i < sets.length; i += 100_000) await askAs(kim.uid, socket, sets.slice(i, i + 100_000), 0.05);
    const { figures } = await kim.shown('redis');
    assert.ok(
      (figures?.evicted ?? 0) > 0 && (figures?.memory_bytes ?? Infinity) < 6 * 2 ** 20,
      JSON.stringify(figures),
    );
    const [program] = processesOf(kim.uid);
    const limits = readFileSync(`/proc/${program?.pid}/limits`, 'utf8');
    assert.match(limits, new RegExp(`Max data size +${(4 * 1.5 + 128) * 2 ** 20} `));
    const status = readFileSync(`/proc/${program?.pid}/status`, 'utf8');
    assert.match(status, new RegExp(`^Gid:\t${kim.uid}\t${kim.uid}\t`, 'm'));
    assert.match(status, /^Groups:\s*$/m);
    assert.match(status, /^CapPrm:\s+0+$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    await house.server.hostkeep.core.plans.update('tiny', { limits: { service_memory_limit_mib: 8 } });
    await until('it runs with the memory of the plan', () =>
      processesOf(kim.uid).some(({ pid }) =>
        new RegExp(`Max data size +${(8 * 1.5 + 128) * 2 ** 20} `).test(systemLimits(pid)),
      ),
    );
    assert.is(
      (
        await eventually(
          'its answer',
          () => kim.shown('redis'),
          (each) => each.is_running,
        )
      ).memory_mib,
      8,
    );
    assert.is((await kim.change('redis', false)).status, 200);
  });

  test('a program that was killed comes back, and one that hangs is no answer', async () => {
    const max = await house.customer('max');
    const { socket } = await switchedOn(max, 'redis');
    const [first] = processesOf(max.uid);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    await until('it answers again', async () => (await askAs(max.uid, socket, 'PING\r\n')).includes('+PONG'));
    const [second] = processesOf(max.uid);
    assert.is.not(second?.pid, first?.pid);
    process.kill(second?.pid ?? 0, 'SIGSTOP');
    const { is_on: isOn, is_running: isRunning, figures } = await max.shown('redis');
    assert.equal([isOn, isRunning, figures], [true, false, null]);
    assert.is((await max.post('redis', 'flush')).status, 502);
    assert.is((await max.post('redis', 'restart')).status, 200, 'what hangs is killed');
    assert.is((await max.change('redis', false)).status, 200);
  });

  // threat other-accounts: what the service of another account prints is told to nobody else
  test('an account reads what its service printed, without secrets, while it is on', async () => {
    await house.server.hostkeep.core.plans.create('narrow', {}, ['redis']);
    const [lou, zoe, eve] = [
      await house.customer('lou'),
      await house.customer('zoe'),
      await house.customer('evelyn', 'narrow'),
    ];
    const logOf = async (each: Customer, service = 'redis') => {
      const { status, body } = await each.log(service);
      return { status, error: body.error, text: (body.lines ?? []).join('\n') };
    };
    assert.equal(
      [(await logOf(lou, 'postfix')).error, (await logOf(lou, '..%2fredis')).error],
      ['service_not_found', 'service_not_found'],
    );
    assert.is((await logOf(eve, 'memcached')).error, 'feature_disabled');
    assert.equal(await logOf(lou), { status: 200, error: undefined, text: '' }, 'it has not been on');
    const { socket } = await switchedOn(lou, 'redis');
    await switchedOn(zoe, 'redis');
    await until('its start is told', async () => /ready to accept connections/i.test((await logOf(lou)).text));
    const say = (text: string) => askAs(lou.uid, socket, `EVAL "redis.log(redis.LOG_WARNING, '${text}')" 0\r\n`);
    await say('cache warmed, password=hunter2 redis://lou:hunter3@cache');
    await until('it is told', async () => (await logOf(lou)).text.includes('cache warmed'));
    assert.match((await logOf(lou)).text, /cache warmed, password=… redis:\/\/lou:…@cache/);
    assert.not.match((await logOf(zoe)).text, /cache warmed/);
    await say(`at ${socket}`);
    await until('a path is told as the account sees it', async () =>
      (await logOf(lou)).text.includes('at ~/.services/redis/redis.sock'),
    );
    assert.not.ok((await logOf(lou)).text.includes(house.folder));
    process.kill(processesOf(lou.uid)[0]?.pid ?? 0, 'SIGKILL');
    await until('it answers again', async () => (await askAs(lou.uid, socket, 'PING\r\n')).includes('+PONG'));
    const starts = async () => (await logOf(lou)).text.match(/ready to accept connections/gi)?.length;
    await until('both starts are told: what was before the end is still there', async () => (await starts()) === 2);
    for (let i = 0; i < 300; i += 100)
      await askAs(lou.uid, socket, `EVAL "for i = 1, 100 do redis.log(redis.LOG_WARNING, 'n' .. i) end" 0\r\n`, 0.1);
    await until('it has only the last', async () => !(await logOf(lou)).text.includes('cache warmed'));
    assert.is((await logOf(lou)).text.split('\n').length, 200);
    assert.is((await lou.change('redis', false)).status, 200);
    assert.is((await logOf(lou)).text, '');
    assert.is((await zoe.change('redis', false)).status, 200);
  });

  test('metrics count what is on, runs, was started again and does not start', async () => {
    const ned = await house.customer('ned');
    const before = await house.counted('memcached');
    await switchedOn(ned, 'memcached');
    await until('it is counted', async () => {
      const { on, running } = await house.counted('memcached');
      return on === (before['on'] ?? 0) + 1 && running === on;
    });
    const files = join(house.folder, 'files/ned');
    chownSync(files, 0, 0);
    process.kill(processesOf(ned.uid)[0]?.pid ?? 0, 'SIGKILL');
    await until('a start that fails is counted', async () => {
      const { failing, running, on = 0 } = await house.counted('memcached');
      return failing === 1 && running === on - 1;
    });
    chownSync(files, ned.uid, ned.uid);
    await until('it is started again', async () => {
      const { failing, running, on, restarts_total: restarts } = await house.counted('memcached');
      return failing === 0 && running === on && restarts === (before['restarts_total'] ?? 0) + 1;
    });
    assert.is((await ned.change('memcached', false)).status, 200);
    await until('one that is off is not counted', async () => {
      const { on } = await house.counted('memcached');
      return on === before['on'];
    });
  });

  test('what suspension and removal end leaves no process, socket or folder', async () => {
    const joe = await house.customer('joe');
    const { socket } = await switchedOn(joe, 'redis');
    await switchedOn(joe, 'memcached');
    assert.is(processesOf(joe.uid).length, 2);
    await house.server.hostkeep.core.accounts.suspend('joe');
    await until('no process of a suspended account', () => processesOf(joe.uid).length === 0);
    assert.match(await askAs(joe.uid, socket, 'PING\r\n'), /Error/);
    await house.server.hostkeep.core.accounts.unsuspend('joe');
    await until('both again', () => processesOf(joe.uid).length === 2);
    const { token } = await house.server.admin();
    const removal = { method: 'DELETE', token, address: 'admin' } as const;
    assert.is((await house.server.ask('/api/accounts/joe?purge=true', removal)).status, 200);
    await until('no process of a removed account', () => processesOf(joe.uid).length === 0);
    await until('no folder of a removed account', () => !existsSync(join(house.run, String(joe.id))));
    await until('no files either', () => !existsSync(dirname(dirname(dirname(socket)))));
    const rows = await house.server.hostkeep.core.store.all('select * from services_on where account_id = ?', joe.id);
    assert.equal(rows, []);
  });

  // threat other-accounts: what a customer plants at the path of a socket is opened with the customer's rights only
  test('a link in place of the socket leads nobody to the service of another account', async () => {
    const [pat, sam] = [await house.customer('pat'), await house.customer('sam')];
    const theirs = await switchedOn(sam, 'redis');
    await askAs(sam.uid, theirs.socket, 'SET greeting hello\r\n');
    const { socket } = await switchedOn(pat, 'redis');
    const plant = `import os; os.unlink(${JSON.stringify(socket)}); os.symlink(${JSON.stringify(theirs.socket)}, ${JSON.stringify(socket)})`;
    const user = { uid: pat.uid, gid: pat.uid };
    assert.is((await runProgram('python3', ['-c', plant], { user, cwd: '/', timeoutMs: 20_000 })).code, 0);
    assert.equal([(await pat.shown('redis')).is_running, (await pat.post('redis', 'flush')).status], [false, 502]);
    assert.match(await askAs(sam.uid, theirs.socket, 'GET greeting\r\n'), /hello/);
    assert.is((await pat.post('redis', 'restart')).status, 200, 'its own again');
    assert.match(await askAs(sam.uid, theirs.socket, 'GET greeting\r\n'), /hello/);
    for (const each of [pat, sam]) assert.is((await each.change('redis', false)).status, 200);
  });

  test('without user ids of accounts it says so, and starts nothing', async () => {
    const { customer, run } = await openHouse({ ids: { first: 0 } });
    const una = await customer('una');
    const { status, body } = await una.change('redis', true);
    assert.equal([status, body.error], [502, 'service_failed']);
    assert.match(String(body.detail), /set ids\.first/);
    assert.equal(existsSync(run) ? readdirSync(run) : [], []);
    assert.is((await una.shown('redis')).is_on, false);
  });
}
