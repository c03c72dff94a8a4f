import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';

const INSIDE = new URL('../../support/inside-node.js', import.meta.url).href;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Where the clock is set to, one after the other, as steps from the right time. */
const STEPS_MS = [-1500, 0, HOUR_MS / 2, 0, 400 * DAY_MS, 0, -400 * DAY_MS, 0];

/** A clock that is set forward and back: tokens end no later than they say, and everything works at each time and when it is right again. */
export async function stepClock(): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  const sink = await WebhookSink.open();
  const people = STEPS_MS.flatMap(
    (_, i) =>
      [
        [`demo${i}`, 'user'],
        [`guessed${i}`, 'user'],
      ] as const,
  );
  await prepare(data, { ...Object.fromEntries(people), root: 'admin' });
  const node = await NodeProcess.start(data, {
    inside: INSIDE,
    config: { webhooks: sink.settings, account: { address_failures: { minute: 1000, hour: 1000, day: 1000 } } },
  });
  try {
    let answered = 0;
    for (const [i, stepMs] of STEPS_MS.entries()) {
      const [before] = await Promise.all([node.login(`demo${i}`), node.login('root', undefined, 'admin')]);
      await node.tell({ clockMs: stepMs });
      const passedMs = stepMs - (STEPS_MS[i - 1] ?? 0);
      const old = (await node.ask('/api/account/language', { token: before })).status;
      if (old !== (passedMs > HOUR_MS || passedMs < -MINUTE_MS ? 401 : 200))
        throw new Error(`a token from before a step to ${stepMs} ms was answered ${old}`);
      if (i > 0 && Math.abs(passedMs) > DAY_MS) await node.login(`guessed${i - 1}`); // its failures are of another time
      answered += await useAll(node, i, stepMs, sink);
    }
    if (/"level":"(error|fatal)"/.test(node.output))
      throw new Error(`a step of the clock was a fault: ${/^.*"level":"(?:error|fatal)".*$/m.exec(node.output)?.[0]}`);
    return `clock: ${STEPS_MS.length} steps of up to ${Math.max(...STEPS_MS) / DAY_MS} days in both directions, ${answered} checks of tokens, second factor, throttle, log, counts, usage and webhooks`;
  } finally {
    await node.end('SIGKILL');
    sink.close();
  }
}

/** At whatever time it is now, all that asks the clock does what it should; returns how many things were checked. */
async function useAll(node: NodeProcess, i: number, stepMs: number, sink: WebhookSink): Promise<number> {
  const at = stepMs === 0 ? 'when the clock was right again' : `when the clock was ${stepMs} ms off`;
  const expect = (what: string, isSo: boolean) => {
    if (!isSo) throw new Error(`${what} ${at}`);
    checks += 1;
  };
  let checks = 0;
  const token = await node.login(`demo${i}`);
  const admin = await node.login('root', undefined, 'admin');
  for (let n = 0; n < 3; n += 1)
    expect('a new token was refused', (await node.ask('/api/account/language', { token })).status === 200);

  const {
    body: { secret },
  } = await node.ask('/api/account/2fa/setup', { method: 'POST', token, body: { password: PASSWORD } });
  const code = (timestamp: number) => new TOTP({ secret: String(secret) }).generate({ timestamp });
  const now = Date.now() + stepMs;
  expect(
    'a code of another time was taken',
    (await node.ask('/api/account/2fa/confirm', { method: 'POST', token, body: { code: code(now + HOUR_MS) } }))
      .status === 400,
  );
  expect(
    'a right code was refused',
    (await node.ask('/api/account/2fa/confirm', { method: 'POST', token, body: { code: code(now) } })).status === 200,
  );
  expect(
    'a code worked twice',
    (await node.ask('/api/account/2fa', { method: 'DELETE', token, body: { password: PASSWORD, code: code(now) } }))
      .status === 401,
  );
  expect(
    'the second factor could not be switched off',
    (
      await node.ask('/api/account/2fa', {
        method: 'DELETE',
        token,
        body: { password: PASSWORD, code: code(now + 30_000) },
      })
    ).status === 200,
  );

  const name = `clock-${i}.example`;
  expect(
    'a domain could not be added',
    (await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } })).status === 201,
  );
  const { body: activity } = await node.ask<{ log_content: string[] }>('/api/account/activity', { token });
  expect('what came last was not first in the log', activity.log_content[0]?.includes(name) === true);
  const day = new Date(Date.now() + stepMs).toISOString().slice(0, 10);
  const { body: stats } = await node.ask<{ usage_stats: string }>('/api/usage/stats', {
    token: admin,
    address: 'admin',
  });
  const today = JSON.parse(stats.usage_stats.split('\n').at(-1) ?? '') as { timestamp: string; domains: number };
  expect("the count of the day is not today's", today.timestamp === day || stepMs === 0);
  expect('the domain is not counted', today.domains >= 1);
  expect('there is no usage of now', await hasUsage(node, admin, now));
  await told(sink, name, at);
  await guess(node, `guessed${i}`, expect);
  return checks + 1;
}

/** Whether the minute before and after a time holds samples. */
async function hasUsage(node: NodeProcess, token: string, now: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    await node.ask('/api/usage/cpu', { token, address: 'admin' });
    const { body } = await node.ask<{ points: unknown[] }>(
      `/api/usage/history?metric=cpu&step=1&from=${Math.floor((now - MINUTE_MS) / 1000)}&to=${Math.ceil((now + MINUTE_MS) / 1000)}`,
      { token, address: 'admin' },
    );
    if (body.points.length > 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function told(sink: WebhookSink, name: string, at: string): Promise<void> {
  for (let tries = 0; ![...sink.events.values()].some(({ data }) => data['domain_url'] === name); tries += 1) {
    if (tries > 600) throw new Error(`the event of ${name} was not delivered ${at}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** After five failures no more is tried, whatever the clock says; those of another time do not count. */
async function guess(
  node: NodeProcess,
  username: string,
  expect: (what: string, isSo: boolean) => void,
): Promise<void> {
  const attempt = async (password: string) =>
    (await node.ask('/api/login', { method: 'POST', body: { username, password } })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 6; n += 1) statuses.push(await attempt('wrong'));
  expect(`six wrong passwords were answered ${statuses.join()}`, statuses.includes(429) && !statuses.includes(200));
}
