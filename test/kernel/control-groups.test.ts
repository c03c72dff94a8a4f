/** Groups in a folder that stands for the kernel's. */
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { ControlGroups } from '../../kernel/kit/programs/control-groups.ts';
import { findDisk } from '../../kernel/kit/programs/disk.ts';
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
  const devices = join(folder, 'devices');
  const open = () => ControlGroups.open({ mount, self, state, files: join(folder, 'none/yet'), devices });
  return { mount, unit, folder, devices, textOf, open };
}

/** Says that a folder is on a device `dm-0`, or on one in another, such as `sda/sda1`. Returns the folder of the disk. */
function addDisk(folder: string, devices: string, name: string): string {
  const numbers = execFileSync('stat', ['-c', '%Hd:%Ld', folder], { encoding: 'utf8' }).trim();
  const device = join(folder, 'block', name);
  mkdirSync(device, { recursive: true });
  writeFileSync(join(device, 'dev'), '8:1\n');
  const whole = join(folder, 'block', name.split('/')[0] ?? '');
  if (whole !== device) writeFileSync(join(whole, 'dev'), '8:0\n');
  mkdirSync(devices);
  symlinkSync(device, join(devices, numbers));
  return whole;
}

test('without cgroup v2, or without a delegated part of it, accounts have no groups', async () => {
  const { open, mount } = tree();
  for (const groups of [
    ControlGroups.none('not here'),
    ControlGroups.open({ mount: join(mount, 'nothing'), self: '/proc/self/cgroup', state: '/x', files: '/x' }),
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

test('a partition is on the whole disk, and what has no disk has none', () => {
  for (const path of ['/proc', '/proc/nothing/here']) assert.throws(() => findDisk(path), /has no disk of its own/);
  const { folder, devices } = tree();
  assert.throws(() => findDisk(folder, devices), /has no disk of its own/);
  const whole = addDisk(folder, devices, 'sda/sda1');
  writeFileSync(join(whole, 'sda1/partition'), '1\n');
  assert.is(findDisk(join(folder, 'none/yet'), devices), '8:0');
  const { folder: other, devices: others } = tree();
  addDisk(other, others, 'dm-0');
  assert.is(findDisk(other, others), '8:1');
});

test('traffic is limited on the disk of the files, where there is one', async () => {
  const { open, textOf, unit, folder, devices } = tree();
  const none = open();
  assert.not(none.controllers.has('io'));
  assert.match(JSON.stringify(none.disk), /"problem":".* has no disk of its own"/);
  await none.keep(new Map([[7, { 'io.max': 'rbps=1000 wbps=max', 'pids.max': '50' }]]));
  none.ofAccount(7);
  assert.equal([textOf('accounts/7/pids.max'), existsSync(join(unit, 'accounts/7/io.max'))], ['50', false]);
  addDisk(folder, devices, 'dm-0');
  const groups = open();
  assert.equal(groups.disk, { disk: '8:1' });
  assert.is(textOf('accounts/io.max'), '8:1 rbps=max wbps=max');
  rmSync(join(unit, 'accounts/7'), { recursive: true });
  groups.ofAccount(7);
  assert.is(textOf('accounts/7/io.max'), '8:1 rbps=1000 wbps=max', 'what was kept before');
  await groups.keep(new Map([[7, { 'io.max': 'rbps=max wbps=5' }]]));
  assert.is(textOf('accounts/7/io.max'), '8:1 rbps=max wbps=5');
  rmSync(join(unit, 'accounts/io.max'));
  mkdirSync(join(unit, 'accounts/io.max')); // the kernel takes nothing there
  assert.match(JSON.stringify(open().disk), /EISDIR/);
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
