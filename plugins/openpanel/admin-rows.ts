import { domainRows, domainView } from './domain-rows.ts';
import { planRows } from './plan-rows.ts';
import { LOGIN, type Row, type Step } from './row.ts';
import { done, moment, plan, user } from './shapes.ts';
import { fail } from './errors.ts';

const ACCOUNT = '/api/accounts/:username';
const CUSTOMERS: Step = { calls: 'GET /api/accounts', query: () => ({ role: 'user' }), pages: 'accounts' };
const SYSTEM: Step = { calls: 'GET /api/usage/system' };
const PLUGINS: Step = { calls: 'GET /api/plugins' };
const named: Step['params'] = ({ username }) => ({ username });

/** A path that is the same here as there, with the same meaning. */
const same = (is: string): Row => ({ is, isTaken: true, steps: [{ calls: is }] });

/** OpenPanel, and billing modules, create an account under either path. */
const create = (is: string): Row => ({
  is,
  takes: ['email', ...(is.includes(':') ? ['username'] : ['username!']), 'password!', 'plan_name!'],
  status: 201,
  steps: [
    {
      calls: 'POST /api/accounts',
      body: ({ username, password, email, plan_name }) => ({ username, password, email, plan: plan_name }),
    },
  ],
  reply: ([{ username }]) => done(`Successfully added user ${username}`),
});

interface ResourceUse {
  readonly resource: string;
  readonly used: number;
  readonly limit: number;
}
/** Limits are one here: soft and hard are the same. */
function diskUsage(usage: readonly ResourceUse[]) {
  const { used: disk_used = null, limit: disk = null } = usage.find(({ resource }) => resource === 'disk_kib') ?? {};
  const { used: inodes_used = null, limit: inodes = null } = usage.find(({ resource }) => resource === 'inodes') ?? {};
  return { disk_used, disk_soft: disk, disk_hard: disk, inodes_used, inodes_soft: inodes, inodes_hard: inodes };
}

const userRows: readonly Row[] = [
  { is: 'GET /api/users', steps: [CUSTOMERS], reply: ([accounts]) => ({ users: accounts.map(user) }) },
  create('POST /api/users'),
  create('POST /api/users/:username'),
  {
    is: 'GET /api/users/:username',
    steps: [
      { calls: `GET ${ACCOUNT}`, params: named },
      {
        calls: 'GET /api/plans/:name',
        if: (_, [account]) => account.plan !== null,
        params: (_, [account]) => ({ name: account.plan }),
      },
      { calls: `GET ${ACCOUNT}/domains`, params: named },
      { calls: `GET ${ACCOUNT}/usage`, params: named },
      { calls: `GET ${ACCOUNT}/sites`, params: named },
    ],
    reply: ([account, its, { domains }, { usage }, { sites }]) => ({
      user: {
        user: { ...user(account), owner: null, twofa_enabled: null, server: null },
        plan: its === undefined ? null : plan(its),
        domains: domains.map(domainView),
        sites,
        disk_usage: { ...diskUsage(usage), home_path: null },
      },
    }),
  },
  {
    is: 'PUT /api/users/:username',
    takes: ['plan_name!'],
    steps: [{ calls: `PATCH ${ACCOUNT}`, params: named, body: ({ plan_name }) => ({ plan: plan_name }) }],
    reply: ([{ username, plan: name }]) => done(`Successfully changed the plan of user ${username} to ${name}`),
  },
  {
    is: 'PATCH /api/users/:username',
    takes: ['action', 'password'],
    choices: { action: ['suspend', 'unsuspend'] },
    steps: [
      { calls: `POST ${ACCOUNT}/suspend`, params: named, if: ({ action }) => action === 'suspend' },
      {
        calls: `POST ${ACCOUNT}/unsuspend`,
        params: named,
        if: ({ action }) => action === 'unsuspend',
      },
      {
        calls: `PUT ${ACCOUNT}/password`,
        params: named,
        if: ({ password }) => password !== undefined,
        body: ({ password }) => ({ password }),
      },
    ],
    reply: (values, { username, action = 'change the password' }) => {
      if (values.some((value) => value !== undefined)) return done(`Successfully did for user ${username}: ${action}`);
      throw fail.invalid_request('the body needs an action or a password');
    },
  },
  {
    is: 'DELETE /api/users/:username',
    query: ['purge'],
    steps: [{ calls: `DELETE ${ACCOUNT}`, params: named, query: ({ purge }) => ({ purge }) }],
    reply: ([{ username }]) => done(`Successfully removed user ${username}`),
  },
  {
    is: 'POST /api/users/:username/autologin',
    steps: [{ calls: `POST ${ACCOUNT}/login-link`, params: named }],
    reply: ([{ url: link }]) => ({ link }),
  },
];

