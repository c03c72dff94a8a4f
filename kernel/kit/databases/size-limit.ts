/** The limit of the size of an account’s databases, as far as it is the same for servers of all kinds. */
import { HttpError } from '../../errors.ts';
import { Type } from '../../schema.ts';
import { Recurring } from '../waiting/recurring.ts';
import { databaseFail as fail } from './errors.ts';

/** How soon an import ends once writing is stopped. */
const LOOK_MS = 2000;

/** Data of the events. */
export const OfSize = Type.Object({ limit: Type.Integer({ description: 'MiB; 0 = unlimited' }) });

/** Tells whether the writing of accounts is stopped. */
interface Stopping<A> {
  isStopped(account: A): Promise<boolean>;
}

/** Errors: 409 `database_size_limit_reached`. */
export async function assertGoesOn<A>(writing: Stopping<A>, account: A): Promise<void> {
  if (await writing.isStopped(account))
    throw fail.database_size_limit_reached('drop or empty tables, and optimize those in which rows were deleted');
}

/** Runs `work`, whose signal is aborted once writing is stopped. Errors: those of `assertGoesOn`, also if `work` fails then. */
export async function whileGoingOn<A, T>(
  writing: Stopping<A>,
  account: A,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await assertGoesOn(writing, account);
  const stop = new AbortController();
  // where the store does not answer, the work fails by itself
  const looking = new Recurring({
    run: () => assertGoesOn(writing, account),
    failed: (error) => error instanceof HttpError && stop.abort(error),
    everyMs: LOOK_MS,
  });
  looking.wake();
  try {
    return await work(AbortSignal.any([signal, stop.signal]));
  } catch (error) {
    await assertGoesOn(writing, account);
    throw error;
  } finally {
    await looking.close();
  }
}
