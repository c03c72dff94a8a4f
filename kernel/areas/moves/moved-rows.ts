/** Rows that a plugin keeps of sites in the machine's local store, and that go to another node with their account. */
import { errorMessage, fail, HttpError } from '../../errors.ts';
import { readJson, readList } from '../../kit/verb-arguments.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { Host } from '../../contract/plugin.ts';
import { NO_DOMAINS, type DomainDirectory } from '../sites/domain-directory.ts';
import type { MovedAccount, Mover } from '../../contract/points/move-part.ts';

interface OfSite {
  readonly domainId: number;
}

export interface MovedRows<Row extends OfSite> {
  /** For people, such as `slow requests`. */
  readonly what: string;
  /** Returns those of an account after one, in a fixed order. */
  readonly list: (local: Store, accountId: number, after: Row | undefined, limit: number) => Promise<readonly Row[]>;
  /** Checks what another node sends. Errors: 400 `invalid_request`. */
  readonly read: (value: unknown) => Row;
  readonly add: (tx: Tx, accountId: number, row: Row) => Promise<void>;
  readonly forget: (tx: Tx, accountId: number) => Promise<unknown>;
}

/** Rows in a request: those of the largest plugin take a few MiB. */
const PART = 100;
const REQUEST = 'rows';
const nothing = async (): Promise<void> => undefined;

/**
 * Returns the mover of rows, which are sent once the account is closed. Those of domains that are not the account's are left out at the new
 * home. Where the plugin is off there, they are lost.
 */
export function rowsMover<Row extends OfSite>(
  host: Pick<Host, 'local' | 'identity' | 'peer'>,
  { what, list, read, add, forget }: MovedRows<Row>,
): Mover {
  const { local, identity } = host;
  const domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  const remove = async ({ id }: MovedAccount) => void (await local.write((tx) => forget(tx, id)));
  return {
    leave({ id }, link) {
      let isWanted = true;
      const send = (rows: readonly Row[]) => link.ask({ name: REQUEST }, JSON.stringify(rows));
      return {
        async begin() {
          try {
            await send([]);
          } catch (error) {
            if (!(error instanceof HttpError) || error.code !== 'move_refused') throw error;
            isWanted = false;
            link.say(`its ${what} stay behind: ${errorMessage(error)}`);
          }
        },
        copy: nothing,
        async close() {
          if (!isWanted) return;
          let rows: readonly Row[] = [];
          while ((rows = await list(local, id, rows.at(-1), PART)).length > 0) await send(rows);
        },
        assertClosed: nothing,
        end: nothing,
      };
    },
    reopen: nothing,
    remove,
    async arrive({ name, account, body }) {
      if (name !== REQUEST) throw fail.not_found('there is no such request between nodes');
      const rows = readList(await readJson(body), PART, read);
      const known = await identity.accounts.byUsername(account.username);
      const ids = new Set(known && (await domains.list(known)).map(({ id }) => id));
      await local.write(async (tx) => {
        for (const row of rows) if (ids.has(row.domainId)) await add(tx, account.id, row);
      });
      return null;
    },
    discard: remove,
  };
}
