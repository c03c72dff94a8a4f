/** Every operation on the demo's content, while others take nine tenths of the processor, or two thirds during changes. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as assert from '../../support/assert.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import { endsWithTests } from '../../support/child.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { startSurroundings } from '../../support/plugin-rows.ts';
import { allowedProcessors } from '../../support/processors.ts';
import { testSuite } from '../../support/suite.ts';
import { walk } from '../../support/walk.ts';

/** As many as 20 on two processors, and fewer during changes, which start programs that would take minutes. */
const OTHERS = 10;
const OTHERS_OF_CHANGES = 2;
const test = testSuite('a busy machine');
let others: ChildProcess[] = [];
let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
const signal = (name: NodeJS.Signals, count = OTHERS) => others.slice(0, count).forEach((other) => other.kill(name));

test.before(async () => {
  stayOnOneProcessor();
  const loop = ['-c', 'while :; do :; done'];
  others = Array.from({ length: OTHERS }, () => endsWithTests(spawn('sh', loop, { stdio: 'ignore' })));
  signal('SIGSTOP');
  surroundings = await startSurroundings();
});
test.after(async () => {
  const ended = others.map((other) => once(other, 'exit'));
  signal('SIGKILL');
  await Promise.all(ended);
  await surroundings.close();
});

/** This process, and all that it starts: what runs beside it has the others. */
function stayOnOneProcessor(): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(allowedProcessors()[0]), String(process.pid)]);
}

/** What does not differ from one moment to the next: whether there is something, and of which kind. */
function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : 'some';
  if (typeof value !== 'object' || value === null) return value === null || value === '' ? value : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, kindOf(each)]));
}

test('every operation does what it does on an idle one, or says when to ask again', async () => {
  const server = await TestServer.start({ config: surroundings.config });
  const letOthers = ({ method }: RouteInfo) => signal('SIGCONT', method === 'GET' ? OTHERS : OTHERS_OF_CHANGES);
  for await (const { name, route, answer, late, ask } of walk(server, () => undefined, [], letOthers)) {
    signal('SIGSTOP');
    for (const { status, headers, body } of late) {
      assert.is(status, 503, `${name}: ${JSON.stringify(body)}`);
      assert.ok(Number(headers.get('retry-after')) > 0, name);
    }
    assert.is(answer.status, route.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`);
    if (route.method !== 'GET') continue;
    const { body } = await ask();
    assert.equal(kindOf(answer.body), kindOf(body), name);
  }
});
