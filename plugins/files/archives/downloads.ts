import { createHash, randomBytes } from 'node:crypto';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { fail } from '../errors.ts';
import type { NewDownload } from './schema.ts';

const VALID_MS = 600_000;
/** Links of an account that have not expired. */
const LINKS = 100;

/** Links with which a browser downloads by itself: it sends no header by which the session of a page counts. */
export class DownloadLinks {
  readonly #host: Pick<Host, 'local' | 'identity'>;

  constructor(host: Pick<Host, 'local' | 'identity'>) {
    this.#host = host;
  }

  /** Resolves with the path of a link, and how long it counts. Errors: 503 `overloaded`. */
  async make({ id, username }: Account, request: NewDownload): Promise<{ href: string; expires_in: number }> {
    const ticket = randomBytes(32).toString('base64url');
    const now = Date.now();
    await this.#host.local.write(async (tx) => {
      await tx.run('delete from file_downloads where expires_at < ?', now);
      const row = await tx.get<{ n: number }>('select count(*) as n from file_downloads where account_id = ?', id);
      if ((row?.n ?? 0) >= LINKS)
        throw fail.overloaded(`the account has ${LINKS} links already`, { retryAfterSeconds: 60 });
      await tx.run(
        'insert into file_downloads (hash, account_id, request, expires_at) values (?, ?, ?, ?)',
        ...[hashed(ticket), id, JSON.stringify(request), now + VALID_MS],
      );
    });
    return { href: `/api/files/downloads/${username}/${ticket}`, expires_in: VALID_MS / 1000 };
  }

  /** Resolves with the account of a link, and what it downloads. Errors: 404 `download_not_found`, whatever is wrong with it. */
  async open(ticket: string): Promise<{ readonly account: Account; readonly request: NewDownload }> {
    const row = await this.#host.local.get<{ account_id: number; request: string }>(
      'select account_id, request from file_downloads where hash = ? and expires_at >= ?',
      ...[hashed(ticket), Date.now()],
    );
    const account = row && (await this.#host.identity.accounts.byId(row.account_id));
    if (row === undefined || account === undefined || account.suspended || !account.features.has('filemanager'))
      throw fail.download_not_found('the link is unknown, or has expired');
    return { account, request: JSON.parse(row.request) as NewDownload };
  }
}

const hashed = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');
