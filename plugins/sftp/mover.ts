import type { MovePart } from '../../kernel/contract/points/move-part.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import type { SftpVerbs } from './server/sftp-server.ts';

/** Closes an account's logins while the last of its files goes to another node, which opens them by what is stored. */
export function movePart(verbs: SftpVerbs): MovePart {
  const nothing = async () => undefined;
  return {
    obstacles: () => [],
    mover: {
      leave: ({ id }) => ({
        begin: nothing,
        copy: nothing,
        close: async () => void (await verbs.remove(id)),
        assertClosed: async () => {
          const { kept } = await verbs.tend(null);
          if (kept.some(({ accountId }) => accountId === id)) throw new Error('its SFTP logins were opened again');
        },
        end: nothing,
      }),
      reopen: nothing, // the reconciliation opens them
      remove: async ({ id }) => void (await verbs.remove(id)),
      arrive: async () => {
        throw refuse.invalid_request('nothing of SFTP is sent');
      },
      discard: async ({ id }) => void (await verbs.remove(id)),
    },
  };
}
