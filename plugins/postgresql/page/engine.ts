import { api, fillPath, sendRemoval } from '../../pages/kit/index.ts';
import { LEVELS, type DatabaseEngine } from '../../pages/kit/databases/index.ts';

const NAMES = { all: 'owner', write: 'read_write', read: 'read_only' } as const;
const KINDS = ['view', 'materialized view', 'foreign table'] as const;

/** Databases on servers of PostgreSQL. */
export const postgresql: DatabaseEngine = {
  name: 'postgresql',
  texts: {
    title: 'postgresql.title',
    about: 'postgresql.about',
    elsewhere: 'postgresql.elsewhere',
    elsewhereAbout: 'postgresql.elsewhereAbout',
    queryAbout: 'postgresql.queryAbout',
    dump: 'postgresql.dump',
    hostAbout: 'postgresql.hostAbout',
  },
  mayImport: () => true,
  mayChooseHost: () => false, // `pg_hba.conf` says it, for all users
  async list(signal) {
    const {
      databases,
      server,
      size_limit_mib: limitMib,
      is_writing_stopped: isStopped,
      is_closed: isClosed,
      ...rest
    } = await api('GET /api/postgresql/databases', { signal });
    return {
      ...rest,
      limitBytes: limitMib * 2 ** 20,
      noSpaceAbout: isClosed ? 'postgresql.closedAbout' : isStopped ? 'postgresql.noSpaceAbout' : undefined,
      databases: databases.map(({ name, size_bytes: sizeBytes }) => ({ name, sizeBytes: sizeBytes ?? undefined })),
      server: server && { ...server, socket: '' },
    };
  },
  create: (name) => api('POST /api/postgresql/databases', { body: { name } }),
  drop: (database) => sendRemoval('DELETE /api/postgresql/databases/:database', { params: { database } }),
  async tables(database, signal) {
    const params = { database };
    const { tables, total } = await api('GET /api/postgresql/databases/:database/tables', { params, signal });
    const listed = tables.map(({ schema, name, kind, rows, size_bytes: sizeBytes }) => ({
      ...{ rows, sizeBytes },
      name: schema === 'public' ? name : `${schema}.${name}`,
      kind: KINDS.find((each) => each === kind) ?? ('table' as const),
    }));
    return { tables: listed, total };
  },
  exportPath: (database) => fillPath('/api/postgresql/databases/:database/export', { database }),
  importPath: (database) => fillPath('/api/postgresql/databases/:database/import', { database }),
  query: (database, statement) =>
    api('POST /api/postgresql/databases/:database/query', { params: { database }, body: { statement } }),
  maintain: (database, action, signal) =>
    api('POST /api/postgresql/databases/:database/maintenance', {
      params: { database },
      body: { action },
      signal,
    }),
  users: async (signal) =>
    (await api('GET /api/postgresql/users', { signal })).map(({ name, is_locked: isLocked, access }) => ({
      ...{ name, host: '', isLocked },
      access: access.map(({ database, level }) => ({
        database,
        level: LEVELS.find((each) => NAMES[each] === level) ?? 'other',
      })),
    })),
  createUser: async (name) => ({ host: '', ...(await api('POST /api/postgresql/users', { body: { name } })) }),
  renewPassword: async ({ name: user }) => ({
    host: '',
    ...(await api('POST /api/postgresql/users/:user/password', { params: { user } })),
  }),
  dropUser: ({ name: user }) => sendRemoval('DELETE /api/postgresql/users/:user', { params: { user } }),
  setAccess: ({ name: user }, database, level) =>
    api('PUT /api/postgresql/users/:user/databases/:database', {
      params: { user, database },
      body: { level: NAMES[level] },
    }),
  revokeAccess: ({ name: user }, database) =>
    sendRemoval('DELETE /api/postgresql/users/:user/databases/:database', { params: { user, database } }),
  processes: (signal) => api('GET /api/postgresql/processes', { signal }),
  endProcess: (id) => sendRemoval('DELETE /api/postgresql/processes/:id', { params: { id: String(id) } }),
};
