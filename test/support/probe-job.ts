/** A job that shows what its process may do, and does what hostile files make one do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fail, type HttpError } from '../../kernel/errors.ts';
import { WithBytes, type JobContext } from '../../kernel/kit/jobs/job.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';

export type ProbeInput =
  | { readonly act: 'who' | 'grow' | 'spin' | 'exit' | 'flood' | 'refuse' | 'fail' | 'count' | 'bytes' | 'own' }
  | { readonly act: 'ask'; readonly question: unknown; readonly times: number }
  | { readonly act: 'read' | 'write' | 'make'; readonly path: string }
  | { readonly act: 'connect'; readonly port: number };
export interface Process {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  /** Of /proc/self/status, by name. */
  readonly status: Readonly<Record<string, string>>;
  readonly limits: string;
  readonly networks: readonly string[];
  readonly environment: readonly string[];
  readonly folder: string;
}

let count = 0;

export default async function probe(input: ProbeInput, { root, bytes, ask, onClose }: JobContext): Promise<unknown> {
  switch (input.act) {
    case 'who':
      return who();
    case 'grow': {
      const kept: string[] = [];
      for (;;) kept.push('x'.repeat(1 << 20) + kept.length);
    }
    case 'spin':
      for (;;) count += 1;
    case 'exit':
      return process.exit(0);
    case 'flood':
      return 'x'.repeat(20 << 20);
    case 'refuse':
      throw fail.overloaded('asked to', { retryAfterSeconds: 7 });
    case 'fail':
      throw fail.folder_not_found('asked to');
    case 'count':
      if (count === 0) onClose(() => writeFileSync('closed', String(count)));
      return (count += 1);
    case 'bytes':
      return new WithBytes(Buffer.concat([bytes, bytes]), bytes.length);
    case 'ask': {
      const one = () =>
        ask(input.question, Buffer.from('asked')).then(
          ({ answer, bytes: given }) => `${String(answer)} ${Buffer.from(given).toString()}`,
          (error: HttpError) => `${error.code}: ${error.message}: ${error.headers?.['Retry-After']}`,
        );
      return Promise.all(Array.from({ length: input.times }, one));
    }
    case 'own': {
      const folder = await Folder.openRoot(root);
      return folder.stat().then(({ uid }) => folder.close().then(() => uid));
    }
    case 'read':
      return readFile(input.path, 'utf8').catch((error: NodeJS.ErrnoException) => error.code);
    case 'write':
      return writeFileSync(input.path, Buffer.alloc(2 << 20));
    case 'make':
      return (await Folder.make(root, input.path.split('/'))).close();
    case 'connect':
      return new Promise((resolve) => {
        const socket = createConnection({ host: '127.0.0.1', port: input.port });
        socket.once('connect', () => resolve('connected')).once('error', (error) => resolve(error.message));
      });
  }
}

function who(): Process {
  const lines = readFileSync('/proc/self/status', 'utf8').split('\n');
  return {
    pid: process.pid,
    uid: process.geteuid?.() ?? -1,
    gid: process.getegid?.() ?? -1,
    groups: process.getgroups?.() ?? [],
    status: Object.fromEntries(lines.map((line) => line.split(/:\s+/) as [string, string])),
    limits: readFileSync('/proc/self/limits', 'utf8'),
    networks: Object.keys(networkInterfaces()),
    environment: Object.keys(process.env),
    folder: process.cwd(),
  };
}
