import { crc32 } from 'node:zlib';
import { HttpError } from '../../kernel/errors.ts';
import { fail } from './errors.ts';

/** The forms in which OpenPanel shows plans, users and times. */

interface PlanView {
  readonly name: string;
  readonly description: string;
  readonly limits: Readonly<Record<string, number>>;
}
interface AccountView {
  readonly user_id: number;
  readonly username: string;
  readonly email: string;
  readonly plan: string | null;
  readonly suspended: boolean;
  readonly created_at: string;
}

/** Plans have no number here, so that of a name is derived from it: the same on every server, at every time. */
const planId = (name: string): number => crc32(name) >>> 1;

const gib = (mib: number): number => Math.round((mib / 1024) * 1000) / 1000;

/** The limits that OpenPanel knows under the same names. */
export const LIMITS = [
  'email_limit',
  'ftp_limit',
  'domains_limit',
  'websites_limit',
  'inodes_limit',
  'db_limit',
  'bandwidth',
] as const;

export function plan({ name, description, limits }: PlanView) {
  const { cpu_limit: cpu = 0, ram_limit_mib: ram = 0, disk_limit_mib: disk = 0 } = limits;
  return {
    ...{ id: planId(name), name, description },
    ...Object.fromEntries(LIMITS.map((limit) => [limit, limits[limit] ?? 0])),
    disk_limit: `${gib(disk)} GB`,
    cpu: String(cpu),
    ram: `${gib(ram)}g`,
    feature_set: name,
  };
}

/** Finds a plan by its number or by its name. Errors: 404 `plan_not_found`, also if two plans have the number. */
export function planNamed(plans: readonly PlanView[], id: unknown): string {
  const found = plans.filter(({ name }) => name === id || String(planId(name)) === id);
  if (found.length === 1 && found[0] !== undefined) return found[0].name;
  throw fail.plan_not_found(found.length === 0 ? 'there is no such plan' : 'name the plan, not its number');
}

export const user = ({ user_id: id, username, email, plan: name, suspended, created_at }: AccountView) => ({
  ...{ id, username, email, plan_name: name, suspended },
  registered_date: moment(created_at),
});

/** Returns RFC 3339 as `2026-11-22 13:45:00`. */
export const moment = (time: string): string => time.slice(0, 19).replace('T', ' ');

/** Returns the one that fits. Errors: 404. */
export function one<T>(list: readonly T[], fits: (each: T) => boolean, code: string, what: string): T {
  const found = list.find(fits);
  if (found === undefined) throw new HttpError(code, `there is no such ${what}`);
  return found;
}

/** Turns digits, which forms send as text, into a number; anything else stays for the operation to refuse. */
export const number = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;

/** Turns `10 GB`, `2g` and `10`, which are all gigabytes, and `512 MB` into MiB; anything else stays as it is. */
export function mib(value: unknown): unknown {
  const [, digits, unit = 'g'] = /^(\d+(?:\.\d+)?) ?(?:([gm])b?)?$/i.exec(String(value)) ?? [];
  return digits === undefined ? value : Math.round(Number(digits) * (unit.toLowerCase() === 'g' ? 1024 : 1));
}

export const done = (message: string) => ({ success: true, response: { message } });
