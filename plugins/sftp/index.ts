import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { archivedList } from '../../kernel/areas/archives/archived-list.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { AccountLogins } from './account-logins.ts';
import { fillDemo } from './demo.ts';
import { doctor } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { Logins, loginPrefix } from './logins.ts';
import { movePart } from './mover.ts';
import privileged from './privileged.ts';
import { LoginKeeper } from './reconciling.ts';
import * as schema from './schema.ts';
import { MODULES } from './server/proftpd-config.ts';
import type { SftpSession } from './server/sessions.ts';
import { countLogins, type StoredLogin } from './store.ts';

const NO_LOGIN = 'login_not_found';
const UNKNOWN = 'connections_unknown';
const FAILED = ['sftp_failed', UNKNOWN] as const;
const ADDED = [
  ...(['invalid_login_name', 'invalid_path', 'invalid_public_key', 'ssh_keys_disabled', 'folder_not_found'] as const),
  ...(['login_exists', 'ftp_limit_reached', 'files_unavailable', 'overloaded', ...FAILED] as const),
];
const CONNECTION = /^\d{1,10}-\d{1,20}$/;
const shared = { at: 'home', feature: 'ftp' } as const;
const withKeys = { at: 'home', feature: { any: ['ftp'], all: ['ssh_keys'] } } as const;

