import type { PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import type { NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import { startProgram, type ChildProcess } from '../../../kernel/kit/programs/start-program.ts';
import { fail } from '../errors.ts';
import { findProgram } from '../missing.ts';
import type { ImageRun, ProgramRun, Recipe } from '../recipes.ts';
import type { ServiceContainers } from './service-containers.ts';
import { memoryBytes, programArguments, serviceSocket } from './service-program.ts';

/** Whose service it is, and what it may store. */
export interface Owner {
  readonly account: Identified;
  readonly uid: number;
  readonly root: string;
  readonly memoryMib: number;
}

/** Brings connections from the socket in the account's files into the network of a container. */
export const FORWARDER = { programs: ['socat'], package: 'socat' } as const;
/** Of which each has a process. */
const CONNECTIONS = 128;
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
    return 'image' in run ? this.#container(name, recipe, run, owner) : this.#program(recipe, run, owner);
  }

  #program(recipe: Recipe, run: ProgramRun, owner: Owner): ChildProcess {
    const { root, memoryMib } = owner;
    return startProgram(findProgram(run) ?? '', programArguments(recipe, run, root, memoryMib), {
      ...this.#asAccount(owner),
      isOffline: true,
      limits: { dataBytes: memoryBytes(recipe, memoryMib), openFiles: run.open_files, processes: PROCESSES },
    });
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

  #asAccount({ account, uid }: Owner) {
    return {
      cwd: '/',
      group: this.#host.groups?.ofAccount(account.id),
      user: { uid, gid: uid },
      isAlone: true,
      isGroup: true,
      diesWithParent: true,
    } as const;
  }
}
