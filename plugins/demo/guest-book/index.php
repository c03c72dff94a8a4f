<?php
/** A guest book, as a sample of an application in PHP: it takes entries, and keeps them in the files of its account. */
declare(strict_types=1);

require __DIR__ . '/entries.php';

$isSecure = !empty($_SERVER['HTTPS']);
session_start(['cookie_secure' => $isSecure, 'cookie_httponly' => true, 'cookie_samesite' => 'Strict']);
$_SESSION['token'] = $_SESSION['token'] ?? bin2hex(random_bytes(16));
header("Content-Security-Policy: default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'");

$entries = new Entries(getenv('HOME') . '/guest-book');
$given = static fn (string $field): string => is_string($_POST[$field] ?? null) ? trim($_POST[$field]) : '';
$shown = static fn (string $text): string => htmlspecialchars($text, ENT_QUOTES, 'UTF-8');
$problem = '';

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    [$name, $text] = [$given('name'), $given('text')];
    if (!hash_equals($_SESSION['token'], $given('token'))) {
        $problem = 'This form is too old. Send it once more.';
    } elseif (!preg_match('/^.{1,60}$/u', $name) || !preg_match('/^.{1,500}$/su', $text)) {
        $problem = 'An entry needs a name of 60 characters at most, and a text of 500.';
    } elseif (!$entries->add($name, $text)) {
        $problem = 'The book is full.';
    } else {
        header('Location: ' . strtok($_SERVER['REQUEST_URI'], '?'), true, 303);
        exit;
    }
    http_response_code(422);
}
?>
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Guest book</title>
<link rel="stylesheet" href="../assets/css/site.css">
</head>
<body>
<header><h1>Guest book</h1><p>PHP <?= PHP_VERSION ?>, over <?= $isSecure ? 'HTTPS' : 'plain HTTP' ?></p></header>
<main>
<form method="post">
<input type="hidden" name="token" value="<?= $_SESSION['token'] ?>">
<?php if ($problem !== ''): ?>
<p role="alert"><?= $problem ?></p>
<?php endif ?>
<p><label>Your name<br><input name="name" maxlength="60" required value="<?= $shown($problem === '' ? '' : $given('name')) ?>"></label></p>
<p><label>Your entry<br><textarea name="text" maxlength="500" rows="4" required><?= $shown($problem === '' ? '' : $given('text')) ?></textarea></label></p>
<p><button>Write</button></p>
</form>
<?php foreach ($entries->all() as ['name' => $name, 'text' => $text, 'at' => $at]): ?>
<article><h2><?= $shown($name) ?></h2><p><?= nl2br($shown($text)) ?></p><p><time><?= date('Y-m-d H:i', $at) ?></time></p></article>
<?php endforeach ?>
</main>
</body>
</html>
