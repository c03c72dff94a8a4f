import { existsSync, readdirSync } from 'node:fs';
import { reportSkipped } from '../../support/suite.ts';

/** Whether PHP-FPM is installed, and this process may start it for accounts. Throws in CI if not. */
export function hasPhp(): boolean {
  const folder = '/usr/sbin';
  const isThere = existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('php-fpm'));
  if (isThere && process.getuid?.() === 0) return true;
  reportSkipped('tests with a real PHP-FPM; install it with apt-get install -y php-fpm, and run them as root');
  return false;
}
