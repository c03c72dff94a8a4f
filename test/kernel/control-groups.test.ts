/** Groups in a folder that stands for the kernel's. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { ControlGroups } from '../../kernel/kit/programs/control-groups.ts';
import { startProgram } from '../../kernel/kit/programs/start-program.ts';
import { codeOf } from '../support/code-of.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('control groups');
const UNIT = 'system.slice/hostkeep-broker.service';

function tree({ own = `/${UNIT}/broker`, controllers = 'cpu io memory pids' } = {}) {
  const folder = temporaryFolder();
  const [mount, self, state] = [join(folder, 'cgroup'), join(folder, 'self'), join(folder, 'state')];
  const unit = join(mount, UNIT);
  mkdirSync(unit, { recursive: true });
  for (const each of [mount, unit]) writeFileSync(join(each, 'cgroup.controllers'), `${controllers}\n`);
  writeFileSync(self, `0::${own}\n`);
  const textOf = (...path: string[]) => readFileSync(join(unit, ...path), 'utf8');
  return { mount, unit, textOf, open: () => ControlGroups.open({ mount, self, state }) };
}

test('without cgroup v2, or without a delegated part of it, accounts have no groups', async () => {
  const { open, mount } = tree();
  for (const groups of [
    ControlGroups.none('not here'),
    ControlGroups.open({ mount: join(mount, 'nothing'), self: '/proc/self/cgroup', state: '/nonexistent' }),
    tree({ own: '/user.slice/session-1.scope' }).open(),
    tree({ own: '/' }).open(),
  ]) {
    assert.ok(groups.problem);
    assert.is(groups.ofAccount(1), undefined);
    assert.equal(groups.ids(), []);
    assert.is(await codeOf(groups.keep(new Map([[1, { 'pids.max': '5' }]]))), 'invalid_request');
    assert.is(await groups.end(1), false);
  }
  assert.is(open().problem, undefined);
});

test('a group has what is kept, also by the next process, of what is delegated', async () => {
  const { open, textOf, unit } = tree({ controllers: 'cpu pids' });
  const groups = open();
  assert.equal([...groups.controllers], ['cpu', 'pids']);
  for (const folder of ['', 'accounts']) assert.is(textOf(folder, 'cgroup.subtree_control'), '+pids', 'each by itself');
  await groups.keep(new Map([[7, { 'pids.max': '50', 'memory.max': '1000' }]]));
  assert.equal(groups.ids(), []);
  const next = open();
  assert.is(next.ofAccount(7), join(unit, 'accounts/7'));
  assert.is(textOf('accounts/7/pids.max'), '50');
  assert.is(existsSync(join(unit, 'accounts/7/memory.max')), false);
  await next.keep(new Map([[7, { 'pids.max': '60' }]]));
  assert.is(textOf('accounts/7/pids.max'), '60');
  await next.keep(new Map([[7, undefined]]));
  assert.equal([...open().kept()], []);
});

test('nothing fails for want of a controller, or of one of its files', async () => {
  const { open, unit } = tree();
  mkdirSync(join(unit, 'cgroup.subtree_control'));
  const bare = open();
  assert.equal([bare.problem, [...bare.controllers]], [undefined, []]);
  await bare.keep(new Map([[7, { 'pids.max': '50' }]]));
  const group = bare.ofAccount(7);
  assert.is(existsSync(join(unit, 'accounts/7/pids.max')), false);
  assert.equal(await once(startProgram('true', [], { group }), 'exit'), [0, null]);
  const { open: openWhole, unit: whole, textOf } = tree();
  const groups = openWhole();
  groups.ofAccount(7);
  symlinkSync(join(whole, 'no', 'swap'), join(whole, 'accounts/7/memory.swap.max')); // cannot be made either
  await groups.keep(new Map([[7, { 'memory.swap.max': '0', 'pids.max': '50' }]]));
  assert.is(textOf('accounts/7/pids.max'), '50');
});

test('a program joins its group before it does anything, and does not start without', async () => {
  const { open, textOf, unit } = tree();
  const group = open().ofAccount(3);
  const child = startProgram('true', [], { group, limits: { openFiles: 64 } });
  assert.equal(await once(child, 'exit'), [0, null]);
  assert.is(textOf('accounts/3/cgroup.procs').trim(), String(child.pid));
  const marker = join(unit, 'started');
  const missing = startProgram('touch', [marker], { group: join(unit, 'accounts/4') });
  assert.is.not((await once(missing, 'exit'))[0], 0);
  assert.is(existsSync(marker), false);
});
