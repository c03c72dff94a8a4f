import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  // a remote service of screenshots needs no browser
  surroundings: () => ({ config: { screenshots: { remote_url: 'https://pictures.example/?url={url}' } } }),
  walk: { show: () => ({ path: '/api/screenshot/sunny-garden.example?width=320' }) },
  answered: 'home',
  homes: { paths: { show: (username) => `/api/screenshot/${username}.example` } },
};
export default rows;
