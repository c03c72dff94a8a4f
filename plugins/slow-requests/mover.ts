import { rowsMover } from '../../kernel/contract/moves/moved-rows.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Mover } from '../../kernel/contract/points/move-part.ts';
import { readInteger, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { addMoved, forgetAccount, LONGEST, sumsAfter, type DaySum } from './store.ts';

/** The last time that a date can be. */
const LATEST_MS = 8.64e15;
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

const count = (value: unknown) => readInteger(value, 0, Number.MAX_SAFE_INTEGER);
const time = (value: unknown) => readInteger(value, 0, LATEST_MS);

function readSum(value: unknown): DaySum {
  const { accountId, domainId, day, method, path, requests, tookMs, lastAt, slowestMs, slowest } = readMembers(value, [
    ...(['accountId', 'domainId', 'day', 'method', 'path'] as const),
    ...(['requests', 'tookMs', 'lastAt', 'slowestMs', 'slowest'] as const),
  ]);
  const { at, query, status } = readMembers(slowest, ['at', 'query', 'status']);
  return {
    accountId: count(accountId),
    domainId: count(domainId),
    day: readText(day, DAY),
    method: readText(method, METHOD),
    path: readText(path, PATH),
    requests: readInteger(requests, 1, Number.MAX_SAFE_INTEGER),
    tookMs: count(tookMs),
    lastAt: time(lastAt),
    slowestMs: count(slowestMs),
    slowest: { at: time(at), query: readText(query, QUERY), status: count(status) },
  };
}
