/** The thread of `WalkAhead`: lists whole folders, the last one first, until it meets the walk that started it. */
import { closeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { listFolder, openFolder, type ListedFolder } from './folder-reader.ts';
import { CLAIMED_AHEAD, packed, UNCLAIMED, type WalkAheadData } from './walk-ahead.ts';

const { parent, names, claims, maxDepth, maxNames } = workerData as WalkAheadData;
let room = maxNames;

for (let unit = names.length - 1; unit >= 0; unit -= 1)
  if (Atomics.compareExchange(claims, unit, UNCLAIMED, CLAIMED_AHEAD) === UNCLAIMED) {
    const listings: (ListedFolder | undefined)[] = [];
    list(parent, names[unit] ?? '', maxDepth, listings);
    parentPort?.postMessage({ unit, listings: packed(listings) });
  }

/** Lists a folder and all below it, in the order in which a walk visits them. */
function list(from: number, name: string, depth: number, listings: (ListedFolder | undefined)[]): void {
  const open = depth > 0 && room > 0 ? openFolder(from, name) : undefined;
  if (open === undefined) return void listings.push(undefined);
  try {
    const listed = listFolder(open, room);
    listings.push(listed);
    const { files = [], folders = [] } = listed?.listing ?? {};
    room -= files.length + folders.length;
    for (const folder of folders) list(open, folder, depth - 1, listings);
  } finally {
    closeSync(open);
  }
}
