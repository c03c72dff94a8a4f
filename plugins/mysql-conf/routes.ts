import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import * as schema from './schema.ts';

const SERVER = ['databases_not_managed', 'databases_unavailable'] as const;
const VARIABLE = [
  ...(['database_server_not_found', 'database_variable_not_found', 'database_variable_refused'] as const),
  'databases_unavailable',
] as const;
const admin = { address: 'admin', access: 'admin', at: 'node', query: schema.NodeQuery } as const;
const own = { at: 'home', feature: { any: [], all: ['mysql', 'mysql_conf'] } } as const;

export const mysqlConfRoutes = {
  show: {
    ...own,
    method: 'GET',
    path: '/api/database-settings',
    summary: 'Get the settings of databases, and the limits of their users',
    description:
      'MariaDB keeps no defaults of sessions for a user: what holds for each connection are the values of the server, ' +
      'which only the provider changes, and what an application sets for itself.',
    reply: schema.DatabaseSettings,
    errors: SERVER,
  },
  collations: {
    ...own,
    method: 'GET',
    path: '/api/database-collations',
    summary: 'List the collations that a database can have',
    description: 'Those of the server of the account, with their character sets.',
    reply: schema.Collations,
    errors: SERVER,
  },
  setCollation: {
    ...own,
    method: 'PUT',
    path: '/api/databases/:database/collation',
    summary: 'Set the character set and collation of a database',
    description:
      'Tables that are made from now on have it, unless they name another one. Those that are there keep theirs.',
    params: schema.DatabaseParams,
    body: schema.NewCollation,
    reply: schema.Changed,
    errors: ['unknown_collation', 'database_not_found', 'request_in_progress', ...SERVER],
  },
  setLimits: {
    ...own,
    method: 'PUT',
    path: '/api/database-users/:user/limits',
    summary: 'Set the limits of a database user',
    description:
      'All of them, within the plan. They hold for connections that begin from now on. If the server fails meanwhile, they ' +
      'come into force once it answers.',
    params: schema.UserParams,
    body: schema.NewUserLimits,
    reply: schema.Changed,
    errors: ['database_user_not_found', 'beyond_plan', ...SERVER],
  },
  variables: {
    ...admin,
    method: 'GET',
    path: '/api/database-variables',
    summary: 'List the variables of the database servers that can be changed',
    description: 'Those of the servers of MariaDB in the settings of the node, with value, bounds and default.',
    reply: schema.DatabaseServerList,
  },
  setVariable: {
    ...admin,
    method: 'PUT',
    path: '/api/database-variables/:server/:variable',
    summary: 'Set a variable of a database server',
    description:
      'It holds at once, for sessions that begin from now on, and is set again after the server was restarted. The server may round it.',
    params: schema.VariableParams,
    body: schema.NewVariable,
    reply: schema.Changed,
    errors: ['invalid_database_variable', ...VARIABLE],
  },
  resetVariable: {
    ...admin,
    method: 'DELETE',
    path: '/api/database-variables/:server/:variable',
    summary: 'Give a variable of a database server back to its files',
    description: 'It gets the value that it had before it was set here, or with which the server was last started.',
    params: schema.VariableParams,
    reply: schema.Changed,
    errors: VARIABLE,
  },
} as const satisfies RouteSpecs;
