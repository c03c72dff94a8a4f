import { number, t, type ReplyOf } from '../../pages/kit/index.ts';

export type Plan = ReplyOf<'GET /api/plans'>['plans'][number];

/** The limits of a plan, in the order in which they are shown. */
export const LIMITS = [
  'disk_limit_mib',
  'inodes_limit',
  'ram_limit_mib',
  'cpu_limit',
  'bandwidth',
  'domains_limit',
  'names_limit',
  'websites_limit',
  'db_limit',
  'email_limit',
  'ftp_limit',
] as const;
export type Limit = (typeof LIMITS)[number];

export function limitText(limit: number): string {
  return limit === 0 ? t('control.unlimited') : number(limit, 2);
}

/** Returns what changes from one plan to another, a line each. */
export function differenceOf(before: Plan | undefined, after: Plan | undefined): string[] {
  if (before === undefined || after === undefined || before === after) return [];
  const limits = LIMITS.filter((each) => before[each] !== after[each]).map(
    (each) => `${t(`control.limit.${each}`)}: ${limitText(before[each])} → ${limitText(after[each])}`,
  );
  const lost = before.features.filter((each) => !after.features.includes(each));
  const won = after.features.filter((each) => !before.features.includes(each));
  return [
    ...limits,
    ...(won.length > 0 ? [`+ ${won.join(', ')}`] : []),
    ...(lost.length > 0 ? [`− ${lost.join(', ')}`] : []),
  ];
}
