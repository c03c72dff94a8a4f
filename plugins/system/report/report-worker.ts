/**
 * The script of the thread that describes the system. The package that it asks starts programs and reads many files;
 * it is loaded here only, so that it leaves memory again when the thread ends.
 */
import si from 'systeminformation';
import { serveRequests } from '../../../kernel/kit/waiting/worker-script.ts';
import type { SystemReport } from '../../../kernel/contract/points/machine.ts';
import type { HostReport } from './report-sampler.ts';

/** Between the two readings that the first rates come from. */
const FIRST_RATE_MS = 500;

/** Facts that do not change while the host runs. */
let fixed: Promise<Pick<SystemReport, 'operating_system' | 'processor' | 'memory_modules' | 'virtualization'>>;
let hasRates = false;

serveRequests<null, HostReport>(async () => {
  fixed ??= describeHost();
  if (!hasRates) {
    await Promise.all([si.networkStats('*'), si.fsStats()]); // not `fsSize`: its `df` waits for a file system that hangs
    await new Promise((resolve) => setTimeout(resolve, FIRST_RATE_MS));
    hasRates = true;
  }
  const [host, network, io] = await Promise.all([fixed, interfaces(), si.fsStats()]);
  const { uptime, timezoneName } = si.time();
  return {
    sampled_at: new Date().toISOString(),
    ...host,
    network_interfaces: network,
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

async function interfaces(): Promise<SystemReport['network_interfaces']> {
  const [list, stats] = await Promise.all([si.networkInterfaces(), si.networkStats('*')]);
  const byName = new Map(stats.map((each) => [each.iface, each]));
  return [list].flat().map(({ iface, ip4, ip6, mac, operstate, speed }) => {
    const { rx_bytes = 0, tx_bytes = 0, rx_sec, tx_sec } = byName.get(iface) ?? {};
    return {
      name: iface,
      ip4,
      ip6,
      mac,
      state: operstate,
      speed_mbit: speed !== null && speed > 0 ? speed : null, // -1 where the driver does not know
      received: rx_bytes,
      sent: tx_bytes,
      received_per_second: rate(rx_sec),
      sent_per_second: rate(tx_sec),
    };
  });
}

const rate = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.max(0, value);
