import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Gathered } from '../../kernel/contract/extension-points.ts';
import { hoursBefore } from '../../kernel/contract/points/demo.ts';
import type { TestServer } from './hostkeep.ts';

/** Gives accounts of a test the past and the content that plugins make for the demo. Resolves with the result of each plugin. */
export async function addDemoContent(
  { hostkeep: { core, plugins } }: TestServer,
  people: { readonly demo: Account; readonly other: Account },
): Promise<Gathered<'demo'>[]> {
  const now = Date.now();
  const past = await plugins.gather('demoPast', people);
  await core.store.write(async (tx) => {
    for (const { hoursAgo, ...event } of past.flatMap((each) => (each.ok ? each.value : [])))
      await core.events.record(tx, { ...event, at: hoursBefore(now, hoursAgo) });
  });
  return plugins.gather('demo', { ...people, neighbours: [], now });
}
