import type { PluginRows } from '../../support/plugin-rows.ts';

const login = '/api/sftp/logins/demo_photos';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEhSMQDi8VVB1tRutGCz+9b9qTtYInu6kwIjqrFOkOfk mila@studio';
const KEYS = 'at most 50 keys of a login';
const kept = { key: '' };

const rows: PluginRows = {
  walk: {
    add: () => ({ body: { name: 'photos' } }),
    move: () => ({ path: login, body: { folder: 'harbour-cafe.example' } }),
    renewPassword: () => ({ path: `${login}/password` }),
    addKey: () => ({
      path: `${login}/keys`,
      body: { public_key: KEY },
      keep: ({ keys }) => void (kept.key = String((keys as unknown as { key_id: number }[])[0]?.key_id)),
    }),
    removeKey: () => ({ path: `${login}/keys/${kept.key}` }),
    remove: () => ({ path: login }),
  },
  unwalked: { end: 'nobody is logged in by SFTP' },
  opened: {
    ...{ list: 'ftp', add: 'ftp', move: 'ftp', renewPassword: 'ftp', remove: 'ftp', connections: 'ftp', end: 'ftp' },
    ...{ addKey: 'ftp and ssh_keys', removeKey: 'ftp and ssh_keys' },
  },
  answered: 'home',
  bounded: {
    ...{ add: KEYS, move: KEYS, renewPassword: KEYS, addKey: KEYS, removeKey: KEYS },
    list: 'as many as the plan allows, and at most 500',
    connections: 'of the logins of the account',
  },
  pages: { '/home/sftp': ['Add login', 'New password for demo_mila'] },
  examples: {
    invented: {
      connections: {
        connections: [
          {
            ...{ connection_id: '4711-123456', login: 'demo_mila', address: '192.0.2.44', protocol: 'sftp' },
            ...{ since: '2026-11-20T09:14:03.000Z', activity: '' },
          },
        ],
      },
      end: { connection_id: '4711-123456', ended: true },
    },
  },
  isolation: { unmarked: { connections: 'nobody is logged in by SFTP' } },
  accountTables: { sftp_keys: 'archived', sftp_logins: 'archived' },
};
export default rows;
