import { existsSync } from 'node:fs';
import { chown, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_LABEL } from '../../../kernel/areas/containers.ts';
import { LogFrames } from '../../../kernel/kit/engine/log-lines.ts';
import { namesIn } from '../../../kernel/kit/files/root-owners.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import type { NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import { fail } from '../errors.ts';
import type { Missing } from '../missing.ts';
import { SERVICE, type ImageRun, type Recipe } from '../recipes.ts';
import { Engine } from './engine.ts';
import { filled, memoryBytes, PROGRAM_NAME, serviceNamed } from './service-program.ts';
import type { StoredService } from './service-verbs.ts';

/** A container of a service; several may be of one program if their maker was killed. */
export interface ServiceContainer extends NamedProgram {
  readonly id: string;
  readonly isRunning: boolean;
}

interface NewContainer {
  readonly name: string;
  readonly account: Identified;
  readonly uid: number;
  readonly recipe: Recipe;
  readonly run: ImageRun;
  readonly memoryMib: number;
}

interface Places {
  readonly engineSocket: string;
  readonly storage: string;
  /** Tells the containers of this installation from those of others on the engine. */
  readonly installation: string;
}

/** Labels by which containers are found again: of this installation, and which program of which account it is. */
const [INSTALLATION, PROGRAM] = ['hostkeep.services', 'hostkeep.program'] as const;
/** The file by which the system names the network of a container. */
const NETWORK = /^(\/[\w.-]+)+$/;
const ID = /^[0-9a-f]{12,64}$/;
/** How long a container may take to end by itself. */
const STOP_SECONDS = 10;
const CPU_PERIOD_US = 100_000;
/** Programs may be run from there: Java's libraries are. */
const TMPFS = 'rw,nosuid,nodev,exec,size=256m,mode=0700';
const PRINTED_LINES = 20;

/** Makes, finds and removes the containers of services, and the folders of what they store. */
export class ServiceContainers {
  readonly #engine: Engine;
  readonly #places: Places;

  constructor(places: Places) {
    this.#engine = new Engine(places.engineSocket);
    this.#places = places;
  }

  /** Resolves with why there can be no container of an image; `null` if there can be. */
  async missing({ title }: Recipe, { image }: ImageRun): Promise<Missing | null> {
    const { status } = await this.#engine.send('GET', `/images/${image}/json`);
    if (status === 200) return null;
    const detail = `${title} is not installed on this server: its image is missing`;
    return { detail, remedy: `docker pull ${image}` };
  }

