import { NodeName } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const Text = Type.String();
export const AssetParams = Type.Object({ name: Type.String({ maxLength: 128, description: 'Name of a built file' }) });
export const PageParams = Type.Object({ page: Type.String({ maxLength: 2048, description: 'Place in the page' }) });
export const ConsoleQuery = Type.Object({
  node: Type.Optional(NodeName('The node of a fleet that pages about a machine show')),
});
export const SessionView = NamedObject('CurrentSession', {
  username: Type.String(),
  role: Type.String({ enum: ['user', 'admin'] }),
  plan: Type.Union([Type.String(), Type.Null()]),
  locale: Type.String({ description: 'Language of the account' }),
  locales: Type.Array(Type.String(), { description: 'Installed on the server' }),
  features: Type.Array(Type.String(), {
    description: 'What the account may use on this server, also what fails at the moment',
  }),
  switched_off: Type.Array(Type.String(), { description: 'Plugins without which this server runs' }),
  expires_at: Type.String({ format: 'date-time', description: 'When this session ends. RFC 3339, UTC' }),
  opened_by: Type.Union([Type.String(), Type.Null()], {
    description: 'The administrator who opened this session with a login link; null where the account itself logged in',
  }),
  version: Type.String({ description: 'Version of the server' }),
  node: Type.Union([Type.String(), Type.Null()], {
    description: 'The node of a fleet that answered an administrator; null for customers, and for a server by itself',
  }),
});
export const SessionReply = Type.Union([SessionView, Type.Null()], { title: 'CurrentSessionOrNone' });
export type SessionView = Static<typeof SessionView>;
