import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a WordPress site in a folder, with a mark in every setting. */
export const siteFiles = (folder: string, mark: string): Readonly<Record<string, string>> => ({
  [`${folder}/index.php`]: '<?php\n',
  [`${folder}/wp-includes/version.php`]: `<?php\n$wp_version = '6.8.3-${mark}';\n`,
  [`${folder}/wp-config.php`]: [
    '<?php',
    `define('DB_NAME', '${mark}_name');`,
    `define('DB_USER', '${mark}_user');`,
    `define('DB_PASSWORD', '${mark}-password');`,
    `define('DB_HOST', '${mark}-host');`,
    `$table_prefix = '${mark}_';`,
    '',
  ].join('\n'),
});

/** Writes files below an account's root; nothing else may change that root at the same time. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    await writeFile(join(root, path), text);
  }
}
