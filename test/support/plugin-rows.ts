/**
 * A plugin's rows in the tests that go through all plugins, from `test/plugins/<name>/rows.ts`: they are deleted with the
 * plugin, and no other file of the tests names one of its routes.
 */
import { join } from 'node:path';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Core } from '../../kernel/run/core.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { TestServer } from './hostkeep.ts';

/** A table by name of the plugin's routes. */
export type ByRoute<T> = Readonly<Record<string, T>>;

/** The node of a fleet that answers a route: `home` of the account, the one of whom a path `named`s, the `node` that a query says, or any. */
type Answering = NonNullable<RouteInfo['at']> | 'anywhere';

/** The status of a refusal, or members that the reply lacks, with all below them, such as `.domains[]`; see `membersOf`. */
export type Lost = number | readonly string[];

export interface PluginRows {
  /**
   * Starts what the plugin's routes ask: a container engine, an endpoint. A server then finds it by the settings.
   */
  readonly surroundings?: () => Surroundings | Promise<Surroundings>;
  /** Requests on the demo's content for routes that need more than a path; in this order, as some undo others. */
  readonly walk?: ByRoute<WalkRow>;
  /** Requests after which the others' would fail. */
  readonly walkAtLast?: ByRoute<WalkRow>;
  /** Routes that a server by itself refuses, and why. */
  readonly unwalked?: ByRoute<string>;
  /**
   * Which node answers, for all routes or by route. Whoever adds a route thinks about it: what needs the machine of an
   * account is answered at its home, and what is in the store by any node.
   */
  readonly answered?: Answering | ByRoute<Answering>;
  /** Names the losses while another plugin is off, by that plugin and, as `walk` does, by route and address. */
  readonly without?: Readonly<Record<string, ByRoute<Lost>>>;
  /**
   * What opens the routes of the user address, for all or by route: a feature, some of which any one suffices, or of which all
   * are needed, `user` or `guest`. Routes of the admin address are opened by `admin` unless by `guest`.
   */
  readonly opened?: string | ByRoute<string>;
  /** Why the lists of these routes, which are not paged, cannot grow without bound. */
  readonly bounded?: ByRoute<string>;
  /** Why members of bodies, each by `<route>.<member>`, may be as long as a body. */
  readonly unbounded?: ByRoute<string>;
  readonly isolation?: {
    /** Reads whose replies do not contain the tenant's mark, with what they contain instead. */
    readonly unmarked?: ByRoute<string>;
    /** Routes whose reply may say that a name is taken, which is unique on the server, but not by whom. */
    readonly tellingTaken?: readonly string[];
    /** Reads that repeat what the account itself has sent before, such as a list of what it did. */
    readonly repeatingOwn?: readonly string[];
  };
  readonly homes?: {
    /** Paths of reads which need more than the route's own path, for an account of the name. */
    readonly paths?: ByRoute<(username: string) => string>;
    /** Reads whose replies differ from one request to the next, on one node too. */
    readonly changing?: readonly string[];
  };
  /** The plugin's pages, by their address; each with what opens its dialogs. */
  readonly pages?: Readonly<Record<string, readonly string[]>>;
  /** What the pages ask for and a busy server has not measured at first. */
  readonly measured?: readonly string[];
  /** For each table with rows of accounts: `archived` if they leave with their account in an archive, or else why they do not. */
  readonly accountTables?: Readonly<Record<string, string>>;
  /** Keeps in the local store what was found on the disks of an account. */
  readonly keepsFound?: (core: Core, account: Account) => Promise<unknown>;
  /** Writes files that are whole whenever its process is killed. */
  readonly writer?: CacheWriter;
  readonly examples?: {
    /** Replies that hold nothing but facts about the machine, or nothing at all. */
    readonly invented?: ByRoute<unknown>;
    /** Bodies of requests that `walk` does not send. */
    readonly requests?: ByRoute<unknown>;
    /** Replaces `surroundings` where examples are recorded. */
    readonly surroundings?: () => Surroundings | Promise<Surroundings>;
  };
}

export interface CacheWriter {
  /** Opens what it writes in a folder; `filesRoot` holds an account's files. Returns a function that writes the nth version. */
  open(folder: string, filesRoot: string): Promise<(n: number) => unknown>;
  /** Rejects unless each file is whole, in its old or new version. */
  assertWhole(folder: string, filesRoot: string): Promise<void>;
}

