<?php
// How phpMyAdmin learns the login of the session, which is in no file and in no session of PHP.
declare(strict_types=1);

/** @return array{string, string} */
function get_login_credentials(string $user): array
{
    return [(string) getenv('HOSTKEEP_USER'), (string) getenv('HOSTKEEP_PASSWORD')];
}
