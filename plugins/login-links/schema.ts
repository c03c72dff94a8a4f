import { NamedObject, Type } from '../../kernel/schema.ts';

export const LoginLinksConfig = Type.Object(
  {
    home_url: Type.String({
      pattern: '^(https?://[^/]+(/.*[^/])?)?$',
      default: '',
      description: 'Where customers open their pages, for links to them; empty = at the address that listens',
    }),
  },
  { additionalProperties: false },
);

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
export const LoginLink = NamedObject('LoginLink', {
  url: Type.String({ description: 'Opens the account in a browser, once; its last part is secret' }),
  expires_in: Type.Integer({ description: 'Seconds' }),
});
export const LoginLinkBody = NamedObject('LoginLinkRequest', {
  code: Type.String({ maxLength: 128, description: 'What the URL of the link has after #login=' }),
});