export default definePlugin({
  name: 'sftp',
  description: 'SFTP logins that are closed in a folder of the account, with a password or public keys.',
  features: ['ftp', 'ssh_keys'],
  errors: fail,
  events,
  config: schema.SftpConfig,
  routes: {
    list: {
      ...shared,
      method: 'GET',
      path: '/api/sftp',
      summary: 'List the SFTP logins of the account by name, and where to log in',
      description: 'Each is closed in its folder. Passwords are not among what is listed.',
      reply: schema.SftpLogins,
    },
    add: {
      ...shared,
      method: 'POST',
      path: '/api/sftp/logins',
      idempotencyKey: 'refused',
      summary: 'Add an SFTP login',
      description:
        'It sees its folder and nothing above. Without a public key it gets a password, which is made here, and shown now only.',
      body: schema.NewSftpLogin,
      reply: schema.SftpSecret,
      status: 201,
      errors: ADDED,
    },
    move: {
      ...shared,
      method: 'PATCH',
      path: '/api/sftp/logins/:login',
      summary: 'Give an SFTP login another folder',
      description: 'Its connections end.',
      params: schema.LoginParams,
      body: schema.SftpFolder,
      reply: schema.SftpLogin,
      errors: [NO_LOGIN, 'invalid_path', 'folder_not_found', 'files_unavailable', 'overloaded', ...FAILED],
    },
    renewPassword: {
      ...shared,
      method: 'POST',
      path: '/api/sftp/logins/:login/password',
      idempotencyKey: 'refused',
      summary: 'Give an SFTP login a new password',
      description: 'The password is made here, and shown now only. Its connections end.',
      params: schema.LoginParams,
      reply: schema.SftpSecret,
      errors: [NO_LOGIN, ...FAILED],
    },
    remove: {
      ...shared,
      method: 'DELETE',
      path: '/api/sftp/logins/:login',
      summary: 'Remove an SFTP login',
      description: 'Its connections end. The files stay.',
      params: schema.LoginParams,
      reply: schema.RemovedLogin,
      errors: [NO_LOGIN, ...FAILED],
    },
    addKey: {
      ...withKeys,
      method: 'POST',
      path: '/api/sftp/logins/:login/keys',
      summary: 'Add a public key to an SFTP login',
      description: 'Ed25519, ECDSA, or RSA of 2048 to 8192 bits; without options.',
      params: schema.LoginParams,
      body: schema.NewSftpKey,
      reply: schema.SftpLogin,
      status: 201,
      errors: [NO_LOGIN, 'invalid_public_key', 'public_key_exists', 'public_keys_limit_reached', ...FAILED],
    },
    removeKey: {
      ...withKeys,
      method: 'DELETE',
      path: '/api/sftp/logins/:login/keys/:key',
      summary: 'Remove a public key from an SFTP login',
      description: 'The connections of the login end.',
      params: schema.KeyParams,
      reply: schema.SftpLogin,
      errors: [NO_LOGIN, 'public_key_not_found', ...FAILED],
    },
    connections: {
      ...shared,
      method: 'GET',
      path: '/api/sftp/connections',
      summary: 'List who is logged in by SFTP',
      description: 'What ProFTPD tells of the connections of the account. It is a second old at most.',
      reply: schema.SftpConnections,
      errors: [UNKNOWN],
    },
    end: {
      ...shared,
      method: 'DELETE',
      path: '/api/sftp/connections/:connection',
      summary: 'End an SFTP connection',
      description: 'The client may log in again.',
      params: schema.ConnectionParams,
      reply: schema.EndedConnection,
      errors: ['connection_not_found', UNKNOWN],
    },
  },
  async setup(given) {
    const { node, store } = given;
    const otherwise = node.config.broker.socket === '' ? resolve(node.config.data, 'sftp') : schema.BROKERS;
    const config = { ...given.config, folder: given.config.folder || otherwise };
    const host = { ...given, config };
    if (!existsSync(join(MODULES, 'mod_sftp.so')))
      throw new Unavailable(
        'ProFTPD with mod_sftp is not installed',
        'apt-get install proftpd-core proftpd-mod-crypto, and restart the server',
      );
    if (node.config.ids.first === 0) throw new Unavailable('accounts have no user ids', 'set ids.first');
    const verbs = node.privileged(privileged, config);
    const placed = new AccountLogins(host, verbs);
    const [logins, keeper] = [new Logins(host, placed), new LoginKeeper(host, placed)];
    if (node.isServing) await node.onLeader(() => keeper.start());
    const show = (login: StoredLogin) => shown(login, logins);
    return {
      handlers: {
        list: async ({ account }) => {
          const { fingerprint, isRunning, hasFtps } = await verbs.serving(null);
          return {
            logins: (await logins.list(account)).map(show),
            server: {
              host: config.host,
              port: config.port,
              ftps_port: hasFtps ? config.ftps.port : null,
              fingerprint,
              is_running: isRunning,
            },
            prefix: loginPrefix(account),
            ftp_limit: account.plan?.limits['ftp_limit'] ?? 0,
          };
        },
        add: async ({ account, body, ip }) => {
          const { login, password } = await logins.add({ account, ip }, body);
          return { login: show(login), password };
        },
        move: async ({ account, params, body, ip }) =>
          show(await logins.move({ account, ip }, params.login, body.folder)),
        renewPassword: async ({ account, params, ip }) => {
          const { login, password } = await logins.renewPassword({ account, ip }, params.login);
          return { login: show(login), password };
        },
        remove: async ({ account, params, ip }) => {
          await logins.remove({ account, ip }, params.login);
          return { login: params.login, deleted: true as const };
        },
        addKey: async ({ account, params, body, ip }) =>
          show(await logins.addKey({ account, ip }, params.login, body.public_key)),
        removeKey: async ({ account, params, ip }) =>
          show(await logins.removeKey({ account, ip }, params.login, Number(params.key))),
        connections: async ({ account }) => ({ connections: (await verbs.sessions(account.id)).map(shownSession) }),
        end: async ({ account, params: { connection } }) => {
          const id = CONNECTION.test(connection) ? connection.replace('-', ':') : undefined;
          if (id === undefined || !(await verbs.end({ accountId: account.id, id })))
            throw fail.connection_not_found('the account has no such connection');
          return { connection_id: connection, ended: true as const };
        },
      },
      provides: {
        dashboard: async ({ id }) => ({ ftp_count: await countLogins(store, id) }),
        move: () => movePart(verbs),
        archive: () =>
          archivedList<schema.KeptLogin>({
            item: schema.KeptLogin,
            list: (account) => logins.kept(account),
            put: (account, kept, { isLive }) => logins.restore({ account, ip: '' }, kept, isLive),
            called: ({ name }) => `the SFTP login ${name}`,
          }),
        purge: async ({ id }) => [{ what: 'SFTP logins', removed: await verbs.remove(id) }],
        doctor: () => doctor(config, verbs),
        health: () => keeper.findings(),
        demo: (context) => fillDemo(context, store),
      },
    };
  },
});

function shown(
  { name, folder, secret, keys, createdAt, lastLoginAt, lastLoginFrom }: StoredLogin,
  logins: Logins,
): schema.SftpLogin {
  return {
    login: name,
    folder: logins.shownFolder(folder),
    has_password: secret !== null,
    keys: keys.map(({ id, type, fingerprint, comment, createdAt: addedAt }) => ({
      ...{ key_id: id, type, fingerprint, comment },
      added_at: new Date(addedAt).toISOString(),
    })),
    created_at: new Date(createdAt).toISOString(),
    last_login_at: lastLoginAt === null ? null : new Date(lastLoginAt).toISOString(),
    last_login_from: lastLoginFrom,
  };
}

function shownSession({ id, login, address, protocol, since, activity }: SftpSession) {
  return {
    ...{ connection_id: id.replace(':', '-'), login, address, protocol, activity },
    since: new Date(since).toISOString(),
  };
}
