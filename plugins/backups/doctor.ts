import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Repositories } from './repository/repositories.ts';
import { newestBackups } from './store.ts';

/** Repositories that are opened for one check; each takes a second. */
const OPENED = 5;
const NAMED = 10;

/** Has restic answer, opens some repositories, and looks for those of accounts that do not live here. */
export async function findings(
  { identity, node, local }: Pick<Host, 'identity' | 'node' | 'local'>,
  repositories: Repositories,
): Promise<Finding[]> {
  let version: string;
  try {
    version = await repositories.version();
  } catch (error) {
    const remedy = 'install it (apt-get install restic), or name the program in backups.program';
    return [{ name: 'restic', ok: false, detail: errorMessage(error), remedy }];
  }
  const [problems, strangers]: [string[], number[]] = [[], []];
  let opened = 0;
  const owners = await repositories.owners();
  const gone = [...(await newestBackups(local)).keys()].filter((id) => !owners.includes(id)).length;
  if (gone > 0) problems.push(`gone, with the backups of so many accounts: ${gone}`);
  for (const id of owners) {
    const account = await identity.accounts.byId(id);
    const isHere = account?.home === '' || node.fleet === undefined || account?.home === node.fleet.name;
    if (account === undefined || !isHere) strangers.push(id);
    else if (opened++ < OPENED)
      await repositories
        .find(account)
        .then((repository) => repositories.prove(repository))
        .catch((error: unknown) => {
          problems.push(`${account.username}: ${errorMessage(error)}`);
        });
  }
  const repositoryProblem = {
    detail: problems.join('; '),
    remedy:
      'mount its disk, or bring the repository back from a copy; or move it away, and have the customer remove the backups: the next one begins anew',
  };
  const strangerProblem = {
    ...{ name: 'repositories of others', ok: false, isWarning: true },
    detail: `accounts with these ids have moved away or are removed: ${strangers.slice(0, NAMED).join(', ')}${strangers.length > NAMED ? ', …' : ''}`,
    remedy: 'remove their folders in backups of the data folder, once nobody needs these backups',
  };
  return [
    { name: 'restic', ok: true, detail: `restic ${version} answers` },
    problems.length === 0
      ? { name: 'repositories', ok: true, detail: `${Math.min(opened, OPENED)} of them open with their keys` }
      : { name: 'repositories', ok: false, ...repositoryProblem },
    ...(strangers.length === 0 ? [] : [strangerProblem]),
  ];
}
