import * as assert from '../../support/assert.ts';
import { jsonPositions, JsonSyntaxError } from '../../../plugins/operations/json-positions.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('JSON positions');

test('what is not JSON is refused with its place, and JSON.parse agrees', () => {
  const table: readonly [text: string, line: number, column: number, message: RegExp][] = [
    ['', 1, 1, /ends too early/],
    ['{\n  "a": 1,\n}', 3, 1, /no comma before }/],
    ['[1, 2,]', 1, 7, /no comma before \]/],
    ['{"a" 1}', 1, 6, /a colon must stand/],
    ['{a: 1}', 1, 2, /name of a member must stand here, in double quotes/],
    ["{\n\t'a': 1}", 2, 2, /in double quotes/],
    ['{"a": \'b\'}', 1, 7, /texts stand in double quotes/],
    ['{"a": 1 // one\n}', 1, 9, /JSON has no comments/],
    ['// settings\n{}', 1, 1, /JSON has no comments/],
    ['{"a": 01}', 1, 8, /a comma or a closing bracket must stand here/],
    ['{"a": "b\n"}', 1, 7, /does not end on its line/],
    ['{"a": "\\x"}', 1, 7, /invalid escape/],
    ['{"a": [1, 2', 1, 12, /a comma or \] must stand here/],
    ['{"a": {}} {}', 1, 11, /nothing may follow/],
    ['{"a": nul}', 1, 7, /a value must stand here/],
  ];
  for (const [text, line, column, pattern] of table) {
    assert.throws(() => void JSON.parse(text), undefined, text);
    try {
      jsonPositions(text);
      assert.unreachable(text);
    } catch (error) {
      assert.instance(error, JsonSyntaxError, text);
      assert.equal((error as JsonSyntaxError).position, { line, column }, text);
      assert.match((error as JsonSyntaxError).message, pattern, text);
    }
  }
});

test('members are found by JSON pointer, and repetitions are reported', () => {
  const text = '{ "a": {"b/c~": [true, {"d": -1.5e3}]},\n  "ü": "\\u00fc\\"",\n  "a": {"b/c~": null} }';
  const { positions, repeated } = jsonPositions(text);
  assert.equal(positions.get('/ü'), { line: 2, column: 3 });
  assert.equal(positions.get('/a/b~1c~0/1/d'), { line: 1, column: 25 });
  assert.equal(repeated, [{ path: '/a', position: { line: 3, column: 3 } }]);
});
