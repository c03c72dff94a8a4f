/**
 * Messages between the two ends of a move about backups, and checks of what the other node says, which may be in foreign hands. All errors
 * of the checks are 400 `invalid_request`.
 */
import type { KeptBackup, KeptDatabase } from '../../kernel/areas/backups/account-backups.ts';
import { KINDS, type ObjectName } from '../../kernel/kit/restic/questions.ts';
import { readBoolean, readCount, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

export interface Requests {
  /** Makes sure that backups can come, which take so many bytes. */
  readonly meet: { readonly bytes: number };
  /** Answers which of the objects of the repository have not come. What has come, and is no more there, goes. */
  readonly compare: { readonly objects: readonly string[] };
  /** Makes what has come the backups of the account. */
  readonly adopt: { readonly backups: readonly KeptBackup[] };
}

/** The one request whose body is no JSON: the content of the object that it is about. */
export const OBJECT = 'object';

/** More objects than a body of JSON names, and more backups than anybody keeps. */
const MOST_OBJECTS = 1_000_000;
const MOST_BACKUPS = 100_000;
/** `config`, or `<kind>/<hash>`. */
const OBJECT_NAME = /^(?:config|(?:data|index|keys|snapshots)\/[0-9a-f]{64})$/;
/** Of a snapshot; the second one is of a backup without files. */
const SNAPSHOT = /^[0-9a-f]{64}$/;
const BACKUP = /^(?:[0-9a-f]{64}|databases-[0-9a-f-]{36})$/;
const ENGINE = /^[a-z][a-z0-9-]{0,31}$/;
const TEXT = /^[^\0]{0,10000}$/u;

/** Readers of the bodies by the names of the requests. */
export const READERS: { readonly [N in keyof Requests]: (body: unknown) => Requests[N] } = {
  meet: (body) => ({ bytes: readCount(readMembers(body, ['bytes']).bytes) }),
  compare: (body) => ({ objects: names(readMembers(body, ['objects']).objects) }),
  adopt: (body) => ({ backups: readList(readMembers(body, ['backups']).backups, MOST_BACKUPS, backupIn) }),
};

/** Reads the answer to `compare`. */
export const readMissing = (answer: unknown): ReadonlySet<string> =>
  new Set(names(readMembers(answer, ['missing']).missing));

/** Returns the object of a name that the other node gives. */
export function readObject(text: string): ObjectName {
  const [kind, name = ''] = readText(text, OBJECT_NAME).split('/');
  return { kind: KINDS.find((each) => each === kind) ?? 'config', name };
}

export const objectText = ({ kind, name }: ObjectName): string => (kind === 'config' ? kind : `${kind}/${name}`);

const names = (value: unknown): string[] => readList(value, MOST_OBJECTS, (name) => readText(name, OBJECT_NAME));
const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null => (value === null ? null : read(value));

function backupIn(value: unknown): KeptBackup {
  const { id, created_at, files, size_bytes, added_bytes, left_out, is_scheduled, databases } = readMembers(value, [
    ...(['id', 'created_at', 'files', 'size_bytes', 'added_bytes'] as const),
    ...(['left_out', 'is_scheduled', 'databases'] as const),
  ]);
  return {
    id: readText(id, BACKUP),
    created_at: readCount(created_at),
    files: readCount(files),
    size_bytes: readCount(size_bytes),
    added_bytes: readCount(added_bytes),
    left_out: readCount(left_out),
    is_scheduled: readBoolean(is_scheduled),
    databases: readList(databases, MOST_BACKUPS, databaseIn),
  };
}

function databaseIn(value: unknown): KeptDatabase {
  const { engine, name, snapshot, size_bytes, problem } = readMembers(value, [
    ...(['engine', 'name', 'snapshot', 'size_bytes', 'problem'] as const),
  ]);
  return {
    engine: readText(engine, ENGINE),
    name: readText(name, TEXT),
    snapshot: orNull(snapshot, (each) => readText(each, SNAPSHOT)),
    size_bytes: readCount(size_bytes),
    problem: orNull(problem, (each) => readText(each, TEXT)),
  };
}
