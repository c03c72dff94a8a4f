/**
 * Writes a page that works as one of WordPress does: it reads fifty files of functions, filters and escapes the texts of
 * posts, and sends some 50 KB of HTML.
 */
export function writePhpPage(put: (file: string, text: string) => void): void {
  const FILES = 50;
  for (let i = 0; i < FILES; i += 1)
    put(
      `part-${i}.php`,
      `<?php
        class Part${i} {
          private array $filters = [];
          public function add(string $name, callable $filter): void { $this->filters[$name][] = $filter; }
          public function apply(string $name, string $text): string {
            foreach ($this->filters[$name] ?? [] as $filter) $text = $filter($text);
            return $text;
          }
        }
        $part = new Part${i}();
        $part->add('title', fn (string $text): string => ucwords($text) . ' ${i}');
        $part->add('body', fn (string $text): string => preg_replace('/\\bword(\\d*[${i % 10}])\\b/', '<em>$1</em>', $text));
        $parts[] = $part;
        return true;`,
    );
  put(
    'index.php',
    `<?php
      $parts = [];
      for ($i = 0; $i < ${FILES}; $i += 1) require_once __DIR__ . "/part-$i.php";
      $page = '<!doctype html><title>Posts</title>';
      foreach ($parts as $i => $part) {
        $words = [];
        for ($j = 0; $j < 100; $j += 1) $words[] = 'word' . ($i * $j % 997);
        $text = htmlspecialchars(implode(' ', $words));
        $page .= '<h2>' . $part->apply('title', "post of the day") . '</h2><p>' . $part->apply('body', $text) . '</p>';
      }
      header('ETag: "' . sha1($page) . '"');
      echo $page;`,
  );
}
