import * as assert from '../../support/assert.ts';
import { readSections, sectionsIn } from '../../../plugins/php/info/sections.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php-info');

const HTML = `<!DOCTYPE html><html><head><style>body {}</style></head><body><div class="center">
<table><tr class="h"><td><h1 class="p">PHP Version 8.4.1</h1></td></tr></table>
<table>
<tr><td class="e">System </td><td class="v">Linux &lt;a&gt; &amp;amp; </td></tr>
</table><hr /><h1>Configuration</h1>
<h2><a name="module_core" href="#module_core">Core</a></h2>
<table>
<tr><td class="e">PHP Version </td><td class="v">8.4.1 </td></tr>
</table>
<table>
<tr class="h"><th>Directive</th><th>Local Value</th><th>Master Value</th></tr>
<tr><td class="e">highlight.html</td><td class="v"><font style="color: #000000">#000000</font></td><td class="v">x</td></tr>
<tr><td class="e">error_prepend_string</td><td class="v"><i>no value</i></td><td class="v"><i>no value</i></td></tr>
<tr><td class="e">mysqli.default_pw</td><td class="v">hidden</td><td class="v">hidden</td></tr>
<tr><td colspan="2">a note</td></tr>
</table>
<h2>Additional Modules</h2>
</div></body></html>`;

test('the tables of phpinfo are rows of text, without secrets and empty parts', () => {
  assert.equal(sectionsIn(HTML), [
    { title: 'PHP', rows: [{ name: 'System', local: 'Linux <a> &amp;', master: null }] },
    {
      title: 'Core',
      rows: [
        { name: 'PHP Version', local: '8.4.1', master: null },
        { name: 'highlight.html', local: '#000000', master: 'x' },
        { name: 'error_prepend_string', local: '', master: '' },
      ],
    },
  ]);
});

test('what is no phpinfo is read in time that grows with its length, and within bounds', () => {
  assert.equal(sectionsIn(''), []);
  assert.equal(sectionsIn('<h2>'.repeat(100_000)), []);
  for (const text of ['<tr>', '<', '<tr><td>', '<i>no value', '&lt', '</td>', '<h2>'])
    assert.ok(sectionsIn(`<h2>x</h2>${text.repeat(60_000)}`).length <= 1, text);
  const row = `<tr><td>n</td><td>${'v'.repeat(5000)}</td></tr>`;
  const [section] = sectionsIn(`<h2>x</h2>${row.repeat(1000)}`);
  assert.equal([section?.rows.length, section?.rows[0]?.local.length], [499, 2000]);
  assert.is(sectionsIn(`<h2>x</h2>${row}`.repeat(1000)).length, 199);
});

test('what a job sends instead is refused', () => {
  const row = { name: 'a', local: 'b', master: null };
  assert.equal(readSections([{ title: 'x', rows: [row] }]), [{ title: 'x', rows: [row] }]);
  for (const sent of [null, {}, [{}], [{ title: 1, rows: [] }], [{ title: 'x', rows: [{ ...row, more: 1 }] }]])
    assert.throws(() => readSections(sent), /expected/);
  assert.throws(() => readSections([{ title: 'x', rows: [{ ...row, local: 'v'.repeat(2001) }] }]), /expected/);
  assert.throws(() => readSections(Array.from({ length: 201 }, () => ({ title: 'x', rows: [] }))), /expected/);
});
