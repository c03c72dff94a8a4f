import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineFault } from '../../kernel/kit/line-faults.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { fail } from './errors.ts';
import type { RuleLine } from './language/rules.ts';

const MEMORY_BYTES = 512 * 2 ** 20;
const RULES = 'rules.conf';
/** The words of nginx about a mistake, and the line. */
const SAID = new RegExp(`\\[emerg\\] (?:\\d+#\\d+: )?(.{1,300}) in \\S*${RULES}:(\\d{1,6})`);

/** Resolves with what nginx itself finds wrong with lines, each in a server that is none. Errors: 502 `webserver_failed`. */
export async function proven(lines: readonly RuleLine[], timeoutMs: number): Promise<readonly LineFault[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hostkeep-nginx-rules-'));
  try {
    await writeFile(join(folder, RULES), lines.map(({ text }) => `${text}\n`).join(''));
    await writeFile(join(folder, 'nginx.conf'), settings(folder));
    const args = ['-t', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
    const limits = { dataBytes: MEMORY_BYTES };
    const { code, stderr } = await runProgram('nginx', args, { timeoutMs, stderrCharacters: 4000, limits });
    if (code === 0) return [];
    const [, message, line] = SAID.exec(stderr) ?? [];
    if (message === undefined) throw new Error(stderr.slice(0, 1000) || 'it does not end');
    return [{ line: lines[Number(line) - 1]?.line ?? 1, message: `nginx says: ${message}` }];
  } catch (cause) {
    throw fail.webserver_failed('nginx cannot try the directives', { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function settings(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/t;`,
  );
  return [
    ...['user root root;', `pid ${folder}/pid;`, 'events {}', 'http {', ...temporary, 'access_log off;'],
    ...['map $uri $hostkeep_refuses { default 0; }', 'map $uri $hostkeep_forges { default 0; }'],
    `server { listen unix:${folder}/socket; server_name a.example; root ${folder}; include ${folder}/${RULES}; }`,
    '}\n',
  ].join('\n');
}
