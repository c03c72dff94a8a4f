import { t } from '../../pages/kit/index.ts';

const READ = ['SELECT', 'SHOW VIEW'] as const;
const WRITE = [...READ, 'DELETE', 'EXECUTE', 'INSERT', 'UPDATE'] as const;
const ALL = [
  ...WRITE,
  ...(['ALTER', 'ALTER ROUTINE', 'CREATE', 'CREATE ROUTINE', 'CREATE TEMPORARY TABLES', 'CREATE VIEW'] as const),
  ...(['DROP', 'EVENT', 'INDEX', 'LOCK TABLES', 'REFERENCES', 'TRIGGER'] as const),
] as const;

/** The rights of a user on a database, as people choose them; others can be given by the API. */
export const LEVELS = { all: ALL, write: WRITE, read: READ } as const;
export type Level = keyof typeof LEVELS;

export const levelChoices = (): readonly (readonly [Level, string])[] => [
  ['all', t('mysql.level.all')],
  ['write', t('mysql.level.write')],
  ['read', t('mysql.level.read')],
];

/** Returns the level that a list of rights is; `undefined` if it is none. */
export function levelIn(privileges: readonly string[]): Level | undefined {
  const isLevel = (level: Level) =>
    LEVELS[level].length === privileges.length && LEVELS[level].every((each) => privileges.includes(each));
  return (['all', 'write', 'read'] as const).find(isLevel);
}
