/** The thread of `WalkAhead`: lists whole folders, the last one first, until it meets the walk that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import { inOpen, listFolder, openFolder, type ListedFolder } from './folder-reader.ts';
import { CLAIMED_AHEAD, packed, UNCLAIMED, type WalkAheadData } from './walk-ahead.ts';

const { parent, names, claims, maxDepth, room } = workerData as WalkAheadData;
let { maxNames: namesLeft, maxBytes: bytesLeft } = room;

for (let unit = names.length - 1; unit >= 0; unit -= 1)
  if (Atomics.compareExchange(claims, unit, UNCLAIMED, CLAIMED_AHEAD) === UNCLAIMED) {
    const listings: (ListedFolder | undefined)[] = [];
    list(parent, names[unit] ?? '', maxDepth, listings);
    parentPort?.postMessage({ unit, listings: packed(listings) });
  }

/** Lists a folder and all below it, in the order in which a walk visits them. */
function list(from: number, name: string, depth: number, listings: (ListedFolder | undefined)[]): void {
  const folder = depth > 0 && namesLeft > 0 && bytesLeft > 0 ? openFolder(from, name) : undefined;
  if (folder === undefined) return void listings.push(undefined);
  inOpen(folder, (open) => {
    const listed = listFolder(open, Math.min(namesLeft, room.maxInFolder));
    listings.push(listed);
    const { files = [], folders = [] } = listed?.listing ?? {};
    namesLeft -= files.length + folders.length;
    for (const name of files) bytesLeft -= name.length;
    for (const each of folders) list(open, each, depth - 1, listings);
  });
}
