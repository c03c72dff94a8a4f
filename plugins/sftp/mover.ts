import { closedMover, type MovePart } from '../../kernel/contract/points/move-part.ts';
import type { SftpVerbs } from './server/sftp-verbs.ts';

/** Closes an account's logins while the last of its files goes to another node, which opens them by what is stored. */
export function movePart(verbs: SftpVerbs): MovePart {
  const end = async ({ id }: { readonly id: number }) => void (await verbs.remove(id));
  return {
    obstacles: () => [],
    mover: closedMover({
      end,
      isServed: async ({ id }) => (await verbs.tend(null)).kept.some(({ accountId }) => accountId === id),
      what: 'SFTP logins',
      discard: end,
    }),
  };
}
