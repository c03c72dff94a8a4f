import { join } from 'node:path';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { SqliteEngine } from '../../../kernel/store/sqlite/sqlite-engine.ts';
import { UsageStore } from '../../../plugins/usage/history/store.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** Minutes in a batch of the history. */
const MINUTES = 10;
/** Older batches may already be partly pruned. */
const CHECKED_BATCHES = 100;
const HARDWARE = 'the hardware of the host';

const rows: PluginRows = {
  answered: {
    list: 'anywhere',
    stats: 'node',
    cpu: 'node',
    memory: 'node',
    disk: 'node',
    accounts: 'node',
    system: 'node',
    stream: 'node',
    history: 'node',
  },
  bounded: {
    list: 'as many as the product has',
    history: 'a number that the plugin keeps or makes',
    cpu: HARDWARE,
    disk: HARDWARE,
    system: HARDWARE,
  },
  without: { system: { cpu: 503, memory: 503, disk: 503, system: 503 } },
  pages: { '/console': [] },
  measured: ['/api/usage', '/api/usage/stats', '/api/usage/accounts', '/api/usage/system'],
  examples: {
    invented: {
      system: {
        sampled_at: '2026-11-20T09:30:00.000Z',
        operating_system: {
          platform: 'linux',
          distribution: 'Debian GNU/Linux',
          release: '12',
          codename: 'bookworm',
          kernel: '6.12.0',
          architecture: 'x64',
          host_name: 'node1.example',
        },
        processor: {
          manufacturer: 'AMD',
          model: 'EPYC 7543P',
          cores: 64,
          physical_cores: 32,
          speed_ghz: 2.8,
          cache: { l1d: 1048576, l1i: 1048576, l2: 16777216, l3: 268435456 },
        },
        memory_modules: [{ size: 34359738368, bank: 'P0 CHANNEL A', type: 'DDR4', clock_mhz: 3200 }],
        virtualization: { is_virtual: false, host: '' },
        file_systems: [
          {
            device: '/dev/sda1',
            type: 'ext4',
            mountpoint: '/',
            size: 270553174016,
            used: 26638118912,
            read_only: false,
          },
        ],
        network_interfaces: [
          {
            name: 'eth0',
            ip4: '203.0.113.10',
            ip6: '2001:db8::10',
            mac: '02:00:5e:00:53:01',
            state: 'up',
            speed_mbit: 1000,
            received: 482696977,
            sent: 1241856,
            received_per_second: 1200,
            sent_per_second: 5400,
          },
        ],
        disk_io: { read: 5147145216, written: 22187683840, read_per_second: 0, written_per_second: 20480 },
        processes: {
          total: 94,
          top: [
            { pid: 812, name: 'mariadbd', user: 'mysql', cpu_percent: 3.8, memory_percent: 0.8, memory: 216981504 },
          ],
        },
        uptime_seconds: 273900,
        time_zone: 'Etc/UTC',
      },
    },
  },
  writer: {
    open: async (folder) => {
      const store = await SqliteEngine.open(join(folder, 'node.db'));
      await migrate(store, 'usage', join(projectDir, 'plugins/usage/migrations/local'));
      const usage = new UsageStore(store);
      return (n) =>
        usage.write(
          Array.from({ length: MINUTES }, (_, i) => ({
            at: (n * MINUTES + i) * 60,
            cpu: n,
            memory: n,
            disk: n,
            users: n,
            domains: n,
            websites: n,
          })),
        );
    },
    assertWhole: async (folder) => {
      const store = await SqliteEngine.open(join(folder, 'node.db'));
      try {
        const broken = await store.all(
          `select cpu from usage_history where step = 60 and cpu > (select max(cpu) from usage_history) - ${CHECKED_BATCHES}
          group by cpu having count(*) <> ?`,
          MINUTES,
        );
        if (broken.length > 0) throw new Error(`${broken.length} batches of minutes are incomplete`);
      } finally {
        await store.close();
      }
    },
  },
};
export default rows;
