import type { PluginRows } from '../../support/plugin-rows.ts';

const POOL = '8.4-0f1e2d3c4b5a';
const SHOP = {
  ...{ username: 'jane', pool: POOL, version: '8.4', domains: ['shop.example'], domain_count: 1 },
  ...{ state: 'running', problem: null, processes: 4, active: 3, idle: 1, most_processes: 10 },
  ...{ memory_bytes: 211_812_352, running_seconds: 7260, requests: 18_150, requests_per_minute: 150 },
  limit_reached: 2,
};
const sums = {
  pools: 1,
  running: 1,
  asleep: 0,
  failed: 0,
  missing: 0,
  processes: 4,
  active: 3,
  memory_bytes: 211_812_352,
};

const rows: PluginRows = {
  answered: { list: 'node', restart: 'named' },
  unwalked: { restart: 'no domain of the demo has a version of PHP' },
  without: { php: { list: 503 }, domains: { list: ['.pools[]'] } },
  pages: { '/console/php': [] },
  examples: {
    invented: {
      list: { pools: [SHOP], total: 1, next_cursor: null, sums },
      restart: { username: 'jane', pool: POOL, restarted: true },
    },
  },
};
export default rows;
