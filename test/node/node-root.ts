import { debianRoot } from '../../config/package/debian-root.ts';
import { requirePrivileges } from './privileges.ts';

/** What a node has before Hostkeep is installed on it. All that the package recommends is here: tests have no network. */
const PACKAGES = [
  ...['systemd', 'systemd-sysv', 'dbus', 'procps', 'iproute2', 'ca-certificates', 'curl', 'acl', 'man-db'],
  ...[
    'bash-completion',
    'nginx-light',
    'caddy',
    'php-fpm',
    'quota',
    'restic',
    'proftpd-core',
    'proftpd-mod-crypto',
    'openssh-client',
    'sshpass',
  ],
];

/** Returns the archive of a node's root. */
export const nodeRoot = (): string => debianRoot('node', PACKAGES);

if (process.argv[1] === import.meta.filename) {
  requirePrivileges();
  console.log(nodeRoot());
}
