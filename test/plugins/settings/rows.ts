import type { PluginRows } from '../../support/plugin-rows.ts';

const SETTING = '/api/settings/token.ttl_seconds';

const rows: PluginRows = {
  answered: { list: 'node', change: 'anywhere', reset: 'anywhere' },
  unbounded: { 'change.value': 'as the schema of the setting says' },
  bounded: { list: 'as many as the product has' },
  surroundings: () => ({ config: { settings: { editable: ['admin_cors_origins', 'token.*'] } } }),
  without: { login: { change: 403, reset: 403 } }, // nobody proves the password
  // before a change of a credential ends the reauthentication
  walk: {
    change: () => ({ path: SETTING, body: { value: 7200 } }),
    reset: () => ({ path: SETTING }),
  },
  pages: { '/console/settings': ['Edit admin_cors_origins'] },
  examples: {
    invented: {
      list: {
        settings: [
          {
            setting: 'data',
            value: '/var/lib/hostkeep',
            origin: 'default',
            schema: { type: 'string', minLength: 1, description: 'Folder of the store and the keys' },
            editable: false,
            bond: 'restart',
            stored: false,
            changed_by: null,
            changed_at: null,
            etag: '"0"',
          },
          {
            setting: 'token.ttl_seconds',
            value: 7200,
            origin: 'console',
            schema: {
              type: 'integer',
              minimum: 60,
              maximum: 2_592_000,
              description: 'How long the session of a login lasts, and its token is valid',
              default: 3600,
            },
            editable: true,
            bond: null,
            stored: true,
            changed_by: 'operator',
            changed_at: '2026-11-20T09:30:00.000Z',
            etag: '"3"',
          },
        ],
      },
    },
  },
};
export default rows;
