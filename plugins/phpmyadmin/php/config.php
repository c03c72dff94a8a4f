<?php
// The configuration of phpMyAdmin in a session: one server, one user, nothing kept.
declare(strict_types=1);

$cfg['blowfish_secret'] = hash('sha256', 'cookies ' . getenv('HOSTKEEP_COOKIE'), true);
$cfg['Servers'][1] = [
    'auth_type' => 'signon',
    'SignonScript' => __DIR__ . '/credentials.php',
    'SignonURL' => getenv('HOSTKEEP_PATH') . '?hostkeep_refused=1',
    'LogoutURL' => getenv('HOSTKEEP_PATH') . '?hostkeep_logout=1',
    'host' => getenv('HOSTKEEP_HOST'),
    'port' => getenv('HOSTKEEP_PORT'),
    'socket' => getenv('HOSTKEEP_SOCKET'),
    'verbose' => 'MariaDB',
    'AllowRoot' => false,
    'AllowNoPassword' => false,
    'hide_db' => '^(information_schema|performance_schema|mysql|sys)$',
];
$cfg['AllowArbitraryServer'] = false;
$cfg['AllowThirdPartyFraming'] = false;
$cfg['AllowUserDropDatabase'] = false;
$cfg['CheckConfigurationPermissions'] = false;
$cfg['CookieSameSite'] = 'Lax';
$cfg['LoginCookieValidity'] = (int) getenv('HOSTKEEP_IDLE');
$cfg['PmaNoRelation_DisableWarning'] = true;
$cfg['SaveDir'] = '';
$cfg['SendErrorReports'] = 'never';
$cfg['ShowChgPassword'] = false;
$cfg['ShowCreateDb'] = false;
$cfg['ShowPhpInfo'] = false;
$cfg['TempDir'] = getenv('HOSTKEEP_FOLDER') . '/tmp';
$cfg['UploadDir'] = '';
$cfg['VersionCheck'] = false;
$cfg['ZeroConf'] = false;
