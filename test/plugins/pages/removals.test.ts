import { readFileSync } from 'node:fs';
import { findFiles } from '../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import * as assert from '../../support/assert.ts';
import { assertNone } from '../../support/lists.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('pages: removals');
/** A removal by `api` whose reply nobody reads. */
const UNREAD = /(?:^ *await|=>) api\(\s*'DELETE [^']*/gm;

test('where no reply is needed, what another window removed counts as removed', () => {
  const files = findFiles('plugins/*/page/**/*.{ts,tsx}', projectDir);
  assert.ok(files.length > 100);
  const unread = files.flatMap((file) =>
    [...readFileSync(`${projectDir}/${file}`, 'utf8').matchAll(UNREAD)].map(([found]) => `${file}: ${found.trim()}`),
  );
  assertNone(unread, () => true, 'sent by sendRemoval');
});
