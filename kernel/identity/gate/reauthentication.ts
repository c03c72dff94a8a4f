import { fail, sessionRequired } from '../../errors.ts';
import type { Reader, Tx } from '../../store/store.ts';
import { liveSession, noteReauthentication, type SessionKey } from './session-rows.ts';

const COUNTS_MS = 5 * 60_000;

/**
 * Proving password and second factor again in a session, for what could take the server over: a stolen token alone cannot
 * then. The session's row has when it was done; a change of a credential ends it.
 */
export class Reauthentication {
  readonly #slackMs: number;

  /** `slackMs`: see `clockSlackMs`. */
  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }

  /** Notes that both were proved; resolves with the seconds that it counts. */
  async note(tx: Tx, session: SessionKey): Promise<number> {
    await noteReauthentication(tx, session, Date.now());
    return COUNTS_MS / 1000;
  }

  /**
   * Rejects unless both were proved within the last five minutes. Errors: 403 `reauthentication_required`,
   * `session_required`, 401 `authentication_required`.
   */
  async assertRecent(reader: Reader, session: SessionKey): Promise<void> {
    if (session.grant !== undefined) throw sessionRequired();
    const { reauthenticated_at: at } = await liveSession(reader, session);
    const now = Date.now();
    if (at === null || at > now + this.#slackMs || at <= now - COUNTS_MS)
      throw fail.reauthentication_required(
        'prove your password, and your second factor if you have one, with POST /api/reauthenticate first',
      );
  }
}
