import { asked, type Given, type Row } from './row.ts';
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
/** The rows of a service that is switched on and off. */
const cache = (service: string): readonly Row[] => [
  {
    is: `GET /api/cache/${service}`,
    steps: [{ calls: 'GET /api/services' }],
    reply: ([services]) =>
      one<{ service: string }>(services, (each) => each.service === service, 'not_found', 'service'),
  },
  {
    is: `POST /api/cache/${service}`,
    takes: ['action!'],
    choices: { action: ['enable', 'disable'] },
    steps: [
      {
        calls: 'PUT /api/services/:service',
        params: () => ({ service }),
        body: ({ action }) => ({ is_on: action === 'enable' }),
      },
    ],
  },
];
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
    reply: ([processes]) => ({ processes }),
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
    reply: ([processes]) => ({ processes }),
  },

  ...['redis', 'memcached', 'varnish'].flatMap(cache),
];
