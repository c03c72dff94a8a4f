import type { SftpConfig } from '../schema.ts';

/** The files that the configuration names. */
interface Places {
  readonly logins: string;
  readonly keys: string;
  readonly hostKey: string;
  /** Where ProFTPD writes of each attempt to log in, see `LoginLog`. */
  readonly attempts: string;
  /** Where it writes of each file that is stored, see `StoredLog`. */
  readonly stored: string;
  /** With which each line of these begins: only ProFTPD knows it, so that a client that sends a line as its name writes none. */
  readonly mark: string;
  /** A file by whose name the processes of ProFTPD find the list of bans that they share. */
  readonly bans: string;
}
/** The kind of the key of FTPS, which has directives of its own. */
export type KeyType = 'RSA' | 'EC';

/** Where Debian has the modules. */
export const MODULES = '/usr/lib/proftpd';
/** Which of them are compiled in depends on Debian's version. */
const MODULE_NAMES = ['mod_ls.c', 'mod_xfer.c', 'mod_sftp.c'];
/** The time, address and answer; the process, the name that was proven, and at last the one that was sent. */
const LOG_FORMAT = '%{epoch} %a %m %s %P %u %U';
/** The command, answer and login; the path within the folder of the login ends the line. */
const STORED_FORMAT = '%m %s %u %F';
/** Connections whose every attempt failed, within ten minutes, that ban an address. */
const FAILED_CONNECTIONS = 3;
const CIPHERS = 'aes256-ctr aes192-ctr aes128-ctr';
/** Clients choose in their order; OpenSSH's takes the first, which costs least. */
const DIGESTS =
  'umac-128-etm@openssh.com hmac-sha2-512-etm@openssh.com hmac-sha2-256-etm@openssh.com hmac-sha2-512 hmac-sha2-256';
const KEY_EXCHANGES =
  'curve25519-sha256 curve25519-sha256@libssh.org ecdh-sha2-nistp256 ecdh-sha2-nistp384 ecdh-sha2-nistp521 diffie-hellman-group16-sha512 diffie-hellman-group14-sha256';

/** Returns the part of ProFTPD's configuration that serves the logins, beside whatever else it serves. */
export function proftpdConfig(config: SftpConfig, places: Places, ftps: KeyType | undefined): string {
  const bans = banDirectives(config, places);
  const modules = [
    ...MODULE_NAMES,
    ...(bans === '' ? [] : ['mod_ban.c']),
    ...(ftps === undefined ? [] : ['mod_tls.c']),
  ];
  const hosts = [sftpDirectives(config, places), ...(ftps === undefined ? [] : [ftpsDirectives(config.ftps, ftps)])];
  return `# Written by Hostkeep from its settings, see \`hostkeep config show\`: what is changed here does not last.
${modules.map((name) => `<IfModule !${name}>\n  LoadModule ${name}\n</IfModule>\n`).join('')}${bans}
LogFormat hostkeep "${places.mark} ${LOG_FORMAT}"
LogFormat hostkeep_stored "${places.mark} ${STORED_FORMAT}"
${hosts.map((protocol) => virtualHost(config, places, protocol)).join('\n')}`;
}

/** Debian loads `mod_ban` itself, and ProFTPD ends without a table of bans. If the operator names one, that comes first and counts. */
function banDirectives({ ban_minutes: minutes }: SftpConfig, { bans }: Places): string {
  if (minutes === 0) return '';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0'));
  return `
BanEngine on
BanTable ${bans}
BanOnEvent MaxLoginAttempts ${FAILED_CONNECTIONS}/00:10:00 ${hours}:${rest}:00`;
}

const sftpDirectives = ({ port }: SftpConfig, { keys, hostKey }: Places) => `
  ServerName "SFTP"
  Port ${port}

  SFTPEngine on
  SFTPHostKey ${hostKey}
  SFTPAuthMethods publickey password
  SFTPAuthorizedUserKeys file:${keys}/%u
  SFTPKeyExchanges ${KEY_EXCHANGES}
  SFTPCiphers ${CIPHERS}
  SFTPDigests ${DIGESTS}
  SFTPCompression delayed`;

/**
 * FTP in which nothing is said without TLS. Clients need not continue the session of the login for transfers, because many do not;
 * ProFTPD takes transfers only from the address of the login.
 */
function ftpsDirectives(
  { port, certificate, key, passive_ports: ports, passive_address: address }: SftpConfig['ftps'],
  type: KeyType,
): string {
  return `
  ServerName "FTPS"
  Port ${port}

  TLSEngine on
  TLSRequired on
  TLSProtocol TLSv1.2 TLSv1.3
  TLS${type}CertificateFile ${certificate}
  TLS${type}CertificateKeyFile ${key}
  TLSOptions NoSessionReuseRequired
  TLSRenegotiate none
  PassivePorts ${ports.replace('-', ' ')}${address && `\n  MasqueradeAddress ${address}`}`;
}

/** Whether a configuration that was written here serves FTPS. */
export const servesFtps = (text: string): boolean => text.includes('\n  TLSEngine on\n');

function virtualHost(config: SftpConfig, { logins, attempts, stored }: Places, protocol: string): string {
  return `<VirtualHost ${config.address || '0.0.0.0 ::'}>${protocol}
  ServerIdent off

  AuthOrder mod_auth_file.c
  AuthUserFile ${logins}
  RequireValidShell off
  UseFtpUsers off
  RootLogin off
  WtmpLog off
  UseLastlog off
  ExtendedLog ${stored} WRITE hostkeep_stored
  ExtendedLog ${attempts} AUTH hostkeep${config.ban_minutes === 0 ? '' : '\n  BanEngine on'}

  DefaultRoot ~
  Umask 022 022
  AllowOverwrite on
  AllowRetrieveRestart on
  AllowStoreRestart on

  MaxLoginAttempts ${config.attempts}
  MaxClients ${config.clients}
  MaxClientsPerHost ${config.clients_per_host}
  MaxClientsPerUser ${config.clients_per_login}
  TimeoutLogin ${config.login_seconds}
  TimeoutIdle ${config.idle_seconds}
  TimeoutNoTransfer ${config.idle_seconds}
  TimeoutStalled 300
</VirtualHost>
`;
}
