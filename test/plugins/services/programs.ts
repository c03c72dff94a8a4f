import { existsSync } from 'node:fs';
import { reportSkipped } from '../../support/suite.ts';

const PROGRAMS = [['/usr/bin/redis-server', '/usr/bin/valkey-server'], ['/usr/bin/memcached']];

/** Whether all services are installed, and this process may start them for accounts. Throws in CI if not. */
export function hasServices(): boolean {
  if (PROGRAMS.every((same) => same.some((path) => existsSync(path))) && process.getuid?.() === 0) return true;
  reportSkipped('tests with real services; install redis-server and memcached with apt-get, and run them as root');
  return false;
}
