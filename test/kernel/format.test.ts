import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { formatSize, formatWait } from '../../kernel/kit/format.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('sizes and times in text');

test('sizes are rounded up, with one decimal below ten', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [1, '1'],
    [1023, '1023'],
    [1024, '1.0K'],
    [1025, '1.1K'],
    [4096, '4.0K'],
    [10_189, '10K'],
    [10_240, '10K'],
    [10_241, '11K'],
    [1024 ** 2 - 1, '1.0M'],
    [1.7 * 1024 ** 2, '1.7M'],
    [3.3 * 1024 ** 3, '3.3G'],
    [999.5 * 1024 ** 3, '1000G'],
    [1024 ** 4, '1.0T'],
    [5 * 1024 ** 5, '5.0P'],
  ];
  for (const [bytes, text] of cases) assert.is(formatSize(bytes), text);
});

test('sizes are the same as those of du -h', () => {
  const file = join(temporaryFolder(), 'sparse');
  writeFileSync(file, '');
  const edges = [1, 10, 1024].flatMap((factor) => [1, 2, 3].map((power) => factor * 1024 ** power));
  const sizes = [
    ...edges.flatMap((edge) => [edge - 512, edge - 1, edge, edge + 1, edge + 512]),
    ...Array.from({ length: 100 }, (_, i) => Math.floor(1.3 ** i % 2 ** 43)),
  ];
  for (const size of sizes) {
    truncateSync(file, size);
    const [text] = execFileSync('du', ['-h', '--apparent-size', '--', file], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    }).split('\t');
    assert.is(formatSize(size), text, String(size));
  }
});

test('a time to wait is rounded up, so that whoever comes back is not too early', () => {
  const cases: [number, string][] = [
    [0.2, '1 s'],
    [60, '60 s'],
    [61, '2 min'],
    [3600, '60 min'],
    [3601, '2 h'],
    [86_400, '24 h'],
  ];
  for (const [seconds, text] of cases) assert.is(formatWait(seconds), text);
});
