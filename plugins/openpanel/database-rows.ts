import { asked, type Given, type Row, type Step } from './row.ts';
import { one } from './shapes.ts';

const GRANT = '/api/database-users/:user/databases/:database';
const grantOn = ({ username: user = '', database = '' }: Given) => ({ user, database });
const maintains = (action: string): Row => ({
  is: `POST /api/mysql/databases/:db_name/${action}`,
  steps: [
    {
      calls: 'POST /api/databases/:database/maintenance',
      params: ({ db_name: database = '' }) => ({ database }),
      body: () => ({ action }),
    },
  ],
});
type Service = Readonly<{ service: string; is_running: boolean }>;
/** Services run without containers here. */
const serviceView = (each: Service) => ({ ...each, container_state: each.is_running ? 'running' : 'exited' });
const SERVICES = { calls: 'GET /api/services' };
/** The rows of a service that is switched on and off; its name is in the path unless given. */
const service = (path: string, verbs: Readonly<Record<'on' | 'off', string>>, name?: string): readonly Row[] => {
  const nameIn = (given: Given) => name ?? given['service'] ?? '';
  const params: Step['params'] = (given) => ({ service: nameIn(given) });
  const restarts = ({ action }: Given) => action === 'restart';
  return [
    {
      is: `GET ${path}`,
      steps: [SERVICES],
      reply: ([services], given) =>
        serviceView(one<Service>(services, (each) => each.service === nameIn(given), 'not_found', 'service')),
    },
    {
      is: `POST ${path}`,
      takes: ['action!'],
      choices: { action: [verbs.on, verbs.off, 'restart'] },
      steps: [
        { calls: 'POST /api/services/:service/restart', params, if: restarts },
        {
          calls: 'PUT /api/services/:service',
          params,
          if: (given) => !restarts(given),
          body: ({ action }) => ({ is_on: action === verbs.on }),
        },
      ],
      reply: ([restarted, switched]) => serviceView(restarted ?? switched),
    },
  ];
};
const cache = (name: string) => service(`/api/cache/${name}`, { on: 'enable', off: 'disable' }, name);
type DatabaseUser = Readonly<{
  name: string;
  host?: string;
  access: readonly Readonly<{ database: string; privileges?: readonly string[] }>[];
}>;
/** The row of what an engine has; `calls` lists the databases, and the users. */
const info = (is: string, calls: readonly [databases: string, users: string]): Row => ({
  is,
  steps: calls.map((each) => ({ calls: each })),
  reply: ([{ databases }, users]) => ({
    databases: (databases as readonly (string | { readonly name: string })[]).map((each) =>
      typeof each === 'string' ? each : each.name,
    ),
    users: (users as DatabaseUser[]).map(({ name: username, host = '%' }) => ({ username, host })),
    assigned_databases: (users as DatabaseUser[]).flatMap(({ name: username, access }) =>
      access.map(({ database }) => ({ username, database })),
    ),
  }),
});
const PG_GRANT = '/api/postgresql/users/:user/databases/:database';

