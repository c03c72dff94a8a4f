import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import type { PhpVerbs } from './pools/php-verbs.ts';
import type { PhpConfig } from './schema.ts';

/** Where Debian's packages have pools: a folder for each version. */
const POOLS = 'etc/php';
/** Files of which one is there while Debian's service of a version runs, or starts with the system. */
const SERVICE_FILES = (service: string) => [
  `run/php/${service}.pid`,
  `etc/systemd/system/multi-user.target.wants/${service}.service`,
];

/** Has each installed version answer, and looks for pools of others that read accounts' files. */
export async function findings(
  verbs: PhpVerbs,
  versions: readonly string[],
  webGroup: string,
  root = '/',
): Promise<Finding[]> {
  const proofs = await Promise.all(versions.map((version) => proof(verbs, version)));
  return [...proofs, ...(await strangers(webGroup, root))];
}

/** Says which versions the configuration names that customers cannot choose. */
export function unknownVersions(
  { versions, default_version: given }: Pick<PhpConfig, 'versions' | 'default_version'>,
  offered: readonly string[],
): Finding[] {
  const named = [...new Set([...versions, ...(['', 'newest'].includes(given) ? [] : [given])])];
  const unknown = named.filter((version) => !offered.includes(version));
  if (unknown.length === 0) return [];
  return [
    {
      name: 'versions',
      ok: false,
      detail: `the configuration names PHP ${unknown.join(', ')}, which nobody can choose`,
      remedy: 'install it and restart the server, or correct php.versions and php.default_version',
    },
  ];
}

async function proof(verbs: PhpVerbs, version: string): Promise<Finding> {
  const name = `php ${version}`;
  try {
    const { isAlone } = await verbs.prove(version);
    if (isAlone)
      return { name, ok: true, detail: `php-fpm${version} answered from a pool that was started for this check` };
    return {
      name,
      ok: false,
      isWarning: true,
      detail: `php-fpm${version} answers, and its scripts see the names of all processes of this host`,
      remedy: 'let the broker make process namespaces: CAP_SYS_ADMIN, and no filter of unshare and mount',
    };
  } catch (error) {
    const remedy = `see that php-fpm${version} is installed (apt-get install php${version}-fpm), and that the broker runs`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

/** Folders of accounts have the group of the web server, so that a script that runs with it reads all of them. */
async function strangers(webGroup: string, root: string): Promise<Finding[]> {
  const found: Finding[] = [];
  const folder = join(root, POOLS);
  if (!existsSync(folder)) return found;
  for (const file of findFiles('*/fpm/pool.d/*.conf', folder)) {
    const path = join(folder, file);
    const service = `php${file.split('/')[0]}-fpm`;
    if (!SERVICE_FILES(service).some((each) => existsSync(join(root, each)))) continue;
    const names = [...(await readFile(path, 'utf8')).matchAll(/^\s*(?:user|group)\s*=\s*"?([\w-]+)/gm)];
    if (names.some(([, name]) => name === webGroup))
      found.push({
        name: 'foreign pool',
        ok: false,
        isWarning: true,
        detail: `scripts of the pool in ${path} run as ${webGroup}, and read the files of all accounts`,
        remedy: `systemctl disable --now ${service}, as Hostkeep starts PHP by itself; or give that pool a user and a group of its own`,
      });
  }
  return found;
}
