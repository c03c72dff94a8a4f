import { existsSync } from 'node:fs';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { installedVersions } from '../../kernel/kit/programs/php-versions.ts';
import { PROGRAM } from './pools/session-pool.ts';

/** Where Debian's packages have the settings of PHP: a folder for each version. */
const PHP = '/etc/php';
const REMEDY = 'apt-get install --no-install-recommends phpmyadmin php-fpm';

/** Resolves with the version of PHP that runs phpMyAdmin: the newest with what it needs; `undefined` where either is missing. */
export async function phpForPhpMyAdmin(): Promise<string | undefined> {
  if (!existsSync(`${PROGRAM}/index.php`)) return undefined;
  const versions = await installedVersions();
  return versions.find((version) => existsSync(PHP) && findFiles(`${version}/fpm/conf.d/*-mysqli.ini`, PHP).length > 0);
}

/** For `hostkeep doctor`. */
export async function findings(): Promise<Finding[]> {
  const version = await phpForPhpMyAdmin();
  const name = 'phpmyadmin';
  return version === undefined
    ? [
        {
          name,
          ok: false,
          isWarning: true,
          detail: `there is no ${PROGRAM}, or no PHP-FPM with mysqli`,
          remedy: REMEDY,
        },
      ]
    : [{ name, ok: true, detail: `${PROGRAM} is run by php-fpm${version}` }];
}
