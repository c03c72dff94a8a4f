import type { ContainerPort } from '../../../kernel/areas/containers.ts';

/**
 * Writes a container's ports as the docker CLI does: `127.0.0.1:8090->80/tcp, 443/tcp`, consecutive ones as
 * `9000-9002/tcp`.
 */
export function portText(ports: readonly ContainerPort[]): string {
  const finished: string[] = [];
  const mapped: string[] = [];
  const runs = new Map<string, { first: number; last: number }>();
  for (const port of ports.toSorted(compare)) {
    if (port.ip !== '' && port.publicPort !== port.privatePort) {
      mapped.push(`${host(port.ip)}:${port.publicPort}->${port.privatePort}/${port.protocol}`);
      continue;
    }
    const key = port.ip === '' ? port.protocol : `${port.ip}/${port.protocol}`;
    const run = runs.get(key);
    if (run !== undefined && port.privatePort === run.last + 1) run.last = port.privatePort;
    else {
      if (run !== undefined) finished.push(runText(key, run));
      const next = { first: port.privatePort, last: port.privatePort };
      runs.set(key, next); // a key keeps the position of its first run
    }
  }
  return [...finished, ...[...runs].map(([key, run]) => runText(key, run)), ...mapped].join(', ');
}

function runText(key: string, { first, last }: { first: number; last: number }): string {
  const [protocol = '', ip] = key.split('/').toReversed();
  const range = first === last ? String(first) : `${first}-${last}`;
  return `${ip === undefined ? range : `${host(ip)}:${range}->${range}`}/${protocol}`;
}

const host = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);

function compare(a: ContainerPort, b: ContainerPort): number {
  const member = (['privatePort', 'ip', 'publicPort', 'protocol'] as const).find((name) => a[name] !== b[name]);
  return member === undefined ? 0 : a[member] < b[member] ? -1 : 1;
}
