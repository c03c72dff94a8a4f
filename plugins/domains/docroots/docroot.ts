import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { clientPath, pathComponents } from '../../../kernel/kit/files/client-path.ts';
import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import type createDocroot from './docroot-job.ts';
import { fail } from '../errors.ts';
import type { DomainRow } from '../store.ts';

const AT_DOCROOT = { path: '/docroot' };

export const CREATE_DOCROOT = defineJob<typeof createDocroot>({
  beside: import.meta.url,
  script: 'docroot-job',
  timeoutMs: 10_000,
  tooMuch: 'files_unavailable',
});

/** Returns the components of a document root below the files root. Errors: 400 `invalid_docroot`. */
export function docrootComponents(docroot: string, virtualRoot: string): string[] {
  if (/\p{Surrogate}/u.test(docroot)) throw fail.invalid_docroot('the document root is not valid Unicode', AT_DOCROOT);
  try {
    return pathComponents(docroot, virtualRoot);
  } catch (error) {
    throw error instanceof HttpError ? fail.invalid_docroot(error.message, AT_DOCROOT) : error;
  }
}

/** Rejects the files root for an account that has other domains. Errors: 400 `invalid_docroot`. */
export function assertNotAbove(docroot: readonly string[], others: number): void {
  if (docroot.length === 0 && others > 0)
    throw fail.invalid_docroot(
      "only an account's first domain can be served from the files root, because it then serves the folders of all others",
      AT_DOCROOT,
    );
}

/** Returns a domain as providers see it. */
export const domainPart = ({ id, name, docroot }: DomainRow, account: Account, virtualRoot: string): DomainPart => ({
  id,
  name,
  docroot: clientPath(docroot === '' ? [] : docroot.split('/'), virtualRoot),
  account,
});
