import { mkdirSync, writeFileSync } from 'node:fs';
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
  const groups = ControlGroups.open({ mount, self: join(mount, 'self'), state: join(mount, 'state') });
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
  ...{ accountId, memoryBytes: 0, processes: 0, cpuUs: 0, killed: 0, refused: 0, throttled: 0 },
  ...over,
});
