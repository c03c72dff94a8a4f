/**
 * The script of the thread that describes the system. The package that it asks starts programs and reads many files;
 * it is loaded here only, so that it leaves memory again when the thread ends.
 */
import si from 'systeminformation';
import { serveRequests } from '../../../kernel/kit/waiting/worker-script.ts';
import type { SystemReport } from '../../../kernel/areas/machine.ts';
import { openNetworkMeter } from './network-meter.ts';
import type { HostReport } from './report-sampler.ts';

/** Between the two readings that the first rates come from. */
const FIRST_RATE_MS = 500;

/** Facts that do not change while the host runs. */
let fixed: Promise<Pick<SystemReport, 'operating_system' | 'processor' | 'memory_modules' | 'virtualization'>>;
let hasRates = false;
const measureNetwork = openNetworkMeter();

serveRequests<null, HostReport>(async () => {
  fixed ??= describeHost();
  if (!hasRates) {
    measureNetwork();
    await si.fsStats(); // not `fsSize`: its `df` waits for a file system that hangs
    await new Promise((resolve) => setTimeout(resolve, FIRST_RATE_MS));
    hasRates = true;
  }
  const [host, io] = await Promise.all([fixed, si.fsStats()]);
  const { uptime, timezoneName } = si.time();
  return {
    sampled_at: new Date().toISOString(),
    ...host,
    network_interfaces: measureNetwork(),
    // null as a whole where the kernel keeps no figures of disks
    disk_io: {
      read: io?.rx ?? 0,
      written: io?.wx ?? 0,
      read_per_second: rate(io?.rx_sec),
      written_per_second: rate(io?.wx_sec),
    },
    uptime_seconds: Math.floor(uptime),
    time_zone: timezoneName,
  };
});

async function describeHost(): ReturnType<() => typeof fixed> {
  const [os, cpu, modules, system] = await Promise.all([si.osInfo(), si.cpu(), si.memLayout(), si.system()]);
  return {
    operating_system: {
      platform: os.platform,
      distribution: os.distro,
      release: os.release,
      codename: os.codename,
      kernel: os.kernel,
      architecture: os.arch,
      host_name: os.hostname,
    },
    processor: {
      manufacturer: cpu.manufacturer,
      model: cpu.brand,
      cores: cpu.cores,
      physical_cores: cpu.physicalCores,
      speed_ghz: cpu.speed,
      cache: {
        l1d: cpu.cache.l1d || 0,
        l1i: cpu.cache.l1i || 0,
        l2: cpu.cache.l2 || 0,
        l3: cpu.cache.l3 || 0,
      },
    },
    memory_modules: modules.map(({ size, bank, type, clockSpeed }) => ({
      size,
      bank,
      type,
      clock_mhz: clockSpeed ?? 0,
    })),
    virtualization: { is_virtual: system.virtual === true, host: system.virtualHost ?? '' },
  };
}

const rate = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.max(0, value);
