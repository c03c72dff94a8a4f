import type { Sessions } from '../../kernel/identity/gate/sessions.ts';
import { ready } from '../../kernel/contract/reply.ts';
import type { PageCookie } from '../../kernel/contract/route-spec.ts';
import { asOwner, type Caller, type CredentialChanges } from './credentials/credential-changes.ts';
import type { Twofa } from './twofa/twofa.ts';

/** Returns the handlers for logging out, the password and the second factor. */
export function credentialHandlers(sessions: Sessions, changes: CredentialChanges, twofa: Twofa) {
  return {
    logout: async ({ account, session, ip, page }: Caller & { readonly page: PageCookie | undefined }) => {
      await sessions.end(account, session.id, ip, 'logout');
      const loggedOut = { logged_out: true } as const;
      return page === undefined ? loggedOut : ready(loggedOut, { headers: { 'Set-Cookie': page.end() } });
    },
    password: (call: Caller & { readonly body: { password: string; new_password: string } }) =>
      changes.changePassword(asOwner(call), call.body.password, call.body.new_password),
    twofa: async ({ account }: Caller) => {
      const enabled = await twofa.isEnabled(account.id);
      return { enabled, method: enabled ? 'authenticator_app' : '', code: '' } as const;
    },
    setupTwofa: (call: Caller & { readonly body: { password: string } }) =>
      changes.setUpTwofa(asOwner(call), call.body.password),
    confirmTwofa: (call: Caller & { readonly body: { code: string } }) =>
      changes.confirmTwofa(asOwner(call), call.body.code),
    disableTwofa: (call: Caller & { readonly body: { password: string; code: string } }) =>
      changes.disableTwofa(asOwner(call), call.body.password, call.body.code),
  };
}
