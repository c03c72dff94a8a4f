import type { MovePart } from '../../kernel/contract/points/move-part.ts';
import { readInteger, readJson, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import type { Store } from '../../kernel/store/store.ts';
import { addTraffic, forgetAccount, trafficByDay } from './store.ts';
import { firstOfMonth } from './traffic.ts';

const MOST_DAYS = 31;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Traffic that came from another node counts for the account, and for none of its domains. */
const NO_DOMAIN = 0;

const nothing = async (): Promise<void> => undefined;

/** Takes the traffic of this month along, which the plan limits wherever the account lives. The lines of its logs do not go along. */
export function movePart(local: Store): MovePart {
  const forget = ({ id }: { readonly id: number }) => local.write((tx) => forgetAccount(tx, id));
  return {
    obstacles: () => [],
    mover: {
      leave: ({ id }, link) => ({
        begin: nothing,
        copy: nothing,
        close: async () => {
          const days = await trafficByDay(local, id, firstOfMonth());
          await link.ask({ name: 'traffic' }, JSON.stringify(days));
        },
        assertClosed: nothing,
        end: nothing,
      }),
      reopen: nothing,
      remove: forget,
      discard: forget,
      arrive: async ({ account: { id: accountId }, body }) => {
        const days = readList(await readJson(body), MOST_DAYS, readDay);
        await local.write(async (tx) => {
          await forgetAccount(tx, accountId);
          for (const each of days) await addTraffic(tx, { accountId, domainId: NO_DOMAIN, ...each });
        });
        return null;
      },
    },
  };
}

function readDay(value: unknown) {
  const { day, requests, bytes } = readMembers(value, ['day', 'requests', 'bytes']);
  const count = (given: unknown) => readInteger(given, 0, Number.MAX_SAFE_INTEGER);
  return { day: readText(day, DAY), requests: count(requests), bytes: count(bytes) };
}
