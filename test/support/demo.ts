/** `hostkeep demo` in a process of its own, as a new user starts it. */
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './command.ts';
import { temporaryFolder } from './folder.ts';

/** Sockets at which nothing listens. */
export const ABSENT = { docker: '/nonexistent/docker.sock', mariaDb: '/nonexistent/mysqld.sock' };

type Who = 'user' | 'other' | 'admin';
type Login = Readonly<Record<'username' | 'password', string>>;
type Credentials = Readonly<Record<'base_url' | 'admin_url', string> & Record<Who, Login>>;

async function logIn(url: string, login: Login): Promise<string> {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  return ((await response.json()) as { token: string }).token;
}

export interface Demo {
  readonly output: string;
  ask<T>(path: string, who?: Who): Promise<T>;
  /** Returns status and media type. */
  look(path: string): Promise<readonly [number, string | null]>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a demo with these sockets. */
export async function openDemo(
  data: string,
  { docker, mariaDb }: typeof ABSENT,
  env: NodeJS.ProcessEnv = {},
): Promise<Demo> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755); // whoever the demo runs as
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ containers: { socket: docker, timeout_ms: 10_000 } }));
  const { child, output } = await start(data, ['--config', settings, 'demo'], /Ctrl-C stops it/, {
    ...{ MYSQL_UNIX_PORT: mariaDb, ...env },
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const credentials = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')) as Credentials;
  const tokens = new Map<Who, Promise<string>>();
  const answer = async (path: string, who: Who = 'user') => {
    const url = credentials[who === 'admin' ? 'admin_url' : 'base_url'];
    if (!tokens.has(who)) tokens.set(who, logIn(url, credentials[who]));
    return fetch(url + path, { headers: { authorization: `Bearer ${await tokens.get(who)}` } });
  };
  const ask = async <T>(path: string, who?: Who) => (await (await answer(path, who)).json()) as T;
  const look = async (path: string) =>
    answer(path).then(({ status, headers }) => [status, headers.get('content-type')] as const);
  return { output: output(), ask, look, end };
}

/** Returns the lines of a section of the demo's output by plugin. */
export function section(output: string, title: string): Map<string, string> {
  const [, lines = ''] = new RegExp(`\\n${title}:\\n\\n((?:  .*\\n)+)`).exec(output) ?? [];
  return new Map(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => [line.trim().split(':', 1)[0] ?? '', line]),
  );
}
