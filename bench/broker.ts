/**
 * What the broker costs: `npm run build && node dist/bench/broker.js [domains]`, as root with nginx installed. Adds domains
 * in turn to a node that does everything itself, as root, and to one without rights that has a broker, each with an
 * nginx of its own. The reply to an addition means that nginx serves the domain.
 */
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NOBODY, startBroker } from '../test/support/broker.ts';
import { Nginx } from '../test/support/nginx.ts';
import { NodeProcess, prepare } from '../test/support/node-process.ts';
import { AS_NOBODY } from '../test/support/process-rights.ts';
import { median } from './support/load.ts';
import { machineText, temporaryFolder } from './support/processes.ts';

const WARM_UP = 3;
const count = Number(process.argv[2] ?? 40);

interface Side {
  readonly node: NodeProcess;
  readonly nginx: Nginx;
  readonly token: string;
  readonly addMs: number[];
  readonly listMs: number[];
  stop(): Promise<void>;
}

async function withoutBroker(): Promise<Side> {
  const nginx = await Nginx.start('www-data');
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  const node = await NodeProcess.start(data, { config: { webserver: nginx.settings } });
  return sideOf(node, nginx, async () => undefined);
}

async function withBroker(): Promise<Side> {
  const nginx = await Nginx.start('www-data');
  const broker = await startBroker({ webserver: nginx.settings });
  const data = join(broker.folder, 'data');
  chownSync(data, 0, 0);
  await prepare(data, { ann: 'user' });
  for (const name of ['.', ...readdirSync(data)]) chownSync(join(data, name), NOBODY, NOBODY);
  const through = ['setpriv', ...AS_NOBODY, '--bounding-set=-all', '--no-new-privs', '--'];
  return sideOf(await NodeProcess.start(data, { config: broker.settings, through }), nginx, () => broker.kill());
}

async function sideOf(node: NodeProcess, nginx: Nginx, stopBroker: () => Promise<void>): Promise<Side> {
  const stop = async () => {
    await node.end();
    await stopBroker();
    await nginx.remove();
  };
  return { node, nginx, token: await node.login('ann'), addMs: [], listMs: [], stop };
}

async function timed(work: () => Promise<{ readonly status: number; readonly body: unknown }>, expected: number) {
  const started = performance.now();
  const { status, body } = await work();
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`);
  return performance.now() - started;
}

const [direct, brokered] = [await withoutBroker(), await withBroker()];
try {
  for (let i = -WARM_UP; i < count; i += 1)
    for (const { node, token, addMs, listMs } of i % 2 === 0 ? [direct, brokered] : [brokered, direct]) {
      const body = { domain_url: `bench-${i + WARM_UP}.example` };
      const add = await timed(() => node.ask('/api/domains/new', { method: 'POST', token, body }), 201);
      const list = await timed(() => node.ask('/api/folders', { token }), 200);
      if (i < 0) continue;
      addMs.push(add);
      listMs.push(list);
    }
  console.log(machineText());
  for (const [what, of] of [
    ['a domain added until nginx serves it', (side: Side) => side.addMs],
    ['the files of an account listed', (side: Side) => side.listMs],
  ] as const) {
    const [own, through] = [median(of(direct)), median(of(brokered))];
    console.log(
      `${what}, p50 of ${count}: ${through.toFixed(1)} ms / ${own.toFixed(1)} ms = ${(through / own).toFixed(2)}`,
    );
  }
  console.log('(with a broker / without; wanted for the first: at most 1.2)');
} finally {
  for (const side of [direct, brokered]) await side.stop();
}
