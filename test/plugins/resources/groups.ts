import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControlGroups } from '../../../kernel/kit/programs/control-groups.ts';
import { createLog } from '../../../kernel/log.ts';
import type { GroupFigures } from '../../../plugins/resources/groups.ts';
import privileged, { type ResourcesVerbs } from '../../../plugins/resources/privileged.ts';
import { temporaryFolder } from '../../support/folder.ts';

const UNIT = 'unit.service';

/** A folder that stands for the delegated part of the kernel's control groups. */
export function groupsInFolder() {
  const mount = temporaryFolder();
  mkdirSync(join(mount, UNIT));
  for (const each of [mount, join(mount, UNIT)])
    writeFileSync(join(each, 'cgroup.controllers'), 'cpu io memory pids\n');
  writeFileSync(join(mount, 'self'), `0::/${UNIT}/broker\n`);
  // whatever the file system of this machine: it is on a disk 8:0
  const [devices, disk] = [join(mount, 'devices'), join(mount, 'sda')];
  for (const folder of [devices, disk]) mkdirSync(folder);
  writeFileSync(join(disk, 'dev'), '8:0\n');
  symlinkSync(disk, join(devices, execFileSync('stat', ['-c', '%Hd:%Ld', mount], { encoding: 'utf8' }).trim()));
  const places = { self: join(mount, 'self'), state: join(mount, 'state'), files: mount, devices };
  const groups = ControlGroups.open({ mount, ...places });
  return { groups, folderOf: (id: number) => join(mount, UNIT, 'accounts', String(id)) };
}

/** The verbs as the broker has them. */
export function verbsWith(groups: ControlGroups): ResourcesVerbs {
  return privileged.open({
    config: {} as never,
    log: createLog('silent'),
    rootOf: () => {
      throw new Error('no files are touched');
    },
    userOf: () => null,
    groups,
    signal: new AbortController().signal,
  });
}

export const figures = (accountId: number, over: Partial<GroupFigures> = {}): GroupFigures => ({
  ...{
    accountId,
    memoryBytes: 0,
    processes: 0,
    cpuUs: 0,
    readBytes: 0,
    writtenBytes: 0,
    killed: 0,
    refused: 0,
    throttled: 0,
  },
  ...over,
});
