/** The thread of `HeldPorts`. It stands still except while it changes between its two states. */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { loadUws } from '../../http/uws.ts';
import { ENDED, HELD, RELEASED, type HeldPortsData } from './held-ports.ts';

/** More connections than uWebSockets.js has in the queue of a port. */
const FILLING = 520;

const { addresses, state } = workerData as HeldPortsData;
const uws = loadUws();
const places = await Promise.all(
  addresses.map(async ({ host, port }) => ({ host, port, address: (await lookup(host)).address })),
);
for (;;) {
  standStillWhile(RELEASED);
  if (Atomics.load(state, 0) === ENDED) process.exit();
  const held: (() => void)[] = [];
  for (const place of places) {
    held.push(hold(place));
    await new Promise<void>((resolve) => process.nextTick(resolve)); // in which Node.js connects, without a turn that accepts
  }
  parentPort?.postMessage('held');
  standStillWhile(HELD);
  for (const release of held) release();
  await nextTurn();
}

function standStillWhile(current: number): void {
  while (Atomics.load(state, 0) === current) Atomics.wait(state, 0, current);
}

/** Listens, as workers do, and fills the queue. Returns what ends it. */
function hold({ host, port, address }: (typeof places)[number]): () => void {
  const app = uws.App();
  app.listen(host, port, () => undefined); // if it fails, another program has the port, as the next worker will say
  const filling = Array.from({ length: FILLING }, () => connect({ host: address, port }).on('error', () => undefined));
  return () => {
    app.close();
    for (const socket of filling) socket.destroy();
  };
}
