import type { Plan } from './plans.ts';

/** Whose account it is: a customer's, or an administrator's. */
export type Role = 'user' | 'admin';

/** An immutable snapshot of an account; a change replaces it. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly email: string;
  readonly locale: string;
  readonly plan: Plan | undefined;
  /** The plan's features plus and minus the account's own; empty without a plan. */
  readonly features: ReadonlySet<string>;
  /** Features in which the account differs from its plan: true if granted, false if denied. */
  readonly overrides: Readonly<Record<string, boolean>>;
  /** The folder of the account's files on this host. */
  readonly filesRoot: string;
  readonly suspended: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The node of the fleet that has its files, containers and databases; empty where the store has one node. */
  readonly home: string;
  /** Whether what it has there must not change, because the last differences go to another node. */
  readonly isReadOnly: boolean;
}
