import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { lastVersion } from './store.ts';

/** How often this process looks for changes of other nodes; those of its own node it hears of. */
const LOOK_MS = 2000;
/** How long after a failure the same settings are tried again. */
const AGAIN_MS = 60_000;

/** Puts settings into force that another process has changed. */
export class SettingsFollower {
  readonly #host: Pick<Host, 'store' | 'node' | 'log' | 'events' | 'onClose'>;
  readonly #looking: Recurring;
  /** The version that was put into force last, or could not be. */
  #seen: number | undefined;
  #isApplying = false;
  #failure: { readonly reason: string; readonly atMs: number } | undefined;

  constructor(host: Pick<Host, 'store' | 'node' | 'log' | 'events' | 'onClose'>) {
    this.#host = host;
    this.#looking = new Recurring({
      run: () => this.#look(),
      failed: (error) => host.log.warn({ err: error }, 'the settings of the console could not be read; will retry'),
      everyMs: LOOK_MS,
    });
    host.onClose(() => this.#looking.close());
    host.onClose(
      host.events.listen(({ type }, isOwn) => !isOwn && type.startsWith('setting.') && this.#looking.wake()),
    );
    this.#looking.wake();
  }

  /** Returns why settings of the console are not in force in this process. */
  get findings(): Finding[] {
    if (this.#failure === undefined) return [];
    const detail = `settings of the console are not in force in this process: ${this.#failure.reason}`;
    return [{ name: 'settings', ok: false, detail, remedy: 'change them in the console, under Settings' }];
  }

  async #look(): Promise<void> {
    const version = await lastVersion(this.#host.store);
    const isDue = this.#failure !== undefined && performance.now() - this.#failure.atMs >= AGAIN_MS;
    if (this.#isApplying || (version === this.#seen && !isDue)) return;
    this.#isApplying = true;
    this.#seen = version;
    void this.#apply().finally(() => (this.#isApplying = false)); // which may have to wait until this plugin is closed
  }

  async #apply(): Promise<void> {
    const { node, log } = this.#host;
    try {
      await node.applyStored();
      this.#failure = undefined;
    } catch (error) {
      if (node.isStopping()) return;
      const reason = errorMessage(error);
      if (this.#failure?.reason !== reason) log.error({ err: error }, 'settings of the console are not in force here');
      this.#failure = { reason, atMs: performance.now() };
    }
  }
}
