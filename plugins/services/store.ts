import type { Reader, Tx } from '../../kernel/store/store.ts';

/** A service that an account has switched on. */
export interface SwitchedOn {
  readonly accountId: number;
  /** The name of its recipe. */
  readonly service: string;
}

interface Row {
  readonly account_id: number;
  readonly service: string;
}

const PAGE = 500;

/** Returns the services that an account has switched on. */
export async function listServices(reader: Reader, accountId: number): Promise<Set<string>> {
  const rows = await reader.all<Row>('select service from services_on where account_id = ?', accountId);
  return new Set(rows.map(({ service }) => service));
}

/** Returns what all accounts have switched on; reads it account by account, so that no statement takes long. */
export async function switchedOn(reader: Reader): Promise<SwitchedOn[]> {
  const found: SwitchedOn[] = [];
  for (let [last, isMore] = [0, true]; isMore; last = found.at(-1)?.accountId ?? last) {
    const rows = await reader.all<Row>(
      `select account_id, service from services_on where account_id in
        (select distinct account_id from services_on where account_id > ? order by account_id limit ?)
        order by account_id, service`,
      last,
      PAGE,
    );
    found.push(...rows.map(({ account_id: accountId, service }) => ({ accountId, service })));
    isMore = rows.length >= PAGE;
  }
  return found;
}

export async function switchOn(tx: Tx, { accountId, service }: SwitchedOn): Promise<void> {
  await tx.run(
    'insert into services_on (account_id, service) values (?, ?) on conflict (account_id, service) do nothing',
    accountId,
    service,
  );
}

export async function switchOff(tx: Tx, { accountId, service }: SwitchedOn): Promise<void> {
  await tx.run('delete from services_on where account_id = ? and service = ?', accountId, service);
}
