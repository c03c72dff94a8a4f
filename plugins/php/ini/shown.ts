import type { PhpDirective } from '../schema.ts';
import { DIRECTIVES } from './directives.ts';

/** Returns the directives that customers may set, as clients see them. */
export function shownDirectives(): PhpDirective[] {
  return [...DIRECTIVES].map(([name, directive]) =>
    directive.kind === 'text'
      ? { name, kind: directive.kind, example: directive.example }
      : directive.kind === 'choice'
        ? { name, kind: directive.kind, choices: [...directive.choices] }
        : { name, ...directive },
  );
}
