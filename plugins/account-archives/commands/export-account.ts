import { errorMessage } from '../../../kernel/errors.ts';
import type { DatabaseBackups } from '../../../kernel/contract/points/backup-source.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { VERSION } from '../../../kernel/kit/files/project-dir.ts';
import { ArchiveWriter } from './archive-file.ts';
import { fail } from '../errors.ts';
import { PACK, POOL } from './jobs.ts';
import { FILES, type Manifest } from './manifest.ts';
import { saveParts } from '../../../kernel/areas/archives/saved-parts.ts';
import { databaseServers } from '../making.ts';
import type { Run } from '../run.ts';

export interface Exported {
  readonly sizeBytes: number;
  /** Names what could not be read, and says why. */
  readonly missing: readonly string[];
}

/**
 * Writes an account of this node to a new file. Errors: 404 `account_not_found`, 400 for an administrator, 409 `other_node`, 503 where
 * nobody knows what the account has.
 */
export async function exportAccount(run: Run, username: string, path: string): Promise<Exported> {
  const { identity, store, events } = run.node;
  const account = await identity.accounts.get(username);
  if (account.role === 'admin')
    throw fail.invalid_request(`${username} is an administrator, who has nothing to export`);
  if (!identity.accounts.isHere(account))
    throw fail.other_node(`${username} lives on the node ${account.home}: do this there`);
  const parts = await saveParts(run.node, account);
  const sources = await databaseServers(run.node);
  const archive = new ArchiveWriter(path);
  try {
    const missing: string[] = [];
    run.say('files');
    const complaint = await packFiles(run, account, archive);
    if (complaint !== '') missing.push(complaint);
    const databases: Manifest['databases'] = [];
    for (const source of sources)
      for (const name of await source.names(account)) {
        const member = `databases/${databases.length + missing.length}.sql`;
        await dumpDatabase(run, account, archive, { source, name, member }).then(
          (dumped) => databases.push(dumped),
          (error: unknown) => {
            run.signal.throwIfAborted();
            if (archive.fault !== undefined) throw error;
            missing.push(`the database ${name}: ${errorMessage(error)}`);
          },
        );
      }
    run.signal.throwIfAborted();
    const sizeBytes = archive.finish({ hostkeep: VERSION, account: described(account), parts, databases });
    const data = { size_bytes: sizeBytes };
    await store.write((tx) =>
      events.record(tx, { type: 'account.exported', account, ip: '', text: 'was exported to an archive', data }),
    );
    return { sizeBytes, missing };
  } catch (error) {
    throw archive.fault ?? error;
  } finally {
    archive.close();
  }
}

async function packFiles({ node, signal }: Run, account: Account, archive: ArchiveWriter): Promise<string> {
  const pool = node.jobs.open(POOL);
  const onAsk = async (_: unknown, bytes: Buffer) => {
    archive.write(FILES, bytes);
    return { answer: null, bytes: Buffer.alloc(0) };
  };
  try {
    return await pool.run(PACK, node.jobs.ownerOf(account), null, { signal, onAsk });
  } finally {
    await pool.close();
    archive.end();
  }
}

/** The member of a dump that fails stays in the archive, and no database names it. */
async function dumpDatabase(
  { say, signal }: Run,
  account: Account,
  archive: ArchiveWriter,
  { source, name, member }: { readonly source: DatabaseBackups; readonly name: string; readonly member: string },
): Promise<Manifest['databases'][number]> {
  say(`database ${name}`);
  try {
    await source.dump(account, name, { ip: '', signal }, async (dump) => {
      for await (const bytes of dump) archive.write(member, bytes);
    });
  } finally {
    archive.end();
  }
  return { engine: source.engine, name, member };
}

const described = ({ username, email, locale, plan, suspended, overrides }: Account): Manifest['account'] => ({
  ...{ username, email, locale, plan: plan?.name ?? null, is_suspended: suspended, features: { ...overrides } },
});
