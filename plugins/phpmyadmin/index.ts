import { resolve } from 'node:path';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { closedMover } from '../../kernel/contract/points/move-part.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { findings } from './installed.ts';
import privileged from './privileged.ts';
import { SessionKeeper } from './reconciling.ts';
import {
  BROKERS,
  ClosedPhpMyAdmin,
  NewPhpMyAdminSession,
  OpenedPhpMyAdmin,
  PhpMyAdminConfig,
  PhpMyAdminState,
} from './schema.ts';
import { PhpMyAdminSessions } from './sessions.ts';

const PATH = '/api/phpmyadmin';
const OF_DATABASES = { path: PATH, at: 'home', feature: { any: [], all: ['mysql', 'phpmyadmin'] } } as const;
const OPENS = [
  'domain_not_found',
  'domain_without_https',
  'databases_not_managed',
  'phpmyadmin_failed',
  'phpmyadmin_missing',
  'databases_unavailable',
  'webserver_failed',
] as const;
const ENDS = ['databases_unavailable', 'webserver_failed'] as const;

export default definePlugin({
  name: 'phpmyadmin',
  description: 'Databases of an account in phpMyAdmin, without a password.',
  features: ['phpmyadmin'],
  uses: ['domains', 'mysql'],
  errors: fail,
  events,
  config: PhpMyAdminConfig,
  routes: {
    show: {
      ...OF_DATABASES,
      method: 'GET',
      summary: 'Show where phpMyAdmin can be opened, and whether it is',
      description: 'Without the link of the session that is open: that is shown once.',
      reply: PhpMyAdminState,
    },
    open: {
      ...OF_DATABASES,
      method: 'POST',
      summary: 'Open phpMyAdmin at a domain of the account',
      description:
        'It runs as the account, with a database user made for this session, who has rights on each database that there is now. An ' +
        'earlier session ends. A session ends when it is not used for a while, at the latest after some hours.',
      body: NewPhpMyAdminSession,
      reply: OpenedPhpMyAdmin,
      status: 201,
      errors: OPENS,
    },
    close: {
      ...OF_DATABASES,
      method: 'DELETE',
      summary: 'End the session of phpMyAdmin',
      description: 'Its database user is dropped, and its address leads nowhere from then on.',
      reply: ClosedPhpMyAdmin,
      errors: ['phpmyadmin_not_open', ...ENDS],
    },
  },
  async setup(given) {
    const { node } = given;
    const otherwise = node.config.broker.socket === '' ? resolve(node.config.data, 'phpmyadmin') : BROKERS;
    const config = { ...given.config, run_folder: given.config.run_folder || otherwise };
    const host = { ...given, config: { ...config, needs_https: config.needs_https && !node.isDemo } };
    const verbs = node.privileged(privileged, config);
    const sessions = new PhpMyAdminSessions(host, verbs);
    const keeper = new SessionKeeper(host, sessions, verbs);
    if (node.isServing) await node.onLeader(() => keeper.start());
    const isServed = async ({ id }: { readonly id: number }) =>
      (await verbs.running(null)).some(({ accountId }) => accountId === id);
    return {
      handlers: {
        show: ({ account }) => sessions.describe(account),
        open: ({ account, body, ip }) => sessions.open(account, body.domain_url, ip),
        close: async ({ account, ip }) => {
          await sessions.close(account, ip);
          return { closed: true as const };
        },
      },
      provides: {
        siteRules: (domainIds) => sessions.rules(domainIds),
        move: () => ({
          obstacles: () => [],
          leftToDo: async () => [],
          mover: closedMover({ end: ({ id }) => verbs.end(id), isServed, what: 'session of phpMyAdmin' }),
        }),
        purge: async ({ id }) => [{ what: 'sessions of phpMyAdmin', removed: await verbs.end(id) }],
        doctor: () => findings(),
        health: () => problemFinding('sessions', keeper.problem),
      },
    };
  },
});
