import * as assert from '../support/assert.ts';
import { HttpError } from '../../kernel/errors.ts';
import { EventStreams, formatEvent, parseLastEventId } from '../../kernel/kit/waiting/event-stream.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('event stream');
const LIMITS = { all: 3, own: 2 };

/** A client's end that keeps what was sent. */
class Client {
  readonly chunks: string[] = [];
  isBehind = false;
  hasEnded = false;

  write(chunk: string): boolean {
    this.chunks.push(chunk);
    return !this.isBehind;
  }

  end(): void {
    this.hasEnded = true;
  }
}

/** Counts in this process, as that of the workers counts in all. */
class Counter {
  readonly open: string[] = [];

  get total(): number {
    return this.open.length;
  }

  of(account: string): number {
    return this.open.filter((each) => each === account).length;
  }

  add(account: string): () => void {
    this.open.push(account);
    return () => void this.open.splice(this.open.indexOf(account), 1);
  }
}

for (const [name, open, account, detail] of [
  ['of one account', [1, 1], 1, 'the account already has 2 open streams'],
  ['of all accounts', [1, 2, 3], 4, 'the limit of 3 open streams is reached'],
] as const)
  test(`only so many streams ${name} are open, and each that ends makes room`, () => {
    const streams = new EventStreams(new Counter());
    const ends = open.map((id) => streams.opening(id, LIMITS, () => undefined)(new Client()));
    assert.throws(
      () => streams.opening(account, LIMITS, () => undefined),
      (error: unknown) => error instanceof HttpError && error.code === 'overloaded' && error.message.includes(detail),
    );
    assert.is(streams.size, open.length);
    ends[0]?.();
    streams.opening(account, LIMITS, () => undefined)(new Client());
    assert.is(streams.size, open.length);
    streams.close();
  });

test('a stream begins with the time to reconnect, and its source hears of its end', () => {
  const [streams, client] = [new EventStreams(new Counter()), new Client()];
  let hasEnded = false;
  const end = streams.opening(1, LIMITS, (sink: Client) => {
    sink.write(formatEvent('sample', 7, { a: 'b\nc' }));
    return () => (hasEnded = true);
  })(client);
  assert.equal(client.chunks, ['retry: 3000\n\n', 'id: 7\nevent: sample\ndata: {"a":"b\\nc"}\n\n']);
  assert.not(hasEnded);
  end();
  assert.ok(hasEnded);
  assert.is(streams.size, 0);
  streams.close();
});

test('who does not keep up loses chunks, and all streams end with their source', () => {
  const streams = new EventStreams(new Counter());
  const clients = [new Client(), new Client()] as const;
  for (const [i, client] of clients.entries()) streams.opening(i, LIMITS, () => undefined)(client);
  clients[1].isBehind = true;
  streams.send('one');
  clients[1].isBehind = false;
  streams.send('two');
  assert.equal(
    clients.map(({ chunks }) => chunks.slice(1)),
    [['one', 'two'], ['two']],
  );
  streams.close();
  assert.ok(clients.every(({ hasEnded }) => hasEnded));
});

test('a heartbeat shows an idle client that the server is there', async () => {
  const [streams, client] = [new EventStreams(new Counter(), 5), new Client()];
  streams.opening(1, LIMITS, () => undefined)(client);
  await until('a heartbeat', () => client.chunks.includes(': still here\n\n'));
  streams.close();
});

for (const [header, id] of [
  ['', undefined],
  ['0', 0],
  ['1732440000000', 1_732_440_000_000],
  ['1234567890123456', undefined],
  ['-1', undefined],
  ['7 ', undefined],
  ['1e3', undefined],
] as const)
  test(`Last-Event-ID "${header}" is ${id}`, () => assert.is(parseLastEventId(header), id));
