/** Questions of a run of restic about its repository: the objects of restic's REST protocol, without its locks. */
import { fail } from '../../errors.ts';

export const KINDS = ['config', 'keys', 'data', 'index', 'snapshots'] as const;
export interface ObjectName {
  readonly kind: (typeof KINDS)[number];
  /** The SHA-256 of the content, hexadecimal; empty for `config`. */
  readonly name: string;
}
export type RepositoryQuestion =
  | { readonly repository: 'list'; readonly kind: ObjectName['kind'] }
  | ({ readonly repository: 'stat' | 'begin' } & ObjectName)
  | ({ readonly repository: 'read'; readonly offset: number; readonly length: number } & ObjectName)
  | { readonly repository: 'write' | 'end'; readonly upload: number };

/** The most bytes that one question or answer carries: the service hashes them at once. */
export const PART_BYTES = 256 << 10;
export const NAME = /^[0-9a-f]{64}$/;
/** Larger than any object that restic makes: its packs have at most 128 MiB. */
export const OBJECT_BYTES = 2 ** 30;

/** Returns what comes from a process in foreign hands. Errors: 400 `invalid_request`. */
export function readQuestion(asked: unknown): RepositoryQuestion {
  const { repository, kind, name, offset, length, upload } = (asked ?? {}) as Record<string, unknown>;
  if (repository === 'write' || repository === 'end') return { repository, upload: integer(upload, 2 ** 32) };
  const known = KINDS.find((each) => each === kind);
  if (known === undefined) throw refused();
  if (repository === 'list' && known !== 'config') return { repository, kind: known };
  if (typeof name !== 'string' || (known === 'config' ? name !== '' : !NAME.test(name))) throw refused();
  const object = { kind: known, name };
  if (repository === 'stat' || repository === 'begin') return { repository, ...object };
  if (repository !== 'read') throw refused();
  return { repository, ...object, offset: integer(offset, OBJECT_BYTES), length: integer(length, PART_BYTES) };
}

function integer(value: unknown, most: number): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0 || Number(value) > most) throw refused();
  return Number(value);
}

const refused = () => fail.invalid_request('there is no such question about a repository');
