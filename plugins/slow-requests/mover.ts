import { rowsMover } from '../../kernel/areas/moves/moved-rows.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Mover } from '../../kernel/contract/points/move-part.ts';
import { readCount, readInteger, readMembers, readText, readTime } from '../../kernel/kit/verb-arguments.ts';
import { addMoved, forgetAccount, LONGEST, sumsAfter, type DaySum } from './store.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;
const METHOD = /^.{0,8192}$/s;
const PATH = new RegExp(`^.{0,${LONGEST.path}}$`, 's');
const QUERY = new RegExp(`^.{0,${LONGEST.query}}$`, 's');

/** Takes along what was summed up of the account. */
export const mover = (host: Pick<Host, 'local' | 'identity' | 'peer'>): Mover =>
  rowsMover<DaySum>(host, {
    what: 'slow requests',
    list: sumsAfter,
    read: readSum,
    add: (tx, accountId, sum) => addMoved(tx, { ...sum, accountId }),
    forget: forgetAccount,
  });

function readSum(value: unknown): DaySum {
  const { accountId, domainId, day, method, path, requests, tookMs, lastAt, slowestMs, slowest } = readMembers(value, [
    ...(['accountId', 'domainId', 'day', 'method', 'path'] as const),
    ...(['requests', 'tookMs', 'lastAt', 'slowestMs', 'slowest'] as const),
  ]);
  const { at, query, status } = readMembers(slowest, ['at', 'query', 'status']);
  return {
    accountId: readCount(accountId),
    domainId: readCount(domainId),
    day: readText(day, DAY),
    method: readText(method, METHOD),
    path: readText(path, PATH),
    requests: readInteger(requests, 1, Number.MAX_SAFE_INTEGER),
    tookMs: readCount(tookMs),
    lastAt: readTime(lastAt),
    slowestMs: readCount(slowestMs),
    slowest: { at: readTime(at), query: readText(query, QUERY), status: readCount(status) },
  };
}
