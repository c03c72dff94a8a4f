import { databaseRows } from './database-rows.ts';
import { fileRows } from './file-rows.ts';
import { asked, LOGIN, same, type Row, type Step } from './row.ts';
import { mib, number, one } from './shapes.ts';
import { siteRows } from './site-rows.ts';

const CONTAINERS = { calls: 'GET /api/container/df' };
type Container = Readonly<Record<'Names' | 'State' | 'Status', string>>;
const statusOf = ({ Names: name, State: state, Status: status }: Container) => ({ name, state, status });
type Listed = Readonly<Record<'id' | 'name' | 'service', string>>;
/** The rows that do something with a container, which OpenPanel calls by its service. */
const withContainer = (is: string, calls: string, more: Partial<Row & Step> = {}): Row => {
  const { body, ...row } = more;
  const params: Step['params'] = ({ service }, [{ containers }]) => ({
    id: one<Listed>(containers, (each) => [each.name, each.service].includes(service ?? ''), 'not_found', 'container')
      .id,
  });
  const step = { calls: `${calls.replace(' ', ' /api/docker-containers/:id')}`, params, ...(body && { body }) };
  return { is, ...row, steps: [{ calls: 'GET /api/docker-containers' }, step] };
};
const resources: Step['body'] = ({ cpu, ram }) => ({
  processors: cpu === undefined ? undefined : number(cpu),
  memory_mib: ram === undefined ? undefined : mib(ram),
});

/** Rows of OpenPanel's end-user address that plugins here provide. */
export const userRows: readonly Row[] = [
  {
    is: 'POST /api/login',
    isTaken: true,
    access: 'guest',
    takes: ['username!', 'password!', 'twofa_code'],
    steps: [LOGIN],
  },

  {
    is: 'GET /api/account',
    steps: [{ calls: 'GET /api/system/hosting/plan' }],
    reply: ([{ context, plan_name }]) => ({ username: context, plan_name }),
  },
  asked('GET /api/account/sessions', ['limit', 'cursor']),
  {
    is: 'DELETE /api/account/sessions/:token',
    isTaken: true,
    steps: [{ calls: 'DELETE /api/account/sessions/:id', params: ({ token }) => ({ id: token }) }],
  },
  same('GET /api/account/2fa'),
  {
    is: 'POST /api/account/2fa/setup',
    isTaken: true,
    takes: ['password!'],
    steps: [{ calls: 'POST /api/account/2fa/setup', body: ({ password }) => ({ password }) }],
  },
  {
    is: 'POST /api/account/2fa/confirm',
    isTaken: true,
    takes: ['otp_code!'],
    steps: [{ calls: 'POST /api/account/2fa/confirm', body: ({ otp_code: code }) => ({ code }) }],
  },
  {
    is: 'DELETE /api/account/2fa',
    isTaken: true,
    takes: ['password!', 'otp_code!'],
    steps: [{ calls: 'DELETE /api/account/2fa', body: ({ password, otp_code: code }) => ({ password, code }) }],
  },
  same('GET /api/account/favorites', 'GET /api/favorites'),
  {
    is: 'POST /api/account/favorites',
    takes: ['link!', 'title!'],
    steps: [{ calls: 'PUT /api/favorites', body: ({ link, title }) => ({ link, title }) }],
  },
  {
    is: 'DELETE /api/account/favorites',
    takes: ['link!'],
    steps: [{ calls: 'DELETE /api/favorites', body: ({ link }) => ({ link }) }],
  },
  same('GET /api/account/language'),
  {
    is: 'PUT /api/account/language',
    isTaken: true,
    takes: ['locale!'],
    steps: [{ calls: 'PUT /api/account/language', body: ({ locale }) => ({ locale }) }],
  },
  same('GET /api/account/login-history'),
  asked('GET /api/account/activity', ['page', 'search', 'show_all']),

  same('GET /api/usage', 'GET /api/docker_stats'),
  same('GET /api/hosting/info', 'GET /api/system/hosting/info'),
  same('GET /api/hosting/plan', 'GET /api/system/hosting/plan'),
  same('GET /api/hosting/ports', 'GET /api/system/hosting/ports'),
  same('GET /api/server/info', 'GET /api/system/hosting/info'),
  same('GET /api/dashboard/resource-usage', 'GET /api/docker_stats'),
  same('GET /api/dashboard/disk-inodes', 'GET /api/disk_inodes'),

  { is: 'GET /api/containers', steps: [CONTAINERS], reply: ([{ data }]) => ({ containers: data[0].Containers }) },
  {
    is: 'GET /api/containers/status',
    steps: [CONTAINERS],
    reply: ([{ data }]) => ({ containers: data[0].Containers.map(statusOf) }),
  },
  {
    is: 'GET /api/containers/:service/status',
    steps: [CONTAINERS],
    reply: ([{ data }], { service }) =>
      statusOf(one<Container>(data[0].Containers, ({ Names }) => Names === service, 'not_found', 'container')),
  },

  withContainer('POST /api/containers/:service/start', 'POST /start'),
  withContainer('POST /api/containers/:service/stop', 'POST /stop'),
  withContainer('POST /api/containers/:service/restart', 'POST /restart'),
  withContainer('PATCH /api/containers/:service/resources', 'PATCH /limits', {
    takes: ['cpu', 'ram'],
    body: resources,
  }),
  withContainer('PATCH /api/containers/:service', 'PATCH /limits', { takes: ['cpu', 'ram'], body: resources }),
  withContainer('DELETE /api/containers/:service', 'DELETE '),
  withContainer('GET /api/containers/:service/logs', 'GET /logs'),

  ...siteRows,
  ...fileRows,
  ...databaseRows,

  asked('GET /api/search/files', ['q', 'ext', 'folder', 'limit']),
  asked('GET /api/search/folders', ['q', 'folder', 'limit']),
  asked('GET /api/search/features', ['q', 'limit']),
  asked('GET /api/search/websites', ['q', 'limit']),
];
