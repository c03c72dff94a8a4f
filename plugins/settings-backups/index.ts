import { saveParts } from '../../kernel/areas/archives/saved-parts.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, SettingsBackups } from '../../kernel/areas/backups/account-backups.ts';
import { SETTINGS, type SourceRun } from '../../kernel/contract/points/backup-source.ts';
import { publicReason, Unavailable } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { restoreSettings } from './restoring.ts';
import { settingsRoutes } from './routes.ts';
import { sealSettings, unsealSettings } from './settings-file.ts';

/** So many things that could not be put back are named in events and tasks, by so many characters. */
const NAMED = 20;
const NAMED_CHARACTERS = 200;

export default definePlugin({
  name: 'settings-backups',
  description: 'Domains, certificates and other settings of accounts, in their backups.',
  features: [],
  uses: ['backups'],
  errors: fail,
  events,
  routes: settingsRoutes,
  setup(host) {
    const { identity, store } = host;
    const backups = host.peer<AccountBackups>('backups');
    if (backups === undefined) throw new Unavailable('there are no backups to add to', 'switch the plugin backups on');
    const read = async (account: Account, { ip, signal }: SourceRun) => {
      try {
        return { version: 1, made_at: new Date().toISOString(), parts: await saveParts(host, account) } as const;
      } catch (error) {
        signal.throwIfAborted();
        const reason = publicReason(error);
        const text = `has a backup without the settings: ${reason}`;
        const told = { account, ip, isNoticed: ip === '', text, data: { reason } };
        await store.write((tx) => host.events.record(tx, { type: 'backup.settings_missing', ...told }));
        throw error;
      }
    };
    const tellRestored = (account: Account, ip: string, madeAt: string, missing: readonly string[]) => {
      const data = { made_at: madeAt, left_out: missing.length, not_restored: shortened(missing) };
      const but = missing.length === 0 ? '' : `, except ${missing.length}: ${data.not_restored[0]}`;
      const text = `restored the settings from the backup of ${madeAt}${but}`;
      return store.write((tx) => host.events.record(tx, { type: 'backup.settings_restored', account, ip, text, data }));
    };
    return {
      service: {
        bringBack: async (account, was, content, run) => {
          if ((await identity.accounts.byId(was.id)) !== undefined)
            throw fail.settings_refused('their account is there');
          return restoreSettings(host, account, await unsealSettings(identity, was, content), run);
        },
      } satisfies SettingsBackups,
      handlers: {
        show: async ({ account, params }) => {
          const item = await backups.item(account, params.id, SETTINGS);
          return {
            saved: item?.snapshot != null,
            size_bytes: item?.size_bytes ?? 0,
            problem: item?.problem ?? null,
          };
        },
        restore: async ({ account, params: { id }, ip }) => {
          const item = await backups.item(account, id, SETTINGS);
          if (item?.snapshot == null) throw fail.settings_not_found('the settings are not in this backup');
          return backups.restoreItem(account, { id, engine: SETTINGS }, async (content, signal) => {
            const settings = await unsealSettings(identity, account, content);
            const missing = await restoreSettings(host, account, settings, { signal });
            await tellRestored(account, ip, settings.made_at, missing);
            if (missing.length === 0) return { leftOut: 0 };
            const more = missing.length > NAMED ? `; and ${missing.length - NAMED} more` : '';
            return { leftOut: missing.length, detail: `${shortened(missing).join('; ')}${more}` };
          });
        },
      },
      provides: {
        backupSources: () => ({
          engine: SETTINGS,
          names: async () => [''],
          dump: async (account, _name, run, take) => take(sealSettings(identity, account, await read(account, run))),
        }),
      },
    };
  },
});

const shortened = (texts: readonly string[]): string[] =>
  texts
    .slice(0, NAMED)
    .map((text) => (text.length > NAMED_CHARACTERS ? `${text.slice(0, NAMED_CHARACTERS - 1)}…` : text));
