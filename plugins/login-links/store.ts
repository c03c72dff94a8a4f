import type { Reader, Tx } from '../../kernel/store/store.ts';

export interface LoginLinkRow {
  readonly hash: string;
  readonly account_id: number;
  readonly operator_id: number;
  /** The operator's session; with `by_token`, the API token. */
  readonly maker_id: string;
  readonly by_token: number;
  readonly expires_at: number;
}

/** Adds a link, and removes those that have expired. */
export async function addLoginLink(tx: Tx, link: LoginLinkRow, now: number): Promise<void> {
  await tx.run('delete from login_links where expires_at <= ?', now);
  await tx.run(
    'insert into login_links (hash, account_id, operator_id, maker_id, by_token, expires_at) values (?, ?, ?, ?, ?, ?)',
    link.hash,
    link.account_id,
    link.operator_id,
    link.maker_id,
    link.by_token,
    link.expires_at,
  );
}

export function readLoginLink(reader: Reader, hash: string, now: number): Promise<LoginLinkRow | undefined> {
  return reader.get<LoginLinkRow>(
    `select hash, account_id, operator_id, maker_id, by_token, expires_at from login_links
      where hash = ? and expires_at > ?`,
    hash,
    now,
  );
}

/** Consumes a link; resolves with `false` when it was used in the meantime. */
export async function useLoginLink(tx: Tx, hash: string, now: number): Promise<boolean> {
  return (await tx.run('delete from login_links where hash = ? and expires_at > ?', hash, now)).changes === 1;
}
