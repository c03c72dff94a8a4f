<?php
// Runs before each script of phpMyAdmin: only the browser that came by the one-use link passes. The master of the pool has the
// variables; the folder is the account's, and says that the link was used, when the last request came, and that the session is over.
declare(strict_types=1);

(static function (): void {
    $value = static fn (string $name): string => (string) getenv('HOSTKEEP_' . $name);
    [$path, $folder, $cookie] = [$value('PATH'), $value('FOLDER'), $value('COOKIE')];
    [$opened, $ended, $name] = [$folder . '/opened', $folder . '/ended', 'hostkeep_phpmyadmin'];
    $say = static function (int $status, string $text): never {
        http_response_code($status);
        header('Content-Type: text/html; charset=utf-8');
        header('Cache-Control: no-store');
        header("Content-Security-Policy: default-src 'none'");
        echo '<!doctype html><html lang="en"><title>phpMyAdmin</title><p>', $text, '</p></html>', "\n";
        exit;
    };
    header('Referrer-Policy: no-referrer');
    header('X-Robots-Tag: noindex');

    if (is_file($ended) || time() >= (int) $value('EXPIRES')) {
        $say(410, 'This session is over. Open phpMyAdmin again where you manage your databases.');
    }
    $link = $_GET['hostkeep_open'] ?? null;
    if ($link !== null) {
        // the file is made by the first request only
        $isRight = is_string($link) && hash_equals($value('LINK'), hash('sha256', $link)) && time() < (int) $value('OPENS');
        if (! $isRight || @fopen($opened, 'x') === false) {
            $say(403, 'This link was used, or is too old. Open phpMyAdmin again where you manage your databases.');
        }
        $isSecure = ($_SERVER['HTTPS'] ?? '') !== '' && $_SERVER['HTTPS'] !== 'off';
        setcookie($name, $cookie, ['path' => $path, 'secure' => $isSecure, 'httponly' => true, 'samesite' => 'Lax']);
        header('Location: ' . $path, true, 303);
        exit;
    }
    $given = $_COOKIE[$name] ?? null;
    if (! is_string($given) || ! hash_equals($cookie, $given) || ! is_file($opened)) {
        $say(403, 'Open phpMyAdmin where you manage your databases.');
    }
    if (filemtime($opened) + (int) $value('IDLE') < time()) {
        touch($ended);
        $say(410, 'This session was not used for a while, and is over.');
    }
    if (isset($_GET['hostkeep_logout'])) {
        touch($ended);
        $say(200, 'You are logged out.');
    }
    if (isset($_GET['hostkeep_refused'])) {
        touch($ended);
        $say(410, 'The database refuses this session, which is over.');
    }
    touch($opened);

    // phpMyAdmin defines this again, and would read the files of the package, which are the web server's
    set_error_handler(static fn (int $_, string $text): bool => str_starts_with($text, 'Constant CONFIG_FILE '));
    define('CONFIG_FILE', __DIR__ . '/config.php');
})();
