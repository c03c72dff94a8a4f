import { readFileSync } from 'node:fs';

/** Returns the ids of a user of the system and of its group; `undefined` if there is none of this name. */
export function userIds(name: string): { readonly uid: number; readonly gid: number } | undefined {
  const [, , uid, gid] = lineIn('/etc/passwd', name) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Returns the id of a group of the system. Throws if there is none of this name. */
export function groupId(name: string): number {
  const [, , id] = lineIn('/etc/group', name) ?? [];
  if (id === undefined) throw new Error(`there is no group ${name}`);
  return Number(id);
}

/** Both files hold lines whose members are separated by colons, the name first, see passwd(5) and group(5). */
function lineIn(file: string, name: string): string[] | undefined {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name);
}
