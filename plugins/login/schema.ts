import { NamedObject, Type } from '../../kernel/schema.ts';

const Budget = (minute: number, hour: number, day: number, textOf: (window: string) => string) => {
  const most = (window: string, value: number) =>
    Type.Integer({ minimum: 1, maximum: 10_000, default: value, description: textOf(window) });
  return Type.Object(
    { minute: most('a minute', minute), hour: most('an hour', hour), day: most('a day', day) },
    { additionalProperties: false, default: {} },
  );
};

export const LoginConfig = Type.Object(
  {
    issuer: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[^:]+$',
      default: 'Hostkeep',
      description: 'Name of the panel, as shown in authenticator apps',
    }),
    account_failures: Budget(
      5,
      20,
      50,
      (window) => `Failed passwords and codes of one account in ${window}, after which further attempts are refused`,
    ),
    address_failures: Budget(
      30,
      150,
      500,
      (window) =>
        `Failed passwords and codes from one address in ${window}, after which further attempts are refused. Many customers ` +
        'may share it. IPv6 addresses count by their first 64 bits, and by their first 48 bits with four times as many',
    ),
  },
  { additionalProperties: false },
);

/** Longer than any valid password or name, so that an overlong one is refused like any wrong one. */
export const Password = Type.String({ maxLength: 1024 });
export const Code = Type.String({
  maxLength: 256,
  description: 'Six digits from the authenticator app, or a recovery code',
});
export const CodeIfAny = Type.Optional(Type.Union([Code, Type.Null()], { description: 'null is like absent' }));

export const TwofaRequired = NamedObject(
  'TwofaRequired',
  { twofa_required: Type.Literal(true), user_id: Type.Integer({ description: 'Number of the account' }) },
  { additionalProperties: false, description: 'The password is correct; a code is required' },
);

export const AccountParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
});
