import { HttpError } from '../../../kernel/errors.ts';
import { CONFIG_FILES, type DatabaseAccess } from './config-files.ts';
import { DETECTORS } from '../detection/detectors.ts';
import { ifPresent, openFile } from '../detection/docroot-scan.ts';
import { textOf } from './php-value.ts';
import type { DatabaseInfo } from '../schema.ts';

const LIMIT_BYTES = 1 << 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * What an application's own configuration says of its database, `undefined` when there is none. `docroot` is where
 * the site is served from, which for some is a folder below the application's root.
 * Errors: 422 `invalid_config_file` over 1 MiB, or for what cannot be parsed.
 */
export async function readDatabaseInfo(
  filesRoot: string,
  folder: readonly string[],
  type: string,
): Promise<DatabaseInfo | undefined> {
  const publicFolder = DETECTORS.find((detector) => detector.type === type)?.publicFolder;
  const roots = [
    folder,
    ...(publicFolder !== undefined && folder.at(-1) === publicFolder ? [folder.slice(0, -1)] : []),
  ];
  for (const root of roots) {
    for (const { path, read } of CONFIG_FILES[type] ?? []) {
      const parts = path.split('/');
      if (parts[0] === '..' && root.length === 0) continue;
      const text = await readText(
        filesRoot,
        parts[0] === '..' ? [...root.slice(0, -1), ...parts.slice(1)] : [...root, ...parts],
      );
      const access = text === undefined ? undefined : read(text);
      if (access !== undefined && Object.values(access).some((value) => (textOf(value) ?? '') !== ''))
        return described(access, type);
    }
  }
  return undefined;
}

function described({ name, user, password, host, prefix }: DatabaseAccess, application: string): DatabaseInfo {
  const text = (value: DatabaseAccess[keyof DatabaseAccess]) => textOf(value) ?? '';
  return {
    database_name: text(name),
    database_user: text(user),
    database_password: text(password),
    database_host: text(host),
    database_table_prefix: text(prefix),
    application,
  };
}

async function readText(filesRoot: string, path: readonly string[]): Promise<string | undefined> {
  const handle = await ifPresent(() => openFile(filesRoot, path));
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(LIMIT_BYTES + 1);
    const size = await filled(buffer, (offset) => handle.read(buffer, offset, buffer.length - offset, offset));
    if (size > LIMIT_BYTES)
      throw new HttpError('invalid_config_file', `the configuration file ${path.at(-1)} is larger than 1 MiB`);
    return decode(buffer.subarray(0, size));
  } finally {
    await handle.close();
  }
}

/** Reads until the end or until the buffer is full, because a file may grow while it is read. */
async function filled(buffer: Buffer, read: (offset: number) => Promise<{ bytesRead: number }>): Promise<number> {
  let size = 0;
  for (let got = -1; got !== 0 && size < buffer.length; size += got) got = (await read(size)).bytesRead;
  return size;
}

/** PHP's texts are bytes; those that are not UTF-8 are taken as Latin-1. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
