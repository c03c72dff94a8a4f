import * as assert from '../../support/assert.ts';
import { readReport } from '../../../plugins/visitors/report.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('visitors report');

test('a report without totals is not one of no visitors', () => {
  for (const json of ['', 'null', '[]', '{}', '{"general":{}}', '{"general":{"valid_requests":1,"bandwidth":2}}'])
    assert.throws(() => readReport(json, false), undefined, json);
  const general = { valid_requests: 3, unique_visitors: 2, bandwidth: 5 };
  const { hits, visitors, bytes, pages } = readReport(JSON.stringify({ general }), false);
  assert.equal([hits, visitors, bytes, pages], [3, 2, 5, []]);
});
