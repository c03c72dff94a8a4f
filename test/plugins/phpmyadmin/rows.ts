import type { PluginRows } from '../../support/plugin-rows.ts';

const OPENED = 'mysql and phpmyadmin';
const NO_SERVER = 'without a server of MariaDB, databases are files, and nothing is managed';
const at = { created_at: '2026-11-26T09:00:00.000Z', expires_at: '2026-11-26T17:00:00.000Z' };
const domain_url = 'harbour-cafe.example';

const rows: PluginRows = {
  unwalked: { open: NO_SERVER, close: NO_SERVER },
  opened: { show: OPENED, open: OPENED, close: OPENED },
  answered: 'home',
  without: { domains: { show: ['.domains[]'] } },
  bounded: { show: "the account's domains, by its plan" },
  pages: { '/home/phpmyadmin': [] },
  examples: {
    requests: { open: { domain_url } },
    invented: {
      show: {
        ...{ is_installed: true, is_managed: true },
        domains: [{ domain_url, has_https: true, is_usable: true }],
        session: { domain_url, ...at },
      },
      open: {
        url: 'https://harbour-cafe.example/phpmyadmin-q3v8z1m6k0w5t9r2y7b4/?hostkeep_open=pXq3VtB8nZs0KfLw2Ry7Dm5HcJ1aGe9u',
        domain_url,
        expires_at: at.expires_at,
      },
      close: { closed: true },
    },
  },
  accountTables: { phpmyadmin_sessions: 'sessions' },
};
export default rows;
