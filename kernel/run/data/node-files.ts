import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/configuration.ts';
import { Keyring } from '../../identity/gate/keyring.ts';
import type { NodeFiles } from '../../contract/command.ts';
import { AuditLog } from '../../store/events/audit-log.ts';
import { readMembership, removeMembership, writeMembership } from './membership.ts';
import { openStore } from './open-store.ts';
import { SqliteEngine } from '../../store/sqlite/sqlite-engine.ts';

/** Returns what commands may do with the files of a node; see `NodeFiles`. */
export function nodeFilesAt({ data, store: settings }: Config): NodeFiles {
  return {
    async withStoreAlone(work) {
      const store = await openStore(data, settings);
      try {
        return await work({ store, events: new AuditLog(store, readMembership(data)?.name ?? '') });
      } finally {
        await store.close();
      }
    },
    membership: () => readMembership(data),
    async hasKeysInUse() {
      if (!Keyring.exist(data)) return false;
      const file = join(data, 'hostkeep.db');
      if (!existsSync(file)) return true; // those of a store elsewhere
      const own = await SqliteEngine.open(file);
      try {
        return (await own.get('select 1 from accounts')) !== undefined;
      } finally {
        await own.close();
      }
    },
    join(membership, keys) {
      if (keys !== undefined) Keyring.place(data, keys);
      writeMembership(data, membership);
    },
    leave(keepsKeys) {
      removeMembership(data);
      if (!keepsKeys) Keyring.remove(data);
    },
  };
}
