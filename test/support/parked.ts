import type { Store } from '../../kernel/store/store.ts';

/**
 * Runs `meanwhile` after the request has verified what it needs, and before its transaction begins. Resolves with the
 * answer; rejects if the request began no transaction.
 */
export async function whileParked<T>(
  store: Store,
  request: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const { write } = store;
  store.write = async (work) => {
    store.write = write;
    await meanwhile();
    return write.call(store, work) as ReturnType<typeof work>;
  };
  try {
    const answer = await request();
    if (store.write !== write) throw new Error('the request did not reach its transaction');
    return answer;
  } finally {
    store.write = write;
  }
}
