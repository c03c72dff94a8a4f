import { api, ask, fillPath, mayUse, sendRemoval } from '../../pages/kit/index.ts';
import type { DatabaseEngine } from '../../pages/kit/databases/index.ts';
import { levelIn, RIGHTS } from './levels.ts';

/** A row of the plugin that measures databases. */
interface Size {
  readonly Database: string;
  readonly 'Size (BYTES)'?: number;
}

async function readSizes(): Promise<{ readonly sizes: readonly Size[]; readonly sizesError?: unknown }> {
  try {
    return { sizes: await ask<readonly Size[]>('GET', '/api/mysql-size?unit=bytes') };
  } catch (sizesError) {
    return { sizes: [], sizesError }; // which is shown beside the databases
  }
}

/** Databases on servers of MariaDB. */
export const mysql: DatabaseEngine = {
  name: 'mysql',
  texts: {
    title: 'mysql.title',
    about: 'mysql.about',
    elsewhere: 'mysql.elsewhere',
    elsewhereAbout: 'mysql.elsewhereAbout',
    queryAbout: 'mysql.queryAbout',
    dump: 'mysql.dump',
    hostAbout: 'mysql.hostAbout',
  },
  mayImport: () => mayUse(['mysql_import']),
  mayChooseHost: () => mayUse(['remote_mysql']),
  async list(signal) {
    const [
      { databases, size_limit_mib: limitMib, is_writing_stopped: isWritingStopped, ...rest },
      { sizes, ...fault },
    ] = await Promise.all([api('GET /api/databases', { signal }), readSizes()]);
    const byName = new Map(sizes.map((row) => [row.Database, row['Size (BYTES)']]));
    return {
      ...rest,
      ...fault,
      limitBytes: limitMib * 2 ** 20,
      noSpaceAbout: isWritingStopped ? 'pages.db.noSpaceAbout' : undefined,
      databases: databases.map((name) => ({ name, sizeBytes: byName.get(name) })),
    };
  },
  create: (name) => api('POST /api/databases', { body: { name } }),
  drop: (database) => sendRemoval('DELETE /api/databases/:database', { params: { database } }),
  async tables(database, signal) {
    const { tables, total } = await api('GET /api/databases/:database/tables', { params: { database }, signal });
    const listed = tables.map(({ size_bytes: sizeBytes, ...table }) => ({
      ...{ ...table, sizeBytes },
      kind: table.engine === '' ? ('view' as const) : ('table' as const),
    }));
    return { tables: listed, total };
  },
  exportPath: (database) => fillPath('/api/databases/:database/export', { database }),
  importPath: (database) => fillPath('/api/databases/:database/import', { database }),
  query: (database, statement) =>
    api('POST /api/databases/:database/query', { params: { database }, body: { statement } }),
  maintain: (database, action, signal) =>
    api('POST /api/databases/:database/maintenance', { params: { database }, body: { action }, signal }),
  users: async (signal) =>
    (await api('GET /api/database-users', { signal })).map(({ is_locked: isLocked, access, ...user }) => ({
      ...user,
      isLocked,
      access: access.map(({ database, privileges }) => ({ database, level: levelIn(privileges) ?? 'other' })),
    })),
  createUser: (name, host) => api('POST /api/database-users', { body: { name, ...(host !== undefined && { host }) } }),
  renewPassword: ({ name: user, host }) =>
    api('POST /api/database-users/:user/password', { params: { user }, query: { host } }),
  dropUser: ({ name: user, host }) =>
    sendRemoval('DELETE /api/database-users/:user', { params: { user }, query: { host } }),
  setAccess: ({ name: user, host }, database, level) =>
    api('PUT /api/database-users/:user/databases/:database', {
      params: { user, database },
      body: { host, privileges: [...RIGHTS[level]] },
    }),
  revokeAccess: ({ name: user, host }, database) =>
    sendRemoval('DELETE /api/database-users/:user/databases/:database', {
      params: { user, database },
      query: { host },
    }),
  processes: async (signal) =>
    (await api('GET /api/database-processes', { signal })).map(({ command, ...process }) => ({
      ...process,
      state: command,
    })),
  endProcess: (id) => sendRemoval('DELETE /api/database-processes/:id', { params: { id: String(id) } }),
};
