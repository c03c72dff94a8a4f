/** Preloaded into a node to throw what nobody handles, from the place that a message names. */
import { Readable } from 'node:stream';
import { isMainThread } from 'node:worker_threads';

const failure = (place: string) => new Error(`thrown from a ${place}`);

/** Places to throw from, none of which any code of the server surrounds. */
const places = {
  timer: () => setTimeout(() => fail('timer')),
  stream: () => new Readable({ read() {} }).destroy(failure('stream')),
  promise: () => void Promise.reject(failure('promise')),
  'foreign callback': async () => {
    const { default: sqlite3 } = await import('sqlite3');
    new sqlite3.Database(':memory:').get('select 1', () => fail('foreign callback'));
  },
  /** Throws again and again, also while the server closes. */
  interval: () => setInterval(() => fail('interval')),
};
export type Place = keyof typeof places;

function fail(place: Place): never {
  throw failure(place);
}

if (isMainThread) {
  process.on('message', ({ place }: { readonly place: Place }) => void places[place]());
  process.channel?.unref();
}
