import type { PluginRows } from '../../support/plugin-rows.ts';

const ANY = 'redis or memcached or elasticsearch or opensearch or varnish';
const RUNS = 'no service of the demo runs';
const redis = {
  service: 'redis',
  title: 'Redis',
  is_installed: true,
  is_on: true,
  is_running: true,
  socket: '/srv/hostkeep/mila/.services/redis/redis.sock',
  speaks_http: false,
  keeps: false,
  memory_mib: 64,
  figures: { hits: 9120, misses: 311, keys: 1204, evicted: 0, memory_bytes: 4_194_304 },
};
const empty = { ...redis, figures: { ...redis.figures, keys: 0, memory_bytes: 1_048_576 } };

const off = { ...redis, is_on: false, is_running: false, socket: null, figures: null };

const rows: PluginRows = {
  walk: {
    switch: () => ({ path: '/api/services/redis', body: { is_on: false } }),
    log: () => ({ path: '/api/services/redis/log' }),
  },
  unwalked: { flush: RUNS, restart: RUNS },
  isolation: { unmarked: { list: 'that its services are off', log: 'what its service printed, which was nothing' } },
  opened: { list: ANY, switch: ANY, flush: ANY, restart: ANY, log: ANY },
  answered: 'home',
  pages: { '/home/services': [] },
  bounded: { list: 'the services that recipes describe', log: 'the last 200 lines' },
  examples: {
    invented: {
      list: [redis],
      switch: off,
      flush: empty,
      restart: empty,
      log: { lines: ['1:M 24 Nov 2026 09:00:00.000 * Ready to accept connections unix'] },
    },
  },
  accountTables: { services_on: 'archived' },
};
export default rows;
