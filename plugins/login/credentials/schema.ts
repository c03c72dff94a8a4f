import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { CodeIfAny, Password } from '../schema.ts';

export const LoginBody = NamedObject('LoginRequest', {
  username: Type.String({ maxLength: 1024 }),
  password: Password,
  twofa_code: CodeIfAny,
});
export const ReauthenticateBody = NamedObject('ReauthenticationRequest', { password: Password, twofa_code: CodeIfAny });
export const Reauthenticated = NamedObject('Reauthentication', {
  reauthenticated: Type.Literal(true),
  expires_in: Type.Integer({
    description: 'Seconds for which it counts, in this session only; a change of a credential ends it',
  }),
});
export type Reauthenticated = Static<typeof Reauthenticated>;
export const LogoutReply = NamedObject('LoggedOut', { logged_out: Type.Literal(true) });
export const PasswordBody = NamedObject('PasswordChange', {
  password: Password,
  new_password: Type.String({ minLength: 8, maxLength: 128 }),
});
export const PasswordReply = NamedObject('PasswordChanged', { changed: Type.Literal(true) });
export const UnlockQuery = Type.Object({
  from: Type.String({
    maxLength: 64,
    default: '',
    description: 'Address of the owner, from which others can no longer lock the account',
  }),
});
export const Unlocked = NamedObject('AccountUnlocked', { username: Type.String(), unlocked: Type.Literal(true) });
const Lock = NamedObject('Lock', {
  key: Type.String({ description: 'Names the lock in DELETE /api/locks/{key}' }),
  kind: Type.String({
    enum: ['account', 'account_from_network', 'account_in_known_network', 'network'],
    description:
      'account: refused from all networks in which it has not logged in before; account_from_network: from one of ' +
      'these; account_in_known_network: where it has; network: no account from there',
  }),
  username: Type.Union([Type.String(), Type.Null()], {
    description: 'null for a network, and for a name that no account has',
  }),
  network: Type.Union([Type.String(), Type.Null()], { description: 'Address, or network of IPv6' }),
  failures: Type.Integer({ description: 'In the last day' }),
  until: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
});
export type Lock = Static<typeof Lock>;
export const LockList = NamedObject('LockList', {
  locks: Type.Array(Lock, { maxItems: 200, description: 'Newest failures first' }),
  truncated: Type.Boolean({ description: 'Whether there may be more' }),
});
export type LockList = Static<typeof LockList>;
export const LockParams = Type.Object({
  key: Type.String({ maxLength: 256, examples: ['YWRkcmVzcyAxOTguNTEuMTAwLjc'] }),
});
export const LockLifted = NamedObject('LockLifted', { key: Type.String(), lifted: Type.Literal(true) });
