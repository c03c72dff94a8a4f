import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../kernel/config/configuration.ts';
import {
  defineCommands,
  type ConfigurationFiles,
  type InstalledPrivilege,
  type PrivilegeParts,
} from '../../kernel/contract/command.ts';
import { fail, errorMessage } from '../../kernel/errors.ts';
import { AccountJobs, accountFiles } from '../../kernel/kit/jobs/account-jobs.ts';
import { ControlGroups } from '../../kernel/kit/programs/control-groups.ts';
import { createLog } from '../../kernel/log.ts';
import { Broker, type Verb } from './broker.ts';

/** The first descriptor that systemd passes, see sd_listen_fds(3). */
const LISTENING = 3;
const OTHERS_MAY_WRITE = 0o022;
/** Settings that only a restart of the broker changes. */
const FIXED = ['data', 'files_root', 'removed_root', 'ids', 'broker'] as const;

export default defineCommands({
  usage: 'broker',
  summary: "do for the service what needs the rights of root: accounts' processes, virtual hosts, quotas",
  async run({ configuration }) {
    await serve(configuration);
    return undefined;
  },
});

/** Serves until SIGTERM or SIGINT; SIGHUP reads the settings again. */
async function serve(configuration: ConfigurationFiles): Promise<void> {
  if (process.geteuid?.() !== 0) throw new Error('the broker needs the rights of root');
  let config = readSettings(configuration);
  const log = createLog(config.log.level);
  const jobs = new AccountJobs(accountFiles(config, config.broker.state), config.jobs, log);
  const files = dirname(jobs.rootOf('anybody').operatorPath);
  const groups = ControlGroups.open({ state: config.broker.state, files });
  const closing = new AbortController();
  const opened: Opened = new Map();
  const verbsBy = async (settings: Config) => {
    const host = { jobs, groups, log, signal: closing.signal };
    return openVerbs(await configuration.privileges(settings), opened, host).set('reload', reload);
  };
  const node = new Broker(jobs, groups, await verbsBy(config), log);
  async function reload(): Promise<null> {
    try {
      const next = readSettings(configuration);
      configuration.assertReloadable(config, next, FIXED);
      node.use(await verbsBy(next));
      config = next;
    } catch (error) {
      throw fail.invalid_request(`the broker keeps its settings: ${errorMessage(error)}`, { cause: error });
    }
    log.level = config.log.level;
    return null;
  }
  process.on('SIGHUP', () => {
    void reload().then(
      () => log.info('the settings were read again'),
      (error: unknown) => log.error({ err: error }, 'the settings were not changed'),
    );
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      closing.abort();
      void node.close().then(() => process.exit(0));
    });
  if (process.env['LISTEN_PID'] === String(process.pid)) return node.listen({ fd: LISTENING });
  await listenAt(node, config.broker.socket);
  log.info({ socket: config.broker.socket }, 'listening');
}

/** Reads the settings. Throws if the broker cannot go by them. */
function readSettings({ file, read }: ConfigurationFiles): Config {
  assertRoots(file);
  const config = read();
  if (config.ids.first === 0) throw new Error('the broker needs user ids for accounts: set ids.first');
  return config;
}

/** Without systemd, which else makes the socket for the user of the service, only root may open it. */
async function listenAt(node: Broker, path: string): Promise<void> {
  if (path === '') throw new Error('there is no socket: set broker.socket');
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path);
  const mask = process.umask(0o177);
  try {
    await node.listen({ path });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}

/** The service must not be able to change what the broker goes by. */
function assertRoots(file: string | undefined): void {
  if (file === undefined) return;
  for (const path of [resolve(file), dirname(resolve(file))]) {
    const { uid, mode } = statSync(path);
    if (uid !== 0 || (mode & OTHERS_MAY_WRITE) !== 0)
      throw new Error(`${path} may be changed by others than root: run \`chown root ${path} && chmod go-w ${path}\``);
  }
}

/** By plugin, its settings as text and what opens its verbs once. */
type Opened = Map<string, { readonly settings: string; readonly open: () => unknown }>;

/** Returns the verbs of plugins, which their first use opens. While its settings stay, a plugin keeps what it has opened. */
function openVerbs(privileges: readonly InstalledPrivilege[], opened: Opened, host: PrivilegeParts): Map<string, Verb> {
  const verbs = new Map<string, Verb>();
  for (const privilege of privileges) {
    const { name } = privilege;
    const text = JSON.stringify(privilege.settings);
    const log = host.log.child({ plugin: name });
    const kept = opened.get(name);
    const open = kept?.settings === text ? kept.open : once(() => privilege.open({ ...host, log }));
    opened.set(name, { settings: text, open });
    for (const verb of privilege.verbs)
      verbs.set(`${name}.${verb}`, async (args) =>
        (open() as Record<string, (args: unknown) => Promise<unknown>>)[verb]?.(args),
      );
  }
  return verbs;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
