import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import type { Service } from '../../../plugins/services/schema.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer, type Answer } from '../../support/hostkeep.ts';

/** The first user id of accounts, other than those of files that run beside this one: their processes are looked for. */
export const FIRST = 230_000 + 100 * (process.pid % 1000);
/** Sends bytes to a socket, and prints what comes back until nothing does for a while. */
const ASK = `import socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(float(sys.argv[3])); s.connect(sys.argv[1])
s.sendall(sys.argv[2].encode())
got = b''
try:
    while True:
        part = s.recv(65536)
        if not part: break
        got += part
except TimeoutError: pass
sys.stdout.write(got.decode('latin1'))`;

export interface Customer {
  readonly id: number;
  readonly uid: number;
  readonly token: string;
  change(service: string, isOn: boolean): Promise<Answer<Service & { error?: string; detail?: string }>>;
  post(service: string, what: 'flush' | 'restart'): Promise<Answer<Service & { error?: string }>>;
  shown(service: string): Promise<Service>;
  log(service: string): Promise<Answer<{ lines?: string[]; error?: string }>>;
}

/** A server whose accounts have user ids, on a folder that they can pass. */
export async function openHouse(config: Readonly<Record<string, object>> = {}) {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const run = join(folder, 'run');
  const server = await TestServer.start({
    config: {
      files_root: join(folder, 'files/{username}'),
      ids: { first: FIRST },
      ...config,
      services: { run_folder: run, storage_folder: join(folder, 'stored'), recipes_folder: '', ...config['services'] },
    },
  });
  return {
    ...{ server, folder, run },
    customer: (name: string, plan?: string) => customer(server, name, plan),
    counted: (service: string) => counted(server, service),
  };
}

/** Resolves with the metrics of a service, by what they count. */
async function counted(server: TestServer, service: string): Promise<Readonly<Record<string, number>>> {
  const samples = (await server.gathered('metrics')).flatMap(({ name, samples: all }) => {
    const value = all.find(({ labels }) => labels?.['service'] === service)?.value;
    return value === undefined ? [] : [[name.replace(/^hostkeep_services_/, ''), value] as const];
  });
  return Object.fromEntries(samples);
}

async function customer(server: TestServer, name: string, plan?: string): Promise<Customer> {
  const { account, token } = await server.user(name, plan);
  return {
    ...{ id: account.id, uid: FIRST + account.id, token },
    change: (service, isOn) => server.ask(`/api/services/${service}`, { method: 'PUT', token, body: { is_on: isOn } }),
    post: (service, what) => server.ask(`/api/services/${service}/${what}`, { method: 'POST', token }),
    log: (service) => server.ask(`/api/services/${service}/log`, { token }),
    shown: async (service) => {
      const { body } = await server.ask<Service[]>('/api/services', { token });
      const found = body.find((each) => each.service === service);
      assert.ok(found, `${service} is listed`);
      return found as Service;
    },
  };
}

/** Asks a socket as a user of the system. Resolves with the answer, or with why there is none. */
export async function askAs(uid: number, socket: string, send: string, seconds = 0.3): Promise<string> {
  const args = ['-c', ASK, socket, send, String(seconds)];
  const { stdout, stderr } = await runProgram('python3', args, {
    user: { uid, gid: uid },
    cwd: '/',
    timeoutMs: 20_000,
  });
  return stdout || stderr;
}

/** Returns the processes of a user, without those in which the service reads files for a while. */
export function processesOf(uid: number): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const isOurs = new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'));
      const hasEnded = command === ''; // its memory is gone, and perhaps nobody has asked yet how it ended
      return isOurs && !hasEnded && !command.includes('job-process') ? [{ pid: Number(name), command }] : [];
    } catch {
      return []; // it has ended
    }
  });
}
