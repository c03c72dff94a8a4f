import type { DatabaseBackups } from '../../../kernel/contract/points/backup-source.ts';
import { inTransaction } from '../../../kernel/kit/databases/postgresql/load.ts';
import { ENGINE, type Databases } from '../databases.ts';
import { readDump, type ExportParts } from './exports.ts';
import { importDatabase, type ImportParts } from './imports.ts';

/** The options by which what a dump makes takes the place of what is there. */
const OPTIONS = ['--clean', '--if-exists'];

/** See `ExtensionPoints.databaseBackups`. All of a dump is restored, or nothing. */
export const databaseBackups = (
  parts: ExportParts & ImportParts & { readonly databases: Databases },
): DatabaseBackups => ({
  engine: ENGINE,
  names: async (account) => (await parts.items.list(account, 'database')).map(({ name }) => name),
  create: (account, suffix, ip) => parts.databases.create(account, suffix, ip),
  dump: (account, database, run, read) => readDump(parts, account, { database, options: OPTIONS, ...run }, read),
  restore: (account, database, { body, ...run }) =>
    importDatabase(parts, account, {
      database,
      body: Object.assign(inTransaction(body), { sizeBytes: body.sizeBytes }),
      ...run,
    }),
});
