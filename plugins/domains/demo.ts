import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { DemoContext } from '../../kernel/contract/points/demo.ts';
import { backups, frontPage, laravel, otherSite, staticSite, wordPress, type Files } from './demo-content.ts';

type Add = (account: Account, name: string, docroot?: string) => Promise<unknown>;

/** Adds the domains of the demo accounts and their files. The accounts are new, so nothing else uses the folders. */
export async function fillDemo({ demo, other, neighbours }: DemoContext, add: Add): Promise<void> {
  await add(demo, 'sunny-garden.example');
  await add(demo, 'blog.sunny-garden.example', 'sunny-garden.example/blog');
  await add(demo, 'harbour-cafe.example');
  await add(demo, 'bücher-ecke.example', 'projects/clients/buecher-ecke');
  await add(demo, 'example.co.uk');
  await write(demo, {
    ...below('sunny-garden.example', { ...wordPress('Sunny Garden'), ...frontPage('Sunny Garden', 130) }),
    ...below('sunny-garden.example/blog', staticSite('Notes from the garden', 8, 95)),
    ...below('sunny-garden.example/shop', { ...laravel('Garden Shop'), ...frontPage('Garden Shop', 160) }),
    ...below('harbour-cafe.example', staticSite('Harbour Café', 24, 205)),
    ...below('projects/clients/buecher-ecke', staticSite('Bücherecke', 6, 280)),
    ...below('example.co.uk', staticSite('Workshop', 4, 20)),
    ...below('backups', backups()),
  });
  await add(other, 'corner-bakery.example');
  await write(other, below('corner-bakery.example', otherSite()));
  for (const account of neighbours) {
    const name = `${account.username}.example`;
    await add(account, name);
    await write(account, below(name, { 'index.html': `<!doctype html>\n<title>${name}</title>\n` }));
  }
}

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

/** Writes files that belong to the account, whoever runs this process. */
async function write(account: Account, files: Files): Promise<void> {
  const { uid, gid } = await stat(account.filesRoot);
  for (const folder of new Set(Object.keys(files).map((path) => dirname(path)))) {
    await mkdir(join(account.filesRoot, folder), { recursive: true, mode: 0o755 });
    await chown(join(account.filesRoot, folder), uid, gid);
  }
  for (const [path, content] of Object.entries(files)) {
    const file = join(account.filesRoot, path);
    await writeFile(file, content, {
      mode: path.endsWith('wp-config.php') || path.endsWith('.env') ? 0o640 : 0o644,
    });
    await chown(file, uid, gid);
  }
}
