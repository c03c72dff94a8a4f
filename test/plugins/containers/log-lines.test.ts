import * as assert from '../../support/assert.ts';
import { parseDetails } from '../../../plugins/containers/engine/container-details.ts';
import { LogFrames, parseLines } from '../../../kernel/kit/engine/log-lines.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('container log lines');
const AT = '2026-11-24T09:00:00.123456789Z';

function frame(stream: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

test('frames are lines of a stream; a long line goes on in the next frame', () => {
  const bytes = Buffer.concat([
    frame(1, `${AT} one\n`),
    frame(2, `${AT} two `),
    frame(2, 'parts\n'),
    frame(1, `${AT} \n`),
  ]);
  assert.equal(parseLines(bytes), [
    { at: AT, stream: 'stdout', text: 'one' },
    { at: AT, stream: 'stderr', text: 'two parts' },
    { at: AT, stream: 'stdout', text: '' },
  ]);
});

test('lines are by time, whichever stream the engine writes first', () => {
  const lines = parseLines(
    Buffer.concat([
      frame(1, '2026-11-24T09:00:01.300000000Z third\n'),
      frame(2, '2026-11-24T09:00:01.100000000Z first\n'),
      frame(2, '2026-11-24T09:00:01.200000000Z second\n'),
    ]),
  );
  assert.equal(
    lines.map(({ text }) => text),
    ['first', 'second', 'third'],
  );
});

test('a terminal has no frames', () => {
  assert.equal(parseLines(Buffer.from(`${AT} one\r\n${AT} two\r\n`)), [
    { at: AT, stream: 'stdout', text: 'one\r' },
    { at: AT, stream: 'stdout', text: 'two\r' },
  ]);
});

test('frames may come in any pieces', () => {
  const bytes = Buffer.concat([frame(1, `${AT} one\n`), frame(2, ''), frame(2, `${AT} two\n`)]);
  for (const size of [1, 7, 8, 9, bytes.length]) {
    const frames = new LogFrames();
    const [found, all] = [{ stdout: '', stderr: '' }, [...bytes.keys()].filter((at) => at % size === 0)];
    for (const at of all)
      for (const part of frames.take(bytes.subarray(at, at + size))) found[part.stream] += part.bytes.toString();
    assert.equal(found, { stdout: `${AT} one\n`, stderr: `${AT} two\n` }, `pieces of ${size}`);
  }
});

test('nothing of an engine is taken on trust', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(7), Buffer.from('no time\nin it'), Buffer.alloc(64, 0xff)])
    assert.equal(parseLines(bytes), []);
  const cut = frame(1, `${AT} cut off`);
  cut.writeUInt32BE(0xff_ff_ff_ff, 4);
  assert.equal(parseLines(cut), [{ at: AT, stream: 'stdout', text: 'cut off' }]);
  assert.is(parseLines(frame(1, `${AT} ${'x'.repeat(20_000)}`))[0]?.text.length, 8192);
});

test('details of anything are complete, and dates are dates', () => {
  for (const value of [undefined, null, [], 'x', { State: 1, HostConfig: [], Config: { Env: 5 } }])
    assert.equal(parseDetails(value).environment, []);
  const { startedAt, finishedAt, health, environment } = parseDetails({
    State: { StartedAt: '+099999-01-01T00:00:00Z', FinishedAt: '0001-01-01T00:00:00Z', Health: { Status: 'none' } },
    Config: { Env: ['A=b=c', 'EMPTY=', 'NAKED', 'API_KEY=x', 'URL=redis://:pw@cache:6379'] },
  });
  assert.equal([startedAt, finishedAt, health], ['', '', '']);
  assert.equal(environment, [
    { name: 'A', value: 'b=c' },
    { name: 'EMPTY', value: '' },
    { name: 'NAKED', value: '' },
    { name: 'API_KEY', value: null },
    { name: 'URL', value: null },
  ]);
});
