/** Shells in containers of a real Docker Engine. */
import * as assert from '../../../support/assert.ts';
import { dockerMissing, IMAGE, TestDocker } from '../../../support/docker.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { connectSocket, openSocket, type SocketClient } from '../../../support/socket-client.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('container-shell');
const missing = dockerMissing();
if (missing === undefined) withDocker();
else reportSkipped(missing);

/** Below those of accounts. */
const FIRST_ID = 200_000;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function withDocker(): void {
  let docker: TestDocker;
  let server: TestServer;
  let [ann, bob] = ['', ''];
  let uid = 0;
  let [web, done, others] = ['', '', ''];

  const OWN = ['--label', 'hostkeep.account=ann'];
  const run = (name: string, ...options: string[]) =>
    docker.run('sleep 100000', '--name', name, '--network', 'none', ...OWN, ...options);
  const ask = (id: string, token = ann) =>
    openSocket(`${server.hostkeep.url('user')}/api/docker-shells/${id}`, bearer(token));
  const open = (id = web, token = ann) =>
    connectSocket(`${server.hostkeep.url('user')}/api/docker-shells/${id}`, bearer(token));
  const type = (client: SocketClient, text: string) => client.send(Buffer.from(text));
  const says = (client: SocketClient, text: string | RegExp) =>
    until(`the shell says ${text}`, () => {
      if (client.closed !== undefined) throw new Error(`it is closed: ${client.closed} ${client.texts.join()}`);
      return client.output.match(text) !== null;
    });
  const processes = () => docker.cli('exec', 'ann-web', 'ps', '-o', 'pid,args');
  const start = (settings = {}) =>
    TestServer.open({
      config: {
        'container-shell': settings,
        containers: { socket: docker.socket, timeout_ms: 10_000 },
        ids: { first: FIRST_ID },
        plugins: { 'container-shell': true },
      },
    });

  test.before(async () => {
    docker = await TestDocker.start();
    web = await run('ann-web');
    done = await docker.run('true', '--name', 'ann-done', '--network', 'none', ...OWN);
    others = await docker.run(
      'sleep 100000',
      '--name',
      'bob-web',
      '--network',
      'none',
      '--label',
      'hostkeep.account=bob',
    );
    server = await start();
    await server.hostkeep.core.plans.setFeature('developer', 'container_shell', true);
    const { account, token } = await server.user('ann');
    [ann, uid] = [token, FIRST_ID + account.id];
    bob = (await server.user('bob')).token;
  });
  test.after(async () => {
    await server.close();
    await docker.stop();
  });

  // threat shell-of-others: no shell opens in a container of another account, or with rights of the machine
  test('no shell opens where none may', async () => {
    const nobodys = await docker.run('sleep 100000', '--name', 'nobodys', '--network', 'none');
    const forged = await docker.run(
      'sleep 100000',
      ...['--name', 'forged', '--network', 'none', '--label', 'com.docker.compose.project=ann'],
      ...['--label', 'com.docker.compose.project.working_dir=/home/bob/ann'],
    );
    for (const id of [others, nobodys, forged, 'f'.repeat(64), web.slice(0, 12), 'ann-web'])
      assert.is(await ask(id), '404 container_not_found', id);
    assert.is(await ask(web, bob), '404 container_not_found');
    assert.is(await ask(done), '409 container_not_running');
    const rights = ['--privileged', '--pid=host', `--pid=container:${others}`, '--ipc=host', '--uts=host'];
    for (const right of [...rights, '--net=host', '--cap-add=SYS_PTRACE', '--device=/dev/null']) {
      const id = await docker.cli('create', ...OWN, right, IMAGE, 'sleep', '1');
      assert.is(await ask(id), '409 container_not_isolated', right);
    }
    assert.is((await server.ask(`/api/docker-shells/${web}`, { token: ann })).status, 426);
  });

  // threat shell-of-others: the shell has the user of the account, whatever the container says of users
  test('a shell has the user of the account, also where the container names root so', async () => {
    const forged = `echo ${uid}:x:0:0::/:/bin/sh > /etc/passwd; echo root:x:0:${uid},root > /etc/group; sleep 100000`;
    const traps = await docker.run(forged, '--name', 'traps', '--network', 'none', '--user', '0', ...OWN);
    for (const id of [web, traps]) {
      const client = await open(id);
      type(client, 'id -u; id -g; id -G; grep -i capeff /proc/self/status; tty; stty size\n');
      client.send('101x33');
      await says(client, /\/dev\/(pts\/\d|console)/);
      type(client, 'stty size\n');
      await says(client, '33 101');
      assert.match(client.output, new RegExp(`\\n${uid}\\r\\n${uid}\\r\\n${uid}\\r\\nCapEff:\\s+0{16}\\r`));
      type(client, 'exit 7\n');
      await until('it is closed', () => client.closed !== undefined);
      assert.equal([client.closed, client.texts], [1000, ['{"ended":"exit","exit_code":7}']]);
    }
  });

  test('nothing of a shell is left when its client goes, and events tell who was there', async () => {
    const before = await processes();
    for (const leave of ['close', 'break'] as const) {
      const client = await open();
      type(client, '(trap "" HUP; sleep 4321) & sleep 1234\n');
      await until('all runs', async () => /sleep 4321[^]*sleep 1234|sleep 1234[^]*sleep 4321/.test(await processes()));
      if (leave === 'close') client.close();
      else client.socket.destroy();
      await until(
        'nothing runs',
        async () => !/sleep (4321|1234)|\bsh$/m.test((await processes()).replace(before, '')),
      );
    }
    const { body } = await server.ask('/api/account/activity', { token: ann });
    assert.match(JSON.stringify(body), /opened a shell in the container ann-web/);
    assert.match(JSON.stringify(body), /closed a shell in the container ann-web after \d+ s/);
    assert.not.match(JSON.stringify(body), /4321/);
  });

  test('a shell ends with its session, and an account has three at most', async () => {
    const { account } = await server.hostkeep.core.sessions
      .authenticate(`Bearer ${ann}`)
      .then((known) => known ?? never());
    const token = await server.token(account);
    const clients = [await open(web, token), await open(web, token), await open(web, token)];
    for (const [i, client] of clients.entries()) {
      type(client, `echo it is $((${i} + 40))\n`);
      await says(client, `it is ${i + 40}`);
    }
    assert.is(await ask(web, token), '503 overloaded');
    await server.hostkeep.core.accounts.setFeature('ann', 'container_shell', false);
    const codes = () => clients.map(({ closed }) => closed);
    await eventually('all are closed', codes, (all) => all.every((code) => code === 1001));
    assert.is(await ask(web, token), '403 feature_disabled');
    await server.hostkeep.core.accounts.setFeature('ann', 'container_shell', undefined);
    await until('there is room again', async () => {
      const opened = await ask(web, token);
      if (typeof opened !== 'string') opened.close();
      return typeof opened !== 'string';
    });
    await until('nothing runs', async () => !/\bsh$/m.test(await processes()));
  });

  test('output waits for its reader, and input that nobody reads ends with its client', async () => {
    const client = await open();
    // The system keeps 32 MiB for a reader, if it has been told so: long lines come through a terminal faster.
    type(client, 'echo is $((1 + 1)); yes $(seq 1000)\n');
    await says(client, 'is 2');
    client.socket.pause();
    const before = process.memoryUsage.rss();
    let last = -1;
    await until('it stands still', async () => {
      const [now, stat] = [last, await docker.cli('exec', 'ann-web', 'sh', '-c', 'cat /proc/$(pidof yes)/stat')];
      last = Number(stat.split(' ')[13]) + Number(stat.split(' ')[14]);
      return now === last;
    });
    assert.ok(process.memoryUsage.rss() - before < 64 * 2 ** 20);
    client.socket.resume();
    const { sizeBytes } = client;
    await until('it goes on', () => client.sizeBytes > sizeBytes + 2 ** 20);
    type(client, '\x03');
    const deaf = await open();
    type(deaf, 'stty raw -echo; echo deaf; sleep 5678\n');
    await says(deaf, 'deaf');
    for (let i = 0; i < 30; i += 1) type(deaf, 'x'.repeat(8192));
    deaf.close();
    client.close();
    await until('nothing runs', async () => !/sleep 5678|\byes 1\b|\bsh$/m.test(await processes()));
  });

  test('a container without a shell says so, and one that restarts ends its shells', async () => {
    const bare = await run('bare');
    await docker.cli('exec', 'bare', 'sh', '-c', 'rm /bin/sh');
    const none = await open(bare);
    await until('it is closed', () => none.closed !== undefined);
    assert.equal([none.closed, none.texts, none.output], [1000, ['{"ended":"no_shell"}'], '']);
    const client = await open();
    type(client, 'echo here $((1 + 1))\n');
    await says(client, 'here 2');
    await docker.cli('restart', '-t', '0', 'ann-web');
    await until('it is closed', () => client.closed !== undefined);
    assert.match(client.texts[0] ?? '', /^\{"ended":"(exit|lost)"/);
    const again = await open();
    type(again, 'echo again $((1 + 2))\n');
    await says(again, 'again 3');
    again.close();
  });

  test('a shell ends without input, and with the server', async () => {
    const other = await start({ idle_seconds: 6 }); // a busy machine may let the other one wait for seconds
    await other.hostkeep.core.plans.setFeature('developer', 'container_shell', true);
    const { token } = await other.user('ann');
    const url = `${other.hostkeep.url('user')}/api/docker-shells/${web}`;
    const [idle, busy] = [await connectSocket(url, bearer(token)), await connectSocket(url, bearer(token))];
    await until('one ends without input', () => {
      type(busy, ' ');
      return idle.closed !== undefined;
    });
    assert.equal([idle.texts, busy.closed], [['{"ended":"idle"}'], undefined]);
    await other.close();
    await until('nothing runs', async () => !/\bsh$/m.test(await processes()));
    assert.is(busy.closed, 1001);
  });
}

function never(): never {
  throw new Error('the session is there');
}
