import { rm } from 'node:fs/promises';
import type { Mover } from '../../kernel/contract/points/move-part.ts';
import { isThere } from '../../kernel/kit/files/if-missing.ts';
import { Arriving } from './arriving.ts';
import { LeavingBackups } from './leaving.ts';
import type { MoverParts } from './parts.ts';

/** Moves the repository and the list of backups of an account. What lies beside a repository tells whether it may be removed. */
export function backupMover(parts: MoverParts): Mover {
  const { backups } = parts;
  return {
    leave: (account, link) => new LeavingBackups(parts, account, link),
    reopen: (account) => rm(backups.at(account, 'leaving'), { force: true }),
    remove: async (account) => {
      if (await isThere(backups.at(account, 'leaving'))) await backups.forget(account);
    },
    arrive: (arrival) => new Arriving(parts, arrival.account).answer(arrival),
    discard: async (account) => {
      if (await isThere(backups.at(account, 'arriving'))) await backups.forget(account);
    },
  };
}
