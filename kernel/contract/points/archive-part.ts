import { Validator } from '../../config/validator.ts';
import { HttpError } from '../../errors.ts';
import type { Account } from '../../identity/accounts/account.ts';
import { closed, Type, type TSchema } from '../../schema.ts';

/** Notes for people about what came of an archive, or of the settings of a backup. */
export interface ImportNotes {
  /** Whether the account is in use: it has things of its own, and visitors. Else it is new. */
  readonly isLive?: boolean;
  /** The administrator who brings back an account that was removed: what one of them had suspended stays so, in this name. */
  readonly restoredBy?: string;
  /** Names what could not be brought, and says why. */
  readonly missing: string[];
  /** Tasks that are left to the operator, each in the imperative. */
  readonly next: string[];
}

/** Notes why something is missing, if it is refused. Rejects for what is no refusal. */
export async function unlessRefused(
  { missing }: Pick<ImportNotes, 'missing'>,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    missing.push(`${what}: ${error.message}`);
  }
}

/** How what a plugin keeps of an account in the store travels in an archive of the account to another installation. */
export interface ArchivePart {
  /** Of what `save` resolves with, and of what is put back: anybody may have written that. */
  readonly schema: TSchema;
  /** Resolves with it as JSON; `undefined` for nothing. */
  save(account: Account): Promise<unknown>;
  /** Whether `restore` comes before the account is suspended, whose suspension then closes what was made. */
  readonly isOpen?: boolean;
  /**
   * Puts back what `checkArchived` has checked. The files and databases are there. A new account is suspended: it is not served yet.
   * Errors: those for which the whole account is not brought.
   *
   * In an account that is in use, what is there gets the settings that were saved, what is gone comes back, and what was added later stays;
   * nothing is served of which another part is still missing; and what cannot come back is missing, but keeps nothing else from it. Can be
   * repeated.
   */
  restore(account: Account, saved: unknown, told: ImportNotes): Promise<void>;
  /** Serves what all plugins have put back, once the account is open. */
  serve?(account: Account, saved: unknown, told: ImportNotes): Promise<void>;
}

/** Returns a plugin's part of an archive if it has the form that the plugin gives it. Throws for another one. */
export function checkArchived(plugin: string, { schema }: ArchivePart, saved: unknown): unknown {
  const part = { [plugin]: structuredClone(saved) };
  const [issue] = new Validator(closed(Type.Object({ [plugin]: schema }))).issues(part);
  if (issue === undefined) return part[plugin];
  throw new Error(`${issue.path.slice(1).replaceAll('/', '.')} ${issue.message}`);
}
