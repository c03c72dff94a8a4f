/**
 * Puts plugins into groups, all of a group to be away at the same time: in two partitions, of which in one or the other each two
 * plugins are in different groups. So each is seen at work while any other is away, and a group costs what one plugin would.
 */
export function groupsOf(plugins: readonly string[]): string[][] {
  const side = Math.ceil(Math.sqrt(plugins.length));
  const partition = (groupOf: (i: number) => number) =>
    Array.from({ length: side }, (_, group) => plugins.filter((_, i) => groupOf(i) === group));
  return [...partition((i) => i % side), ...partition((i) => Math.floor(i / side))].filter(({ length }) => length > 0);
}
