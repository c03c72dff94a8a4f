import { bytes, number, t, textOr } from './i18n.ts';

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

/** Members of a plan that pages of any area show. */
export interface Plan extends Readonly<Record<Limit, number>> {
  readonly name: string;
  readonly features: readonly string[];
}

const MIB = 1024 * 1024;

/** Returns what a limit is called where its value is written with a unit. */
export function limitName(limit: Limit): string {
  return textOr(`pages.written.${limit}`, t(`pages.limit.${limit}`));
}

export function limitText(limit: Limit, value: number): string {
  if (value === 0) return t('pages.unlimited');
  if (limit.endsWith('_mib')) return bytes(value * MIB);
  return limit === 'bandwidth' ? `${number(value)} Mbit/s` : number(value, 2);
}

/** Returns what changes from one plan to another, a line each. */
export function planDifference(before: Plan | undefined, after: Plan | undefined): string[] {
  if (before === undefined || after === undefined || before === after) return [];
  const limits = LIMITS.filter((each) => before[each] !== after[each]).map(
    (each) => `${limitName(each)}: ${limitText(each, before[each])} → ${limitText(each, after[each])}`,
  );
  const lost = before.features.filter((each) => !after.features.includes(each));
  const won = after.features.filter((each) => !before.features.includes(each));
  return [
    ...limits,
    ...(won.length > 0 ? [`+ ${won.join(', ')}`] : []),
    ...(lost.length > 0 ? [`− ${lost.join(', ')}`] : []),
  ];
}
