import { LEVELS, type Level } from '../../pages/kit/databases/index.ts';

const READ = ['SELECT', 'SHOW VIEW'] as const;
const WRITE = [...READ, 'DELETE', 'EXECUTE', 'INSERT', 'UPDATE'] as const;
const ALL = [
  ...WRITE,
  ...(['ALTER', 'ALTER ROUTINE', 'CREATE', 'CREATE ROUTINE', 'CREATE TEMPORARY TABLES', 'CREATE VIEW'] as const),
  ...(['DROP', 'EVENT', 'INDEX', 'LOCK TABLES', 'REFERENCES', 'TRIGGER'] as const),
] as const;

/** The rights of each level; others can be given by the API. */
export const RIGHTS = { all: ALL, write: WRITE, read: READ } as const;

/** Returns the level that a list of rights is; `undefined` if it is none. */
export const levelIn = (privileges: readonly string[]): Level | undefined =>
  LEVELS.find(
    (level) => RIGHTS[level].length === privileges.length && RIGHTS[level].every((each) => privileges.includes(each)),
  );