  /**
   * Starts a container without a network, as the account and with no other rights, in place of all others of the service. Resolves
   * with the file of its network, in which nobody else is.
   */
  async start(container: NewContainer): Promise<string> {
    const { account, recipe } = container;
    await this.remove(account.id, recipe.name);
    const storage = await this.#makeStorage(container);
    const name = `${account.username}-${recipe.name}`;
    const body = this.#described(container, storage);
    const { Id: id } = (await this.#engine.ask('POST', `/containers/create?name=${name}`, body)) as { Id: string };
    await this.#engine.ask('POST', `/containers/${id}/start`);
    const made = (await this.#engine.ask('GET', `/containers/${id}/json`)) as Inspected;
    const file = made.NetworkSettings?.SandboxKey ?? '';
    if (!NETWORK.test(file)) throw fail.service_failed(`${recipe.title} has ended at once`);
    return file;
  }

  /** Resolves with the containers of an account, or of all; there are none where there is no engine. Errors: 502 `service_failed`. */
  async list(only?: number): Promise<ServiceContainer[]> {
    if (!existsSync(this.#places.engineSocket)) return [];
    const filters = encodeURIComponent(JSON.stringify({ label: [`${INSTALLATION}=${this.#places.installation}`] }));
    const all = (await this.#engine.ask('GET', `/containers/json?all=1&filters=${filters}`)) as Listed[];
    return all.flatMap(({ Id: id, Labels: labels, State: state }) => {
      const [account = '', name = ''] = (labels[PROGRAM] ?? '').split('/');
      const accountId = Number(account);
      if (!ID.test(id) || !PROGRAM_NAME.test(name) || !Number.isSafeInteger(accountId)) return [];
      return only === undefined || only === accountId ? [{ accountId, name, id, isRunning: state === 'running' }] : [];
    });
  }

  /** Has the containers of a service, or of all of an account, end, and removes them. Resolves with the last that they printed. */
  async remove(accountId: number, service?: string, seconds = STOP_SECONDS): Promise<string> {
    const all = await this.list(accountId);
    const own = all.filter(({ name }) => service === undefined || serviceNamed(name) === service);
    const printed = await Promise.all(own.map((each) => this.removeOne(each, seconds)));
    return printed.join('\n');
  }

  /** Has a container end, and removes it. Resolves with the last that it printed; with `''` if another call removes it, which has that. */
  async removeOne({ id }: Pick<ServiceContainer, 'id'>, seconds = STOP_SECONDS): Promise<string> {
    // 304: it has ended; 404 and 409: somebody else removes it
    if (seconds > 0) await this.#engine.ask('POST', `/containers/${id}/stop?t=${seconds}`, undefined, [304, 404]);
    const printed = await this.#printed(id, PRINTED_LINES);
    const refusal = await this.#engine.ask('DELETE', `/containers/${id}?force=1&v=1`, undefined, [404, 409]);
    // its name is another's once it is gone, whoever removes it
    await this.#engine.ask('POST', `/containers/${id}/wait?condition=removed`, undefined, [404]);
    return refusal === undefined ? printed : '';
  }

  /** Resolves with the last lines that the containers of a service have printed. Errors: 502 `service_failed`. */
  async log(accountId: number, service: string, lines: number): Promise<string> {
    const own = (await this.list(accountId)).filter(({ name }) => serviceNamed(name) === service);
    return (await Promise.all(own.map(({ id }) => this.#printed(id, lines)))).join('');
  }

  /** Resolves with `''` for one that is gone. */
  async #printed(id: string, lines: number): Promise<string> {
    const logs = `/containers/${id}/logs?stdout=1&stderr=1&tail=${lines}`;
    const { status, bytes } = await this.#engine.send('GET', logs);
    if (status !== 200) return '';
    return [...new LogFrames().take(bytes)].map((part) => part.bytes.toString()).join('');
  }

  /** Resolves with what is stored, whether or not it is used. */
  async stored(): Promise<StoredService[]> {
    const found: StoredService[] = [];
    for (const account of await namesIn(this.#places.storage))
      for (const service of await namesIn(join(this.#places.storage, account)))
        if (/^\d{1,10}$/.test(account) && SERVICE.test(service)) found.push({ accountId: Number(account), service });
    return found;
  }

  /**
   * Resolves with the path of what a service of an account stores. Only root enters the folders above, which are made, so that
   * nobody can put a link in its place.
   */
  async folder(accountId: number, service: string): Promise<string> {
    const above = join(this.#places.storage, String(accountId));
    await mkdir(above, { recursive: true, mode: 0o700 });
    return join(above, service);
  }

  /** Removes what a service of an account, or all of them, stored; they have ended. */
  async discard(accountId: number, service = ''): Promise<void> {
    const folder = join(this.#places.storage, String(accountId));
    await rm(join(folder, service), { recursive: true, force: true });
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY') throw error; // gone, or there are others in it
    });
  }

  async #makeStorage({ account, recipe, run, uid }: NewContainer): Promise<string> {
    if (run.storage === '') return '';
    const folder = await this.folder(account.id, recipe.name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chown(folder, uid, uid);
    return folder;
  }

  #described({ name, account, uid, recipe, run, memoryMib }: NewContainer, storage: string): object {
    const values = { '{memory_mib}': String(memoryMib) };
    const Memory = memoryBytes(recipe, memoryMib);
    return {
      ...{ Image: run.image, User: `${uid}:${uid}`, Entrypoint: run.command.map((each) => filled(each, values)) },
      Cmd: [],
      Env: Object.entries(run.environment).map(([variable, text]) => `${variable}=${filled(text, values)}`),
      Labels: {
        ...{ [INSTALLATION]: this.#places.installation, [PROGRAM]: `${account.id}/${name}` },
        ...{ 'hostkeep.account': account.username, [SERVICE_LABEL]: recipe.name },
      },
      HostConfig: {
        ...{ NetworkMode: 'none', ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
        ...{ Memory, MemorySwap: Memory, PidsLimit: run.processes },
        // a node may have fewer processors than a recipe allows, for which the engine would refuse `NanoCpus`
        ...{ CpuPeriod: CPU_PERIOD_US, CpuQuota: run.processors * CPU_PERIOD_US },
        Tmpfs: Object.fromEntries(run.scratch.map((folder) => [folder, `${TMPFS},uid=${uid},gid=${uid}`])),
        Mounts: storage === '' ? [] : [{ Type: 'bind', Source: storage, Target: run.storage }],
        // what it prints is on no disk of the account
        LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } },
      },
    };
  }
}

/** As the engine says it. */
interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly State: string;
}
interface Inspected {
  readonly NetworkSettings?: { readonly SandboxKey?: string };
}
