import { setImmediate as nextTurn } from 'node:timers/promises';
import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { ControlGroups, type GroupSettings } from '../../kernel/kit/programs/control-groups.ts';
import { readInteger, readList, readMembers } from '../../kernel/kit/verb-arguments.ts';
import { readFigures, toLimits, toSettings, type GroupFigures } from './groups.ts';
import { LARGEST, LIMIT_NAMES, type AccountLimits } from './limits.ts';
import { ResourcesConfig } from './schema.ts';

export interface LimitedAccount extends AccountLimits {
  readonly accountId: number;
}

/** How far this machine keeps limits, and what accounts take. */
export interface Keeping {
  /** Why it keeps none; `null` if it does. */
  readonly problem: string | null;
  /** The kernel's controllers that count and limit: some of `memory`, `cpu`, `io`, `pids`. */
  readonly controllers: readonly string[];
  /** Why there is none of the disk of accounts' files; `null` if the kernel can limit that. */
  readonly diskProblem: string | null;
  /** Accounts that have processes, or had some a minute ago. */
  readonly groups: readonly GroupFigures[];
}

export interface ResourcesVerbs {
  figures(nothing: null): Promise<Keeping>;
  /** Resolves with the limits that are kept, of all accounts. */
  kept(nothing: null): Promise<readonly LimitedAccount[]>;
  /** Has the kernel keep all processes of accounts within limits, those that run and those to come. */
  limit(limits: readonly LimitedAccount[]): Promise<null>;
  /** Kills all processes of an account. Resolves with whether there was a group. */
  kill(accountId: number): Promise<boolean>;
  /** Does what `kill` does, and forgets the account's limits. */
  end(accountId: number): Promise<boolean>;
}

/** Accounts whose limits are set at a time; callers have no more in a page. */
const LIMITS_AT_ONCE = 1000;
const NO_ACCOUNT = 0;

/** Limits and reads the control groups of accounts. */
export default definePrivileged<ResourcesVerbs>()({
  name: 'resources',
  config: ResourcesConfig,
  verbs: ['figures', 'kept', 'limit', 'kill', 'end'],
  timeoutMs: 30_000,
  open: ({ groups = ControlGroups.none('only the broker of the package has control groups for accounts') }) => ({
    kept: async () => [...groups.kept()].map(([accountId, settings]) => ({ accountId, ...toLimits(settings) })),
    limit: async (given: unknown) => {
      await groups.keep(new Map(readList(given, LIMITS_AT_ONCE, readLimits)));
      return null;
    },
    figures: async () => {
      const found: GroupFigures[] = [];
      for (const id of groups.ids()) {
        const figures = id === NO_ACCOUNT ? undefined : readFigures(groups, id);
        if (figures !== undefined) found.push(figures);
        await nextTurn(); // others are served meanwhile
      }
      groups.sweep();
      const diskProblem = 'problem' in groups.disk ? groups.disk.problem : null;
      return { problem: groups.problem ?? null, controllers: [...groups.controllers], diskProblem, groups: found };
    },
    kill: (given: unknown) => groups.kill(readId(given)),
    end: (given: unknown) => groups.end(readId(given)),
  }),
});

function readLimits(given: unknown): [number, GroupSettings] {
  const members = readMembers(given, ['accountId', ...LIMIT_NAMES]);
  const limits = LIMIT_NAMES.map((name) => [name, readInteger(members[name], 0, LARGEST[name])]);
  return [readId(members.accountId), toSettings(Object.fromEntries(limits) as AccountLimits)];
}

function readId(given: unknown): number {
  return readInteger(given, 1, 2 ** 31);
}
