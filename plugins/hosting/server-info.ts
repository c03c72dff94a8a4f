import { cpus, hostname, loadavg, machine, networkInterfaces, release, type, uptime, version } from 'node:os';
import { isPublic } from '../../kernel/kit/net/ip.ts';
import type { SystemNames } from '../../kernel/areas/machine.ts';
import type { ServerInfo } from './schema.ts';

/** Describes the host. `names` come from the plugin that samples it, where there is one and it has them already. */
export function serverInfo(ip: string, names: SystemNames | undefined): ServerInfo {
  return {
    ip,
    load_avg: loadavg()
      .map((load) => load.toFixed(2))
      .join(', '),
    machine: machine(),
    node: hostname(),
    processor: names?.processor ?? (processor ??= cpus()[0]?.model.trim() ?? machine()),
    release: release(),
    system: type(),
    distribution: names?.distribution ?? '',
    uptime: uptimeText(uptime()),
    version: version(),
  };
}

/** Read once, because the model does not change. */
let processor: string | undefined;

/** Returns `3 days, 4:05`, or `4:05` below a day. */
export function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const clock = `${Math.floor((minutes % 1440) / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return days === 0 ? clock : `${days} day${days === 1 ? '' : 's'}, ${clock}`;
}

/** Returns the first public IPv4 address of the interfaces, otherwise the first external one, otherwise loopback. */
export function ownAddress(interfaces = networkInterfaces()): string {
  const addresses = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter((each) => each.family === 'IPv4' && !each.internal)
    .map((each) => each.address);
  return addresses.find(isPublic) ?? addresses[0] ?? '127.0.0.1';
}
