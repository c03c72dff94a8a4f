/** Returns a function that says whether a text is like any of the patterns, in which `*` stands for anything: `domain.*`. */
export function anyPattern(patterns: readonly string[]): (text: string) => boolean {
  const forms = patterns.map((pattern) => {
    const literal = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${literal.join('.*')}$`, 's');
  });
  return (text) => forms.some((form) => form.test(text));
}