interface Use {
  readonly used: number | null;
  readonly limit: number;
}
const mebibytes = (kib: number | null) => (kib === null ? null : Math.ceil(kib / 1024));
function usageOf({ disk_kib, inodes, bandwidth }: Readonly<Record<'disk_kib' | 'inodes' | 'bandwidth', Use>>) {
  const [disk, limit] = [mebibytes(disk_kib.used), mebibytes(disk_kib.limit)];
  return {
    ...{ diskusage: disk, disklimit: limit, disk_usage: disk, disk_limit: limit },
    ...{ inodesusage: inodes.used, inodeslimit: inodes.limit, bwusage: bandwidth.used, bwlimit: bandwidth.limit },
  };
}

/** Rows of OpenPanel's admin address that plugins here provide. */
export const adminRows: readonly Row[] = [
  {
    is: 'GET /api/',
    access: 'guest',
    steps: [{ calls: 'GET /readyz' }],
    reply: () => ({ message: 'POST username and password here for an access token' }),
  },
  {
    is: 'POST /api/',
    access: 'guest',
    takes: ['username!', 'password!', 'twofa_code'],
    steps: [LOGIN],
    reply: ([{ token }]) => ({ access_token: token }),
  },
  {
    is: 'GET /api/whoami',
    steps: [{ calls: `GET ${ACCOUNT}`, params: ({ ':caller': username }) => ({ username }) }],
    reply: ([{ username }]) => ({ logged_in_as: username }),
  },
  ...userRows,
  ...domainRows,
  ...planRows,
  same('GET /api/usage/cpu'),
  same('GET /api/usage/memory'),
  same('GET /api/usage/server'),
  {
    is: 'GET /api/usage/disk',
    isTaken: true,
    steps: [{ calls: 'GET /api/usage/accounts', pages: 'accounts' }],
    reply: ([accounts]) =>
      Object.fromEntries(accounts.map((each: never) => [(each as { username: string }).username, usageOf(each)])),
  },
  {
    is: 'GET /api/system',
    steps: [SYSTEM],
    reply: ([{ operating_system: os, processor, processes, sampled_at, uptime_seconds }]) => ({
      hostname: os.host_name,
      os: `${os.distribution} ${os.release}`,
      time: moment(sampled_at),
      kernel: os.kernel,
      cpu: `${processor.manufacturer} ${processor.model} (${os.architecture})`,
      openpanel_version: null,
      uptime: String(uptime_seconds),
      running_processes: processes.total,
      package_updates: null,
    }),
  },
  {
    is: 'GET /api/server/processes',
    steps: [SYSTEM],
    reply: ([{ processes }]) =>
      processes.top.map(({ pid, name, cpu_percent, memory_percent, user: owner }: Record<string, unknown>) => ({
        ...{ pid, name, cpu_percent, memory_percent, priority: null, owner, command: name },
      })),
  },
  {
    is: 'GET /api/server/timezone',
    steps: [SYSTEM],
    reply: ([{ time_zone }]) => ({
      current_timezone: time_zone,
      available_timezones: Intl.supportedValuesOf('timeZone'),
    }),
  },
  {
    is: 'GET /api/settings/modules',
    steps: [{ calls: 'GET /api/features' }, PLUGINS],
    reply: ([{ features }, { plugins }]) => ({
      features: features.map(({ name, state }: { name: string; state: string | null }) => ({ name, status: state })),
      plugins: plugins.map(({ name }: { name: string }) => ({ name })),
    }),
  },
  {
    is: 'GET /api/settings/administrators',
    steps: [{ calls: 'GET /api/accounts', query: () => ({ role: 'admin' }), pages: 'accounts' }],
    reply: ([accounts]) =>
      accounts.map(({ username, suspended }: { username: string; suspended: boolean }) => ({
        ...{ username, is_active: !suspended, role: 'admin' },
        ...{ last_ip: null, last_login: null, totp_enabled: null, passkeys_enabled: false },
      })),
  },
];
