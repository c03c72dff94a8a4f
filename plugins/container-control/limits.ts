import type { ContainerLimits } from '../../kernel/areas/containers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { ContainerView, NewLimits } from './schema.ts';

const MIB = 2 ** 20;
const NANO = 1e9;

/** Returns the most that the plan of an account allows a container; 0 for any. */
export const mostFor = ({ plan }: Account): Pick<ContainerView, 'most_memory_mib' | 'most_processors'> => ({
  most_memory_mib: plan?.limits['container_memory_limit_mib'] ?? 0,
  most_processors: plan?.limits['container_processors_limit'] ?? 0,
});

/** Errors: 409 `container_limit_reached`. */
export function assertAllowed(account: Account, { memory_mib: mib = 0, processors = 0 }: NewLimits): void {
  const { most_memory_mib: mostMib, most_processors: most } = mostFor(account);
  if (mostMib > 0 && mib > mostMib)
    throw fail.container_limit_reached(`the plan allows a container ${mostMib} MiB of memory`);
  if (most > 0 && processors > most)
    throw fail.container_limit_reached(`the plan allows a container ${most} processors`);
}

/** Returns limits as the engine has them, and in words. */
export function limitsIn({ memory_mib: mib, processors }: NewLimits): { limits: ContainerLimits; told: string } {
  const words = [
    ...(mib === undefined ? [] : [`${mib} MiB`]),
    ...(processors === undefined ? [] : [`${processors} processors`]),
  ];
  const limits = {
    ...(mib !== undefined && { memoryBytes: mib * MIB }),
    ...(processors !== undefined && { nanoProcessors: Math.round(processors * NANO) }),
  };
  return { limits, told: words.join(', ') };
}
