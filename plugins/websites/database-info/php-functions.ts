import type { Budget } from './budget.ts';
import { joined, textOf, type PhpValue } from './php-value.ts';

/** What PHP's own functions see of the file that calls them. */
export interface PhpNames {
  readonly constants: Map<string, PhpValue>;
  /** Whether the file declares a function, by its name in lower case. */
  readonly declares: (name: string) => boolean;
  readonly budget: Budget;
}

/** Returns what one of PHP's own functions does; `undefined`, which is unknown, for all that no configuration file needs. */
export function callBuiltIn(
  name: string,
  args: readonly PhpValue[],
  { constants, declares, budget }: PhpNames,
): PhpValue {
  const [first, second] = args;
  const text = textOf(first);
  switch (name) {
    case 'define':
      if (text !== undefined && !constants.has(text)) constants.set(text, second);
      return true;
    case 'defined':
      return text !== undefined && constants.has(text);
    case 'constant':
      return text === undefined ? undefined : constants.get(text);
    case 'function_exists':
      return text !== undefined && declares(text.toLowerCase());
    case 'getenv':
      return first === undefined || args.length === 0 ? undefined : false;
    case 'env':
      return second ?? null;
    case 'trim':
      return joined([text?.trim()], budget);
    case 'strtolower':
      return joined([text?.toLowerCase()], budget);
    default:
      return undefined;
  }
}
