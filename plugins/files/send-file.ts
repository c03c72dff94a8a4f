import type { Reply, Stream } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import { download } from './download.ts';
import { READ } from './jobs.ts';
import type { AccountTransfers } from '../../kernel/kit/waiting/account-transfers.ts';

interface Asked {
  header(name: 'range' | 'if-range' | 'if-none-match'): string;
}

/** Resolves with a file as a download, which counts as a transfer. Errors: those of the job, and of `download`. */
export async function sendFile(
  { jobs, transfers }: { readonly jobs: AccountJobs; readonly transfers: AccountTransfers },
  account: Account,
  components: readonly string[],
  call: Asked,
): Promise<Stream | Reply> {
  const end = transfers.begin(account.id);
  try {
    const entry = await jobs.run(READ, account, { components });
    if (!('etag' in entry)) throw new Error('the job read what it was not asked for');
    const conditions = {
      range: call.header('range'),
      ifRange: call.header('if-range'),
      ifNoneMatch: call.header('if-none-match'),
    };
    const read = async (offset: number, sizeBytes: number, etag: string) => {
      const part = await jobs.run(READ, account, { components, part: { offset, sizeBytes, etag } });
      if ('etag' in part) throw new Error('the job sent no bytes');
      return part;
    };
    return download(entry, conditions, read, end);
  } catch (error) {
    end();
    throw error;
  }
}
