/** What tests get for `uvu/assert`: the same assertions, each of which is counted. */
import { createRequire } from 'node:module';
import { countAssertion } from './assertion-count.ts';

type Check = ((...args: unknown[]) => void) & { readonly [member: string]: Check };

const uvu = createRequire(import.meta.url)('uvu/assert') as Readonly<Record<string, Check>>;
const made = new Map<Check | undefined, Check>();

/** Counts the calls of an assertion, and of its members, such as `not.equal`; `not.ok` is `not` itself. */
function counted(check: Check | undefined): Check {
  const known = made.get(check);
  if (known !== undefined) return known;
  if (check === undefined) throw new Error('uvu/assert has no such assertion');
  const own = (...args: unknown[]): void => {
    countAssertion();
    check(...args);
  };
  made.set(check, own as Check);
  for (const [name, member] of Object.entries(check)) Object.assign(own, { [name]: counted(member) });
  return own as Check;
}

export const Assertion: unknown = uvu['Assertion'];
export const [ok, is, equal, type, instance, match, snapshot, fixture, throws, unreachable, not] = [
  ...['ok', 'is', 'equal', 'type', 'instance', 'match', 'snapshot', 'fixture', 'throws', 'unreachable', 'not'],
].map((name) => counted(uvu[name]));
