<?php
declare(strict_types=1);

/** The entries of the guest book: a line of JSON each, in a file that no site shows. */
final class Entries
{
    /** The book is full then. */
    private const MOST_BYTES = 262144;
    private string $file;

    public function __construct(string $folder)
    {
        if (!is_dir($folder)) {
            mkdir($folder, 0700);
        }
        $this->file = $folder . '/entries.jsonl';
    }

    /** Returns all entries, newest first. */
    public function all(): array
    {
        $lines = is_file($this->file) ? file($this->file, FILE_IGNORE_NEW_LINES) : [];
        return array_reverse(array_map(fn (string $line): array => json_decode($line, true), $lines));
    }

    /** Returns whether there was room for one more. */
    public function add(string $name, string $text): bool
    {
        $line = json_encode(['name' => $name, 'text' => $text, 'at' => time()], JSON_THROW_ON_ERROR);
        if (is_file($this->file) && filesize($this->file) + strlen($line) > self::MOST_BYTES) {
            return false;
        }
        return file_put_contents($this->file, $line . "\n", FILE_APPEND | LOCK_EX) !== false;
    }
}
