import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { until } from '../../support/until.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';

const INSIDE = new URL('../../support/inside-node.js', import.meta.url).href;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Successive settings of the clock, relative to the correct time. */
const STEPS_MS = [-1500, 0, HOUR_MS / 2, 0, 400 * DAY_MS, 0, -400 * DAY_MS, 0];

/** Sets the clock forward and back. Rejects if a token outlives its expiry, or if a feature fails at any setting. */
export async function stepClock(): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  const sink = await WebhookSink.open();
  const accounts = STEPS_MS.flatMap(
    (_, i) =>
      [
        [`demo${i}`, 'user'],
        [`guessed${i}`, 'user'],
      ] as const,
  );
  await prepare(data, { ...Object.fromEntries(accounts), root: 'admin' });
  const node = await NodeProcess.start(data, {
    inside: INSIDE,
    config: { webhooks: sink.settings, login: { address_failures: { minute: 1000, hour: 1000, day: 1000 } } },
  });
  try {
    let checks = 0;
    for (const [i, stepMs] of STEPS_MS.entries()) {
      const [before] = await Promise.all([node.login(`demo${i}`), node.login('root', undefined, 'admin')]);
      await node.tell({ clockMs: stepMs });
      const passedMs = stepMs - (STEPS_MS[i - 1] ?? 0);
      const old = (await node.ask('/api/account/language', { token: before })).status;
      if (old !== (passedMs > HOUR_MS || passedMs < -MINUTE_MS ? 401 : 200))
        throw new Error(`a token from before a step to ${stepMs} ms returned ${old}`);
      // after more than a day, earlier failures no longer count
      if (i > 0 && Math.abs(passedMs) > DAY_MS) await node.login(`guessed${i - 1}`);
      checks += await checkAll(node, i, stepMs, sink);
    }
    if (/"level":"(error|fatal)"/.test(node.output))
      throw new Error(`a clock step caused an error: ${/^.*"level":"(?:error|fatal)".*$/m.exec(node.output)?.[0]}`);
    const days = Math.max(...STEPS_MS) / DAY_MS;
    return `clock: ${STEPS_MS.length} steps of up to ${days} days in both directions, ${checks} checks passed`;
  } finally {
    await node.end('SIGKILL');
    sink.close();
  }
}

/** Checks everything that reads the clock at its current setting; returns the number of checks. */
async function checkAll(node: NodeProcess, i: number, stepMs: number, sink: WebhookSink): Promise<number> {
  const at = stepMs === 0 ? 'after the clock was corrected' : `with the clock ${stepMs} ms off`;
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
    'a code from another time was accepted',
    (await node.ask('/api/account/2fa/confirm', { method: 'POST', token, body: { code: code(now + HOUR_MS) } }))
      .status === 400,
  );
  expect(
    'a valid code was refused',
    (await node.ask('/api/account/2fa/confirm', { method: 'POST', token, body: { code: code(now) } })).status === 200,
  );
  expect(
    'a code worked twice',
    (await node.ask('/api/account/2fa', { method: 'DELETE', token, body: { password: PASSWORD, code: code(now) } }))
      .status === 401,
  );
  expect(
    'the second factor could not be turned off',
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
  expect(
    'the latest event was not in the log',
    activity.log_content.some((line) => line.includes(name)),
  );
  const times = activity.log_content.map((line) => line.slice(1, 20));
  expect('the log was not ordered by time', times.join() === times.toSorted().toReversed().join());
  const today = () => new Date(Date.now() + stepMs).toISOString().slice(0, 10);
  const days = [today()];
  const { body: stats } = await node.ask<{ usage_stats: string }>('/api/usage/stats', {
    token: admin,
    address: 'admin',
  });
  days.push(today()); // midnight may have come
  const count = JSON.parse(stats.usage_stats.split('\n').at(-1) ?? '') as { timestamp: string; domains: number };
  expect("the daily count does not bear today's date", days.includes(count.timestamp) || stepMs === 0);
  expect('the domain is not counted', count.domains >= 1);
  await until(`there is a usage sample of this time ${at}`, () => hasUsage(node, admin, now, Date.now() + stepMs));
  await until(`the event of ${name} is delivered ${at}`, () =>
    [...sink.events.values()].some(({ data }) => data['domain_url'] === name),
  );
  await guess(node, `guessed${i}`, expect);
  return checks + 2;
}

/** Whether usage samples exist from a minute before one time to a minute after another. */
async function hasUsage(node: NodeProcess, token: string, since: number, now: number): Promise<boolean> {
  const [from, to] = [Math.floor((since - MINUTE_MS) / 1000), Math.ceil((now + MINUTE_MS) / 1000)];
  await node.ask('/api/usage/cpu', { token, address: 'admin' });
  const path = `/api/usage/history?metric=cpu&step=1&from=${from}&to=${to}`;
  return (await node.ask<{ points: unknown[] }>(path, { token, address: 'admin' })).body.points.length > 0;
}

/** Expects the throttle to refuse after five failed logins, whatever the clock says. */
async function guess(
  node: NodeProcess,
  username: string,
  expect: (what: string, isSo: boolean) => void,
): Promise<void> {
  const attempt = async (password: string) =>
    (await node.ask('/api/login', { method: 'POST', body: { username, password } })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 6; n += 1) statuses.push(await attempt('wrong'));
  expect(`six wrong passwords returned ${statuses.join()}`, statuses.includes(429) && !statuses.includes(200));
}
