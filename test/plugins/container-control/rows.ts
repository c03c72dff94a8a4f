import type { PluginRows } from '../../support/plugin-rows.ts';

const NO_ENGINE = 'the engine of these tests lists containers, and does nothing with them';
const ID = '4f1c2d8a9b3e6f7058c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d';
const CONTAINER = {
  id: ID,
  name: 'demo-web',
  image: 'nginx:1.27',
  service: 'web',
  state: 'running',
  status: 'Up 3 hours (healthy)',
  created_at: '2026-11-20T12:20:16.000Z',
  ports: [{ ip: '0.0.0.0', private_port: 80, public_port: 8080, protocol: 'tcp' }],
};
const FIGURES = {
  ...{ cpu_percent: 12.5, memory_bytes: 104_857_600, memory_limit_bytes: 268_435_456, tasks: 12 },
  ...{ received_per_second: 2048, sent_per_second: 10_240, read_per_second: 0, written_per_second: 4096 },
};

const rows: PluginRows = {
  unwalked: {
    details: NO_ENGINE,
    history: NO_ENGINE,
    start: NO_ENGINE,
    stop: NO_ENGINE,
    restart: NO_ENGINE,
    limit: NO_ENGINE,
    remove: NO_ENGINE,
    log: NO_ENGINE,
    follow: NO_ENGINE,
    download: NO_ENGINE,
  },
  opened: 'docker',
  answered: 'home',
  without: {
    containers: {
      list: 503,
      details: 503,
      figures: 503,
      history: 503,
      start: 503,
      stop: 503,
      restart: 503,
      remove: 503,
      log: 503,
      follow: 503,
      download: 503,
    },
  },
  bounded: {
    list: 'the containers of an account, whose engine lists at most a thousand',
    details: 'the first 500 variables',
    figures: 'the first 50 containers',
    history: 'the latest 60 samples',
    log: 'the first thousand lines',
  },
  isolation: {
    unmarked: {
      list: 'containers of its engine',
      details: 'a refusal',
      figures: 'those of its running containers, which it has none of',
      history: 'a refusal',
      log: 'a refusal',
      follow: 'a refusal',
      download: 'a refusal',
    },
  },
  examples: {
    requests: { limit: { memory_mib: 256, processors: 0.5 } },
    invented: {
      list: { containers: [CONTAINER] },
      details: {
        ...CONTAINER,
        started_at: '2026-11-24T09:00:00.000Z',
        finished_at: null,
        exit_code: 0,
        out_of_memory: false,
        restarts: 0,
        health: 'healthy',
        memory_bytes: 268_435_456,
        processors: 0.5,
        most_memory_mib: 512,
        most_processors: 1,
        environment: [
          { name: 'TZ', value: 'Europe/Berlin' },
          { name: 'DB_PASSWORD', value: null },
        ],
      },
      figures: { sampled_at: '2026-11-24T09:00:00.000Z', containers: [{ id: ID, ...FIGURES }] },
      history: { samples: [{ at: '2026-11-24T09:00:00.000Z', ...FIGURES }] },
      start: { id: ID, changed: true },
      stop: { id: ID, changed: true },
      restart: { id: ID, changed: true },
      limit: { id: ID, changed: true },
      remove: { id: ID, changed: true },
      log: { lines: [{ at: '2026-11-24T09:00:00.123456789Z', stream: 'stdout', text: 'ready' }] },
    },
  },
};
export default rows;
