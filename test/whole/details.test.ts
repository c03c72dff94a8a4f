/** What errors say in detail, in the languages of their readers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { DetailTexts } from '../../kernel/config/detail-texts.ts';
import { Locales } from '../../kernel/config/locales.ts';
import { invalid } from '../../kernel/errors.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { errorDetails } from '../support/error-details.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('details of errors');

/** Returns the sources of folders, with `{}` for what a text takes in, and without the marks of quoting. */
function sourcesOf(...folders: readonly string[]): string {
  const files = findFiles(
    folders.map((folder) => `${folder}/**/*.ts`),
    projectDir,
  );
  return files
    .map((file) => readFileSync(join(projectDir, file), 'utf8'))
    .join('\n')
    .replace(/\$\{[^}]*\}/g, '{}')
    .replaceAll('\\', '');
}

const detailsIn = (folder: string, language: string): Readonly<Record<string, string>> => {
  const file = join(projectDir, folder, `locales/${language}.json`);
  const files = findFiles(`locales/${language}.json`, join(projectDir, folder));
  if (files.length === 0) return {};
  return (JSON.parse(readFileSync(file, 'utf8')) as { details?: Record<string, string> }).details ?? {};
};

const plugins = readdirSync(join(projectDir, 'plugins')).map((name) => `plugins/${name}`);

test('each translation is one of a text in the sources, in each language', () => {
  const folders = ['config', ...plugins];
  const everywhere = sourcesOf('kernel', 'plugins');
  const known = new Set<string>();
  for (const folder of folders) {
    const [german, french] = [detailsIn(folder, 'de'), detailsIn(folder, 'fr')];
    assert.equal(Object.keys(german), Object.keys(french), folder);
    const sources = folder === 'config' ? everywhere : sourcesOf(folder);
    for (const [english, text] of Object.entries(german)) {
      assert.ok(sources.includes(english), `${folder}: ${english}`);
      assert.not.ok(known.has(english), `twice: ${english}`);
      known.add(english);
      const parts = english.split('{}').length - 1;
      for (const each of [text, french[english] ?? ''])
        for (const [, nth] of each.matchAll(/\{(\d)\}/g)) assert.ok(Number(nth) <= parts, `${folder}: ${each}`);
    }
  }
});

test('what errors say, except on the command line, has its translation', () => {
  const common = detailsIn('config', 'de');
  const untranslated = ['kernel', ...plugins].flatMap((folder) => {
    const known = { ...common, ...detailsIn(folder, 'de') };
    const files = findFiles([`${folder}/**/*.ts`], projectDir).filter((file) => !/\/commands(\.ts|\/)/.test(file));
    return files.flatMap((file) =>
      errorDetails(readFileSync(join(projectDir, file), 'utf8'))
        .filter((detail) => !(detail in known))
        .map((detail) => `${file}: ${detail}`),
    );
  });
  assert.equal(untranslated, []);
});

test('details are read from sources as they are written out', () => {
  const source = `
    throw fail.a('one');
    // throw fail.b('not this')
    return isB ? fail.b(\`two \${name(\`a \${b}\`, { c: ')' })}\`, { cause: 'x' }) : fail.c("it's " + 'joined');
    throw fail.d(isE ? 'three' : \`four \${e}\`, 'no');
    throw fail.e(error.message);
  `;
  assert.equal(errorDetails(source), ['one', 'two {}', "it's joined", 'three', 'four {}']);
});

test('a text takes in what the English one has, and the most telling one fits', () => {
  const texts = new DetailTexts({
    'the plan allows {} database{}': 'erlaubt: {1}',
    '{} is in use': '{1} ist vergeben',
    'the name {} is in use': 'der Name {1} ist vergeben',
    'a (dot).': 'Punkt',
  });
  for (const [english, german] of [
    ['the plan allows 1 database', 'erlaubt: 1'],
    ['the plan allows 20 databases', 'erlaubt: 20'],
    ['the name a\nb is in use', 'der Name a\nb ist vergeben'],
    ['{1} is in use', '{1} ist vergeben'],
    ['$& is in use', '$& ist vergeben'],
    ['a (dot).', 'Punkt'],
    ['a (dot)x', undefined],
    ['the name x is in use now', undefined],
    [`${'x'.repeat(2000)} is in use`, undefined],
  ] as const)
    assert.is(texts.translate(english), german, english.slice(0, 40));
});

test('faults are told at their members, and stay as they are without a translation', () => {
  const locales = new Locales();
  const error = invalid('body', [
    { path: '/a', message: 'must not be empty' },
    { path: '/b', message: 'must not be empty' },
    { path: '/c', message: 'is one of a kind' },
  ]);
  const { title, detail, members } = locales.errorTexts('de', error);
  assert.is.not(title, locales.errorTitle('en', error.code));
  assert.is(detail, 'body/a darf nicht leer sein; body/b darf nicht leer sein; body/c is one of a kind');
  const faults = (members?.['errors'] ?? []) as readonly { message: string }[];
  assert.equal(
    faults.map(({ message }) => message),
    ['darf nicht leer sein', 'darf nicht leer sein', 'is one of a kind'],
  );
  assert.equal(locales.errorTexts('en', error).detail, error.message);
  assert.equal(locales.errorTexts('en', error).members, error.members);
});
