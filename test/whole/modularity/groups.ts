/**
 * Puts plugins into as few groups as can be, all of a group to be away at the same time, so that of each two either one is once
 * seen at work while the other is away: each is in half of the groups, and no two are in the same ones (Sperner's theorem).
 */
export function groupsOf(plugins: readonly string[]): string[][] {
  let groups = 1;
  while (halves(groups).length < plugins.length) groups += 1;
  const masks = halves(groups);
  const isIn = (group: number, plugin: number) => (((masks[plugin] ?? 0) >> group) & 1) === 1;
  return Array.from({ length: groups }, (_, group) => plugins.filter((_, plugin) => isIn(group, plugin)));
}

/** The masks of `bits` bits in which half of them are set. */
function halves(bits: number): number[] {
  const countOf = (mask: number) => mask.toString(2).replaceAll('0', '').length;
  return Array.from({ length: 2 ** bits }, (_, mask) => mask).filter((mask) => countOf(mask) === bits >> 1);
}
