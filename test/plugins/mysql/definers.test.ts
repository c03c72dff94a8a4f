import { buffer } from 'node:stream/consumers';
import * as assert from '../../support/assert.ts';
import { withoutDefiners } from '../../../kernel/kit/databases/mariadb/definers.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('mysql, definers');

async function* inChunks(text: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}
const without = async (text: string, sizeBytes = 1 << 16): Promise<string> =>
  (await buffer(withoutDefiners(inChunks(text, sizeBytes)))).toString();

const CLAUSES = [
  ['CREATE DEFINER=`root`@`localhost` PROCEDURE p() select 1;;', 'CREATE PROCEDURE p() select 1;;'],
  ['/*!50013 DEFINER=`ann_ü`@`%` SQL SECURITY DEFINER */', '/*!50013 SQL SECURITY DEFINER */'],
  [
    '/*!50003 CREATE*/ /*!50017 DEFINER=`a``b`@`10.%`*/ /*!50003 TRIGGER t',
    '/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER t',
  ],
  [
    "CREATE ALGORITHM=UNDEFINED DEFINER='a b'@'h' VIEW v AS select 1;",
    'CREATE ALGORITHM=UNDEFINED VIEW v AS select 1;',
  ],
  ['CREATE OR REPLACE DEFINER=app@localhost FUNCTION f', 'CREATE OR REPLACE FUNCTION f'],
] as const;

test('definers are left out wherever a chunk ends', async () => {
  const filling = `${'x'.repeat(700)}\n`;
  const [before, after] = [0, 1].map((which) => CLAUSES.map((each) => `${filling}${each[which]}\n`).join(''));
  for (const sizeBytes of [1, 7, 64, 511, 640, 1024, 1 << 16])
    assert.is(await without(before ?? '', sizeBytes), after, `chunks of ${sizeBytes}`);
  for (const [text, rest] of CLAUSES) assert.is(await without(text), rest);
});

test('what only looks like a definer stays', async () => {
  for (const text of [
    "INSERT INTO `t` VALUES ('CREATE DEFINER=`root`@`localhost` PROCEDURE');\n",
    '  CREATE DEFINER=`a`@`b` PROCEDURE',
    'select 1; CREATE DEFINER=`a`@`b` VIEW',
    'DEFINER=',
    'CREATE DEFINER=CURRENT_USER VIEW v',
    `${'-'.repeat(200)}DEFINER=\`a\`@\`b\``,
    '',
  ])
    for (const sizeBytes of [1, 100, 1 << 16]) assert.is(await without(text, sizeBytes), text);
});
