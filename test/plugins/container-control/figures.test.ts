import * as assert from '../../support/assert.ts';
import type { FiguresSample } from '../../../kernel/areas/containers.ts';
import { current, history } from '../../../plugins/container-control/figures.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('container figures');
const AT = Date.parse('2026-11-24T09:00:00Z');
const one = (id: string, bytes: number) => ({
  ...{ id, cpuPercent: 12.345, memoryBytes: 100, limitBytes: 200, pids: 3 },
  ...{ receivedBytes: bytes, sentBytes: 2 * bytes, readBytes: 0, writtenBytes: 4 * bytes },
});
const sample = (seconds: number, ...containers: FiguresSample['containers']): FiguresSample => ({
  atMs: AT + seconds * 1000,
  containers,
});
const rates = (of: { received_per_second: number | null; sent_per_second: number | null }) => [
  of.received_per_second,
  of.sent_per_second,
];

test('figures are those of the newest sample, and rates since the one before', () => {
  assert.equal(current([]), { sampled_at: null, containers: [] });
  const samples = [sample(0, one('a', 1000), one('b', 0)), sample(2, one('a', 3000), one('c', 7))];
  const { sampled_at: at, containers } = current(samples);
  assert.is(at, '2026-11-24T09:00:02.000Z');
  assert.equal(containers[0], {
    ...{ id: 'a', cpu_percent: 12.35, memory_bytes: 100, memory_limit_bytes: 200, tasks: 3 },
    ...{ received_per_second: 1000, sent_per_second: 2000, read_per_second: 0, written_per_second: 4000 },
  });
  assert.equal(
    containers.slice(1).map((each) => [each.id, ...rates(each)]),
    [['c', null, null]],
    'it has just started',
  );
  assert.equal(current([sample(0, one('a', 5))]).containers.map(rates), [[null, null]]);
});

test('a course leaves out when a container did not run, and starts from nothing', () => {
  const samples = [
    sample(0, one('a', 1000)),
    sample(2, one('a', 2000)),
    sample(4, one('b', 9)),
    sample(6, one('a', 10)),
    sample(8, one('a', 30)),
    sample(10, one('a', 5)),
    sample(10, one('a', 5)),
  ];
  const course = history(samples, 'a');
  assert.equal(
    course.map(({ at }) => at.slice(17, 19)),
    ['02', '06', '08', '10', '10'],
  );
  assert.equal(
    course.map((each) => each.received_per_second),
    [500, null, 10, null, null],
  );
  assert.equal(history(samples, 'x'), []);
  assert.is(history(samples.slice(0, 1), 'a').length, 1, 'the first one is better than none');
});
