/** A reproducible tree of empty files: 20 files per folder, 1,000 folders per site, three levels deep. */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BigTree {
  readonly root: string;
  readonly files: number;
  readonly folders: number;
  /** The last folder that a walk reaches, relative to the root. */
  readonly lastFolder: string;
}

const FILES_IN_FOLDER = 20;
const FOLDERS_IN_SITE = 1000;
const [MIDDLE, LEAVES] = [27, 36];
const WORDS = [
  'index',
  'photo',
  'report',
  'invoice',
  'backup',
  'style',
  'module',
  'config',
  'README',
  'image',
  'video',
  'notes',
  'schema',
  'cache',
  'vendor',
  'Summary',
];
const EXTENSIONS = ['php', 'jpg', 'css', 'js', 'html', 'txt', 'sql', 'tar.gz', 'json', 'png'];

/** Creates the tree in the temporary folder, or reuses the one of an earlier run. */
export function bigTree(wantedFiles: number): BigTree {
  const sites = Math.max(1, Math.round(wantedFiles / FILES_IN_FOLDER / FOLDERS_IN_SITE));
  const base = join(tmpdir(), `hostkeep-big-tree-${sites}`);
  const root = join(base, 'files');
  if (!existsSync(join(base, 'complete'))) {
    rmSync(base, { recursive: true, force: true });
    let made = 0;
    for (let site = 0; site < sites; site += 1)
      for (const folder of foldersOf(join(root, siteName(site)))) made = fill(folder, made);
    writeFileSync(join(base, 'complete'), '');
  }
  return {
    root,
    files: sites * FOLDERS_IN_SITE * FILES_IN_FOLDER,
    folders: sites * FOLDERS_IN_SITE,
    lastFolder:
      foldersOf(siteName(sites - 1))
        .toSorted()
        .at(-1) ?? '',
  };
}

export function removeBigTree({ root }: BigTree): void {
  rmSync(join(root, '..'), { recursive: true, force: true });
}

function siteName(site: number): string {
  return `site-${String(site).padStart(3, '0')}.example`;
}

function foldersOf(site: string): string[] {
  const middle = Array.from({ length: MIDDLE }, (_, i) => `${site}/dir-${i + 10}`);
  return [
    site,
    ...middle,
    ...middle.flatMap((folder) => Array.from({ length: LEAVES }, (_, i) => `${folder}/sub_${i + 10}`)),
  ];
}

function fill(folder: string, made: number): number {
  mkdirSync(folder, { recursive: true });
  let n = made;
  for (let i = 0; i < FILES_IN_FOLDER; i += 1) {
    n += 1;
    const scattered = Number((BigInt(n) * 2_654_435_761n) % 4_294_967_296n).toString(36);
    closeSync(
      openSync(`${folder}/${WORDS[(n * 7) % WORDS.length]}-${scattered}.${EXTENSIONS[n % EXTENSIONS.length]}`, 'w'),
    );
  }
  return n;
}
