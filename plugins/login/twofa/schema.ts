import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { Code, Password } from '../schema.ts';

export const TwofaStatus = NamedObject('TwofaStatus', {
  enabled: Type.Boolean(),
  method: Type.String({ description: 'authenticator_app; empty while it is off' }),
  code: Type.Literal('', { description: 'Always empty: the server never discloses a code' }),
});
export const TwofaSetupBody = NamedObject('TwofaSetupRequest', { password: Password });
export const TwofaSetup = NamedObject('TwofaSetup', {
  secret: Type.String({ description: 'Base32, for apps that cannot scan the QR code' }),
  otpauth_url: Type.String(),
  qr: Type.String({ description: 'otpauth_url as a QR code: data URL of an SVG' }),
});
export type TwofaSetup = Static<typeof TwofaSetup>;
export const TwofaConfirmBody = NamedObject('TwofaConfirmation', { code: Code });
export const TwofaConfirmed = NamedObject('TwofaConfirmed', {
  enabled: Type.Literal(true),
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only once; each can replace one code' }),
});
export const TwofaOffBody = NamedObject('TwofaRemoval', { password: Password, code: Code });
export const TwofaOff = NamedObject('TwofaRemoved', { enabled: Type.Literal(false) });
export const TwofaReset = NamedObject('TwofaReset', { username: Type.String(), enabled: Type.Literal(false) });
