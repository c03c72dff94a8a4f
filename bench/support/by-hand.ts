/** What an operator sets up without Hostkeep, to compare it with that. */
import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endsWithTests } from '../../test/support/child.ts';
import type { Nginx } from '../../test/support/nginx.ts';
import { until } from '../../test/support/until.ts';
import { temporaryFolder } from './processes.ts';
import { PHP } from './site-house.ts';

/** Starts PHP-FPM by hand with the settings of a pool, changed; resolves with its socket. */
export async function startFpm(
  settings: string,
): Promise<{ readonly socket: string; readonly pid: number | undefined; readonly stop: () => void }> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const [file, socket] = [join(folder, 'fpm.conf'), join(folder, 'fpm.sock')];
  writeFileSync(file, settings.replace(/^listen = .*$/m, `listen = "${socket}"`));
  const child = endsWithTests(
    spawn(`php-fpm${PHP}`, ['--nodaemonize', '--fpm-config', file], { stdio: 'ignore' }),
    'SIGTERM',
  );
  await until('PHP-FPM has its socket', () => readdirSync(folder).includes('fpm.sock'));
  return { socket, pid: child.pid, stop: () => void child.kill() };
}

/** A virtual host as one writes it by hand. */
export const byHand = (nginx: Nginx, name: string, root: string, more: string) => `server {
  listen ${nginx.port}; server_name ${name}; root ${root}; access_log logs/by-hand.log combined; error_log logs/by-hand-error.log;
  ${more} }\n`;

/** Locations by hand that do what Hostkeep's virtual hosts do: proofs for the authority, refused files, a page for closed folders. */
export const GUARDED = `location /.well-known/acme-challenge/ { root /var/www/acme; }
  location ~ /\\. { return 404; } location ~* \\.(sql|dump|bak|old|orig|log|key|pem|env|ini)(\\.(gz|zip))?$ { return 404; }
  location ~* \\.(php|phtml|inc)$ { return 404; } error_page 403 /closed.html; location = /closed.html { internal; root /var/www; }`;

/** Reloads nginx, and resolves once it answers for a name of its new settings. */
export async function reload(nginx: Nginx, host: string): Promise<void> {
  const [program = '', ...args] = nginx.command('-s', 'reload');
  endsWithTests(spawn(program, args, { stdio: 'inherit' }));
  await until(`nginx answers for ${host}`, async () => (await nginx.fetch(host)).status !== 0);
}
