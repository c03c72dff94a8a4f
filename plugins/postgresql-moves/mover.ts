import type { MovedAccount, Mover } from '../../kernel/contract/points/move-part.ts';
import { hasRole, setLocked } from '../../kernel/kit/databases/postgresql/roles.ts';
import { Arriving } from './arriving.ts';
import { LeavingDatabases } from './leaving.ts';
import { MoveRecord, type MoverParts } from './record.ts';
import { refusing } from './refusals.ts';

/** Moves the databases and users that the store says are an account's. */
export function postgresqlMover(parts: MoverParts): Mover {
  const leavingOf = (account: MovedAccount) => new MoveRecord(parts, account, 'leaving');
  return {
    leave: (account, link) => new LeavingDatabases(parts, account, link),
    reopen: (account) => refusing(() => reopen(parts, account, leavingOf(account))),
    async remove(account) {
      await refusing(() => leavingOf(account).drop());
      await new MoveRecord(parts, account, 'arriving').clear(); // of a move to this node, long ago
    },
    arrive: (arrival) => new Arriving(parts, arrival.account).answer(arrival),
    discard: (account) => refusing(() => new MoveRecord(parts, account, 'arriving').drop()),
  };
}

async function reopen(parts: MoverParts, account: MovedAccount, record: MoveRecord): Promise<void> {
  await record.drop(({ kind }) => kind === 'temporary');
  const locked = new Map(
    (await parts.servers.items(account))
      .filter(({ kind }) => kind === 'user')
      .map(({ name, isLocked }) => [name, isLocked]),
  );
  for (const each of await record.all()) {
    const isLocked = each.kind === 'user' ? locked.get(each.name) : undefined;
    if (isLocked !== undefined)
      await parts.servers.open(each.server, async ({ main }) => {
        if (await hasRole(main, each.name)) await setLocked(main, each.name, isLocked);
      });
    await record.remove(each);
  }
}
