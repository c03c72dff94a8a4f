import { Locales } from '../../../kernel/config/locales.ts';
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('rights in events of PostgreSQL');

test('the activity tells the rights in the words of each language', () => {
  const told = (locale: string, level?: string) =>
    new Locales().eventText(locale, {
      type: 'postgresql.access_granted',
      line: '',
      data: { user: 'shop', database: 'orders', level },
    });
  for (const [level, german, french] of [
    ['owner', 'alle Rechte', 'tous les droits'],
    ['read_write', 'lesen und schreiben', 'lecture et écriture'],
    ['read_only', 'nur lesen', 'lecture seule'],
    [undefined, '–', '–'],
  ] as const) {
    assert.is(told('de', level), `PostgreSQL-Benutzer shop hat Rechte auf orders erhalten: ${german}`);
    assert.is(told('fr', level), `L’utilisateur PostgreSQL shop a reçu des droits sur orders : ${french}`);
  }
});
