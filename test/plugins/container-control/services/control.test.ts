/** Containers one by one, in a real Docker Engine. */
import * as assert from '../../../support/assert.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { eventSource } from '../../../support/event-source.ts';
import { garbageCollector } from '../../../support/garbage.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('container-control');
const missing = dockerMissing();
if (missing === undefined) withDocker();
else reportSkipped(missing);

interface Listed {
  readonly containers: readonly { readonly id: string; readonly name: string; readonly state: string }[];
}
interface Log {
  readonly lines: readonly { readonly at: string; readonly stream: string; readonly text: string }[];
}

function withDocker(): void {
  let docker: TestDocker;
  let server: TestServer;
  let [ann, bob] = ['', ''];
  let [web, done, others] = ['', '', ''];

  const run = (name: string, command: string, ...options: string[]) =>
    docker.run(command, '--name', name, '--network', 'none', ...options);
  const ask = <T = Record<string, unknown>>(path: string, token = ann, method = 'GET', body?: unknown) =>
    server.ask<T>(`/api/docker-containers${path}`, { token, method, ...(body !== undefined && { body }) });
  const stateOf = async (id: string) =>
    (await ask<Listed>('')).body.containers.find((each) => each.id === id)?.state ?? 'gone';

  test.before(async () => {
    docker = await TestDocker.start();
    const own = ['--label', 'hostkeep.account=ann'];
    web = await run(
      'ann-web',
      'n=0; while :; do n=$((n+1)); echo "line $n"; echo "warned $n" >&2; sleep 0.2; done',
      ...own,
      ...['--memory', '48m', '--cpus', '0.5', '--label', 'com.docker.compose.service=web'],
      ...['-e', 'TZ=Europe/Berlin', '-e', 'DB_PASSWORD=hunter2', '-e', 'LINK=mysql://ann:hunter2@db/shop'],
      ...['-e', 'TEXT=two\nlines'],
    );
    done = await run('ann-done', 'echo finished; exit 3', ...own);
    others = await run('bob-web', 'sleep 1000', '--label', 'hostkeep.account=bob');
    await run('nobodys', 'sleep 1000');
    server = await TestServer.start({ config: { containers: { socket: docker.socket, timeout_ms: 10_000 } } });
    [ann, bob] = [(await server.user('ann')).token, (await server.user('bob')).token];
  });
  test.after(async () => {
    await server.close();
    await docker.stop();
  });

  test('containers of others are not found, whatever is asked', async () => {
    const refusals: readonly (readonly [path: string, method: string])[] = [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/figures', 'GET'],
      ['/logs', 'GET'],
      ['/logs/stream', 'GET'],
      ['/logs/download', 'GET'],
      ['/start', 'POST'],
      ['/stop', 'POST'],
      ['/restart', 'POST'],
      ['/limits', 'PATCH'],
    ];
    for (const id of [others, await docker.cli('inspect', '-f', '{{.Id}}', 'nobodys'), 'f'.repeat(64)])
      for (const [path, method] of refusals) {
        const { status, body } = await ask(
          `/${id}${path}`,
          ann,
          method,
          method === 'PATCH' ? { memory_mib: 32 } : undefined,
        );
        assert.is(`${status} ${String(body['error'])}`, '404 container_not_found', `${method} ${path}`);
      }
    assert.is(await docker.cli('inspect', '-f', '{{.State.Status}}', 'bob-web'), 'running');
    for (const path of [`/${others.slice(0, 11)}`, '/bob-web', `/${others}/kill`, `/..%2f${others}/stop`])
      assert.ok((await ask(path, bob, path.endsWith('kill') ? 'POST' : 'GET')).status >= 400, path);
  });

  test('the list has what runs and what does not', async () => {
    const { body } = await ask<Listed>('');
    assert.equal(
      body.containers.map(({ name }) => name),
      ['ann-done', 'ann-web'],
    );
    await until('one has ended', async () => (await stateOf(done)) === 'exited');
    assert.is(await stateOf(web), 'running');
    assert.equal(
      (await ask<Listed>('', bob)).body.containers.map(({ name }) => name),
      ['bob-web'],
    );
  });

  test('details have limits and no secret values', async () => {
    const { body, status } = await ask(`/${web}`);
    assert.is(status, 200, JSON.stringify(body));
    assert.is(body['memory_bytes'], 48 * 2 ** 20);
    assert.is(body['processors'], 0.5);
    assert.is(body['service'], 'web');
    assert.not.match(JSON.stringify(body), /hunter2/);
    const environment = body['environment'] as { name: string; value: string | null }[];
    const valueOf = (name: string) => environment.find((each) => each.name === name)?.value;
    assert.equal(
      [valueOf('TZ'), valueOf('DB_PASSWORD'), valueOf('LINK'), valueOf('TEXT')],
      ['Europe/Berlin', null, null, 'two\nlines'],
    );
    const ended = (await ask(`/${done}`)).body;
    assert.equal([ended['state'], ended['exit_code'], ended['out_of_memory']], ['exited', 3, false]);
    assert.match(String(ended['finished_at']), /^\d{4}-/);
  });

  test('limits hold at once, and are no more than the plan allows', async () => {
    const { plans } = server.hostkeep.core;
    const { limits } = await plans.get('developer');
    await plans.update('developer', {
      limits: { ...limits, container_memory_limit_mib: 64, container_processors_limit: 0.75 },
    });
    const limit = async (body: unknown, id = web) => {
      const { status, body: answer } = await ask(`/${id}/limits`, ann, 'PATCH', body);
      return `${status} ${String(answer['error'] ?? '')}`.trim();
    };
    for (const bad of [{}, { memory_mib: 5 }, { memory_mib: '32' }, { processors: 0 }, { memory_mib: 32, swap: 1 }])
      assert.is(await limit(bad), '400 invalid_request', JSON.stringify(bad));
    assert.is(await limit({ memory_mib: 65 }), '409 container_limit_reached');
    assert.is(await limit({ memory_mib: 32, processors: 0.76 }), '409 container_limit_reached');
    const held = () => docker.cli('inspect', '-f', '{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}', 'ann-web');
    assert.is(await held(), `${48 * 2 ** 20} 500000000`);
    assert.is(await limit({ memory_mib: 64 }), '200');
    assert.is(await held(), `${64 * 2 ** 20} 500000000`);
    assert.is(await limit({ memory_mib: 32, processors: 0.75 }), '200');
    assert.is(await held(), `${32 * 2 ** 20} 750000000`);
    assert.is(await docker.cli('inspect', '-f', '{{.HostConfig.MemorySwap}}', 'ann-web'), String(32 * 2 ** 20));
    const { body } = await ask(`/${web}`);
    assert.equal([body['memory_bytes'], body['processors']], [32 * 2 ** 20, 0.75]);
    assert.equal([body['most_memory_mib'], body['most_processors']], [64, 0.75]);
    assert.is(await stateOf(web), 'running');
    await plans.update('developer', { limits: { ...limits, container_processors_limit: 0 } });
    assert.is(await limit({ processors: 4096 }), '409 container_change_refused', 'more than the machine has');
    const { body: told } = await server.ask('/api/account/activity', { token: ann });
    assert.match(JSON.stringify(told), /limited the container ann-web to 32 MiB, 0\.75 processors/);
  });

  test('figures tell of each container that runs, and their course while somebody asks', async () => {
    type Figures = Readonly<Record<string, number | null>> & { readonly id: string };
    const list = async (token = ann) =>
      (await server.ask<{ containers: Figures[] }>('/api/docker-figures', { token })).body.containers;
    assert.equal(
      (await list()).map(({ id }) => id),
      [web],
      'not what has ended, and nobody else’s',
    );
    assert.equal(
      (await list(bob)).map(({ id }) => id),
      [others],
    );
    const [own] = await list();
    assert.ok((own?.['memory_bytes'] ?? 0) > 0, JSON.stringify(own));
    const limit = (await ask(`/${web}`)).body['memory_bytes'];
    await until('the limit of now', async () => (await list())[0]?.['memory_limit_bytes'] === limit);
    assert.ok((own?.['tasks'] ?? 0) >= 1);
    const course = async (id = web) => (await ask<{ samples: Figures[] }>(`/${id}/figures`)).body.samples;
    await until('there is a course', async () => (await course()).length > 2);
    const last = (await course()).at(-1);
    assert.ok((last?.['cpu_percent'] ?? 0) > 0, JSON.stringify(last));
    assert.equal([last?.['received_per_second'], last?.['sent_per_second']], [0, 0], 'it has no network');
    assert.equal(await course(done), []);
  });

  test('the log has both streams in order, by number, time and text', async () => {
    await until('there are lines', async () => (await ask<Log>(`/${web}/logs`)).body.lines.length > 4);
    const { lines } = (await ask<Log>(`/${web}/logs?lines=4`)).body;
    assert.is(lines.length, 4);
    assert.equal(
      lines.map(({ at }) => at),
      lines.map(({ at }) => at).toSorted(),
    );
    const all = (await ask<Log>(`/${web}/logs?lines=1000`)).body.lines;
    assert.ok(all.some(({ stream, text }) => stream === 'stdout' && text === 'line 1'));
    assert.ok(all.some(({ stream, text }) => stream === 'stderr' && text === 'warned 1'));
    const later = (await ask<Log>(`/${web}/logs?lines=1000&after=${all[1]?.at}`)).body.lines;
    assert.is(later[0]?.at, all[2]?.at);
    const second = `${all[2]?.at.slice(0, 19)}Z`;
    const within = (await ask<Log>(`/${web}/logs?lines=1000&after=${second}`)).body.lines;
    assert.is(within[0]?.at, all.find(({ at }) => at.slice(0, 19) === second.slice(0, 19))?.at, 'what a second has');
    const warned = (await ask<Log>(`/${web}/logs?lines=1&text=WARNED%201`)).body.lines;
    assert.match(warned[0]?.text ?? '', /^warned 1/, 'however many lines came after it');
    for (const route of ['logs', 'logs/stream', 'logs/download'])
      for (const bad of ['after=yesterday', 'after=2026-11-24T09:00:00%2B02:00', 'text=', 'since=1'])
        assert.is((await ask(`/${web}/${route}?${bad}`)).status, 400, `${route} ${bad}`);
    assert.is((await ask(`/${web}/logs?lines=1001`)).status, 400);
  });

  test('whoever follows a log gets each line once', async () => {
    const events = await eventSource(server, ann, {}, `/api/docker-containers/${web}/logs/stream`, 'user');
    const numbers: number[] = [];
    while (numbers.length < 70) {
      const { event, data } = await events.next();
      assert.is(event, 'line');
      if (String(data['text']).startsWith('line ')) numbers.push(Number(String(data['text']).slice(5)));
    }
    await events.close();
    assert.equal(
      numbers,
      numbers.map((_, i) => (numbers[0] ?? 0) + i),
    );
  });

  test('whoever follows a log may ask for lines with a text, and for those after a time', async () => {
    const { lines } = (await ask<Log>(`/${web}/logs?lines=1000&text=line`)).body;
    const [, from] = lines;
    assert.ok(lines.length > 5 && from !== undefined);
    const follow = async (query: string, most: number) => {
      const events = await eventSource(server, ann, {}, `/api/docker-containers/${web}/logs/stream?${query}`, 'user');
      const found: string[] = [];
      while (found.length < most) found.push(String((await events.next()).data['text']));
      await events.close();
      return found;
    };
    const known = lines.map(({ text }) => text).filter((text) => text !== 'line 1');
    const more = [1, 2, 3].map((n) => `line ${lines.length + n}`);
    assert.equal(await follow(`after=${lines[0]?.at}&text=LINE`, known.length + more.length), [...known, ...more]);
    const later = await follow(`after=${from.at}`, 20);
    assert.ok(!later.includes('line 1') && !later.includes('line 2') && later.includes('warned 4'), later.join());
  });

  test('a log is downloaded whole, or the lines that are asked for', async () => {
    const download = (query = '', id = web) =>
      fetch(`${server.hostkeep.url('user')}/api/docker-containers/${id}/logs/download${query}`, {
        headers: { authorization: `Bearer ${ann}` },
      });
    const response = await download();
    assert.equal(
      ['content-type', 'content-disposition', 'cache-control'].map((name) => response.headers.get(name)),
      ['text/plain; charset=utf-8', "attachment; filename*=UTF-8''ann-web.log", 'no-store'],
    );
    const lines = (await response.text()).trim().split('\n');
    for (const wanted of [/^\d{4}-\d\d-\d\dT[\d:.]+Z line 1$/, /^\d{4}-\d\d-\d\dT[\d:.]+Z warned 1$/])
      assert.is(lines.filter((line) => wanted.test(line)).length, 1, String(wanted));
    const tenth = lines.find((line) => line.endsWith(' line 10'))?.split(' ')[0] ?? '';
    const some = (await (await download(`?after=${tenth}&text=LINE%20`)).text()).trim().split('\n');
    assert.match(some[0] ?? '', / line 11$/);
    assert.ok(some.length > 1 && some.every((line) => / line \d+$/.test(line)));
    assert.is(await (await download('?text=finished', done)).text().then((text) => text.split(' ')[1]), 'finished\n');
    assert.is(await (await download('?text=nothing+like+it')).text(), '');
  });

  test('a log of any size is downloaded in parts, at the pace of the client', async () => {
    const large = await run(
      'ann-large',
      "yes $(head -c 4000 /dev/zero | tr '\\0' x) | head -n 15000",
      ...['--label', 'hostkeep.account=ann'],
    );
    await until('all is written', async () => (await stateOf(large)) === 'exited');
    const path = `${server.hostkeep.url('user')}/api/docker-containers/${large}/logs/download`;
    const headers = { authorization: `Bearer ${ann}` };
    const held = await Promise.all([fetch(path, { headers }), fetch(path, { headers })]);
    const third = await fetch(path, { headers });
    assert.is(`${third.status} ${third.headers.get('retry-after')}`, '503 2', 'an account has two at a time');
    await held[0]?.body?.cancel();
    const collect = garbageCollector();
    collect();
    const before = process.memoryUsage().rss;
    let [sizeBytes, lines, most] = [0, 0, 0];
    for await (const chunk of (held[1]?.body ?? []) as AsyncIterable<Uint8Array>) {
      if ((sizeBytes + chunk.length) >> 22 > sizeBytes >> 22) collect(); // each 4 MiB: garbage is no buffer
      sizeBytes += chunk.length;
      lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    assert.is(lines, 15_000);
    assert.ok(sizeBytes > 50 * 2 ** 20 && most < 40 * 2 ** 20, `${sizeBytes} bytes took ${most}`);
    await until('the others have ended', async () => {
      const { status, body } = await fetch(path, { headers });
      await body?.cancel();
      return status === 200;
    });
    await docker.cli('rm', large);
  });

  test('a log goes on while its container is restarted, and ends with the container', async () => {
    const events = await eventSource(server, ann, {}, `/api/docker-containers/${web}/logs/stream`, 'user');
    const until = async (wanted: string) => {
      for (;;) if ((await events.next()).data['text'] === wanted) return;
    };
    await events.next();
    assert.is((await ask(`/${web}/restart`, ann, 'POST')).status, 200);
    await until('line 1');
    await until('line 5');
    const doomed = await run('ann-doomed', 'echo alive; sleep 1000', '--label', 'hostkeep.account=ann');
    const last = await eventSource(server, ann, {}, `/api/docker-containers/${doomed}/logs/stream`, 'user');
    assert.is((await last.next()).data['text'], 'alive');
    await docker.cli('rm', '-f', doomed);
    await last.ended;
    assert.is((await ask(`/${doomed}/logs/stream`)).status, 404, 'what whoever comes again is told');
    await events.close();
  });

  test('a container is stopped, started, restarted and removed, and events tell it', async () => {
    const change = async (path: string, method = 'POST') => (await ask(`/${web}${path}`, ann, method)).status;
    assert.is(await change('', 'DELETE'), 409, 'while it runs');
    assert.is(await change('/stop'), 200);
    assert.is(await stateOf(web), 'exited');
    assert.is(await change('/stop'), 200, 'it is so already');
    assert.is(await change('/start'), 200);
    assert.is(await change('/restart'), 200);
    assert.is(await stateOf(web), 'running');
    assert.is(await change('/stop'), 200);
    assert.is(await change('', 'DELETE'), 200);
    assert.is(await change('', 'DELETE'), 404);
    const { body } = await server.ask<{ activity: { action?: string; text?: string }[] }>('/api/account/activity', {
      token: ann,
    });
    const told = JSON.stringify(body);
    for (const past of ['stopped', 'started', 'restarted', 'removed'])
      assert.match(told, new RegExp(`${past} the container ann-web`));
  });

  test('without the engine, or the plugin that knows it, all is 503', async () => {
    await docker.down();
    const { status, body } = await ask('');
    assert.is(`${status} ${String(body['error'])}`, '503 containers_unavailable');
    await docker.up();
  });
}
