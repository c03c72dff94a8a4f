/** Parsers of the Linux kernel's files about control groups (cgroups(7)) and network interfaces. */

/** Where a process is in the hierarchies: one path of version 2, or one for each controller of version 1. */
type CgroupPaths =
  { readonly version: 2; readonly path: string } | { readonly version: 1; readonly paths: ReadonlyMap<string, string> };

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
  const path = paths.get('');
  return path === undefined ? undefined : { version: 2, path };
}

/** Sums over the interfaces in `/proc/<pid>/net/dev`, except the loopback interface. */
export function parseNetwork(text: string): { receivedBytes: number; sentBytes: number } {
  let [receivedBytes, sentBytes] = [0, 0];
  for (const [, name, counters = ''] of text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)) {
    if (name === 'lo') continue;
    const fields = counters.split(/\s+/);
    receivedBytes += Number(fields[0]);
    sentBytes += Number(fields[8]);
  }
  return { receivedBytes, sentBytes };
}

/** Sums over the devices in a version 1 file with lines like `8:0 Read 4096`. */
export function parseBlkio(text: string): { readBytes: number; writtenBytes: number } {
  return { readBytes: sum(text, /^\d+:\d+ Read (\d+)$/gm), writtenBytes: sum(text, /^\d+:\d+ Write (\d+)$/gm) };
}

/** Sums over the devices in `io.stat`, with lines like `8:0 rbytes=4096 wbytes=0 rios=1 …`. */
export function parseIoStat(text: string): { readBytes: number; writtenBytes: number } {
  return { readBytes: sum(text, /\brbytes=(\d+)/g), writtenBytes: sum(text, /\bwbytes=(\d+)/g) };
}

/** Returns the number after a name in a file of lines `<name> <number>`; 0 when the name is missing. */
export function readValue(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

function sum(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}
