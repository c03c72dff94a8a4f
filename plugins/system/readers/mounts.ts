/** Parses the mount table, `/proc/<pid>/mountinfo` (see proc(5)), and selects the rows that are disks. */

/** Where `statfs` finds its figures: in the kernel's memory, or in a machine or program that may not answer. */
export type MountKind = 'local' | 'remote';

interface Mount {
  readonly id: number;
  readonly parent: number;
  /** `major:minor` of the file system, the same for all its mounts. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  /** The mount point, whose bytes need not be UTF-8. */
  readonly path: Buffer;
  readonly mountpoint: string;
  readonly isReadOnly: boolean;
  readonly fstype: string;
  readonly source: string;
}
export interface Disk extends Mount {
  readonly kind: MountKind;
}

/** Types whose `statfs` calls another machine or a program. Without `autofs`, because `statfs` would mount it. */
const REMOTE = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'ceph',
  'afs',
  'virtiofs',
  'lustre',
  'gpfs',
  'beegfs',
  'ocfs2',
  'gfs2',
  'fuseblk',
]);
/** Read-only images, which are always full. */
const IMAGES = new Set(['squashfs', 'erofs', 'iso9660', 'udf', 'cramfs', 'romfs']);
const MAX_DISKS = 256;

/** Skips lines that are not rows. `text` has one character for each byte (latin1). */
export function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ', 2);
    const [id, parent, device = '', root = '', path, options = ''] = before.split(' ');
    const [fstype, source = ''] = after.split(' ');
    if (path === undefined || fstype === undefined || fstype === '') return [];
    const bytes = unescaped(path);
    return [
      {
        id: Number(id),
        parent: Number(parent),
        device,
        root: unescaped(root).toString(),
        path: bytes,
        mountpoint: bytes.toString(),
        isReadOnly: options.split(',').includes('ro'),
        fstype,
        source: unescaped(source).toString(),
      },
    ];
  });
}

/** Returns the file system types without a device, from `/proc/filesystems`. */
export function parseFilesystems(text: string): Set<string> {
  return new Set([...text.matchAll(/^nodev\t(\S+)$/gm)].map(([, name = '']) => name));
}

/**
 * Returns the file systems with space of their own, each once: those on a device, zfs, and `/` of any type. Leaves out
 * mounts hidden by a later mount, read-only images, and, unless `withRemote` is set, those that may not answer: network
 * file systems, FUSE, and all mounts below one of these.
 */
export function selectDisks(mounts: readonly Mount[], withoutDevice: ReadonlySet<string>, withRemote: boolean): Disk[] {
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  const disks = new Map<string, Disk>();
  for (const [i, mount] of mounts.entries()) {
    const { fstype, mountpoint, device } = mount;
    const isDisk =
      mountpoint === '/' ||
      fstype === 'zfs' ||
      isRemote(fstype) ||
      !(withoutDevice.has(fstype) || IMAGES.has(fstype) || fstype === 'autofs');
    if (!isDisk || isHidden(mount, mounts.slice(i + 1), byId)) continue;
    const kind = ancestry(mount, byId).some((each) => isRemote(each.fstype)) ? 'remote' : 'local';
    const other = disks.get(device);
    if ((kind === 'local' || withRemote) && (other === undefined || isBetter(mount, other)))
      disks.set(device, { ...mount, kind });
  }
  return [...disks.values()].slice(0, MAX_DISKS);
}

function isRemote(fstype: string): boolean {
  return REMOTE.has(fstype) || fstype === 'fuse' || fstype.startsWith('fuse.');
}

/** Prefers the whole file system to a folder of it, then the shorter path. */
function isBetter(mount: Mount, other: Mount): boolean {
  const isWhole = mount.root === '/';
  return isWhole === (other.root === '/') ? mount.path.length < other.path.length : isWhole;
}

/** A later mount on the same path, or above it, hides the earlier one. */
function isHidden(mount: Mount, later: readonly Mount[], byId: ReadonlyMap<number, Mount>): boolean {
  const above = ancestry(mount, byId);
  return later.some((each) => {
    const covers =
      each.mountpoint === mount.mountpoint ||
      mount.mountpoint.startsWith(each.mountpoint === '/' ? '/' : `${each.mountpoint}/`);
    return covers && !above.includes(each);
  });
}

/** Returns the mount and its parents, up to the root. */
function ancestry(mount: Mount, byId: ReadonlyMap<number, Mount>): Mount[] {
  const chain = [mount];
  for (let next = byId.get(mount.parent); next !== undefined && !chain.includes(next); next = byId.get(next.parent))
    chain.push(next);
  return chain;
}

/** Decodes `\ooo`, the form of spaces, tabs, line feeds and backslashes in the table. */
function unescaped(text: string): Buffer {
  return Buffer.from(
    text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    'latin1',
  );
}
