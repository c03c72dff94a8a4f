import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

export const SECRET = 'a-secret-of-24-characters';

export function settingsFile(settings: Record<string, unknown>): string {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o644 });
  return file;
}

export function secretFile(text = `${SECRET}\n`, mode = 0o600): string {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

interface UnusableSecret {
  readonly name: string;
  /** The setting that names the file. */
  readonly setting: string;
  readonly settings: Record<string, unknown>;
  /** The reason that an operator gets. */
  readonly message: RegExp;
}

/** Files that hold no usable secret, each named by each kind of setting that names one. */
export function unusableSecrets(): UnusableSecret[] {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'secret'), { mode: 0o700 });
  const files: readonly [name: string, file: unknown, message: RegExp][] = [
    ['missing', '/nonexistent/secret', /names \/nonexistent\/secret, which cannot be read: ENOENT/],
    ['open to others', secretFile(SECRET, 0o644), /is open to other users: run `chmod g-w,o= \S+`$/],
    ['writable by its group', secretFile(SECRET, 0o660), /is open to other users/],
    ['empty', secretFile('\n'), /which is empty$/],
    ['a folder', join(folder, 'secret'), /which is no file of a secret$/],
    ['a pipe', pipe, /which is no file of a secret$/],
    ['too large', secretFile('x'.repeat(70_000)), /which is no file of a secret$/],
    ['a relative path', 'secret', /must be an absolute path, or begin with \$CREDENTIALS_DIRECTORY\/$/],
    ['no text', 5, /must be an absolute path/],
    ['a credential without systemd', '$CREDENTIALS_DIRECTORY/x', /systemd has passed none to this process$/],
  ];
  const settings: readonly [setting: string, (file: unknown) => Record<string, unknown>][] = [
    ['proxy_secret_file', (file) => ({ proxy_secret_file: file })],
    ['metrics.token_file', (file) => ({ metrics: { token_file: file } })],
    ['databases.servers.main.password_file', (file) => ({ databases: { servers: { main: { password_file: file } } } })],
    [
      'webhooks.endpoints.0.secret_file',
      (file) => ({ webhooks: { endpoints: [{ url: 'https://a.example', secret_file: file }] } }),
    ],
  ];
  return settings.flatMap(([setting, settingsWith]) =>
    files.map(([name, file, message]) => ({ name, setting, settings: settingsWith(file), message })),
  );
}
