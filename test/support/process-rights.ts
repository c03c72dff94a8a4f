/** Flags of `setpriv` that give a program the capabilities of the shipped unit. */
const CAPABILITIES = ['+dac_read_search', '+dac_override', '+chown'].join();
export const WITH_CAPABILITIES = [`--inh-caps=${CAPABILITIES}`, `--ambient-caps=${CAPABILITIES}`];
/** The user `nobody`, as flags of `setpriv`. */
export const AS_NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];

/** The rights of a program that has no capability and can gain none, as `rightsIn` returns them. */
export const NO_RIGHTS = { CapInh: 0, CapPrm: 0, CapEff: 0, CapAmb: 0, NoNewPrivs: 1 };

/** Returns the sets of capabilities in `/proc/<pid>/status` as numbers, and whether it rules out new privileges. */
export function rightsIn(status: string): Record<string, number> {
  return Object.fromEntries(
    [...status.matchAll(/^(Cap(?:Inh|Prm|Eff|Amb)|NoNewPrivs):\s*([0-9a-f]+)$/gm)].map(([, name, value]) => [
      name ?? '',
      Number.parseInt(value ?? '', 16),
    ]),
  );
}
