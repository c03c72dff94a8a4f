import { readFileSync } from 'node:fs';

/** Returns the id of a user of the system; `null` if there is none of this name. */
export function userId(name: string): number | null {
  return idIn('/etc/passwd', name);
}

/** Returns the id of a group of the system. Throws if there is none of this name. */
export function groupId(name: string): number {
  const id = idIn('/etc/group', name);
  if (id === null) throw new Error(`there is no group ${name}`);
  return id;
}

/** Both files hold lines of `name:password:id:…`, see passwd(5) and group(5). */
function idIn(file: string, name: string): number | null {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [first, , id] = line.split(':');
    if (first === name && id !== undefined) return Number(id);
  }
  return null;
}
