import type { FileHandle } from 'node:fs/promises';
import { fileEtag } from '../../../kernel/kit/files/unfinished/file-etag.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { DETECTORS, hasDatabase } from '../detection/detectors.ts';
import { openFile } from '../detection/docroot-files.ts';
import type { DatabaseInfo } from '../schema.ts';
import { tooComplex } from './budget.ts';
import { CONFIG_FILES, type DatabaseSettings, type ReadSettings } from './config-files.ts';
import { asText, type PhpValue } from './php-value.ts';

const MAX_BYTES = 1 << 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A configuration file that names a database. */
export interface FoundSettings extends ConfigContent {
  /** Where it is, below the files root. */
  readonly components: readonly string[];
  readonly read: ReadSettings;
  readonly settings: DatabaseSettings;
}

interface ConfigContent {
  readonly bytes: Buffer;
  /** Names this version of the file. */
  readonly etag: string;
}

/**
 * Finds the database settings of a site in its application's configuration; `undefined` when it has none. `folder` is
 * where the site is served from, which for some applications is a folder below their root.
 * Errors: 422 `invalid_config_file` if the file cannot be parsed, `file_too_complex` if it is over 1 MiB or asks for
 * more than its budget.
 */
export async function findSettings(
  root: FilesRoot,
  folder: readonly string[],
  type: string,
): Promise<FoundSettings | undefined> {
  const publicFolder = DETECTORS.find((detector) => detector.type === type)?.publicFolder;
  const isPublic = publicFolder !== undefined && folder.at(-1) === publicFolder;
  for (const base of isPublic ? [folder, folder.slice(0, -1)] : [folder]) {
    for (const [path, read] of hasDatabase(type) ? Object.entries(CONFIG_FILES[type]) : []) {
      const [first, ...rest] = path.split('/');
      if (first === '..' && base.length === 0) continue;
      const components = first === '..' ? [...base.slice(0, -1), ...rest] : [...base, ...path.split('/')];
      const content = await readContent(root, components);
      if (content === undefined) continue;
      const settings = read(decode(content.bytes));
      if (settings !== undefined && namesSomething(settings)) return { ...content, components, read, settings };
    }
  }
  return undefined;
}

/** The kind of server does not count: a file may name it and leave the rest to the environment. */
const namesSomething = (settings: DatabaseSettings): boolean =>
  Object.values({ ...settings, engine: '' }).some((value) => (asText(value) ?? '') !== '');

/** Returns settings as texts, those that are unknown empty. */
export function infoIn({ name, user, password, host, prefix }: DatabaseSettings, application: string): DatabaseInfo {
  const text = (value: PhpValue) => asText(value) ?? '';
  return {
    database_name: text(name),
    database_user: text(user),
    database_password: text(password),
    database_host: text(host),
    database_table_prefix: text(prefix),
    application,
  };
}

async function readContent(root: FilesRoot, path: readonly string[]): Promise<ConfigContent | undefined> {
  const handle = await openFile(root, path);
  if (handle === undefined) return undefined;
  try {
    const etag = fileEtag(await handle.stat({ bigint: true }));
    return { etag, bytes: await readAll(handle) };
  } finally {
    await handle.close();
  }
}

/** Reads until the file ends or the buffer is full, because a file may grow while it is read. */
async function readAll(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let size = 0;
  for (let got = -1; got !== 0 && size < buffer.length; size += got)
    got = (await handle.read(buffer, size, buffer.length - size, size)).bytesRead;
  if (size > MAX_BYTES) throw tooComplex('is larger than 1 MiB');
  return buffer.subarray(0, size);
}

/** PHP's strings are bytes; those that are not UTF-8 are read as Latin-1. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // not UTF-8
    return bytes.toString('latin1');
  }
}
