import type { MovedAccount, Mover } from '../../kernel/contract/points/move-part.ts';
import { Arriving } from './arriving.ts';
import { dropMoved } from './dropping.ts';
import { LeavingDatabases } from './leaving.ts';
import { MoveRecord } from './record.ts';
import { MoveServer, type DatabaseMoveParts } from './server.ts';
import { unlockUser } from './window.ts';

/** Moves the databases on servers of MariaDB, and the users who have rights on these only. SQLite files are files. */
export function databaseMover(parts: DatabaseMoveParts): Mover {
  const leavingOf = (account: MovedAccount) => new MoveRecord(parts.local, account, 'leaving');
  return {
    leave: (account, link) => new LeavingDatabases(parts, account, link),
    async reopen(account) {
      const record = leavingOf(account);
      for (const each of await record.all()) {
        const server = MoveServer.named(parts, each.server);
        if (each.kind === 'user' && !each.wasLocked) await server?.with((client) => unlockUser(client, each));
        await record.remove(each);
      }
    },
    async remove(account, isForced) {
      const record = leavingOf(account);
      for (const name of new Set((await record.all()).map((each) => each.server))) {
        const server = MoveServer.named(parts, name);
        await server?.with((client) => dropMoved(client, server, record, { isForced }));
      }
      await record.clear();
      await new MoveRecord(parts.local, account, 'arriving').clear(); // of a move to this node, long ago
    },
    arrive: (arrival) => new Arriving(parts, arrival.account).answer(arrival),
    discard: (account) => new Arriving(parts, account).discard(),
  };
}
