import { readdirSync, readlinkSync } from 'node:fs';

/** Returns the paths of what this process has open below a folder, also of what was removed. */
export function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // that of the listing itself
    }
  });
}
