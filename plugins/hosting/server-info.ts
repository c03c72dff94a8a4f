import { cpus, hostname, loadavg, machine, networkInterfaces, release, type, uptime, version } from 'node:os';
import { IpRanges } from '../../kernel/system/ip.ts';
import type { ServerInfo } from './schema.ts';

const PRIVATE = new IpRanges([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '127.0.0.0/8',
]);

/** What the operating system says of itself; the model of the processor does not change while we run. */
export function serverInfo(ip: string): ServerInfo {
  return {
    ip,
    load_avg: loadavg()
      .map((load) => load.toFixed(2))
      .join(', '),
    machine: machine(),
    node: hostname(),
    processor: (processor ??= cpus()[0]?.model.trim() ?? machine()),
    release: release(),
    system: type(),
    uptime: uptimeText(uptime()),
    version: version(),
  };
}

let processor: string | undefined;

/** `3 days, 4:05`, `4:05` below a day. */
export function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const clock = `${Math.floor((minutes % 1440) / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return days === 0 ? clock : `${days} day${days === 1 ? '' : 's'}, ${clock}`;
}

/** The first public IPv4 address of the interfaces, else the first one that is not loopback, else loopback. */
export function ownAddress(interfaces = networkInterfaces()): string {
  const addresses = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter((each) => each.family === 'IPv4' && !each.internal)
    .map((each) => each.address);
  return addresses.find((address) => !PRIVATE.has(address)) ?? addresses[0] ?? '127.0.0.1';
}
