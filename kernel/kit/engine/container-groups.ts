/** Control groups in which Docker and Podman put a container by default, with their own driver and with systemd's; `*` is its id. */
const GROUPS = [
  'docker/*',
  'system.slice/docker-*.scope',
  'machine.slice/libpod-*.scope',
  'libpod_parent/libpod-*',
] as const;
const BEGINNINGS = GROUPS.map((group) => group.slice(0, group.indexOf('*')).replaceAll('.', '\\.'));

export const containerGroups = (id: string): string[] => GROUPS.map((group) => group.replace('*', id));

/** Matches the file `cgroup` of a process in such a group. */
export const IN_CONTAINER = new RegExp(`^\\d+:[^:]*:/(?:${BEGINNINGS.join('|')})`, 'm');

/** Returns the number after a name in a control group's file of lines `<name> <number>`; 0 when the name is missing. */
export function readValue(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Returns usage without inactive file cache, where usage includes that, as the docker CLI shows it. */
export function withoutCache(usageBytes: number, inactiveFileBytes: number): number {
  return inactiveFileBytes < usageBytes ? usageBytes - inactiveFileBytes : usageBytes;
}
