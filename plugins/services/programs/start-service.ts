import { closeSync, fchownSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { listenBeside } from '../../../kernel/kit/net/account-socket.ts';
import { openNameless } from '../../../kernel/kit/programs/nameless-file.ts';
import type { NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import { startProgram, type ChildProcess } from '../../../kernel/kit/programs/start-program.ts';
import { fail } from '../errors.ts';
import { findProgram } from '../missing.ts';
import type { ImageRun, ProgramRun, Recipe } from '../recipes.ts';
import type { ServiceContainers } from './service-containers.ts';
import { memoryBytes, programArguments, serviceSocket, sitesInput, type ServiceSize } from './service-program.ts';

/** Whose service it is, and what they have of it. */
export interface Owner extends ServiceSize {
  readonly account: Identified;
  readonly uid: number;
  readonly root: string;
  /** The group of the web server; `null` if it has none. */
  readonly webGid: number | null;
  /** Where the web server finds a cache before sites; only root puts anything there. */
  readonly socket: string;
}

/** Brings connections from the socket in the account's files into the network of a container. */
export const FORWARDER = { programs: ['socat'], package: 'socat' } as const;
/** The same from a socket of root to the one in the account's files, without a process for each. */
export const PASSER = { programs: ['systemd-socket-proxyd'], package: 'systemd' } as const;
/** Starts `PASSER`, which takes the socket that is descriptor 3, beside another program, and ends with that. */
const BESIDE = `setpriv --pdeathsig=KILL sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$1" "$2" "$3" & shift 3; exec "$@" 3<&-`;
/** Of which each has a process. */
const CONNECTIONS = 128;
const PASSED_CONNECTIONS = 256;
const FORWARDER_BYTES = 32 * 2 ** 20;
/** Processes and threads that the account may have, those of its other programs included. */
const PROCESSES = 1024;

/** Starts services, each in its own way; resolves with a process that runs as long as the service can be reached. */
export class ServiceStarter {
  readonly #host: Pick<PrivilegedHost<unknown>, 'groups'>;
  readonly #containers: ServiceContainers;

  constructor(host: Pick<PrivilegedHost<unknown>, 'groups'>, containers: ServiceContainers) {
    this.#host = host;
    this.#containers = containers;
  }

  async start({ name }: NamedProgram, recipe: Recipe, owner: Owner): Promise<ChildProcess> {
    const { run } = recipe;
    if ('image' in run) return this.#container(name, recipe, run, owner);
    if (run.sites !== undefined) return this.#cache(recipe, run, run.sites, owner);
    return startProgram(findProgram(run) ?? '', programArguments(recipe, run, owner), {
      ...this.#asAccount(owner),
      isOffline: true,
      limits: limitsOf(recipe, run, owner),
    });
  }

  /**
   * Listens where the web server finds it, and hands that to the account's processes, which could otherwise put a link in the place
   * of the socket, or fill a folder that is no part of their quota.
   */
  async #cache(recipe: Recipe, run: ProgramRun, lines: readonly string[], owner: Owner): Promise<ChildProcess> {
    const { sites, socket, uid, webGid, root } = owner;
    if (sites === null || webGid === null)
      throw fail.service_failed(`${recipe.title} needs nginx as the web server, and its group: set ids.web_group`);
    const listener = createServer((connection) => connection.destroy());
    const input = openNameless(sitesInput(lines, sites));
    try {
      const path = await listenBeside(listener, socket, webGid);
      fchownSync(input, uid, uid); // it opens the file once more
      const passer = [
        findProgram(PASSER) ?? '',
        `--connections-max=${PASSED_CONNECTIONS}`,
        serviceSocket(root, recipe),
      ];
      const program = [findProgram(run) ?? '', ...programArguments(recipe, run, owner)];
      const child = startProgram('sh', ['-c', BESIDE, 'sh', ...passer, ...program], {
        ...this.#asAccount(owner),
        stdio: [input, 'pipe', 'pipe', descriptorAt(listener)],
        limits: limitsOf(recipe, run, owner),
      });
      await rename(path, socket);
      return child;
    } finally {
      listener.close();
      closeSync(input);
    }
  }

  async #container(name: string, recipe: Recipe, run: ImageRun, owner: Owner): Promise<ChildProcess> {
    const socket = serviceSocket(owner.root, recipe);
    if (!/^[\w./-]+$/.test(socket)) throw fail.service_failed(`${recipe.title} cannot listen in a folder of this name`);
    const network = await this.#containers.start({ ...owner, name, recipe, run });
    const listen = `UNIX-LISTEN:${socket},mode=0700,fork,max-children=${CONNECTIONS}`;
    return startProgram(findProgram(FORWARDER) ?? '', [listen, `TCP4:127.0.0.1:${run.port}`], {
      ...this.#asAccount(owner),
      network,
      limits: { dataBytes: FORWARDER_BYTES, openFiles: CONNECTIONS, processes: PROCESSES },
    });
  }

  #asAccount({ account, uid, root }: Owner) {
    return {
      cwd: '/',
      group: this.#host.groups?.ofAccount(account.id),
      user: { uid, gid: uid },
      isAlone: true,
      sees: [root],
      isGroup: true,
      diesWithParent: true,
    } as const;
  }
}

/** Returns the descriptor of a socket that listens, which Node.js gives away in no documented way. */
function descriptorAt(listener: Server): number {
  const { _handle: handle } = listener as unknown as { readonly _handle: { readonly fd: number } };
  const { fd } = handle;
  if (Number.isInteger(fd) && fd > 2) return fd;
  throw new Error('Node.js does not tell the descriptor of a socket');
}

const limitsOf = (recipe: Recipe, run: ProgramRun, { memoryMib }: ServiceSize) => ({
  dataBytes: memoryBytes(recipe, memoryMib),
  openFiles: run.open_files,
  processes: PROCESSES,
});
