/** Parsers of the Linux kernel's files about control groups (cgroups(7)) and network interfaces. */

/** Where a process is in the hierarchies: one path of version 2 by the name '', or one for each controller of version 1. */
interface CgroupPaths {
  readonly version: 1 | 2;
  readonly paths: ReadonlyMap<string, string>;
}

/**
 * Finds a container's group in `/proc/<pid>/cgroup`, whose lines are `<hierarchy>:<controllers>:<path>`; the process
 * may be in a group below it. Returns `undefined` when the process is in no group of that id, or outside our namespace.
 */
export function parseCgroupPaths(text: string, id: string): CgroupPaths | undefined {
  const paths = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const names = path.split('/');
    const end = names.findIndex((name) => name.includes(id));
    if (controllers === undefined || end < 0 || names.includes('..')) continue;
    for (const controller of controllers.split(',')) paths.set(controller, names.slice(0, end + 1).join('/'));
  }
  if (paths.has('memory')) return { version: 1, paths };
  return paths.has('') ? { version: 2, paths } : undefined;
}

/** Sums over the interfaces in `/proc/<pid>/net/dev`, except the loopback interface. */
export function parseNetwork(text: string): { receivedBytes: number; sentBytes: number } {
  const interfaces = [...text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)].filter(([, name]) => name !== 'lo');
  const sum = (field: number) =>
    interfaces.reduce((total, [, , counters = '']) => total + Number(counters.split(/\s+/)[field]), 0);
  return { receivedBytes: sum(0), sentBytes: sum(8) };
}

/**
 * Sums over the devices in a file with lines like `8:0 Read 4096` (version 1) or `8:0 rbytes=4096 wbytes=0 rios=1 …`
 * (version 2).
 */
export function parseIo(text: string): { readBytes: number; writtenBytes: number } {
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, [, bytes]) => total + Number(bytes), 0);
  return { readBytes: sum(/\b(?:Read |rbytes=)(\d+)/g), writtenBytes: sum(/\b(?:Write |wbytes=)(\d+)/g) };
}