/** Rows of databases, and of the services that keep what is asked for often. */
export const databaseRows: readonly Row[] = [
  {
    is: 'GET /api/mysql/databases',
    steps: [{ calls: 'GET /api/mysql-size' }],
    reply: ([sizes]) => ({ databases: sizes.map(({ Database: name }: { Database: string }) => name) }),
  },
  asked('GET /api/mysql/size', ['unit', 'show_all'], 'GET /api/mysql-size'),
  {
    is: 'POST /api/mysql/databases',
    takes: ['name!'],
    status: 201,
    steps: [{ calls: 'POST /api/databases', body: ({ name }) => ({ name }) }],
  },
  {
    is: 'DELETE /api/mysql/databases/:db_name',
    steps: [{ calls: 'DELETE /api/databases/:database', params: ({ db_name: database = '' }) => ({ database }) }],
  },
  {
    is: 'GET /api/mysql/databases/:db_name/tables',
    steps: [{ calls: 'GET /api/databases/:database/tables', params: ({ db_name: database = '' }) => ({ database }) }],
  },
  maintains('optimize'),
  maintains('repair'),
  info('GET /api/mysql/info', ['GET /api/databases', 'GET /api/database-users']),
  {
    is: 'GET /api/mysql/users/:db_user/privileges/:db_name',
    steps: [{ calls: 'GET /api/database-users' }],
    reply: ([users], { db_user: username, db_name: database }) => {
      const its = (users as DatabaseUser[]).filter(({ name }) => name === username);
      const { access } = one(its, () => true, 'database_user_not_found', 'database user');
      const privileges = access.find((each) => each.database === database)?.privileges ?? [];
      return { username, database, privileges };
    },
  },
  { is: 'GET /api/mysql/users', steps: [{ calls: 'GET /api/database-users' }], reply: ([users]) => ({ users }) },
  {
    is: 'DELETE /api/mysql/users/:db_user',
    steps: [{ calls: 'DELETE /api/database-users/:user', params: ({ db_user: user = '' }) => ({ user }) }],
  },
  {
    is: 'POST /api/mysql/grants',
    takes: ['username!', 'database!', 'privileges!', 'host'],
    steps: [{ calls: `PUT ${GRANT}`, params: grantOn, body: ({ privileges, host }) => ({ privileges, host }) }],
  },
  {
    is: 'DELETE /api/mysql/grants',
    takes: ['username!', 'database!', 'host'],
    steps: [{ calls: `DELETE ${GRANT}`, params: grantOn, query: ({ host }) => ({ host }) }],
  },
  {
    is: 'GET /api/mysql/processlist',
    steps: [{ calls: 'GET /api/database-processes' }],
    reply: ([processes]) => ({ processlist: processes }),
  },
  {
    is: 'GET /api/mysql/configuration',
    steps: [{ calls: 'GET /api/database-settings' }],
    reply: ([{ server }]) => ({
      configuration: Object.fromEntries(
        (server as Readonly<Record<'name' | 'value', string>>[]).map(({ name, value }) => [name, value]),
      ),
    }),
  },

  {
    is: 'GET /api/postgresql/databases',
    isTaken: true,
    steps: [{ calls: 'GET /api/postgresql/databases' }],
    reply: ([{ databases }]) => ({ databases: databases.map(({ name }: { readonly name: string }) => name) }),
  },
  {
    is: 'POST /api/postgresql/databases',
    isTaken: true,
    takes: ['name!'],
    status: 201,
    steps: [{ calls: 'POST /api/postgresql/databases', body: ({ name }) => ({ name }) }],
  },
  {
    is: 'DELETE /api/postgresql/databases/:db_name',
    isTaken: true,
    steps: [
      {
        calls: 'DELETE /api/postgresql/databases/:database',
        params: ({ db_name: database = '' }) => ({ database }),
      },
    ],
  },
  info('GET /api/postgresql/info', ['GET /api/postgresql/databases', 'GET /api/postgresql/users']),
  {
    is: 'GET /api/postgresql/users',
    isTaken: true,
    steps: [{ calls: 'GET /api/postgresql/users' }],
    reply: ([users]) => ({ users }),
  },
  {
    is: 'DELETE /api/postgresql/users/:db_user',
    isTaken: true,
    steps: [{ calls: 'DELETE /api/postgresql/users/:user', params: ({ db_user: user = '' }) => ({ user }) }],
  },
  {
    is: 'POST /api/postgresql/grants',
    takes: ['username!', 'database!'],
    steps: [{ calls: `PUT ${PG_GRANT}`, params: grantOn, body: () => ({ level: 'read_write' }) }],
  },
  {
    is: 'DELETE /api/postgresql/grants',
    takes: ['username!', 'database!'],
    steps: [{ calls: `DELETE ${PG_GRANT}`, params: grantOn }],
  },
  {
    is: 'GET /api/postgresql/processlist',
    steps: [{ calls: 'GET /api/postgresql/processes' }],
    reply: ([processes]) => ({ processlist: processes }),
  },

  ...['redis', 'memcached', 'elasticsearch', 'opensearch', 'varnish'].flatMap(cache),
  {
    is: 'GET /api/services',
    isTaken: true,
    steps: [SERVICES],
    reply: ([services]) => ({ services: (services as Service[]).map(serviceView) }),
  },
  ...service('/api/services/:service', { on: 'start', off: 'stop' }),
];
