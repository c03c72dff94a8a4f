import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('pages: styles');
const FOLDER = join(projectDir, 'plugins/pages/kit/styles');

test('a class has its own rules in one style sheet', () => {
  const sheets = new Map<string, string[]>();
  for (const sheet of readdirSync(FOLDER))
    for (const [, name = ''] of readFileSync(join(FOLDER, sheet), 'utf8').matchAll(/^(\.[\w-]+)(?=,| \{)/gm))
      sheets.set(name, [...new Set([...(sheets.get(name) ?? []), sheet])]);
  assert.ok(sheets.has('.tile'));
  const several = [...sheets].filter(([, all]) => all.length > 1);
  assert.equal(several, [], 'all style sheets hold for all pages, so that the later one changes what the first is for');
});
