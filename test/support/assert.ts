/** The assertions of `uvu/assert`, which are counted: a test that runs none of them cannot fail. */
import * as uvu from 'uvu/assert';

type Check = (...args: never[]) => unknown;

const made = new Map<Check, Check>();
let count = 0;

/** Returns how many assertions this process has run. */
export const countedAssertions = (): number => count;

/** Counts what a test asserts in another way. */
export function countAssertion(): void {
  count += 1;
}

/** Counts the calls of an assertion, and of its members, such as `not.equal`; `not.ok` is `not` itself. */
function counted<T extends Check>(check: T): T {
  const known = made.get(check);
  if (known !== undefined) return known as T;
  const own = (...args: never[]): unknown => {
    countAssertion();
    return check(...args);
  };
  made.set(check, own);
  for (const [name, member] of Object.entries(check)) Object.assign(own, { [name]: counted(member as Check) });
  return own as T;
}

export const ok: typeof uvu.ok = counted(uvu.ok);
export const is: typeof uvu.is = counted(uvu.is);
export const equal: typeof uvu.equal = counted(uvu.equal);
export const type: typeof uvu.type = counted(uvu.type);
export const instance: typeof uvu.instance = counted(uvu.instance);
export const match: typeof uvu.match = counted(uvu.match);
export const throws: typeof uvu.throws = counted(uvu.throws);
export const unreachable: typeof uvu.unreachable = counted(uvu.unreachable);
export const not: typeof uvu.not = counted(uvu.not);
