import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { SettingChanges } from './changes.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { SettingsFollower } from './follower.ts';
import { listSettings } from './listing.ts';
import * as schema from './schema.ts';
import { readRows } from './store.ts';

/** All routes of this plugin are for administrators, on the admin address. */
const admin = { address: 'admin', access: 'admin' } as const;
const ERRORS = [
  ...(['reauthentication_required', 'setting_not_found', 'setting_not_editable', 'setting_refused'] as const),
  ...(['settings_busy', 'setting_changed'] as const),
];
const IN_FORCE =
  'Other processes follow within seconds. `If-Match` with the ETag of the setting keeps a change of another administrator from ' +
  'being overwritten. Requires POST /api/reauthenticate in the same session, at most five minutes before, or an API token with the ' +
  'scope.';

export default definePlugin({
  name: 'settings',
  description: 'The settings of a node, and those that administrators change in the console.',
  features: [],
  errors: fail,
  events,
  config: schema.SettingsConfig,
  routes: {
    list: {
      ...admin,
      method: 'GET',
      path: '/api/settings',
      at: 'node',
      summary: 'List the settings in effect, and what set each',
      description: 'As hostkeep config show, of this process. Secrets are masked.',
      query: schema.NodeQuery,
      reply: schema.SettingList,
    },
    change: {
      ...admin,
      method: 'PUT',
      path: '/api/settings/:setting',
      summary: 'Change a setting that settings.editable of the configuration names',
      description: `It is tried before it is kept, as a reload of the configuration is; if a plugin does not start with it, nothing changes. ${IN_FORCE}`,
      headers: ['if-match'],
      params: schema.SettingParams,
      body: schema.SettingBody,
      reply: schema.SettingChanged,
      errors: ERRORS,
    },
    reset: {
      ...admin,
      method: 'DELETE',
      path: '/api/settings/:setting',
      summary: 'Give a setting back to the configuration files',
      description: `It then has the value of the files, or its default. ${IN_FORCE}`,
      headers: ['if-match'],
      params: schema.SettingParams,
      reply: schema.SettingChanged,
      errors: ERRORS,
    },
  },
  setup(host: Host<schema.SettingsConfig>) {
    const { node, store, config } = host;
    const changes = new SettingChanges(host);
    const follower = node.isServing && config.editable.length > 0 ? new SettingsFollower(host) : undefined;
    const list = async () => listSettings(await node.settings(), await readRows(store), config);
    return {
      handlers: {
        list: async () => ({ settings: await list() }),
        change: (call) => {
          const { setting } = call.params;
          return changes.make({ ...by(call), setting, value: JSON.stringify(call.body.value) });
        },
        reset: (call) => changes.make({ ...by(call), setting: call.params.setting, value: null }),
      },
      provides: {
        health: () => follower?.findings ?? [],
        doctor: async () => unused(await list()),
      },
    };
  },
});

type Changing = Pick<
  Call<{ readonly access: 'admin'; readonly headers: readonly ['if-match'] }>,
  'account' | 'session' | 'ip' | 'header'
>;

/** Who changes what, as the request says. */
const by = (call: Changing) => ({
  ...{ account: call.account, session: call.session, ip: call.ip },
  expected: call.header('if-match'),
});

/** Returns a finding for each value that is kept and not used. */
function unused(all: readonly schema.SettingView[]): Finding[] {
  const names = all.filter(({ stored, origin }) => stored && origin !== 'console').map(({ setting }) => setting);
  return names.map((setting) => ({
    name: setting,
    ok: false,
    isWarning: true,
    detail: 'the console keeps a value that does not fit any more, so that of the configuration files holds',
    remedy: 'reset it in the console, under Settings, or name it in settings.editable again',
  }));
}
