import type { ResolveHook } from 'node:module';

const COUNTED = new URL('./counted-assert.js', import.meta.url).href;

/** Gives tests the counted assertions in place of `uvu/assert`. */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier === 'uvu/assert' ? { url: COUNTED, shortCircuit: true } : next(specifier, context);
