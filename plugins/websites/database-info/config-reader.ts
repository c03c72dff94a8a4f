import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { DETECTORS, hasDatabase } from '../detection/detectors.ts';
import { openFile } from '../detection/docroot-files.ts';
import type { DatabaseInfo } from '../schema.ts';
import { tooComplex } from './budget.ts';
import { CONFIG_FILES, type DatabaseSettings } from './config-files.ts';
import { asText, type PhpValue } from './php-value.ts';

const MAX_BYTES = 1 << 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the database settings of a site from its application's configuration; `undefined` when it has none. `folder` is
 * where the site is served from, which for some applications is a folder below their root.
 * Errors: 422 `invalid_config_file` if the file cannot be parsed, `file_too_complex` if it is over 1 MiB or asks for
 * more than its budget.
 */
export async function readDatabaseInfo(
  root: FilesRoot,
  folder: readonly string[],
  type: string,
): Promise<DatabaseInfo | undefined> {
  const publicFolder = DETECTORS.find((detector) => detector.type === type)?.publicFolder;
  const isPublic = publicFolder !== undefined && folder.at(-1) === publicFolder;
  for (const base of isPublic ? [folder, folder.slice(0, -1)] : [folder]) {
    for (const { path, read } of hasDatabase(type) ? CONFIG_FILES[type] : []) {
      const [first, ...rest] = path.split('/');
      if (first === '..' && base.length === 0) continue;
      const text = await readText(
        root,
        first === '..' ? [...base.slice(0, -1), ...rest] : [...base, ...path.split('/')],
      );
      const settings = text === undefined ? undefined : read(text);
      if (settings !== undefined && Object.values(settings).some((value) => (asText(value) ?? '') !== ''))
        return infoOf(settings, type);
    }
  }
  return undefined;
}

function infoOf({ name, user, password, host, prefix }: DatabaseSettings, application: string): DatabaseInfo {
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

async function readText(root: FilesRoot, path: readonly string[]): Promise<string | undefined> {
  const handle = await openFile(root, path);
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const size = await fill(buffer, (offset) => handle.read(buffer, offset, buffer.length - offset, offset));
    if (size > MAX_BYTES) throw tooComplex('is larger than 1 MiB');
    return decode(buffer.subarray(0, size));
  } finally {
    await handle.close();
  }
}

/** Reads until the file ends or the buffer is full, because a file may grow while it is read. Resolves to the size. */
async function fill(buffer: Buffer, read: (offset: number) => Promise<{ bytesRead: number }>): Promise<number> {
  let size = 0;
  for (let got = -1; got !== 0 && size < buffer.length; size += got) got = (await read(size)).bytesRead;
  return size;
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
