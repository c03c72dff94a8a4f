/** A console with many accounts: how soon their table is there, sorted and filtered. */
import type { Page } from 'puppeteer-core';
import type { Store } from '../../kernel/store/store.ts';

/** Adds customers to a store; every second one has the plan `basic`. */
export async function addManyAccounts(store: Store, count: number): Promise<void> {
  await store.write(async (tx) => {
    for (let i = 0; i < count; i += 1)
      await tx.run(
        "insert into accounts (username, role, password_hash, plan, created_at) values (?, 'user', 'x', ?, ?)",
        ...[`customer${i}`, i % 2 === 0 ? 'developer' : 'basic', Date.now() + i],
      );
  });
}

/** Resolves with the median time in milliseconds from an act on the table of accounts until what the server answers is painted. */
export async function tableMs(page: Page, rounds: number, act: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1)
    times.push(
      (await page.evaluate(`new Promise((resolve) => {
        const asked = () => performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/api/accounts?'))?.name;
        const [before, start] = [asked(), performance.now()];
        const main = document.querySelector('main');
        ${act};
        const look = () => requestAnimationFrame(() => {
          if (asked() === before || document.querySelector('main tbody a') === null) return look();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
        });
        look();
      })`)) as number,
    );
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

/** Sorts by a column, the other way round each time. */
export const sortBy = (column: string): string =>
  `[...main.querySelectorAll('th button')].find((each) => each.textContent.startsWith('${column}')).click()`;

/** Shows the accounts of one plan, or all again. */
export const filterByPlan = `const select = main.querySelector('select');
  select.value = select.value === '' ? 'basic' : '';
  select.dispatchEvent(new Event('change', { bubbles: true }))`;
