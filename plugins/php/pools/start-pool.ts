import type { PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import { OWN_UID, pathBeside } from '../../../kernel/kit/net/account-socket.ts';
import { startFpm } from '../../../kernel/kit/programs/fpm/php-fpm.ts';
import type { NamedProgram, ProgramFolder } from '../../../kernel/kit/programs/program-folder.ts';
import { fail } from '../errors.ts';
import type { PhpConfig } from '../schema.ts';
import { poolConfig } from './pool-config.ts';
import type { Pool } from './pool.ts';

/** A pool, and whose processes it has. */
export interface OwnedPool extends NamedProgram {
  readonly pool: Pool;
  readonly owner: { readonly uid: number; readonly webGid: number; readonly root: string };
}

/** Starts a master, and resolves with the path at which it listens. Errors: 502 `php_failed`. */
export async function startPool(
  { log, config, groups }: PrivilegedHost<PhpConfig>,
  folder: ProgramFolder,
  { accountId, name, pool, owner }: OwnedPool,
): Promise<string> {
  if (OWN_UID !== 0 && owner.uid !== OWN_UID)
    throw fail.php_failed('only root, or the broker, starts processes of accounts');
  const socket = pathBeside(folder.socket(accountId, name));
  await startFpm(
    folder,
    { accountId, name },
    {
      version: pool.version,
      settings: poolConfig(pool, { ...owner, socket, idleSeconds: config.idle_seconds }, config.disabled_functions),
      socket,
      ...owner,
      workers: pool.workers,
      memoryMib: pool.memoryMib,
      group: groups?.ofAccount(accountId),
      printed: (text) => log.debug({ account: accountId, pool: name, text }, 'php-fpm'),
      refuse: fail.php_failed,
    },
  );
  return socket;
}
