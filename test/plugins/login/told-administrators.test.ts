import * as assert from '../../support/assert.ts';
import { Locales } from '../../../kernel/config/locales.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('login: told administrators');

test('in other languages, too, the log says which administrator it was, if one', () => {
  const told = (locale: string, type: string, by: string | null) =>
    new Locales().eventText(locale, { type, line: '', data: { by } });
  for (const [type, language, byRoot, byCommand] of [
    ['account.unlocked', 'de', 'Anmeldesperre vom Administrator root aufgehoben', 'Anmeldesperre aufgehoben'],
    ['account.unlocked', 'fr', "Connexion débloquée par l'administrateur root", 'Connexion débloquée'],
    [
      'twofa.reset',
      'de',
      'Zwei-Faktor-Authentifizierung vom Administrator root zurückgesetzt',
      'Zwei-Faktor-Authentifizierung zurückgesetzt',
    ],
    [
      'twofa.reset',
      'fr',
      "Double authentification réinitialisée par l'administrateur root",
      'Double authentification réinitialisée',
    ],
  ] as const) {
    assert.is(told(language, type, 'root'), byRoot);
    assert.is(told(language, type, null), byCommand);
  }
});
