import { definePlugin } from '../../kernel/contract/plugin.ts';
import { IDLE } from '../../kernel/contract/points/account-report.ts';
import { toLoad, type Machine } from '../../kernel/areas/machine.ts';
import { doctor } from './doctor.ts';
import privileged from './privileged.ts';
import { cpuReader, openCpuMeter } from './readers/cpu.ts';
import { DiskReader } from './readers/disks.ts';
import { MemoryReader } from './readers/memory.ts';
import { ReportSampler } from './report/report-sampler.ts';
import { SystemConfig } from './schema.ts';

/** Reads the machine for other plugins. */
export default definePlugin({
  name: 'system',
  description: 'Reads the machine: processor, memory, disks, network and processes.',
  features: [],
  config: SystemConfig,
  routes: {},
  setup({ config, node, log, onClose }) {
    const { roots, remote_disks: withRemote } = config;
    const [memory, disks] = [new MemoryReader(roots), new DiskReader(roots, withRemote)];
    const verbs = node.privileged(privileged, config);
    const mounted = new DiskReader(roots, true);
    const report = new ReportSampler(
      { processes: () => verbs.processes(null), fileSystems: () => mounted.fileSystems() },
      log,
    );
    onClose(() => report.close());
    const cpuMeter = () => openCpuMeter(roots.proc);
    const meter = cpuMeter();
    const service: Machine = {
      cpuMeter,
      memory: () => memory.read(),
      disks: () => disks.read(),
      load: async () => {
        const [cpu, space, partitions] = await Promise.allSettled([meter(), memory.read(), disks.read()]);
        return toLoad(valueOf(cpu), valueOf(space), valueOf(partitions));
      },
      report: () => report.reply(),
      names: () => report.names(),
    };
    return {
      handlers: {},
      service,
      provides: {
        doctor: () => doctor({ cpu: cpuReader(roots.proc), memory, disks }, roots),
        accountsLoad: async (accounts) => {
          const { first } = node.config.ids;
          const users = first > 0 ? await verbs.users(null) : null;
          if (users === null) return new Map();
          const byUid = new Map(users.map((load) => [load.uid, load]));
          return new Map(accounts.map(({ id }) => [id, byUid.get(first + id) ?? IDLE]));
        },
      },
    };
  },
});

const valueOf = <T>(result: PromiseSettledResult<T>): T | undefined =>
  result.status === 'fulfilled' ? result.value : undefined;
