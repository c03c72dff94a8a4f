/** Messages between the two ends of a move about databases. */
import type { MovedObject } from '../contents/objects.ts';
import type { MovedDatabase } from '../contents/tables.ts';
import type { MovedUser } from '../contents/users.ts';

export interface Requests {
  /** Says whether both ends reach one server: the source has made the database, and looks for it at the target. */
  meet: readonly [asked: { readonly probe: string; readonly ownership: string }, answer: Meeting];
  /** Makes the databases that are missing, drops tables that are not named, and compares the others. */
  align: readonly [asked: { readonly databases: readonly MovedDatabase[] }, answer: Alignment];
  /** Makes exactly these objects. */
  objects: readonly [asked: { readonly objects: readonly MovedObject[] }, answer: null];
  /** Makes exactly these users; they can log in if `isOpen`. */
  users: readonly [asked: { readonly users: readonly MovedUser[]; readonly isOpen: boolean }, answer: null];
}

export interface Meeting {
  readonly isSame: boolean;
  /** Why the databases cannot come; they need not if the server is the same. */
  readonly problem?: string;
  /** Of the server, if they can. */
  readonly version?: readonly number[];
}

export interface Alignment {
  /** For each database: what is the same for equal contents, by table; missing for a table that is to be brought. */
  readonly checksums: readonly Readonly<Record<string, string>>[];
}

/** The one request whose body is no JSON: statements that make tables of the database that it is about. */
export const LOAD = 'load';