export interface Surroundings {
  /** Settings of a server, by plugin. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What of it may be in a reply, and what an example says instead. */
  readonly rewritten?: readonly (readonly [found: string, replacement: string])[];
  readonly close?: () => void | Promise<void>;
}

export interface WalkRequest {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Records what later requests need from the reply. */
  readonly keep?: (body: Record<string, string>) => void;
}

export type WalkRow = (walked: Walked) => WalkRequest | Promise<WalkRequest>;

/** What is walked, for rows that prepare what they ask for. */
export interface Walked {
  readonly server: TestServer;
  readonly people: Readonly<Record<'demo' | 'other' | 'operator', Account>>;
  /** Opens a session and returns its id. */
  session(of: Account): Promise<string>;
}

let rows: Promise<ReadonlyMap<string, PluginRows>> | undefined;

/** The rows of all plugins that have some, by plugin. */
export function pluginRows(): Promise<ReadonlyMap<string, PluginRows>> {
  return (rows ??= readRows());
}

async function readRows(): Promise<ReadonlyMap<string, PluginRows>> {
  const files = findFiles('*/rows.ts', join(projectDir, 'test/plugins')).toSorted();
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, PluginRows]> => {
        const compiled = join(import.meta.dirname, '../plugins', file.replace(/\.ts$/, '.js'));
        return [file.split('/')[0] ?? '', ((await import(compiled)) as { default: PluginRows }).default];
      }),
    ),
  );
}

/** What plugins keep of the disks of accounts, by plugin. */
export async function keepersOfFindings(): Promise<
  readonly (readonly [plugin: string, keep: NonNullable<PluginRows['keepsFound']>])[]
> {
  return [...(await pluginRows())].flatMap(([plugin, { keepsFound }]) =>
    keepsFound === undefined ? [] : [[plugin, keepsFound]],
  );
}

/** What plugins write into files, by plugin. */
export async function cacheWriters(): Promise<readonly (readonly [plugin: string, CacheWriter])[]> {
  return [...(await pluginRows())].flatMap(([plugin, { writer }]) => (writer === undefined ? [] : [[plugin, writer]]));
}

/** Puts one kind of table of all plugins into one, by `<plugin>.<route>`. */
export async function byRoute<T>(
  table: (rows: PluginRows, plugin: string) => ByRoute<T> | undefined,
): Promise<Map<string, T>> {
  return new Map(
    [...(await pluginRows())].flatMap(([plugin, each]) =>
      Object.entries(table(each, plugin) ?? {}).map(([route, value]) => [`${plugin}.${route}`, value] as const),
    ),
  );
}

/**
 * The pages of all plugins on an address, with what opens their dialogs, and what they ask for: the start and the pages that
 * ask for it are first, as what nobody asks for is not measured for long.
 */
export async function pagesOn(
  address: Address,
): Promise<{ pages: readonly (readonly [path: string, dialogs: readonly string[]])[]; measured: readonly string[] }> {
  const start = address === 'user' ? '/home' : '/console';
  const found = [...(await pluginRows()).values()].map(({ pages = {}, measured = [] }) => ({
    pages: Object.entries(pages).filter(([path]) => path.startsWith(start)),
    measured,
  }));
  const asking = found.filter(({ pages, measured }) => pages.length > 0 && measured.length > 0);
  const all = [...asking, ...found.filter((each) => !asking.includes(each))].flatMap(({ pages }) => pages);
  const isStart = ([path]: readonly [string, unknown]) => path === start;
  return {
    pages: [...all.filter(isStart), ...all.filter((page) => !isStart(page))],
    measured: asking.flatMap(({ measured }) => measured),
  };
}

/** Starts the surroundings of all plugins, or those for examples. */
export async function startSurroundings(use: 'tests' | 'examples' = 'tests'): Promise<Required<Surroundings>> {
  const starts = [...(await pluginRows()).values()].map(({ surroundings, examples }) =>
    use === 'examples' ? (examples?.surroundings ?? surroundings) : surroundings,
  );
  const started = await Promise.all(starts.map((start) => start?.() ?? { config: {} }));
  return {
    config: Object.assign({}, ...started.map(({ config }) => config)) as Record<string, unknown>,
    rewritten: started.flatMap(({ rewritten = [] }) => rewritten),
    close: async () => {
      for (const { close } of started) await close?.();
    },
  };
}
