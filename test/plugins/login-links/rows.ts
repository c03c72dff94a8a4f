import type { PluginRows } from '../../support/plugin-rows.ts';

const kept = { link: '' };

const rows: PluginRows = {
  // after the operator has proved the password
  walkAtLast: {
    loginLink: () => ({
      path: '/api/accounts/demo/login-link',
      keep: ({ url = '' }) => void (kept.link = url.slice(url.indexOf('=') + 1)),
    }),
    useLoginLink: () => ({ body: { code: kept.link } }),
  },
  without: { login: { loginLink: 403, useLoginLink: 401 } }, // nobody proves the password
  opened: { useLoginLink: 'guest' },
  answered: 'anywhere',
  examples: { invented: { loginLink: { url: 'https://panel.example:2083/home#login=AbC0…', expires_in: 60 } } },
  accountTables: { login_links: 'links that last for a minute' },
};
export default rows;
