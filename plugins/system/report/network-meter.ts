/**
 * Network interfaces, as `/sys/class/net` and the system tell of them. systeminformation starts ten programs or more for each one at
 * each reading, and every container brings one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { SystemReport } from '../../../kernel/areas/machine.ts';

type NetworkInterface = SystemReport['network_interfaces'][number];

interface Counted extends Pick<NetworkInterface, 'received' | 'sent'> {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
}

/** Returns a meter: each call returns the interfaces by name, with their rates since the call before, `null` at first. */
export function openNetworkMeter(folder = '/sys/class/net'): () => NetworkInterface[] {
  let before = new Map<string, Counted>();
  return () => {
    const now = new Map<string, Counted>();
    const addresses = networkInterfaces();
    const interfaces = readdirSync(folder)
      .toSorted()
      .flatMap((name) => {
        const text = (file: string) => readFileSync(join(folder, name, file), 'latin1').trim();
        try {
          const [received, sent] = [Number(text('statistics/rx_bytes')), Number(text('statistics/tx_bytes'))];
          const counted = { at: performance.now(), received, sent };
          now.set(name, counted);
          const of = (family: string) => (addresses[name] ?? []).filter((each) => each.family === family);
          const isLocal = ({ address }: { readonly address: string }) => address.startsWith('fe80:');
          return {
            name,
            ip4: of('IPv4')[0]?.address ?? '',
            ip6: (of('IPv6').find((each) => !isLocal(each)) ?? of('IPv6')[0])?.address ?? '',
            mac: text('address'),
            state: text('operstate'),
            speed_mbit: speed(text),
            received,
            sent,
            ...rates(before.get(name), counted),
          };
        } catch {
          // it has gone, as that of a container does; or it is no interface, as `bonding_masters`
          return [];
        }
      });
    before = now;
    return interfaces;
  };
}

/** Returns the speed in Mbit/s; `null` where the driver says -1, or fails. */
function speed(text: (file: string) => string): number | null {
  try {
    const known = Number(text('speed'));
    return known > 0 ? known : null;
  } catch {
    // the driver does not know it
    return null;
  }
}

function rates(before: Counted | undefined, now: Counted) {
  const rate = (member: 'received' | 'sent') =>
    before === undefined ? null : Math.max(0, ((now[member] - before[member]) * 1000) / (now.at - before.at));
  return { received_per_second: rate('received'), sent_per_second: rate('sent') };
}
