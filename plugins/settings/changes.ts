import type { Host } from '../../kernel/contract/plugin.ts';
import type { Session } from '../../kernel/identity/gate/sessions.ts';
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';
import type { Tx } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';
import { etagIn, isEditable, type Listed } from './listing.ts';
import type { SettingChanged, SettingsConfig } from './schema.ts';
import { valuesIn } from './stored-settings.ts';
import { keep, readRows, type StoredRow } from './store.ts';

/** No change takes so long: each plugin may take half a minute to start, and all start at once. */
const LEASE_MS = 120_000;
/** How much of a value the activity log repeats, in characters. */
const TOLD = 200;

interface Change {
  readonly account: { readonly username: string };
  readonly session: Session;
  readonly ip: string;
  readonly setting: string;
  /** JSON; `null` gives the setting back to the files. */
  readonly value: string | null;
  /** The ETag that it must have; empty for any. */
  readonly expected: string;
}

/** Changes settings: each change is tried before it is kept, one at a time in all nodes. */
export class SettingChanges {
  readonly #host: Host<SettingsConfig>;

  constructor(host: Host<SettingsConfig>) {
    this.#host = host;
  }

  /**
   * Errors: 400 `invalid_request`; 403 `reauthentication_required`; 404 `setting_not_found`; 409 `setting_not_editable`, `setting_refused`, `settings_busy`; 412
   * `setting_changed`.
   */
  async make(change: Change): Promise<SettingChanged> {
    const { node, config, identity, store } = this.#host;
    const { session } = change;
    const found = (await node.settings()).find(({ setting }) => setting === change.setting);
    if (found === undefined) throw fail.setting_not_found(`there is no setting ${change.setting}`);
    assertEditable(found, config);
    if (session.grant === undefined) await identity.reauthentication.assertRecent(store, session);
    const lease = await node.leases.acquire('settings', LEASE_MS);
    if (lease === undefined) throw fail.settings_busy('another setting is being changed', { retryAfterSeconds: 1 });
    try {
      return await this.#inTurn(change);
    } finally {
      await lease.release();
    }
  }

  async #inTurn(change: Change): Promise<SettingChanged> {
    const { store } = this.#host;
    const { setting, value } = change;
    const rows = await readRows(store);
    const before = rows.find((row) => row.setting === setting);
    assertExpected(before, change);
    if ((before?.value ?? null) === value) return { setting, changed: false, etag: etagIn(before) };
    const others = rows.filter((row) => row !== before);
    const now = { setting, value, version: 0, changed_by: '', changed_at: 0 };
    const after = [...others, now].toSorted((a, b) => (a.setting < b.setting ? -1 : 1));
    return { setting, changed: true, etag: etagIn({ version: await this.#try(change, after) }) };
  }

  /** Resolves with the version of the change once the server runs with it. */
  async #try(change: Change, after: readonly StoredRow[]): Promise<number> {
    const { node, config, store } = this.#host;
    let version = 0;
    let failure: unknown;
    const keep = async () => {
      try {
        version = await store.write((tx) => this.#keep(tx, change));
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      await node.applyStored({ values: valuesIn(after, config), changed: change.setting, keep });
    } catch (error) {
      if (error instanceof HttpError || error === failure) throw error;
      throw fail.setting_refused(escapeControl(errorMessage(error)), { cause: error });
    }
    return version;
  }

  async #keep(tx: Tx, { setting, value, account, ip, expected }: Change): Promise<number> {
    const before = (await readRows(tx)).find((row) => row.setting === setting);
    assertExpected(before, { setting, expected });
    const version = await keep(tx, setting, value, account.username);
    const by = { username: account.username, ip };
    const { events } = this.#host;
    if (value === null)
      await events.record(tx, {
        ...by,
        type: 'setting.reset',
        text: `gave the setting ${setting} back to the files`,
        data: { setting },
      });
    else
      await events.record(tx, {
        ...by,
        type: 'setting.changed',
        text: `set ${setting} to ${value.length > TOLD ? `${value.slice(0, TOLD)}…` : value}`,
        data: { setting, value },
      });
    return version;
  }
}

function assertEditable(found: Listed, config: SettingsConfig): void {
  if (isEditable(found, config)) return;
  const { setting, bond } = found;
  switch (bond) {
    case 'secret':
      throw fail.setting_not_editable(`${setting} is or holds a secret, which only a file may set`);
    case 'restart':
      throw fail.setting_not_editable(`only a restart changes ${setting}: set it in the configuration file`);
    case 'rights':
      throw fail.setting_not_editable(`the process with root's rights goes by ${setting}, and by files only`);
    case 'structure':
      throw fail.setting_not_editable(`${setting} says what there is to set: set it in the configuration file`);
    case undefined:
      throw fail.setting_not_editable(`settings.editable of the configuration does not name ${setting}`);
  }
}

function assertExpected(
  before: StoredRow | undefined,
  { setting, expected }: Pick<Change, 'setting' | 'expected'>,
): void {
  if (expected === '' || expected === '*' || expected === etagIn(before)) return;
  if (before === undefined) throw fail.setting_changed(`${setting} is not the one that If-Match names`);
  throw fail.setting_changed(`${before.changed_by} has changed ${setting} meanwhile`);
}
