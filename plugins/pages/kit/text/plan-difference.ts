import { bytes, number, t } from './i18n.ts';

/** A limit that plans have, as the server describes it in the reader's language. */
export interface Limit {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly default: number;
}

/** Members of a plan that pages of any area show. */
export interface Plan {
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly features: readonly string[];
}

const MIB = 1024 * 1024;

/** Returns the value of a limit with its unit. */
export function limitText({ name, unit }: Limit, { limits }: Plan): string {
  const value = limits[name] ?? 0;
  if (value === 0) return t('pages.unlimited');
  if (unit === 'MiB') return bytes(value * MIB);
  return unit === '' ? number(value, 2) : `${number(value)} ${unit}`;
}

/** Counts for "unlimited" like a limit of 2 to this power. */
const UNLIMITED_POWER = 64;

/** Orders plans from the smallest to the largest. Twice as much of any limit weighs the same, whatever its unit. */
export function bySize(limits: readonly Limit[]): (a: Plan, b: Plan) => number {
  const sizeOne = (value: number) => (value === 0 ? UNLIMITED_POWER : Math.log2(value));
  const size = (plan: Plan) => limits.reduce((sum, { name }) => sum + sizeOne(plan.limits[name] ?? 0), 0);
  return (a, b) => size(a) - size(b) || a.name.localeCompare(b.name);
}

/** Returns what changes from one plan to another, a line each. */
export function planDifference(limits: readonly Limit[], before: Plan | undefined, after: Plan | undefined): string[] {
  if (before === undefined || after === undefined || before === after) return [];
  const changed = limits
    .filter(({ name }) => before.limits[name] !== after.limits[name])
    .map((limit) => `${limit.title}: ${limitText(limit, before)} → ${limitText(limit, after)}`);
  const lost = before.features.filter((each) => !after.features.includes(each));
  const won = after.features.filter((each) => !before.features.includes(each));
  return [
    ...changed,
    ...(won.length > 0 ? [`+ ${won.join(', ')}`] : []),
    ...(lost.length > 0 ? [`− ${lost.join(', ')}`] : []),
  ];
}
